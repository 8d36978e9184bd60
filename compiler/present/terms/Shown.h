// Trees with signs and factors where a person puts them.
#pragma once

#include "present/terms/Tree.h"

#include <functional>

namespace lmc::present {

/// How an integer is shown.
using ShownInteger = std::function<TreePtr(std::int64_t)>;

[[nodiscard]] TreePtr negTree(const TreePtr& a);
[[nodiscard]] TreePtr addTree(const std::vector<TreePtr>& parts, const sym::Shape& shape);
/// c up/down tensor; the tensor may be null.
[[nodiscard]] TreePtr productTree(const sym::Number& c, const std::vector<TreePtr>& up, std::vector<TreePtr> down,
                                  const TreePtr& tensor, const ShownInteger& integer);
[[nodiscard]] TreePtr crossTree(const TreePtr& a, const TreePtr& b);
[[nodiscard]] TreePtr dotTree(const TreePtr& a, const TreePtr& b);
[[nodiscard]] TreePtr matmulTree(const std::vector<TreePtr>& factors);
/// The sum; what does not depend on the index stands before it.
[[nodiscard]] TreePtr sumTree(const std::string& index, std::vector<TreePtr> range, const TreePtr& body);

} // namespace lmc::present
