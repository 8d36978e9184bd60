// Scalar values of the function in work and of `setup`: an operation on parameters alone goes to `setup`.
#pragma once

#include "lower/builder/Builder.h"

#include <map>
#include <unordered_map>

namespace lmc::lower {

/// A scalar: a value of the function in work, or (setup) of the setup function.
struct Scalar {
  tape::Value id = tape::none;
  bool setup = false;
  bool operator==(const Scalar&) const = default;
};

/// Two builders seen as one. Without hoisting there is no setup function and all values are the function's own.
class Scalars {
public:
  Scalars(Builder* setup, int constantsBuffer) : setup_(setup), constantsBuffer_(constantsBuffer) {}

  void begin(Builder* function) {
    function_ = function;
    imported_.clear();
  }
  /// Switches to building the setup function itself (arrays of parameters).
  void enterSetup() { inSetup_ = true; }
  void leaveSetup() { inSetup_ = false; }
  [[nodiscard]] bool inSetup() const { return inSetup_; }
  [[nodiscard]] Builder& builder() { return inSetup_ ? *setup_ : *function_; }

  Scalar real(double v) {
    return setup_ != nullptr ? Scalar{setup_->real(v), true} : Scalar{function_->real(v), false};
  }
  Scalar integer(std::int64_t v) {
    return setup_ != nullptr ? Scalar{setup_->integer(v), true} : Scalar{function_->integer(v), false};
  }
  Scalar boolean(bool v) {
    return setup_ != nullptr ? Scalar{setup_->boolean(v), true} : Scalar{function_->boolean(v), false};
  }
  [[nodiscard]] std::optional<double> constant(Scalar s) { return owner(s).constant(s.id); }
  [[nodiscard]] std::optional<std::int64_t> constantInt(Scalar s) { return owner(s).constantInt(s.id); }
  [[nodiscard]] bool isZero(Scalar s) { return constant(s) == 0.0; }
  [[nodiscard]] bool visible(Scalar s) { return owner(s).visible(s.id); }

  Scalar add(Scalar a, Scalar b) { return both(a, b, &Builder::add); }
  Scalar sub(Scalar a, Scalar b) { return both(a, b, &Builder::sub); }
  Scalar mul(Scalar a, Scalar b) { return both(a, b, &Builder::mul); }
  Scalar div(Scalar a, Scalar b) { return both(a, b, &Builder::div); }
  Scalar neg(Scalar a) { return a.setup ? Scalar{setup_->neg(a.id), true} : Scalar{function_->neg(a.id), false}; }
  Scalar powInt(Scalar a, std::int64_t n) {
    return a.setup ? Scalar{setup_->powInt(a.id, n), true} : Scalar{function_->powInt(a.id, n), false};
  }
  Scalar select(Scalar c, Scalar a, Scalar b) {
    if (c.setup && a.setup && b.setup) return {setup_->select(c.id, a.id, b.id), true};
    if (const auto k = constantInt(c)) return *k != 0 ? a : b;
    return {function_->select(local(c), local(a), local(b)), false};
  }
  Scalar pure(tape::Op op, tape::Type type, std::span<const Scalar> args, std::int64_t imm = 0) {
    bool all = setup_ != nullptr;
    for (const Scalar& a : args) all = all && a.setup;
    std::array<tape::Value, 3> ids{};
    for (std::size_t k = 0; k < args.size(); ++k) ids.at(k) = all ? args[k].id : local(args[k]);
    const std::span<const tape::Value> list(ids.data(), args.size());
    return {all ? setup_->pure(op, type, list, imm) : function_->pure(op, type, list, imm), all};
  }
  Scalar pure(tape::Op op, tape::Type type, std::initializer_list<Scalar> args, std::int64_t imm = 0) {
    return pure(op, type, std::span<const Scalar>(args.begin(), args.size()), imm);
  }

  /// The value in the builder in work; a value of setup is read from Constants there.
  tape::Value local(Scalar s);
  /// Number of Constants that values were exported to.
  [[nodiscard]] std::int64_t slots() const { return static_cast<std::int64_t>(slots_.size()); }
  /// Stores the exported values at the end of setup.
  void storeSlots();
  /// Params loads are repeated in the function instead of being exported.
  void noteParameterLoad(tape::Value setupValue, int buffer, std::int64_t index) {
    parameterLoads_[setupValue] = {buffer, index};
  }

private:
  Builder& owner(Scalar s) { return s.setup ? *setup_ : *function_; }
  Scalar both(Scalar a, Scalar b, tape::Value (Builder::*op)(tape::Value, tape::Value)) {
    if (a.setup && b.setup) return {(setup_->*op)(a.id, b.id), true};
    const Scalar r{(function_->*op)(local(a), local(b)), false};
    if (setup_ != nullptr) {
      if (const auto c = function_->constant(r.id)) return real(*c); // folded: a constant belongs to setup again
    }
    return r;
  }

  Builder* setup_;
  Builder* function_ = nullptr;
  int constantsBuffer_;
  bool inSetup_ = false;
  std::map<tape::Value, std::int64_t> slots_; ///< by value of setup
  std::unordered_map<tape::Value, tape::Value> imported_;
  std::unordered_map<tape::Value, std::pair<int, std::int64_t>> parameterLoads_;
};

} // namespace lmc::lower
