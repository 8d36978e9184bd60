// Numbers of an evaluation against those that are wanted.
#pragma once

#include "sema/Evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace lmc::test {

/// Entry by entry, to a tolerance that is relative where a wanted number is greater than one.
inline void expectNear(const Numbers& got, const Numbers& wanted, double tolerance, const std::string& what = "") {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (std::size_t k = 0; k < got.size(); ++k) {
    EXPECT_NEAR(got[k], wanted[k], tolerance * std::max(1.0, std::abs(wanted[k]))) << what << ", entry " << k;
  }
}

} // namespace lmc::test
