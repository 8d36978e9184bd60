// A graph and a program with inputs that have values: expressions are built and evaluated in one place.
#pragma once

#include "sema/Evaluate.h"
#include "sema/Near.h"
#include "sym/derivatives/Derivative.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace lmc::test {

/// A deep copy of nothing: one graph, one program, and the contents of its inputs.
class Sandbox {
public:
  sym::Graph g;
  sym::Program p{g};
  std::vector<std::pair<const sym::Array*, Numbers>> inputs;

  const sym::Array* array(const std::string& name, std::vector<std::int64_t> extents, sym::Shape shape, Numbers values,
                          sym::Role role = sym::Role::State) {
    const sym::Array* a = g.newArray(name, std::move(extents), shape, role);
    EXPECT_EQ(static_cast<std::size_t>(a->size()), values.size()) << name;
    inputs.emplace_back(a, std::move(values));
    return a;
  }
  /// An input with pseudo-random contents in (0.2, 1).
  const sym::Array* random(const std::string& name, std::vector<std::int64_t> extents, sym::Shape shape,
                           sym::Role role = sym::Role::State) {
    std::int64_t n = shape.size();
    for (const std::int64_t e : extents) n *= e;
    std::uniform_real_distribution<double> uniform(0.2, 1);
    Numbers values;
    for (std::int64_t k = 0; k < n; ++k) values.push_back(uniform(generator_));
    return array(name, std::move(extents), shape, std::move(values), role);
  }
  sym::Expr scalar(const std::string& name, double value) { return g.load(array(name, {}, {}, {value})); }
  sym::Expr vec(const std::string& name, int n) { return g.load(random(name, {}, sym::Shape::vec(n))); }
  sym::Expr mat(const std::string& name, int m, int n) { return g.load(random(name, {}, sym::Shape::mat(m, n))); }

  /// An array defined by one equation without loops; hides the structure of `e` from the simplifier.
  sym::Expr opaque(sym::Expr e) {
    const sym::Array* a = g.newArray("hidden", {}, e->shape, sym::Role::Temp, e->type);
    set(a, {}, {}, e);
    return g.load(a);
  }
  void set(const sym::Array* a, std::vector<sym::Loop> loops, std::vector<sym::Expr> index, sym::Expr value,
           sym::Expr guard = {}) {
    p.append({sym::EquationKind::Set, a, std::move(loops), guard, std::move(index), value, nullptr, nullptr});
  }
  void accumulate(const sym::Array* a, std::vector<sym::Loop> loops, std::vector<sym::Expr> index, sym::Expr value,
                  sym::Expr guard = {}) {
    p.append({sym::EquationKind::Accumulate, a, std::move(loops), guard, std::move(index), value, nullptr, nullptr});
  }
  const sym::Array* temp(const std::string& name, std::vector<std::int64_t> extents = {}, sym::Shape shape = {}) {
    return g.newArray(name, std::move(extents), shape, sym::Role::Temp);
  }
  sym::Expr n(std::int64_t k) { return g.integer(k); }
  sym::Expr real(double v) { return g.number(sym::Number::real(v)); }

  [[nodiscard]] Evaluate evaluator() const {
    Evaluate e(p);
    for (const auto& [a, values] : inputs) e.set(a, values);
    return e;
  }
  [[nodiscard]] Numbers value(sym::Expr e) const { return evaluator().value(e); }
  [[nodiscard]] double number(sym::Expr e) const { return value(e).at(0); }
  Numbers& contents(const sym::Array* a) {
    for (auto& [b, values] : inputs) {
      if (a == b) return values;
    }
    throw std::logic_error("not an input: " + a->name);
  }

private:
  std::mt19937_64 generator_{20240229};
};

} // namespace lmc::test
