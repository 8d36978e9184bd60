#include "present/Reader.h"

#include "base/Budget.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lmc::present {

using sym::Array;
using sym::Expr;
using sym::Node;

namespace {

/// Names of functions in texts; what Terms knows by another way is not here.
const char* callName(sym::Op op) {
  switch (op) {
#define LMC_FUNCTION(op, name, ...)                                                                                    \
  case sym::Op::op:                                                                                                    \
    return #name;
#include "sym/functions/Functions.def"
  case sym::Op::Atan2:
    return "atan2";
  case sym::Op::Min:
    return "min";
  case sym::Op::Max:
    return "max";
  case sym::Op::Trace:
    return "trace";
  case sym::Op::Det:
    return "det";
  case sym::Op::Exponential:
    return "exp";
  case sym::Op::Diag:
    return "diag";
  case sym::Op::DiagOf:
    return "diagonal";
  case sym::Op::IDiv:
    return "div";
  case sym::Op::IMod:
    return "mod";
  case sym::Op::FloorToInt:
    return "floor";
  case sym::Op::Lt:
    return "<";
  case sym::Op::Le:
    return "<=";
  case sym::Op::Eq:
    return "==";
  case sym::Op::Ne:
    return "!=";
  case sym::Op::And:
    return "and";
  case sym::Op::Or:
    return "or";
  case sym::Op::Not:
    return "not";
  default:
    return "?";
  }
}

} // namespace

Reader::Reader(Terms& terms, const sema::Model& model, const sym::Program& program)
    : t_(terms), m_(model), p_(program) {
  std::set<const Array*> given, values;
  for (const sema::Parameter& p : model.parameters) {
    if (p.use == sema::Parameter::Use::InputGiven) given.insert(p.array);
    if (p.use == sema::Parameter::Use::InputValue) values.insert(p.array);
  }
  for (const sym::Equation& e : program.equations()) {
    if (e.value && e.value->op == sym::Op::Load && values.contains(e.value->array)) { // without a law of its own
      inputs_.insert(e.array);
      inputOf_[e.value->array] = e.array;
    }
    if (!e.value || e.value->op != sym::Op::Select || e.value->args[0]->op != sym::Op::Ne) continue;
    const Expr tested = e.value->args[0]->args[0];
    if (tested->op != sym::Op::Load || !given.contains(tested->array)) continue;
    inputs_.insert(e.array);
    inputOf_[tested->array] = e.array;
  }
  // families that parameters alone decide are data: they keep their names, unless they are as short
  std::map<const Array*, bool> fixed;
  for (const sym::Equation& e : model.program.equations()) {
    const auto known = [&](const Array* a) { return a->role == sym::Role::Param || (fixed.contains(a) && fixed[a]); };
    bool same = e.kind == sym::EquationKind::Set && e.value;
    for (const Array* a : sym::reads(e)) same = same && known(a);
    const auto [it, isNew] = fixed.try_emplace(e.array, same);
    it->second = it->second && same;
  }
  for (const sym::Equation& e : program.equations()) keepRows(e);
  for (const auto& [a, is] : fixed)
    if (is) fixed_.insert(a);
  for (const auto& [a, is] : fixed)
    if (is && !a->extents.empty() && !inputs_.contains(a)) keep(a);
  for (const sema::Factor& f : model.factors)
    for (std::size_t part = 0; part < f.usedVelocity.size(); ++part)
      if (f.usedVelocity[part] != f.velocity[part]) stands(f.usedVelocity[part], f.velocity[part]);
}

/// By what data choose an element keeps its name: a search is made of many of these, each of which reads the one
/// before.
void Reader::keepRows(const sym::Equation& e) {
  if (!e.value) return;
  const auto loads = [](Expr x, const std::function<void(const Node&)>& each) {
    sym::visitPostOrder({x}, [&](const Node& n) {
      if (n.op == sym::Op::Load) each(n);
    });
  };
  loads(e.value, [&](const Node& n) {
    for (const Expr& i : n.args)
      if (!i->args.empty()) loads(i, [&](const Node& by) { keep(by.array); });
  });
}

