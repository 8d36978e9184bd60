// A model from a text, derived, with numbers for its state: accelerations, energy, steps of a method.
#pragma once

#include "mechanics/system/Layer.h"
#include "methods/Instantiate.h"
#include "sema/Near.h"
#include "sema/Support.h"
#include "syntax/parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

namespace lmc::test {

class Derived {
public:
  explicit Derived(const std::string& text, const Inputs& inputs = {}) : Derived(check(text, inputs)) {}
  Derived(const Derived&) = delete;
  Derived& operator=(const Derived&) = delete;
  explicit Derived(Checked checked) : c(std::move(checked)) {
    if (!c.model) return;
    system = mechanics::deriveSystem(*c.model, c.compilation->diagnostics());
    added_ = std::make_unique<Added>(system);
    good = !c.compilation->diagnostics().hasErrors();
  }

  /// Values at the initial state, with other contents of some state arrays.
  [[nodiscard]] Evaluate at(const std::vector<std::pair<const sym::Array*, Numbers>>& state = {},
                            double time = 0) const {
    Evaluate values(program());
    setInitials(*c.model, values);
    values.set(c.model->time, {time});
    for (const auto& [a, numbers] : state) values.set(a, numbers);
    return values;
  }
  [[nodiscard]] const sema::Factor& factor(std::size_t k = 0) const { return c.model->factors.at(k); }
  /// xi' of a factor with one part, at given contents of its point and velocity (or at the initial state).
  [[nodiscard]] Numbers acceleration(const Numbers& point = {}, const Numbers& velocity = {}, std::size_t k = 0) const {
    std::vector<std::pair<const sym::Array*, Numbers>> state;
    if (!point.empty()) state = {{factor(k).point[0], point}, {factor(k).velocity[0], velocity}};
    Evaluate values = at(state);
    return values.array(system.factors.at(k).acceleration.at(0));
  }

  std::optional<methods::Step> step(const std::string& method) {
    const SourceId id = c.compilation->sources().add("method", method);
    const auto reference = syntax::parseMethodReference(c.compilation->sources(), id, c.compilation->diagnostics());
    return methods::instantiate(*c.compilation, layer(), *reference);
  }
  /// The phase point after `n` steps of size h, slot by slot.
  [[nodiscard]] std::vector<Numbers> run(const methods::Step& step, double h, int n) const {
    std::vector<Numbers> y;
    Evaluate start = at();
    for (const sym::Array* a : step.state) y.push_back(start.array(a));
    for (int k = 0; k < n; ++k) {
      Evaluate values(program());
      setParameters(*c.model, values);
      values.set(c.model->time, {k * h});
      values.set(step.stepSize, {h});
      for (std::size_t s = 0; s < y.size(); ++s) values.set(step.state[s], y[s]);
      for (std::size_t s = 0; s < y.size(); ++s) y[s] = values.array(step.next[s]);
    }
    return y;
  }

  /// To which a test adds equations.
  [[nodiscard]] mechanics::Layer& layer() const { return added_->layer; }
  [[nodiscard]] sym::Program& program() const { return layer().program(); }

  Checked c;
  mechanics::System system;
  bool good = false;

private:
  struct Added {
    explicit Added(const mechanics::System& s) : layer(s), work(layer.work()) {}
    mechanics::Layer layer;
    sym::Graph::Work work;
  };
  std::unique_ptr<Added> added_;
};

/// M a = r for a matrix by rows, row by row, to some hundred roundings of the terms' size.
inline void expectSolves(const Numbers& m, const Numbers& a, const Numbers& r, std::size_t n) {
  ASSERT_EQ(a.size(), n);
  ASSERT_EQ(r.size(), n);
  ASSERT_EQ(m.size(), n * n);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    double size = std::abs(r[i]);
    for (std::size_t j = 0; j < n; ++j) {
      sum += m[i * n + j] * a[j];
      size += std::abs(m[i * n + j] * a[j]);
    }
    EXPECT_NEAR(sum, r[i], 1e-12 * size) << "row " << i;
  }
}

inline std::string exampleFile(const std::string& name) {
  return std::string(LMC_SOURCE_DIR) + "/examples/" + name + ".lie";
}

} // namespace lmc::test
