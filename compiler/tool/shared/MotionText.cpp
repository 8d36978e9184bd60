#include "tool/shared/MotionText.h"

#include "tool/runs/RunChecks.h"
#include "tool/support/Report.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

void reportLate(products::Pipeline& pipeline, const Invocation& call, Code code) {
  pipeline.compilation()
      .diagnostics()
      .error(code, modelRange(pipeline),
             fmt::format("the search was given up after {:.6g} seconds", call.orStandard(searchSeconds)))
      .suggest("--max-seconds with more, a begin that is nearer (--set), or a smaller model");
}

std::string complexText(std::complex<double> value) {
  const double im = value.imag();
  std::string text = fmt::format("    {:>18.12g}", value.real() + 0.0);
  return text + (im == 0 ? std::string(22, ' ') : fmt::format(" {} {:<18.12g}i", im < 0 ? '-' : '+', std::abs(im)));
}

std::string outputsText(checks::MotionModel& model, const std::vector<double>& state, double time) {
  std::string text;
  const auto& names = model.problem().outputNames;
  if (const auto values = model.outputs(state, time))
    for (std::size_t k = 0; k < names.size(); ++k)
      text += fmt::format("  {} = {:.12g}\n", names[k], (*values)(static_cast<Eigen::Index>(k)));
  return text;
}

nlohmann::ordered_json outputsObject(checks::MotionModel& model, const std::vector<double>& state, double time) {
  auto object = nlohmann::ordered_json::object();
  const auto& names = model.problem().outputNames;
  if (const auto values = model.outputs(state, time))
    for (std::size_t k = 0; k < names.size(); ++k) object[names[k]] = (*values)(static_cast<Eigen::Index>(k));
  return object;
}

void printSearch(const Invocation& call, const products::Pipeline& pipeline, nlohmann::ordered_json object,
                 const std::string& text) {
  if (call[options::json]) {
    object["diagnostics"] = nlohmann::ordered_json::parse(toJson(pipeline.diagnostics(), pipeline.sources()));
    print(object.dump(2) + "\n");
    return;
  }
  printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());
  if (!text.empty()) print(text);
}

} // namespace lmc::tool
