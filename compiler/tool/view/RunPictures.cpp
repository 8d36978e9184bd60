#include "tool/view/RunPictures.h"

#include "tool/plot/Drawing.h"
#include "tool/plot/RunPlot.h"
#include "tool/support/SharedOptions.h"
#include "tool/view/Page.h"

#include <optional>

namespace lmc::tool {

namespace {

class RunPictures final : public Pictures {
public:
  explicit RunPictures(const Invocation& call) : plot_(PlotFile::of(call)) {
    if (call[options::report]) page_.emplace(call, *call[options::report]);
  }

  [[nodiscard]] bool needScene() const override { return page_.has_value(); }

  [[nodiscard]] runtime::Sink* receive(const products::Pipeline* pipeline, const runtime::Problem& problem,
                                       runtime::Sink* next) override {
    if (plot_) next = &curves_.emplace(problem, next);
    if (!page_) return next;
    states_.emplace(problem, next);
    record_ = page_->recorder(*pipeline, problem, &*states_);
    return record_.get();
  }

  [[nodiscard]] runtime::StepObserver* observer() override { return record_.get(); }

  [[nodiscard]] bool write(products::Pipeline* pipeline, const runtime::Problem& problem,
                           const runtime::Summary& summary) override {
    if (page_ && !page_->write(*pipeline, problem, summary, *record_, states_->conserved(*pipeline))) return false;
    return !plot_ || plot_->write(curves_->figure());
  }

private:
  std::optional<PlotFile> plot_;
  std::optional<PageWriter> page_;
  std::optional<PlotRecorder> curves_;
  std::optional<StateRecorder> states_;
  std::unique_ptr<PageRecorder> record_;
};

} // namespace

std::unique_ptr<Pictures> picturesOf(const Invocation& call) {
  return std::make_unique<RunPictures>(call);
}

} // namespace lmc::tool
