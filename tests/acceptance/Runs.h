// `lmc run` of a text: what its summary says, or why it failed.
#pragma once

#include "acceptance/Tool.h"

#include <gtest/gtest.h>

namespace lmc::acceptance {

/// The summary of a run, which must succeed.
inline nlohmann::json runOf(const Workspace& w, const std::string& model, Arguments more = {}) {
  more.insert(more.begin(), {"run", w.write("m.lie", model).string(), "--json"});
  const Outcome outcome = w.lmc(more);
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  return parseJson(outcome.out);
}

/// What a run says that must fail.
inline std::string failure(const Workspace& w, const std::string& model, Arguments more = {}) {
  more.insert(more.begin(), {"run", w.write("m.lie", model).string()});
  const Outcome outcome = w.lmc(more);
  EXPECT_NE(outcome.status, 0) << outcome.out;
  return outcome.err;
}

} // namespace lmc::acceptance
