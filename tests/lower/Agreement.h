// A lowered program, interpreted from its tape, against the direct interpreter of the equations.
#pragma once

#include "lower/Lower.h"
#include "sym/Sandbox.h"

#include <array>
#include <limits>

namespace lmc::test {

/// The tape of one function that computes `outputs`, with memory for it.
class Lowered {
public:
  Lowered(const Sandbox& s, const std::vector<const sym::Array*>& outputs, bool hoist) {
    lower::Lowering lowering(s.p, hoist);
    std::int64_t params = 0;
    std::int64_t state = 0;
    for (const auto& [a, values] : s.inputs) {
      if (a->role == sym::Role::Time) {
        lowering.bindArgument(a, 0);
        argument_ = values[0];
        continue;
      }
      const bool param = a->role == sym::Role::Param;
      std::int64_t& offset = param ? params : state;
      lowering.bindInput(a, param ? runtime::Role::Params : runtime::Role::State, offset);
      offset += a->size();
      Numbers& to = memory_[static_cast<std::size_t>(param ? runtime::Role::Params : runtime::Role::State)];
      to.insert(to.end(), values.begin(), values.end());
    }
    std::vector<lower::OutputBinding> bindings;
    std::int64_t size = 0;
    for (const sym::Array* a : outputs) {
      bindings.push_back({a, runtime::Role::Output, size});
      size += a->size();
    }
    function_ = lowering.addFunction("f", 1, bindings);
    module = lowering.finish();
    hoist_ = hoist;
  }

  /// Runs setup and the function in memory that holds NaN wherever nothing has been written.
  Numbers run() {
    runtime::Bases bases;
    for (std::size_t r = 0; r < memory_.size(); ++r) {
      memory_[r].resize(static_cast<std::size_t>(module.roleSize[r]), std::numeric_limits<double>::quiet_NaN());
      bases.base[r] = memory_[r].data();
    }
    if (hoist_) {
      EXPECT_EQ(tape::interpret(module, 0, bases, nullptr), runtime::Ok);
    }
    for (int k = 0; k < 2; ++k) EXPECT_EQ(tape::interpret(module, function_, bases, &argument_), runtime::Ok);
    return memory_[static_cast<std::size_t>(runtime::Role::Output)];
  }

  /// What runs have left there.
  [[nodiscard]] const Numbers& memory(runtime::Role role) const { return memory_[static_cast<std::size_t>(role)]; }

  tape::Module module;

private:
  std::array<Numbers, runtime::roleCount> memory_;
  double argument_ = 0;
  int function_ = -1;
  bool hoist_ = false;
};

/// With and without hoisting: the tape is well formed, the same twice, and computes what the equations say.
inline void expectAgreement(const Sandbox& s, const std::vector<const sym::Array*>& outputs, const std::string& what,
                            double tolerance = 1e-12) {
  Numbers wanted;
  Evaluate direct = s.evaluator();
  for (const sym::Array* a : outputs) {
    const Numbers& part = direct.array(a);
    wanted.insert(wanted.end(), part.begin(), part.end());
  }
  for (const double x : wanted) ASSERT_TRUE(std::isfinite(x)) << what << ": the expectation is not a number";
  for (const bool hoist : {false, true}) {
    const std::string name = what + (hoist ? ", hoisted" : "");
    Lowered lowered(s, outputs, hoist);
    EXPECT_EQ(tape::verify(lowered.module), "") << name;
    EXPECT_EQ(tape::print(lowered.module), tape::print(Lowered(s, outputs, hoist).module)) << name;
    expectNear(lowered.run(), wanted, tolerance, name);
  }
}

} // namespace lmc::test
