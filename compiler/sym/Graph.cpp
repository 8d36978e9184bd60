// Scalars, sums, products, selection, integers: the part of the graph that every shape shares.
#include "base/Budget.h"
#include "sym/Expr.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>

namespace lmc::sym {

namespace {

constexpr std::size_t flattenLimit = 16; // longer sums are nested instead of merged, so that n terms cost O(n)

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9E3779B97F4A7C15ULL + (h << 6U) + (h >> 2U);
  return h * 0xFF51AFD7ED558CCDULL;
}

std::uint64_t hashOf(const Node& n) {
  std::uint64_t h = static_cast<std::uint64_t>(n.op) | static_cast<std::uint64_t>(n.type) << 8U;
  h = mix(h, static_cast<std::uint64_t>(n.shape.rank) << 48U ^ static_cast<std::uint64_t>(n.shape.rows) << 24U ^
                 static_cast<std::uint64_t>(n.shape.cols));
  h = mix(h, static_cast<std::uint64_t>(n.imm));
  if (n.op == Op::Const) h = mix(h, n.number.hash());
  if (n.array != nullptr) h = mix(h, n.array->id);
  for (const Expr& a : n.args) h = mix(h, a->id);
  return h;
}

bool same(const Node& a, const Node& b) {
  return a.op == b.op && a.type == b.type && a.shape == b.shape && a.imm == b.imm && a.array == b.array &&
         a.args == b.args && (a.op != Op::Const || a.number == b.number);
}

bool isParametric(const Node& n) {
  if (n.op == Op::Load && n.array->role != Role::Param) return false;
  return std::all_of(n.args.begin(), n.args.end(), [](const Expr& a) { return a->parametric; });
}

double evaluate(Op op, double x) {
  switch (op) {
#define LMC_FUNCTION(op, name, ...)                                                                                    \
  case Op::op:                                                                                                         \
    return std::name(x);
#include "sym/functions/Functions.def"
  default:
    throw std::logic_error("not a scalar function");
  }
}

/// sqrt of a rational that is a perfect square.
std::optional<Number> exactRoot(const Number& n) {
  if (!n.exact() || n.negative()) return std::nullopt;
  const auto root = [](std::int64_t v) { return static_cast<std::int64_t>(std::llround(std::sqrt(double(v)))); };
  if (n.num() > std::int64_t{1} << 53) return std::nullopt;
  const std::int64_t p = root(n.num());
  const std::int64_t q = root(n.den());
  if (p * p != n.num() || q * q != n.den()) return std::nullopt;
  return Number::ratio(p, q);
}

/// The constant of a type: an integer that 64 bits do not hold keeps its double, and is none to whoever asks.
Node constantOf(Type type, const Number& value) {
  Node n;
  n.op = Op::Const;
  n.type = type;
  n.number = value;
  return n;
}

} // namespace

GraphLayer::GraphLayer(const GraphLayer& below)
    : below_(&below), firstNode_(below.firstNode_ + below.nodes_.size()),
      firstArray_(below.firstArray_ + below.arrays_.size()), firstIndex_(below.firstIndex_ + below.indexNames_.size()) {
  ++below.above_;
}

GraphLayer::~GraphLayer() {
  if (below_ != nullptr) --below_->above_;
}

Graph::Graph() = default;

GraphLayer& Graph::growing() {
  if (top_->above_ > 0) throw std::logic_error("expressions that others stand on are not added to");
  return *top_;
}

const std::string& Graph::indexName(const Node& index) const {
  const auto k = static_cast<std::size_t>(index.imm);
  const GraphLayer* layer = top_;
  while (k < layer->firstIndex_) layer = layer->below_;
  if (k - layer->firstIndex_ >= layer->indexNames_.size()) throw std::logic_error("a loop index of another layer");
  return layer->indexNames_[k - layer->firstIndex_];
}

Expr Graph::intern(Node n) {
  const std::uint64_t h = hashOf(n);
  // A layer knows nothing of what those above it have made.
  const auto madeIn = [&](const GraphLayer& layer) {
    return (n.array != nullptr && n.array->id >= layer.firstArray_) ||
           std::any_of(n.args.begin(), n.args.end(), [&](const Expr& a) { return a->id >= layer.firstNode_; });
  };
  for (const GraphLayer* layer = top_; layer != nullptr; layer = madeIn(*layer) ? nullptr : layer->below_) {
    if (const Node* const found = layer->table_.find(h, [&](const Node& m) { return same(m, n); })) return Expr(found);
  }
  GraphLayer& layer = growing();
  spendNodes(1 + static_cast<std::int64_t>(n.args.size()) / 8);
  n.id = static_cast<std::uint32_t>(size());
  n.graph = this;
  n.parametric = isParametric(n);
  n.indexed = n.op == Op::Index;
  n.reads = n.op == Op::Load;
  for (const Expr& a : n.args) {
    n.indexed = n.indexed || a->indexed;
    n.reads = n.reads || a->reads;
    n.gathers = n.gathers || a->gathers || (n.op == Op::Load && a->reads);
  }
  layer.nodes_.push_back(std::move(n));
  layer.table_.add(h, &layer.nodes_.back());
  return Expr(&layer.nodes_.back());
}

