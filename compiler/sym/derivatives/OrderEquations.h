// The equations of one order of a Taylor series (Series.h): how they are found.
#pragma once

#include "sym/derivatives/Derivative.h"
#include "sym/derivatives/Series.h"

#include <deque>
#include <functional>

namespace lmc::sym {

/// Sums of products of one order beyond which the operands of all orders would leave the caches by far.
inline constexpr std::int64_t mostProducts = 1 << 15;
/// Determinants of more rows are not written out.
inline constexpr int mostRows = 4;

/// Rows of numbers have a multiple of so many, so that vectors of a processor have no remainder; a few numbers are left
/// as they are.
[[nodiscard]] std::int64_t paddedRow(std::int64_t numbers);

/// Where coefficients are asked for: inside of the loops of an equation.
struct SeriesContext {
  std::vector<Loop> loops;
  Expr guard;
  std::unordered_map<const Node*, Expr> memo; ///< of nodes that depend on a loop index
};

/// Entry k of a scalar, vector or matrix, by rows.
[[nodiscard]] Expr entryOf(Graph& g, Expr e, int k);

/// The equations of order n of a series: `of(e)` is e_n, by the rules of the header.
class OrderEquations {
public:
  OrderEquations(Program& p, std::int64_t orders)
      : p_(p), g_(p.graph()), orders_(orders),
        order_(g_.newArray("order", {}, Shape::scalar(), Role::Unknown, Type::Int)), now_(&context({}, {})) {
    for (Products* all : {&early_, &late_}) all->sums = g_.newArray("products", {0}, Shape::scalar(), Role::Unknown);
  }

  std::string refusal; ///< the first reason
  [[nodiscard]] const Array* orderArray() const { return order_; }
  /// n, as a real number.
  [[nodiscard]] Expr order() const { return g_.toReal(g_.load(order_)); }
  [[nodiscard]] std::int64_t products() const { return early_.count + late_.count; }

  /// 1/(n + shift), once for all that multiply with it.
  Expr inverse(Expr shift);

  void seed(const Array* a, Tangent::Seed seed) { seeds_[a] = std::move(seed); }

  SeriesContext& context(const std::vector<Loop>& loops, Expr guard);

  Expr ofIn(SeriesContext& c, Expr e) {
    SeriesContext* const before = std::exchange(now_, &c);
    const Expr r = of(e);
    now_ = before;
    return r;
  }

  /// The rows of operands; sets the products of the recursion.
  void finish(SeriesRecursion& series);

private:
  struct Product {
    SeriesContext* context = nullptr;
    std::vector<Loop> loops;
    std::int64_t first = 0;
    Expr position; ///< from 1 among all
    std::function<Expr()> a, b;
  };
  /// Products whose operands are known before any sum of their order is, and others.
  struct Products {
    Array* sums = nullptr; ///< of each product S_n
    std::int64_t count = 0;
    std::deque<Product> list;
  };

  Expr of(Expr e);
  Expr& remembered(const Node& n) { return n.indexed ? now_->memo[&n] : memo_[&n]; }
  [[nodiscard]] bool isKnown(const Node& n) const {
    const auto& memo = n.indexed ? now_->memo : memo_;
    return memo.contains(&n);
  }
  Expr compute(const Node& n);
  Expr rule(const Node& n, std::vector<Expr> d);
  Expr power(const Node& n, std::vector<Expr> d);
  Expr angle(const Node& n, const std::vector<Expr>& d);
  Expr function(const Node& n, const std::vector<Expr>& d, Expr slope);
  Expr load(const Node& n);
  bool active(const Array* a);
  const Array* coefficients(const Array* a);
  void linearSolve(const Equation& source, const Array* result);

  std::vector<Loop> loopsOf(const Node& n) const;
  /// Of operands that may depend on the product itself.
  Expr product(const Node& n, std::function<Expr()> a, std::function<Expr()> b) {
    return product(n, late_, std::move(a), std::move(b));
  }
  Expr product(const Node& n, Products& among, std::function<Expr()> a, std::function<Expr()> b);
  bool readsSums(Expr e);
  bool readsSums(const Array* a);
  Expr product(const Node& n, Expr a, Expr b) {
    if (a->isZero() || b->isZero()) return g_.number(0);
    return product(
        n, readsSums(a) || readsSums(b) ? late_ : early_, [a] { return a; }, [b] { return b; });
  }
  std::function<Expr()> later(Expr e) {
    return [this, e] { return of(e); };
  }
  std::function<Expr()> timesOrder(Expr e) {
    return [this, e] { return g_.mul(order(), e); };
  }
  Expr products(const Node& n, Expr a, Expr b);
  std::vector<Expr> timesSelf(const Node& n, Expr matrix);
  Expr determinant(Expr a);
  Expr at(Expr e, int k) { return entryOf(g_, e, k); }
  Expr perOrder(Expr e) { return g_.mul(inverse(g_.integer(0)), e); }
  void refuse(const std::string& why) {
    if (refusal.empty()) refusal = why;
  }

  Program& p_;
  Graph& g_;
  std::int64_t orders_;
  Array* order_;
  std::deque<SeriesContext> contexts_;
  SeriesContext* now_;
  Products early_, late_;
  std::unordered_map<const Array*, bool> readsSums_;
  std::unordered_map<const Node*, const Array*> inverses_;
  std::unordered_map<const Array*, Tangent::Seed> seeds_;
  std::unordered_map<const Array*, const Array*> arrays_;
  std::unordered_map<const Array*, bool> active_;
  std::unordered_map<const Node*, Expr> memo_;
};

} // namespace lmc::sym
