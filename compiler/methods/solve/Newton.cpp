#include "methods/solve/Newton.h"

#include "methods/solve/Chain.h"
#include "sym/derivatives/Derivative.h"

#include <algorithm>
#include <unordered_set>

namespace lmc::methods {

using sym::Expr;

namespace {
/// Systems up to this size have their Jacobians written out: they are solved with an inverse in registers.
constexpr std::int64_t longestInverse = 3;
} // namespace

Newton::Newton(sym::Program& p, std::vector<Space> unknowns) : p_(p), g_(p.graph()), unknowns_(std::move(unknowns)) {
  for (const Space& space : unknowns_) {
    sema::ArrayTuple arrays;
    for (const Component& c : space) {
      arrays.push_back(g_.newArray("?" + c.name, c.extents(), c.shape, sym::Role::Unknown));
    }
    iterate_.push_back(std::move(arrays));
    size_ += sizeOf(space);
  }
}

Newton Newton::without(const std::vector<bool>& eliminated) const {
  Newton rest(p_, {});
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    if (eliminated[k]) continue;
    rest.unknowns_.push_back(unknowns_[k]);
    rest.iterate_.push_back(iterate_[k]);
    rest.size_ += sizeOf(unknowns_[k]);
  }
  return rest;
}

void Newton::join(const JoinedSystems& others) {
  for (const JoinedSystems::Part& part : others.parts) {
    unknowns_.push_back(part.space);
    iterate_.push_back(part.iterate);
    size_ += sizeOf(part.space);
  }
}

sema::Tuple Newton::iterate(std::size_t k) const {
  return load(g_, unknowns_[k], iterate_[k]);
}

/// Where an entry of a member stands among all numbers, from 1.
Expr Newton::position(std::int64_t first, const Component& c, Expr member, int entry) const {
  const Expr base = g_.integer(first + entry + 1);
  if (c.extent == 0) return base;
  return g_.add(base, g_.mul(g_.integer(c.shape.size()), g_.sub(member, g_.integer(1))));
}

void Newton::stack(const sym::Array* array, std::int64_t first, const Space& space, const sema::Tuple& value) {
  for (std::size_t k = 0; k < space.size(); ++k) {
    const Component& c = space[k];
    const std::vector<Expr> list = sema::entries(g_, {value[k]});
    for (int e = 0; e < c.shape.size(); ++e) {
      sym::Equation q;
      q.array = array;
      q.loops = c.loops(g_);
      q.index = {position(first, c, c.index.empty() ? Expr() : c.index[0], e)};
      q.value = list[e];
      p_.append(std::move(q));
    }
    first += c.size();
  }
}

bool Newton::finish(const std::vector<sema::Tuple>& starts, const Residuals& residuals, const Settings& settings) {
  auto newton = std::make_shared<sym::NewtonIteration>();
  const auto number = sym::Shape::scalar();
  const sym::Array* start = g_.newArray("start", {size_}, number, sym::Role::Temp);
  const sym::Array* residual = g_.newArray("residual", {size_}, number, sym::Role::Temp);
  solution_ = g_.newArray("solution", {size_}, number, sym::Role::Temp);
  std::int64_t first = 0;
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    stack(start, first, unknowns_[k], starts[k]);
    first += sizeOf(unknowns_[k]);
    newton->iterate.insert(newton->iterate.end(), iterate_[k].begin(), iterate_[k].end());
  }
  first = 0;
  for (const auto& [space, value] : residuals) {
    stack(residual, first, space, value);
    first += sizeOf(space);
  }
  if (settings.nearOne) {
    newton->change = residual;
  } else if (size_ <= denseLimit) {
    newton->jacobian = g_.newArray("jacobian", {size_, size_}, number, sym::Role::Temp);
    jacobian(newton->jacobian, residuals);
    // Of single numbers each column is code of its own in either form.
    const bool vectors = std::any_of(unknowns_.begin(), unknowns_.end(), [](const Space& space) {
      return std::any_of(space.begin(), space.end(), [](const Component& c) { return c.shape.size() > 1; });
    });
    if (size_ > longestInverse && vectors) newton->columns = columns(residuals);
  } else if (!directional(residuals, residual, settings, *newton)) {
    return false;
  }
  newton->start = start;
  newton->residual = residual;
  newton->tolerance = settings.tolerance;
  newton->limit = settings.limit;
  newton->evaluations = settings.evaluations;
  newton->constrained = settings.constrained;
  newton->counted = counted(settings.multipliers);
  sym::Equation e;
  e.kind = sym::EquationKind::Newton;
  e.array = solution_;
  e.newton = std::move(newton);
  p_.append(std::move(e));
  return true;
}