Expr Graph::make(Op op, Type type, Shape shape, std::vector<Expr> args, std::int64_t imm) {
  Node n;
  n.op = op;
  n.type = type;
  n.shape = shape;
  n.args = std::move(args);
  n.imm = imm;
  return intern(std::move(n));
}

Expr Graph::number(const Number& value) {
  Node n;
  n.op = Op::Const;
  n.number = value;
  return intern(std::move(n));
}

Expr Graph::integer(std::int64_t value) {
  Node n;
  n.op = Op::Const;
  n.type = Type::Int;
  n.number = value;
  return intern(std::move(n));
}

Expr Graph::boolean(bool b) {
  Node n;
  n.op = Op::Const;
  n.type = Type::Bool;
  n.number = b ? 1 : 0;
  return intern(std::move(n));
}

Expr Graph::zero(const Shape& s) {
  return s.rank == 0 ? number(0) : make(Op::Zero, Type::Real, s, {});
}
Expr Graph::identity(int n) {
  return make(Op::Identity, Type::Real, Shape::mat(n, n), {});
}
Expr Graph::basis(int n, Expr index) {
  return make(Op::Basis, Type::Real, Shape::vec(n), {index});
}

Expr Graph::newIndex(const std::string& name) {
  GraphLayer& layer = growing();
  layer.indexNames_.push_back(name);
  const std::size_t k = layer.firstIndex_ + layer.indexNames_.size() - 1;
  return make(Op::Index, Type::Int, Shape::scalar(), {}, static_cast<std::int64_t>(k));
}

Expr Graph::load(const Array* a, std::vector<Expr> indices) {
  Node n;
  n.op = Op::Load;
  n.type = a->type;
  n.shape = a->shape;
  n.array = a;
  n.args = std::move(indices);
  return intern(std::move(n));
}

Array* Graph::newArray(std::string name, std::vector<std::int64_t> extents, Shape shape, Role role, Type type) {
  GraphLayer& layer = growing();
  const auto id = static_cast<std::uint32_t>(layer.firstArray_ + layer.arrays_.size());
  layer.arrays_.push_back({id, std::move(name), std::move(extents), shape, type, role});
  return &layer.arrays_.back();
}

// --- sums -----------------------------------------------------------------------------------------------------

namespace {
struct Term {
  Number coefficient;
  Expr core; ///< empty: the number alone
};

Term split(Expr e) {
  if (e->isConst()) return {e->number, Expr()};
  if (e->op == Op::Mul && e->args[0]->isConst()) return {e->args[0]->number, e->args[1]};
  return {1, e};
}

/// Appends the terms of coefficient * e, opening short sums.
void flatten(Expr e, const Number& coefficient, std::vector<Term>& out) {
  const Term t = split(e);
  const Number c = coefficient * t.coefficient;
  if (t.core && t.core->op == Op::Add && t.core->args.size() <= flattenLimit) {
    for (const Expr& a : t.core->args) flatten(a, c, out);
  } else {
    out.push_back({c, t.core});
  }
}

void mergeEqual(std::vector<Term>& terms) {
  std::size_t merged = 0;
  for (const Term& t : terms) {
    const auto end = terms.begin() + static_cast<std::ptrdiff_t>(merged);
    const auto it = std::find_if(terms.begin(), end, [&](const Term& m) { return m.core == t.core; });
    if (it == end)
      terms[merged++] = t;
    else
      it->coefficient = it->coefficient + t.coefficient;
  }
  terms.resize(merged);
  std::erase_if(terms, [](const Term& t) { return t.coefficient.isZero(); });
}
} // namespace

Expr Graph::add(Expr a, Expr b) {
  if (a->isZero()) return b;
  if (b->isZero()) return a;
  return addTerms({a, b}, a->shape, a->type);
}

Expr Graph::sum(const std::vector<Expr>& terms, const Shape& shape) {
  Expr result = zero(shape);
  for (const Expr& t : terms) result = add(result, t);
  return result;
}