namespace {

/// Beyond a table: the number of a branch that is no number.
bool isNoNumber(Expr e) {
  if (e->op == sym::Op::Vector || e->op == sym::Op::Matrix) return isNoNumber(e->args[0]);
  return e->isConst() && std::isnan(e->number.value());
}

/// In an index only whole numbers stand, whatever the data are.
bool isChosenByData(const Node& n) {
  return n.op == sym::Op::FloorToInt && n.args[0]->reads;
}

} // namespace

void Reader::namesIn(const Poly& p, std::set<const Array*>& found) {
  const std::function<void(Atom)> below = [&](Atom a) {
    if (a->kind == Kind::Symbol && a->array != nullptr && a->array->role == sym::Role::Temp) found.insert(a->array);
    for (const Atom k : a->kids) below(k);
    if (a->poly) namesIn(*a->poly, found);
  };
  for (const auto& [m, c] : p.terms) {
    if (m.core != nullptr) below(m.core);
    for (const auto& [x, n] : m.powers) below(x);
  }
}

void Reader::bind(const std::vector<Expr>& index, Atom to) {
  for (const Expr& e : index) indices_[e.node()] = to;
}

Poly Reader::operator()(Expr e) {
  if (const auto it = memo_.find(e.node()); it != memo_.end()) return it->second;
  spendWork(1);
  Poly p;
  if (names_ != nullptr && e->shape.rank > 0 && e->op != sym::Op::Load && isData(*e)) {
    const bool before = t_.distribute(true);
    const Poly value = read(*e);
    t_.distribute(before);
    p = named(value).value_or(value);
  } else {
    p = read(*e);
  }
  memo_.emplace(e.node(), p);
  return p;
}

/// Long because it has one case an operation.
Poly Reader::read(const Node& n) {
  switch (n.op) {
  case sym::Op::Const:
    return t_.number(n.number);
  case sym::Op::Zero:
    return Terms::zero(n.shape);
  case sym::Op::Identity:
    return t_.identity(n.shape.rows);
  case sym::Op::Index: {
    auto [it, isNew] = indices_.try_emplace(&n);
    if (isNew) it->second = t_.fresh();
    return t_.of(it->second);
  }
  case sym::Op::Load:
    return load(n);
  case sym::Op::FloorToInt:
    if (isChosenByData(n)) return (*this)(n.args[0]);
    break;
  case sym::Op::Select:
    if (curves_ != nullptr && sym::contains(n.args[0], [this](const Node& x) {
          return x.op == sym::Op::Load && curves_->disorders().contains(x.array);
        })) {
      const bool before = t_.distribute(true); // rows cancel when all is multiplied out
      Poly value = (*this)(n.args[1]);
      t_.distribute(before);
      return value;
    }
    if (isNoNumber(n.args[2])) return (*this)(n.args[1]);
    if (n.args[0]->op == sym::Op::Ne &&
        n.args[0]->args[0]->op == sym::Op::Load) { // an input, written out where it is read
      const Expr given = n.args[0]->args[0];
      if (const auto it = inputOf_.find(given->array); it != inputOf_.end()) {
        std::vector<Poly> index;
        for (const Expr& i : given->args) index.push_back((*this)(i));
        return symbol(it->second, index);
      }
    }
    break;
  default:
    break;
  }
  std::vector<Poly> a;
  a.reserve(n.args.size());
  for (const Expr& x : n.args) a.push_back((*this)(x));
  switch (n.op) {
  case sym::Op::Basis:
    return t_.basis(n.shape.rows, a[0]);
  case sym::Op::Add: {
    Poly sum = a[0];
    for (std::size_t k = 1; k < a.size(); ++k) sum = t_.add(std::move(sum), a[k]);
    return t_.recombined(sum);
  }
  case sym::Op::Mul:
    return t_.mul(a[0], a[1]);
  case sym::Op::Div:
    return t_.quotient(a[0], a[1]);
  case sym::Op::PowInt:
    return t_.power(a[0], static_cast<int>(n.imm));
  case sym::Op::MatMul:
    if (const auto w = adjointOf(a[0])) return t_.unhat(t_.matmul(t_.hat(*w), t_.hat(a[1])));
    return t_.matmul(a[0], a[1]);
  case sym::Op::Transpose:
    return t_.transpose(a[0]);
  case sym::Op::Inner:
    return n.args[0]->shape.rank == 0 ? t_.mul(a[0], a[1]) : t_.dot(a[0], a[1]);
  case sym::Op::Cross:
    return t_.cross(a[0], a[1]);
  case sym::Op::Hat:
    return t_.hat(a[0]);
  case sym::Op::Unhat:
    return t_.unhat(a[0]);
  case sym::Op::Outer:
    return t_.outer(a[0], a[1]);
  case sym::Op::Inverse:
    return t_.inverse(a[0]);
  case sym::Op::Solve:
    return t_.matmul(t_.inverse(a[0]), a[1]);
  case sym::Op::Vector:
    if (auto product = byRows(a)) return *product;
    return t_.recombined(t_.vector(a));
  case sym::Op::Matrix:
    if (const auto w = coordinatesOf(n, a)) return t_.hat(*w);
    return t_.matrix(n.shape.rows, n.shape.cols, a);
  case sym::Op::ToReal:
    return t_.asCount ? t_.asCount(a[0]) : a[0];
  case sym::Op::Select:
    return t_.select(a[0], a[1], a[2]);
  default:
    return function(n, a);
  }
}