/// A bit for each array of the iterate that is none of multipliers; 0 where all count, or where they are too many.
std::size_t Newton::counted(const std::vector<std::size_t>& multipliers) const {
  constexpr std::size_t most = 8 * sizeof(std::size_t);
  std::size_t bits = 0, array = 0;
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const bool own = std::find(multipliers.begin(), multipliers.end(), k) == multipliers.end();
    for (std::size_t part = 0; part < iterate_[k].size(); ++part, ++array) {
      if (array >= most) return 0;
      if (own) bits |= std::size_t{1} << array;
    }
  }
  return multipliers.empty() ? 0 : bits;
}

/// The derivative along a direction, for an elimination along a family, or else for products with the Jacobian.
bool Newton::directional(const Residuals& residuals, const sym::Array* residual, const Settings& settings,
                         sym::NewtonIteration& newton) {
  sym::Tangent tangent(p_);
  std::vector<NewtonPart> unknowns, equations;
  std::int64_t first = 0;
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    for (std::size_t k = 0; k < unknowns_[u].size(); ++k) {
      const Component& c = unknowns_[u][k];
      const sym::Array* d = g_.newArray("!" + c.name, c.extents(), c.shape, sym::Role::Unknown);
      newton.direction.push_back(d);
      unknowns.push_back({c, first, d, {}});
      first += c.size();
      tangent.seed(iterate_[u][k], [this, d](const std::vector<Expr>& index) { return g_.load(d, index); });
    }
  }
  first = 0;
  for (const auto& [space, value] : residuals)
    for (std::size_t k = 0; k < space.size(); ++k) {
      equations.push_back({space[k], first, nullptr, tangent.of(value[k])});
      first += space[k].size();
    }
  if (!settings.near) {
    const ChainSolution chain = solveAlongFamily(p_, unknowns, equations, residual);
    newton.factors = chain.factors;
    newton.change = chain.change;
    if (newton.change != nullptr) {
      newton.direction.clear();
      return true;
    }
  }
  if (settings.alongFamilyAlone) return false;
  const sym::Array* product = g_.newArray("product", {size_}, sym::Shape::scalar(), sym::Role::Temp);
  for (const NewtonPart& e : equations) stack(product, e.first, {e.component}, {e.value});
  newton.product = product;
  newton.sparse = settings.near;
  return true;
}

namespace {
bool isFunctionOfOneNumber(sym::Op op) {
  switch (op) {
  case sym::Op::Stumpff:
  case sym::Op::Sqrt:
  case sym::Op::Div: // of its divisor
  case sym::Op::PowInt:
  case sym::Op::Pow:
  case sym::Op::Exp:
  case sym::Op::Log:
  case sym::Op::Sin:
  case sym::Op::Cos:
    return true;
  default:
    return false;
  }
}
} // namespace

