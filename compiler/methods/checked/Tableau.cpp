#include "methods/checked/Tableau.h"

#include "methods/checked/NumbersOnly.h"
#include "sym/Constant.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace lmc::methods {

using sym::Number;

namespace {

/// Coefficients given as decimals may miss a condition by round-off of their last digit.
constexpr double roundOff = 1e-12;

class Reader {
public:
  Reader(sema::Compilation& c, sema::Evaluator& e, const sema::Found& f)
      : diagnostics_(c.diagnostics()), evaluator_(e), decl_(*f.declaration), graph_(c.graph()) {}

  std::optional<Tableau> run() {
    t_.name = decl_.name;
    t_.range = decl_.range;
    t_.orderRange = decl_.nameRange;
    for (const syntax::StatementPtr& s : decl_.body) statement(*s);
    if (!complete()) return std::nullopt;
    check();
    return failed_ ? std::nullopt : std::optional(t_);
  }

private:
  /// A tableau may be read more than once; what is wrong with it is reported the first time.
  void error(Range where, std::string message) {
    failed_ = true;
    diagnostics_.error(Code::LIE0510, where, std::move(message));
  }

  void statement(const syntax::Statement& s) {
    switch (s.kind) {
    case syntax::StatementKind::Error:
      failed_ = true;
      break;
    case syntax::StatementKind::Order:
      order(s);
      break;
    case syntax::StatementKind::Let: {
      const sema::Value v = evaluator_.evaluate(*s.value, scope_, {});
      scope_.bind(s.target.name, v);
      break;
    }
    case syntax::StatementKind::Definition:
      define(s);
      break;
    default:
      error(s.keyword, "a tableau holds a, b, c, bhat, bhat2, order and let");
    }
  }

  void order(const syntax::Statement& s) {
    t_.orderRange = s.range;
    const auto integer = [](const syntax::ExprPtr& e) {
      return e && e->kind == syntax::ExprKind::Number && e->isInteger ? static_cast<int>(e->number) : 0;
    };
    t_.order = integer(s.value); // order 5(4): of b and of bhat
    t_.embeddedOrder = integer(s.second);
  }

  void define(const syntax::Statement& s) {
    const std::string& name = s.target.name;
    const sema::Value v = evaluator_.evaluate(*s.value, scope_, {});
    if (v.isError()) {
      failed_ = true;
      return;
    }
    const std::map<std::string, std::vector<Number>*> vectors = {
        {"b", &t_.b}, {"c", &t_.c}, {"bhat", &t_.bhat}, {"bhat2", &t_.bhat2}};
    if (name != "a" && !vectors.contains(name)) {
      scope_.bind(name, v);
      return;
    }
    if (!ranges_.emplace(name, s.value->range).second) {
      error(s.target.nameRange, fmt::format("`{}` is given twice", name));
      return;
    }
    if (v.kind != sema::ValueKind::Tensor || !v.parts[0]) {
      error(s.value->range, fmt::format("`{}` must be numbers", name));
      return;
    }
    const sym::Expr x = v.parts[0];
    std::vector<std::vector<Number>> rows;
    for (int i = 0; i < x->shape.rows; ++i) {
      rows.emplace_back();
      for (int j = 0; j < x->shape.cols; ++j) {
        const std::optional<Number> entry = sym::constantValue(graph_.entry(x, i, j));
        if (!entry) {
          error(s.value->range, fmt::format("`{}` must be numbers that are known when the tableau is read", name));
          return;
        }
        rows.back().push_back(*entry);
      }
    }
    if (name == "a") {
      t_.a = rows;
      return;
    }
    for (const auto& row : rows) vectors.at(name)->push_back(row[0]);
  }

  bool complete() {
    if (failed_) return false;
    for (const char* name : {"a", "b"}) {
      if (ranges_.contains(name)) continue;
      error(decl_.nameRange, fmt::format("tableau `{}` has no `{}`", decl_.name, name));
      return false;
    }
    return true;
  }

