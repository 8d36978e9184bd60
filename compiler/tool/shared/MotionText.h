// What the searches for equilibria and for periodic motions say alike.
#pragma once

#include "checks/motions/MotionModel.h"
#include "products/Pipeline.h"
#include "tool/support/SharedOptions.h"

#include <complex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lmc::tool {

constexpr Option<double> searchSeconds =
    options::maxSeconds.as("S", "seconds after which the search is given up", {.standard = "300"});

/// Reports that a search was given up when its seconds had passed.
void reportLate(products::Pipeline& pipeline, const Invocation& call, Code code);

/// Real and imaginary part, in columns.
[[nodiscard]] std::string complexText(std::complex<double> value);

/// Energy and observables at a state, one a line; none where one of them has no value.
[[nodiscard]] std::string outputsText(checks::MotionModel& model, const std::vector<double>& state, double time);
/// The same by their names.
[[nodiscard]] nlohmann::ordered_json outputsObject(checks::MotionModel& model, const std::vector<double>& state,
                                                   double time);

/// What a search has to say: diagnostics and the text; or with --json the object, with the diagnostics in it.
void printSearch(const Invocation& call, const products::Pipeline& pipeline, nlohmann::ordered_json object,
                 const std::string& text);

} // namespace lmc::tool
