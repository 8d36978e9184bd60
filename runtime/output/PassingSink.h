// A sink that looks at the samples of a run on their way to another one.
#pragma once

#include "runtime/output/Output.h"

#include <span>
#include <vector>

namespace lmc::runtime {

/// Passes everything on. What derives from it looks at samples, and calls the members of this class to pass them on.
class PassingSink : public Sink {
public:
  /// `next` may be null, and must outlive it.
  explicit PassingSink(Sink* next) : next_(next) {}
  void begin(const std::vector<Entry>& columns) override {
    if (next_ != nullptr) next_->begin(columns);
  }
  void sample(double t, std::span<const double> values) override {
    if (next_ != nullptr) next_->sample(t, values);
  }
  void sync() override {
    if (next_ != nullptr) next_->sync();
  }
  void finish() override {
    if (next_ != nullptr) next_->finish();
  }
  [[nodiscard]] bool enough() const override { return next_ != nullptr && next_->enough(); }

private:
  Sink* next_;
};

} // namespace lmc::runtime
