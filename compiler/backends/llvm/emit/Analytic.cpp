#include "backends/llvm/emit/Analytic.h"

#include "backends/llvm/emit/StumpffPolynomial.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lmc::backends {

using tape::Instr;
using tape::Op;

namespace {

constexpr int nodes = 28;
constexpr int highestDegree = 12; // beyond, a division is cheaper

using Samples = std::array<long double, nodes>;

/// Zeros of the Chebyshev polynomial of degree `nodes`.
long double node(int j) {
  return std::cos((static_cast<long double>(j) + 0.5L) * 3.14159265358979323846264338327950288L / nodes);
}

/// T_n at the nodes, by n and node.
const std::array<Samples, nodes>& chebyshevAtNodes() {
  static const std::array<Samples, nodes> table = [] {
    std::array<Samples, nodes> t{};
    for (int n = 0; n < nodes; ++n)
      for (int j = 0; j < nodes; ++j)
        t[static_cast<std::size_t>(n)][static_cast<std::size_t>(j)] =
            std::cos(static_cast<long double>(n) * std::acos(node(j)));
    return t;
  }();
  return table;
}

long double stumpff(std::int64_t k, long double s) {
  long double first = 1;
  for (std::int64_t n = 2; n <= k; ++n) first /= static_cast<long double>(n);
  long double sum = 0;
  for (std::int64_t m = k + 40; m >= k; m -= 2) { // Horner on the ratios of successive terms
    const auto next = static_cast<long double>((m + 1) * (m + 2));
    sum = 1 - s / next * sum;
  }
  return first * sum;
}

bool arithmetic(Op op) {
  return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Neg;
}

long double apply(Op op, long double a, long double b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::Div:
    return a / b;
  default:
    return -a;
  }
}

/// Walks a block and knows for each value whether it is a function of one Stumpff argument.
class Finder {
public:
  Finder(const tape::Block& block, const Constants& constants, const StumpffInterval& interval)
      : constants_(constants),
        middle_((static_cast<long double>(interval.low) + static_cast<long double>(interval.high)) / 2),
        half_((static_cast<long double>(interval.high) - static_cast<long double>(interval.low)) / 2) {
    for (const Instr& i : block.code) {
      if (i.op == Op::Stumpff) {
        define(i, i.args[0]);
      } else if (arithmetic(i.op)) {
        const tape::Value s = argumentOf(i);
        if (s == tape::none) continue;
        define(i, s);
        if (i.op == Op::Div && depends_.contains(i.args[1])) quotients_.push_back(&i);
      }
    }
  }

  std::vector<AnalyticQuotient> run() {
    std::vector<AnalyticQuotient> result;
    for (const Instr* q : quotients_) {
      AnalyticQuotient a;
      a.argument = depends_.at(q->result);
      a.value = q->result;
      collect(*q, a);
      if (a.program.size() > 40 || !fit(a)) continue;
      result.push_back(std::move(a));
    }
    return result;
  }

private:
  void define(const Instr& i, tape::Value s) {
    depends_[i.result] = s;
    definition_[i.result] = &i;
  }

  /// The common Stumpff argument of the operands, or none.
  tape::Value argumentOf(const Instr& i) const {
    tape::Value s = tape::none;
    for (const tape::Value a : i.args) {
      const auto found = depends_.find(a);
      if (found == depends_.end()) continue;
      if (s != tape::none && s != found->second) return tape::none;
      s = found->second;
    }
    for (const tape::Value a : i.args)
      if (!depends_.contains(a) && !constants_.contains(a) && a != s) return tape::none;
    return s;
  }

  /// The instructions that lead to a value, operands first.
  void collect(const Instr& i, AnalyticQuotient& a) const {
    if (std::find(a.program.begin(), a.program.end(), &i) != a.program.end()) return;
    if (i.op != Op::Stumpff)
      for (const tape::Value v : i.args)
        if (const auto d = definition_.find(v); d != definition_.end() && v != a.argument) collect(*d->second, a);
    a.program.push_back(&i);
  }

