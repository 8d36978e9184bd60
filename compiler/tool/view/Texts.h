// What a page says in words and numbers.
#pragma once

#include "runtime/run/Summary.h"
#include "tool/support/Invocation.h"

#include <nlohmann/json.hpp>
#include <string>

namespace lmc::tool {

/// [{name, value}] of parameters, of initial values.
[[nodiscard]] nlohmann::ordered_json parameterTable(const runtime::Problem& problem);
[[nodiscard]] nlohmann::ordered_json initialTable(const runtime::Problem& problem);
/// {good, text, facts}: steps, energy error, largest defect.
[[nodiscard]] nlohmann::ordered_json verdictOf(const runtime::Summary& summary);
/// Version, command line, method, seed, a hash of all sources. No date: the same run makes the same page.
[[nodiscard]] nlohmann::ordered_json provenance(const Invocation& call, const runtime::Problem& problem,
                                                const runtime::RunDescription& about);
/// A number for people: 1,000,000 of a whole one.
[[nodiscard]] std::string grouped(std::int64_t n);

} // namespace lmc::tool
