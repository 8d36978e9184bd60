// The page of a run: `lmc view` and `lmc run --report`.
#pragma once

#include "products/Pipeline.h"
#include "runtime/run/Summary.h"
#include "tool/support/PageOptions.h"
#include "tool/support/SharedOptions.h"
#include "tool/view/Conserved.h"
#include "tool/view/Recorder.h"
#include "tool/view/ScenePage.h"

#include <filesystem>
#include <memory>
#include <string>

namespace lmc::tool {

namespace options {

constexpr Option<> data("--data", "RUN.h5|RUN.npz|RUN.csv", "shows this run, which was made before, and makes none",
                        {.completion = Completion::File});

} // namespace options

/// What the page of a run is made for.
enum class PageUse : std::uint8_t {
  Page,     ///< a file of its own
  Pictures, ///< a browser that makes stills and films of it: no limit of its size, no equations
  Scene,    ///< its picture alone, as data: no bundle is needed
};

/// A page that is being made. Its shell is read, and its place looked at, before anything is run.
class PageWriter {
public:
  /// Throws UsageError where the file is none for a page, InstallationError where the page's bundle is missing.
  PageWriter(const Invocation& call, std::filesystem::path file, PageUse use = PageUse::Page);

  /// What takes the samples of a run that was built with the option `scene`; `next` may be null. Pipeline and problem
  /// must outlive it.
  [[nodiscard]] std::unique_ptr<PageRecorder> recorder(const products::Pipeline& pipeline,
                                                       const runtime::Problem& problem, runtime::Sink* next) const;
  /// The text of the page; nothing, and said, where it is larger than it may be.
  [[nodiscard]] std::optional<std::string> text(products::Pipeline& pipeline, const runtime::Problem& problem,
                                                const runtime::Summary& summary, const PageRecorder& record,
                                                const ConservedPlot& conserved) const;
  /// The picture for other viewers (Glb.h); nothing where there is none. What there is to remark is printed.
  [[nodiscard]] std::optional<std::string> glb(products::Pipeline& pipeline, const runtime::Problem& problem,
                                               const PageRecorder& record) const;
  /// Writes the page, as a whole or not at all. Throws OutputError. False, and said, where it is larger than it may be.
  bool write(products::Pipeline& pipeline, const runtime::Problem& problem, const runtime::Summary& summary,
             const PageRecorder& record, const ConservedPlot& conserved) const;

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

private:
  [[nodiscard]] Showing showing() const;

  const Invocation& call_;
  std::filesystem::path file_;
  PageUse use_;
  std::string shell_;
  double limit_ = 0; ///< bytes
};

} // namespace lmc::tool