  long double evaluate(const AnalyticQuotient& a, long double s) const {
    std::unordered_map<tape::Value, long double> values;
    const auto get = [&](tape::Value v) {
      if (v == a.argument) return s;
      const auto c = constants_.find(v);
      return c != constants_.end() ? static_cast<long double>(c->second) : values.at(v);
    };
    for (const Instr* i : a.program)
      values[i->result] = i->op == Op::Stumpff
                              ? stumpff(i->imm, s)
                              : apply(i->op, get(i->args[0]), i->args.size() > 1 ? get(i->args[1]) : 0.0L);
    return values.at(a.value);
  }

  /// Chebyshev interpolation; false if the function is not smooth enough, has a zero, or is too noisy to tell.
  bool fit(AnalyticQuotient& a) const {
    Samples f{};
    long double least = INFINITY;
    for (int j = 0; j < nodes; ++j) {
      f[static_cast<std::size_t>(j)] = evaluate(a, middle_ + half_ * node(j));
      least = std::min(least, std::fabs(f[static_cast<std::size_t>(j)]));
    }
    Samples c{};
    for (int n = 0; n < nodes; ++n) {
      long double sum = 0;
      for (int j = 0; j < nodes; ++j)
        sum += f[static_cast<std::size_t>(j)] *
               chebyshevAtNodes()[static_cast<std::size_t>(n)][static_cast<std::size_t>(j)];
      c[static_cast<std::size_t>(n)] = sum * (n == 0 ? 1.0L : 2.0L) / nodes;
    }
    const long double allowed = std::ldexp(least, -56);
    int degree = nodes - 1;
    for (long double rest = 0; degree > 0; --degree) {
      rest += std::fabs(c[static_cast<std::size_t>(degree)]);
      if (!(rest <= allowed)) break; // also for NaN
    }
    if (degree > highestDegree || !(least > 0)) return false;
    a.coefficients = monomials(c, degree);
    return agrees(a);
  }

  /// Σ c_n T_n((s − middle)/half) by powers of s.
  [[nodiscard]] std::vector<double> monomials(const Samples& c, int degree) const {
    Samples previous{};
    Samples current{};
    Samples sum{};
    current[0] = 1;
    for (int n = 0; n <= degree; ++n) {
      for (std::size_t j = 0; j < nodes; ++j) sum[j] += c[static_cast<std::size_t>(n)] * current[j];
      Samples next{};
      for (std::size_t j = 0; j < nodes; ++j)
        next[j] = (n == 0 ? 1 : 2) * ((j > 0 ? current[j - 1] : 0.0L) - middle_ * current[j]) / half_ - previous[j];
      previous = current;
      current = next;
    }
    std::vector<double> result;
    for (int j = 0; j <= degree; ++j) result.push_back(static_cast<double>(sum[static_cast<std::size_t>(j)]));
    return result;
  }

  /// The rounded polynomial between the nodes, within half a unit in the last place of a double.
  bool agrees(const AnalyticQuotient& a) const {
    for (int j = 0; j <= 40; ++j) {
      const long double s = middle_ + half_ * (-1 + j / 20.0L + (j < 20 ? 1e-3L : -1e-3L));
      long double p = 0;
      for (auto c = a.coefficients.rbegin(); c != a.coefficients.rend(); ++c) p = p * s + static_cast<long double>(*c);
      const long double exact = evaluate(a, s);
      if (!(std::fabs(p - exact) <= std::ldexp(std::fabs(exact), -53))) return false;
    }
    return true;
  }

  const Constants& constants_;
  long double middle_, half_;                                ///< of the interval
  std::unordered_map<tape::Value, tape::Value> depends_;     ///< value → its Stumpff argument
  std::unordered_map<tape::Value, const Instr*> definition_; ///< of the values in depends_
  std::vector<const Instr*> quotients_;
};

} // namespace

Constants constantsOf(const tape::Function& function) {
  Constants constants;
  for (const tape::Block& b : function.blocks)
    for (const Instr& i : b.code)
      if (i.op == Op::ConstReal) constants[i.result] = i.real;
  return constants;
}

std::vector<AnalyticQuotient> analyticQuotients(const tape::Block& block, const Constants& constants,
                                                const StumpffInterval& interval) {
  return Finder(block, constants, interval).run();
}

} // namespace lmc::backends