  void check() {
    const std::size_t s = t_.b.size();
    if (t_.a.size() != s || t_.a[0].size() != s) {
      const bool square = !t_.a.empty() && t_.a.size() == t_.a[0].size();
      error(ranges_[square ? "b" : "a"], fmt::format("`a` is {} x {}, but `b` has {} weights: `a` must be {} x {}",
                                                     t_.a.size(), t_.a[0].size(), s, s, s));
      return;
    }
    for (const auto& [name, weights] : {std::pair("bhat", &t_.bhat), std::pair("bhat2", &t_.bhat2)}) {
      if (weights->empty() || weights->size() == s) continue;
      error(ranges_[name], fmt::format("`{}` has {} weights, `b` has {}", name, weights->size(), s));
    }
    if (t_.bhat.empty() && !t_.bhat2.empty())
      error(ranges_["bhat2"], "`bhat2` stands beside `bhat`: the estimate is made of both");
    std::vector<Number> sums;
    for (std::size_t i = 0; i < s; ++i) {
      Number sum = 0;
      for (std::size_t j = 0; j < s; ++j) {
        sum = sum + t_.a[i][j];
      }
      sums.push_back(sum);
    }
    if (t_.c.empty()) t_.c = sums;
    if (t_.c.size() != s) {
      error(ranges_["c"], fmt::format("`c` has {} nodes, `b` has {} weights", t_.c.size(), s));
      return;
    }
    for (std::size_t i = 0; i < s; ++i) {
      if (std::abs(t_.c[i].value() - sums[i].value()) <= roundOff) continue;
      error(ranges_["c"],
            fmt::format("c[{}] is {}, but row {} of `a` adds up to {}", i + 1, t_.c[i].text(), i + 1, sums[i].text()));
    }
    checkWeights("b", t_.b);
    if (!t_.bhat.empty()) checkWeights("bhat", t_.bhat);
    if (!t_.bhat2.empty()) checkWeights("bhat2", t_.bhat2);
  }

  void checkWeights(const std::string& name, const std::vector<Number>& weights) {
    Number sum = 0;
    for (const Number& b : weights) sum = sum + b;
    if (std::abs(sum.value() - 1) > roundOff) {
      error(ranges_[name], fmt::format("the weights `{}` add up to {}, not to 1", name, sum.text()));
    }
  }

  Diagnostics& diagnostics_;
  sema::Evaluator& evaluator_;
  const syntax::Declaration& decl_;
  sym::Graph& graph_;
  sema::Scope scope_;
  Tableau t_;
  std::map<std::string, Range> ranges_;
  bool failed_ = false;
};

} // namespace

bool Tableau::isExplicit() const {
  return isTriangular() && equations() == 0;
}

bool Tableau::isTriangular() const {
  for (std::size_t i = 0; i < stages(); ++i)
    for (std::size_t j = i + 1; j < stages(); ++j)
      if (!a[i][j].isZero()) return false;
  return true;
}

std::size_t Tableau::equations() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < stages(); ++i)
    if (!a[i][i].isZero()) ++count;
  return count;
}

bool Tableau::endsWithNext() const {
  if (bhat.empty() || !bhat2.empty() || stages() < 2 || !isExplicit()) return false;
  const auto same = [](const sym::Number& x, const sym::Number& y) { return (x - y).isZero(); };
  return std::equal(b.begin(), b.end(), a.back().begin(), same) && same(c.back(), sym::Number(1)) &&
         !bhat.back().isZero();
}

std::optional<Tableau> readTableau(sema::Compilation& compilation, sema::Evaluator& evaluator,
                                   const sema::Found& found) {
  return Reader(compilation, evaluator, found).run();
}

std::optional<Tableau> readTableau(sema::Compilation& compilation, const sema::Found& found) {
  NumbersOnly numbers;
  const auto evaluator = compilation.methodEvaluator(numbers, found.source);
  return readTableau(compilation, *evaluator, found);
}

} // namespace lmc::methods