Expr Graph::addTerms(const std::vector<Expr>& list, const Shape& shape, Type type) {
  std::vector<Term> terms;
  terms.reserve(2 * flattenLimit);
  for (const Expr& e : list) flatten(e, 1, terms);
  if (terms.size() > flattenLimit) {
    terms.clear();
    for (const Expr& e : list) terms.push_back(split(e));
  }
  mergeEqual(terms);
  // A x + B x = (A + B) x for matrices of parameters: computed once per run instead of once per step.
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      const Expr a = terms[i].core;
      const Expr b = terms[j].core;
      if (!a || !b || a->op != Op::MatMul || b->op != Op::MatMul || a->args[1] != b->args[1]) continue;
      if (!a->args[0]->parametric || !b->args[0]->parametric || a->args[1]->parametric) continue;
      const Expr m = add(scale(terms[i].coefficient, a->args[0]), scale(terms[j].coefficient, b->args[0]));
      const Term t = split(matmul(m, a->args[1]));
      terms[i] = t;
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
      --j;
    }
  }
  std::vector<Expr> args;
  args.reserve(terms.size());
  for (const Term& t : terms) {
    if (t.coefficient.isZero()) continue;
    if (t.core && t.coefficient.isOne()) {
      args.push_back(t.core);
      continue;
    }
    const Expr constant = intern(constantOf(type, t.coefficient));
    args.push_back(t.core ? make(Op::Mul, type, shape, {constant, t.core}) : constant);
  }
  if (args.empty()) return type == Type::Int ? integer(0) : zero(shape);
  if (args.size() == 1) return args[0];
  // One canonical order, so that a + b and b + a are one node; a constant comes last.
  const auto before = [](const Expr& a, const Expr& b) {
    if (a->isConst() != b->isConst()) return b->isConst();
    return split(a).core->id < split(b).core->id;
  };
  for (auto e = args.begin(); e != args.end(); ++e) // few, and mostly in order
    std::rotate(std::upper_bound(args.begin(), e, *e, before), e, e + 1);
  return make(Op::Add, type, shape, std::move(args));
}

// --- products -------------------------------------------------------------------------------------------------

Expr Graph::neg(Expr a) {
  return scale(-1, a);
}

Expr Graph::scale(const Number& c, Expr a) {
  if (c.isOne()) return a;
  if (c.isZero()) return a->type == Type::Int ? integer(0) : zero(a->shape);
  if (a->isZero()) return a;
  const Term t = split(a);
  const Number product = c * t.coefficient;
  if (!t.core) return intern(constantOf(a->type, product));
  if (product.isOne()) return t.core;
  // c (s a + r b) = (c s) a + (c r) b: the factor joins scalars that are there anyway.
  const auto isProduct = [](Expr e) { return e->op == Op::Mul; };
  if (t.core->op == Op::Add && t.core->shape.rank > 0 && t.core->args.size() <= flattenLimit &&
      std::all_of(t.core->args.begin(), t.core->args.end(), isProduct)) {
    Expr sum = zero(a->shape);
    for (const Expr& term : t.core->args) sum = add(sum, scale(product, term));
    return sum;
  }
  return make(Op::Mul, a->type, a->shape, {intern(constantOf(a->type, product)), t.core});
}

Expr Graph::mul(Expr s, Expr a) {
  if (s->isConst()) return scale(s->number, a);
  if (a->shape.rank == 0) return mulScalar(s, a);
  if (a->isZero()) return a;
  const Term ts = split(s);
  const Term ta = split(a);
  const Number c = ts.coefficient * ta.coefficient;
  if (ta.core->op == Op::Mul) { // s (r T) = (s r) T
    return scale(c, mul(mulScalar(ts.core, ta.core->args[0]), ta.core->args[1]));
  }
  if (const Expr r = absorbed(ts.core, ta.core)) return scale(c, r);
  return scale(c, make(Op::Mul, Type::Real, a->shape, {ts.core, ta.core}));
}

/// s (p x v) = (s p) x v and s (P v) = (s P) v for parameters s, p, P: the factor costs nothing in a step.
Expr Graph::absorbed(Expr s, Expr a) {
  if (!s->parametric || a->parametric || (a->op != Op::Cross && a->op != Op::MatMul)) return {};
  const auto isParameter = [](Expr p) { return p->parametric && (p->op == Op::Load || p->op == Op::Mul); };
  const Expr x = a->args[0];
  const Expr y = a->args[1];
  if (a->op == Op::MatMul) return isParameter(x) ? matmul(mul(s, x), y) : Expr();
  if (isParameter(x)) return cross(mul(s, x), y);
  if (isParameter(y)) return cross(x, mul(s, y));
  return {};
}

