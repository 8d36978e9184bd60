// Expressions of a method that see nothing of it: coefficients of tableaus, arguments of methods.
#pragma once

#include "sema/values/Value.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc {

/// No points, no algebra elements, no functions of a method: numbers alone.
class NumbersOnly final : public MethodOperations {
public:
  std::optional<Value> binary(ast::BinaryOp, const Value&, const Value&, Range) override { return std::nullopt; }
  std::optional<Value> negate(const Value&) override { return std::nullopt; }
  std::optional<Value> call(const std::string&, const std::vector<Value>&, Range) override { return std::nullopt; }
  std::optional<Value> bracket(const Value&, const Value&, Range) override { return std::nullopt; }
  std::vector<std::string> names() const override { return {}; }
};

} // namespace lmc
