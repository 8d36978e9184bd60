// Expressions of a method that see nothing of it: coefficients of tableaus, arguments of methods.
#pragma once

#include "sema/values/Value.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc::methods {

/// No points, no algebra elements, no functions of a method: numbers alone.
class NumbersOnly final : public sema::MethodOperations {
public:
  std::optional<sema::Value> binary(syntax::BinaryOp, const sema::Value&, const sema::Value&, Range) override {
    return std::nullopt;
  }
  std::optional<sema::Value> negate(const sema::Value&) override { return std::nullopt; }
  std::optional<sema::Value> call(const std::string&, const std::vector<sema::Value>&, Range) override {
    return std::nullopt;
  }
  std::optional<sema::Value> bracket(const sema::Value&, const sema::Value&, Range) override { return std::nullopt; }
  std::vector<std::string> names() const override { return {}; }
};

} // namespace lmc::methods