Expr Graph::mulScalar(Expr a, Expr b) {
  if (a->isConst()) return scale(a->number, b);
  if (b->isConst()) return scale(b->number, a);
  const Term ta = split(a);
  const Term tb = split(b);
  const Number c = ta.coefficient * tb.coefficient;
  Expr x = ta.core;
  Expr y = tb.core;
  if (x->op == Op::Div && x->args[0]->isOne()) return scale(c, div(y, x->args[1]));
  if (y->op == Op::Div && y->args[0]->isOne()) return scale(c, div(x, y->args[1]));
  if (x->type == Type::Real) {
    const auto base = [](Expr e) { return e->op == Op::PowInt ? e->args[0] : e; };
    const auto exponent = [](Expr e) { return e->op == Op::PowInt ? e->imm : 1; };
    if (base(x) == base(y) && exponent(x) > 0 && exponent(y) > 0) {
      return scale(c, powInt(base(x), exponent(x) + exponent(y)));
    }
  }
  if (x->id > y->id) std::swap(x, y);
  return scale(c, make(Op::Mul, x->type, Shape::scalar(), {x, y}));
}

Expr Graph::div(Expr a, Expr b) {
  if (b->isConst() && !b->number.isZero()) return scale(Number(1) / b->number, a);
  if (a->isZero()) return a;
  const Term ta = split(a);
  const Term tb = split(b);
  const Expr one = number(1);
  if (tb.coefficient.isZero()) { // by a zero that only its value tells: an empty sum
    const Expr none = make(Op::Div, Type::Real, Shape::scalar(), {a->shape.rank > 0 ? one : a, b});
    return a->shape.rank > 0 ? mul(none, a) : none;
  }
  const Number c = ta.coefficient / tb.coefficient;
  if (a->shape.rank > 0) return scale(c, mul(make(Op::Div, Type::Real, Shape::scalar(), {one, tb.core}), ta.core));
  return scale(c, make(Op::Div, Type::Real, Shape::scalar(), {ta.core ? ta.core : one, tb.core}));
}

Expr Graph::pow(Expr a, Expr b) {
  if (b->isConst()) {
    if (b->number.isInteger() && std::abs(b->number.num()) <= 64) return powInt(a, b->number.num());
    if (b->number == Number::ratio(1, 2)) return function(Op::Sqrt, a);
    if (a->isConst()) return number(Number::real(std::pow(a->number.value(), b->number.value())));
  }
  return make(Op::Pow, Type::Real, Shape::scalar(), {a, b});
}

Expr Graph::powInt(Expr a, std::int64_t n) {
  if (n == 0) return number(1);
  if (n == 1) return a;
  if (a->isConst()) {
    if (const auto p = power(a->number, n)) return number(*p);
  }
  if (a->op == Op::PowInt) return powInt(a->args[0], a->imm * n);
  if (a->op == Op::Sqrt && n % 2 == 0) return powInt(a->args[0], n / 2);
  const Term t = split(a);
  if (t.core && !t.coefficient.isOne() && t.coefficient.exact()) {
    if (const auto p = power(t.coefficient, n); p && p->exact()) return scale(*p, powInt(t.core, n));
  }
  return make(Op::PowInt, Type::Real, Shape::scalar(), {a}, n);
}

Expr Graph::function(Op op, Expr a) {
  if (a->type == Type::Int) { // Abs of an integer
    if (a->isConst()) return a->number.negative() ? scale(-1, a) : a;
    return make(op, Type::Int, Shape::scalar(), {a});
  }
  if (a->isConst()) {
    if (op == Op::Sqrt) {
      if (const auto r = exactRoot(a->number)) return number(*r);
    }
    const double value = evaluate(op, a->number.value());
    if (std::isfinite(value)) return number(Number::real(value));
  }
  // cos |x| = c_0(|x|^2): smooth at 0, as the square root is not.
  if (op == Op::Cos && a->op == Op::Sqrt) return stumpff(0, a->args[0]);
  return make(op, Type::Real, Shape::scalar(), {a});
}

Expr Graph::function(Op op, Expr a, Expr b) {
  const bool isInt = a->type == Type::Int && b->type == Type::Int;
  if (a->isConst() && b->isConst()) {
    if (op == Op::Min) return compare(Op::Lt, b, a)->isZero() ? a : b;
    if (op == Op::Max) return compare(Op::Lt, a, b)->isZero() ? a : b;
    if (op == Op::Atan2) return number(Number::real(std::atan2(a->number.value(), b->number.value())));
  }
  if (a == b && op != Op::Atan2) return a;
  return make(op, isInt ? Type::Int : Type::Real, Shape::scalar(), {a, b});
}

Expr Graph::stumpff(int k, Expr s) {
  if (s->isZero()) {
    Number factorial = 1;
    for (int i = 2; i <= k; ++i) factorial = factorial * i;
    return number(Number(1) / factorial);
  }
  return make(Op::Stumpff, Type::Real, Shape::scalar(), {s}, k);
}

Expr Graph::select(Expr condition, Expr a, Expr b) {
  if (condition->isConst()) return condition->number.isZero() ? b : a;
  if (a == b) return a;
  return make(Op::Select, a->type, a->shape, {condition, a, b});
}

} // namespace lmc::sym