/// w of a matrix that is A(w), entry by entry, for a vector w as a whole.
std::optional<Poly> Reader::coordinatesOf(const Node& n, const std::vector<Poly>& entries) {
  const Planes* planes = n.shape.rows == n.shape.cols && t_.recombines ? t_.planesOfSize(n.shape.rows) : nullptr;
  if (planes == nullptr) return {};
  const auto entry = [&](int r, int c) -> const Poly& {
    return entries[static_cast<std::size_t>((r - 1) * n.shape.cols + c - 1)];
  };
  std::vector<Poly> w;
  for (int r = 1; r <= n.shape.rows; ++r)
    if (!entry(r, r).isZero()) return {};
  for (const auto& [j, i] : *planes) {
    if (!t_.add(entry(j, i), entry(i, j)).isZero()) return {};
    w.push_back(entry(j, i));
  }
  const Poly all = t_.vector(w), whole = t_.recombined(all);
  const bool isVector = std::all_of(whole.terms.begin(), whole.terms.end(),
                                    [](const auto& t) { return t.first.core->kind != Kind::Basis; });
  return isVector && !whole.isZero() ? std::optional(whole) : std::nullopt;
}

namespace {
/// Of [E_k, E_c] the coordinates, by the planes of the basis.
std::vector<std::int64_t> bracketOf(const Planes& planes, std::size_t k, std::size_t c, int n) {
  const auto entry = [&](std::size_t e, int r, int s) -> std::int64_t {
    const auto [j, i] = planes[e];
    return r == j && s == i ? 1 : r == i && s == j ? -1 : 0;
  };
  std::vector<std::int64_t> of;
  for (const auto& [j, i] : planes) {
    std::int64_t sum = 0;
    for (int r = 1; r <= n; ++r) sum += entry(k, j, r) * entry(c, r, i) - entry(c, j, r) * entry(k, r, i);
    of.push_back(sum);
  }
  return of;
}
} // namespace

