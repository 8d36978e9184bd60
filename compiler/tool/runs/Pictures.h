// What a run shows beside its numbers: plots and pages. They are made in the module of commands (Module.h).
#pragma once

#include "products/Pipeline.h"
#include "runtime/run/Run.h"
#include "runtime/run/Summary.h"

namespace lmc::tool {

/// The pictures that a call asks for. Places, programs and files that they need are looked at when it is made, before
/// anything is run.
class Pictures {
public:
  Pictures() = default;
  Pictures(const Pictures&) = delete;
  Pictures& operator=(const Pictures&) = delete;
  virtual ~Pictures() = default;

  /// Whether the run has to be built with the option `scene`.
  [[nodiscard]] virtual bool needScene() const = 0;
  /// What takes the samples of the run, and passes those of its own columns on to `next`, which may be null. The
  /// problem must outlive the pictures.
  /// @param pipeline that made the problem; null where it came from the cache, which no run with a scene does
  [[nodiscard]] virtual runtime::Sink* receive(const products::Pipeline* pipeline, const runtime::Problem& problem,
                                               runtime::Sink* next) = 0;
  /// What wants to see the trials of steps; may be null.
  [[nodiscard]] virtual runtime::StepObserver* observer() = 0;
  /// Writes all of them. False, and said, where one could not be written. Throws OutputError.
  [[nodiscard]] virtual bool write(products::Pipeline* pipeline, const runtime::Problem& problem,
                                   const runtime::Summary& summary) = 0;
};

} // namespace lmc::tool