std::vector<Newton::Waist> Newton::waists(const Residuals& residuals) const {
  if (size_ < 2) return {};
  std::vector<Expr> values;
  for (const auto& [space, value] : residuals) values.insert(values.end(), value.begin(), value.end());
  for (const std::size_t k : p_.slice({}, values)) {
    if (p_.equations()[k].value) values.push_back(p_.equations()[k].value);
  }
  std::unordered_set<const sym::Array*> own;
  for (const sema::ArrayTuple& arrays : iterate_) own.insert(arrays.begin(), arrays.end());
  sym::Tangent everywhere(p_);
  for (const sym::Array* a : own) everywhere.seed(a, [](const std::vector<Expr>&) { return Expr(); });
  // Products of numbers that depend on the iterate directly, for which one pass stands for all members.
  const auto fits = [&](const sym::Node& n) {
    if (n.op != sym::Op::Inner || n.indexed || n.args[0]->shape.rank == 0) return false;
    bool some = false;
    bool good = true;
    sym::visitPostOrder({Expr(&n)}, [&](const sym::Node& m) {
      if (m.op != sym::Op::Load || !everywhere.active(m.array)) return;
      (own.contains(m.array) ? some : good) = own.contains(m.array);
    });
    return some && good;
  };
  std::vector<Waist> list;
  std::unordered_set<const sym::Node*> seen;
  sym::visitPostOrder(values, [&](const sym::Node& n) {
    if (!isFunctionOfOneNumber(n.op)) return;
    Expr argument = n.args[n.op == sym::Op::Div ? 1 : 0];
    if (argument->op == sym::Op::Mul && argument->args[0]->isConst()) argument = argument->args[1];
    if (fits(*argument) && seen.insert(argument.node()).second) list.push_back({argument, {}});
  });
  if (static_cast<std::int64_t>(list.size()) >= size_) return {};
  for (Waist& w : list) {
    sym::Tangent tangent(p_);
    for (const sym::Array* a : own) tangent.seed(a, [](const std::vector<Expr>&) { return Expr(); });
    for (const Waist& other : list) tangent.freeze(other.product, &other == &w ? g_.number(1) : Expr());
    for (const auto& [space, value] : residuals) {
      for (const Expr& e : value) {
        // d (u.u) = 2 u.du: the factor belongs to the slope, of which there is one for all columns.
        for (const Expr& slope : sema::entries(g_, {tangent.of(e)})) w.slope.push_back(g_.scale(2, slope));
      }
    }
  }
  return list;
}

void Newton::jacobian(const sym::Array* array, const Residuals& residuals) {
  const std::vector<Waist> narrow = waists(residuals);
  std::int64_t first = 0;
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    for (std::size_t part = 0; part < unknowns_[u].size(); ++part) {
      const Component& c = unknowns_[u][part];
      for (int e = 0; e < c.shape.size(); ++e) column(array, residuals, narrow, u, part, first, e);
      first += c.size();
    }
  }
}

/// A direction for each member of each part of an unknown: so what does not depend on it is left out, as in columns.
std::vector<sym::JacobianColumns> Newton::columns(const Residuals& residuals) {
  const std::vector<Waist> narrow = waists(residuals);
  std::vector<sym::JacobianColumns> list;
  std::int64_t first = 0;
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    for (std::size_t part = 0; part < unknowns_[u].size(); ++part) {
      const Component& c = unknowns_[u][part];
      for (std::int64_t member = 1; member <= std::max<std::int64_t>(c.extent, 1); ++member) {
        list.push_back({g_.newArray("!" + c.name, {}, c.shape, sym::Role::Unknown),
                        g_.newArray("columns", {size_}, sym::Shape::scalar(), sym::Role::Temp), first});
        productOf(list.back(), residuals, narrow, iterate_[u][part], member);
        first += c.shape.size();
      }
    }
  }
  return list;
}