/// w of a literal that is the matrix of ad_w.
std::optional<Poly> Reader::adjointOf(const Poly& matrix) {
  if (!t_.recombines || matrix.terms.size() != 1) return {};
  const auto& [m, c] = *matrix.terms.begin();
  const Atom literal = m.core;
  if (literal->kind != Kind::Matrix || literal->shape.rows != literal->shape.cols || !m.powers.empty()) return {};
  const int n = t_.sizeOfAlgebra(literal->shape.rows);
  if (n < 4) return {};
  const Planes& planes = *t_.planesOfSize(n);
  const std::size_t d = planes.size();
  const auto entry = [&, factor = c](std::size_t r, std::size_t s) {
    return t_.scaled(factor, t_.open(literal->kids[r * d + s]));
  };
  std::vector<Poly> w(d, Terms::zero(sym::Shape::scalar()));
  std::vector<std::vector<Poly>> expected(d, std::vector<Poly>(d, Terms::zero(sym::Shape::scalar())));
  for (std::size_t k = 0; k < d; ++k) {
    bool found = false;
    for (int pass = 0; pass < 2; ++pass) // first the coordinate, then where it should be
      for (std::size_t s = 0; s < d; ++s) {
        const std::vector<std::int64_t> column = bracketOf(planes, k, s, n);
        for (std::size_t r = 0; r < d; ++r) {
          if (column[r] == 0) continue;
          if (pass == 0 && !found) w[k] = t_.scaled(sym::Number(column[r]), entry(r, s));
          if (pass == 1) expected[r][s] = t_.add(expected[r][s], t_.scaled(sym::Number(column[r]), w[k]));
          found = true;
        }
      }
  }
  for (std::size_t r = 0; r < d; ++r)
    for (std::size_t s = 0; s < d; ++s)
      if (!t_.sub(expected[r][s], entry(r, s)).isZero()) return {};
  return t_.recombined(t_.vector(w));
}

Poly Reader::function(const Node& n, const std::vector<Poly>& a) {
  switch (n.op) {
  case sym::Op::Component: {
    const int rows = n.args[0]->shape.rows, cols = n.args[0]->shape.cols;
    if (a.size() == 2) return t_.dot(t_.basis(rows, a[1]), a[0]);
    return t_.dot(t_.basis(rows, a[1]), t_.matmul(a[0], t_.basis(cols, a[2])));
  }
  case sym::Op::Pow: {
    if (n.args[1]->isConst()) {
      const sym::Number& e = n.args[1]->number;
      if (e.isInteger() && std::abs(e.num()) < 64) return t_.power(a[0], static_cast<int>(e.num()));
      if (e.exact() && e.den() == 2 && std::abs(e.num()) < 64)
        return t_.power(t_.call("sqrt", {a[0]}, n.shape), static_cast<int>(e.num()));
    }
    return t_.call("pow", a, n.shape);
  }
  case sym::Op::Trace:
    if (t_.recombines) return t_.recombined(t_.trace(a[0]));
    return t_.call(callName(n.op), a, n.shape);
  case sym::Op::Stumpff:
    return t_.call("stumpff", {t_.number(n.imm), a[0]}, n.shape);
  default:
    return t_.call(callName(n.op), a, n.shape);
  }
}

Poly Reader::load(const Node& n) {
  std::vector<Poly> index;
  for (const Expr& i : n.args) index.push_back((*this)(i));
  if (const auto it = inputOf_.find(n.array); it != inputOf_.end()) return symbol(it->second, index);
  return element(n.array, index);
}

Poly Reader::symbol(const Array* array, const std::vector<Poly>& index) {
  if (auto value = onCurve(array, index)) return *value;
  std::vector<Atom> kids;
  kids.reserve(index.size());
  for (const Poly& p : index) kids.push_back(t_.seal(p));
  const auto it = renamed_.find(array);
  return t_.of(t_.symbol(array,
                         it != renamed_.end()     ? it->second
                         : arrayNames_ != nullptr ? arrayNames_->of(array)
                                                  : array->name,
                         array->shape, std::move(kids)));
}

Poly Reader::element(const Array* array, const std::vector<Poly>& index) {
  if (const auto it = projected_.find(array); it != projected_.end()) return element(it->second, index);
  if (array->role != sym::Role::Temp || kept_.contains(array) || inputs_.contains(array) || open_.contains(array) ||
      p_.writers(array).empty())
    return symbol(array, index);
  const std::optional<Closed>& form = closed(array);
  if (!form) return symbol(array, index);
  Poly value = form->value;
  for (std::size_t k = 0; k < index.size(); ++k) value = t_.substitute(value, form->index[k], index[k]);
  return value;
}

const std::optional<Reader::Closed>& Reader::closed(const Array* array) {
  if (const auto it = closed_.find(array); it != closed_.end()) return it->second;
  open_.insert(array);
  std::optional<Closed> form = close(array);
  open_.erase(array);
  memo_.clear(); // where the array stood for itself
  return closed_.emplace(array, std::move(form)).first->second;
}

} // namespace lmc::present