void Newton::productOf(const sym::JacobianColumns& columns, const Residuals& residuals,
                       const std::vector<Waist>& waists, const sym::Array* iterate, std::int64_t member) {
  const auto seed = [&](const std::vector<Expr>& index) {
    const Expr direction = g_.load(columns.direction);
    if (index.empty()) return direction;
    return g_.select(g_.compare(sym::Op::Eq, index[0], g_.integer(member)), direction,
                     g_.zero(columns.direction->shape));
  };
  sym::Tangent whole(p_), tangent(p_);
  whole.seed(iterate, seed);
  tangent.seed(iterate, seed);
  for (const Waist& w : waists) tangent.freeze(w.product, Expr());
  std::int64_t row = 0;
  std::size_t slope = 0;
  for (const auto& [space, value] : residuals) {
    for (std::size_t k = 0; k < space.size(); ++k) {
      const Component& r = space[k];
      const std::vector<Expr> entries = sema::entries(g_, {tangent.of(value[k])});
      for (int i = 0; i < r.shape.size(); ++i, ++slope) {
        Expr total = entries[static_cast<std::size_t>(i)];
        for (const Waist& w : waists)
          total = g_.add(total, g_.mul(w.slope[slope], g_.scale(sym::Number::ratio(1, 2), whole.of(w.product))));
        if (total->isZero()) continue;
        sym::Equation q;
        q.array = columns.product;
        q.loops = r.loops(g_);
        q.index = {position(row, r, r.index.empty() ? Expr() : r.index[0], i)};
        q.value = total;
        p_.append(std::move(q));
      }
      row += r.size();
    }
  }
}

/// The columns of one entry of an unknown, of all members at once: one forward pass.
void Newton::column(const sym::Array* array, const Residuals& residuals, const std::vector<Waist>& waists,
                    std::size_t unknown, std::size_t part, std::int64_t first, int entry) {
  const Component& c = unknowns_[unknown][part];
  const Expr member = c.extent > 0 ? g_.newIndex("j") : Expr();
  std::vector<sym::Loop> prefix;
  if (member) prefix.push_back({member, g_.integer(1), g_.integer(c.extent), false});
  const Expr direction = sema::unit(g_, {{c.name, c.shape}}, entry)[0];
  const auto seed = [&](const std::vector<Expr>& index) {
    if (index.empty()) return direction;
    return g_.select(g_.compare(sym::Op::Eq, index[0], member), direction, g_.zero(c.shape));
  };
  sym::Tangent whole(p_, prefix);
  whole.seed(iterate_[unknown][part], seed);
  sym::Tangent tangent(p_, prefix);
  tangent.seed(iterate_[unknown][part], seed);
  for (const Waist& w : waists) tangent.freeze(w.product, Expr());
  std::int64_t row = 0;
  std::size_t slope = 0;
  for (const auto& [space, value] : residuals) {
    for (std::size_t k = 0; k < space.size(); ++k) {
      const Component& r = space[k];
      const std::vector<Expr> list = sema::entries(g_, {tangent.of(value[k])});
      for (int i = 0; i < r.shape.size(); ++i, ++slope) {
        Expr total = list[i];
        for (const Waist& w : waists) {
          const Expr half = g_.scale(sym::Number::ratio(1, 2), whole.of(w.product));
          total = g_.add(total, g_.mul(w.slope[slope], half));
        }
        if (total->isZero()) continue;
        sym::Equation q;
        q.kind = sym::EquationKind::Accumulate;
        q.array = array;
        q.loops = prefix;
        const std::vector<sym::Loop> rows = r.loops(g_);
        q.loops.insert(q.loops.end(), rows.begin(), rows.end());
        q.index = {position(row, r, r.index.empty() ? Expr() : r.index[0], i), position(first, c, member, entry)};
        q.value = total;
        p_.append(std::move(q));
      }
      row += r.size();
    }
  }
}

sema::Tuple Newton::solution(std::size_t k) const {
  std::int64_t first = 0;
  for (std::size_t u = 0; u < k; ++u) first += sizeOf(unknowns_[u]);
  sema::Tuple r;
  for (const Component& c : unknowns_[k]) {
    std::vector<Expr> list;
    for (int e = 0; e < c.shape.size(); ++e) {
      list.push_back(g_.load(solution_, {position(first, c, c.index.empty() ? Expr() : c.index[0], e)}));
    }
    r.push_back(sema::fromEntries(g_, {{c.name, c.shape}}, list)[0]);
    first += c.size();
  }
  return r;
}

} // namespace lmc::methods
