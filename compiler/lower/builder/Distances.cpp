#include "lower/builder/Distances.h"

#include <algorithm>

namespace lmc::lower {

using sym::Expr;

namespace {

using Exprs = std::vector<Expr>;

bool has(Expr e, Expr index) {
  return e->indexed && sym::contains(e, [&](const sym::Node& n) { return &n == index.node(); });
}

void conjuncts(Expr e, Exprs& out) {
  if (e->op != sym::Op::And) return out.push_back(e);
  for (const Expr& a : e->args) conjuncts(a, out);
}

class Recognizer {
  using Op = sym::Op;

public:
  explicit Recognizer(const sym::Equation& e)
      : g_(*e.guard->graph), e_(e), outer_(e.loops[0].index), inner_(e.loops[1].index) {}

  std::optional<DistanceBound> run() {
    if (!ranges()) return std::nullopt;
    Exprs conditions;
    conjuncts(e_.guard, conditions);
    for (const Expr& c : conditions)
      if ((c->op == Op::Lt || c->op == Op::Le) && compared(c->args[0], c->args[1])) return found_;
    return std::nullopt;
  }

private:
  bool ranges() {
    const sym::Loop &i = e_.loops[0], &j = e_.loops[1];
    if (i.descending || j.descending) return false;
    const auto rows = sym::bounds(i.index, {i}), columns = sym::bounds(j.index, e_.loops);
    const auto low = line(j.lo), high = line(j.hi);
    if (!rows || !columns || !low || !high || rows->lo > rows->hi || columns->lo > columns->hi) return false;
    found_.outer = {rows->lo, rows->hi};
    found_.inner = {columns->lo, columns->hi};
    found_.low = *low;
    found_.high = *high;
    return true;
  }

  [[nodiscard]] std::optional<DistanceBound::Line> line(Expr e) const {
    if (e->isConst()) return DistanceBound::Line{sym::constantInt(e), 0};
    if (e == outer_) return DistanceBound::Line{0, 1};
    if (e->op != Op::Add || e->args.size() != 2) return std::nullopt;
    const bool first = e->args[0]->isConst();
    if (e->args[first ? 1 : 0] != outer_ || !e->args[first ? 0 : 1]->isConst()) return std::nullopt;
    return DistanceBound::Line{sym::constantInt(e->args[first ? 0 : 1]), 1};
  }

  bool compared(Expr distance, Expr limit) {
    if (limit->indexed || !limit->parametric || limit->type != sym::Type::Real) return false;
    Exprs lengths;
    if (distance->op == Op::Abs)
      lengths = {distance->args[0]};
    else if (!squares(distance->op == Op::Sqrt ? distance->args[0] : distance, lengths))
      return false;
    found_.squared = distance->op != Op::Abs && distance->op != Op::Sqrt;
    found_.limit = limit;
    found_.distance = distance;
    found_.axis.clear();
    for (std::size_t k = 0; k < std::min(lengths.size(), DistanceBound::axes); ++k)
      if (!axis(lengths[k])) return false;
    const auto moves = [&](bool second) {
      return std::any_of(found_.axis.begin(), found_.axis.end(), [&](const DistanceBound::Axis& a) {
        return second ? has(a.second, inner_) : has(a.first, outer_);
      });
    };
    return moves(false) && moves(true);
  }

  /// The numbers of whose squares a value is the sum.
  bool squares(Expr e, Exprs& out) {
    if (e->shape.rank != 0) return false;
    if (e->op == Op::Inner && e->args[0] == e->args[1] && e->args[0]->shape.rank == 1) {
      for (int k = 0; k < e->args[0]->shape.rows; ++k) out.push_back(entry(e->args[0], k));
      return true;
    }
    if (e->op == Op::PowInt && e->imm == 2) return out.push_back(e->args[0]), true;
    if (e->op == Op::Mul && e->args[0] == e->args[1]) return out.push_back(e->args[0]), true;
    return e->op == Op::Add && std::all_of(e->args.begin(), e->args.end(), [&](Expr a) { return squares(a, out); });
  }

  /// Of a sum of vectors those of its terms.
  Expr entry(Expr v, int k) {
    if (v->op == Op::Mul) return g_.mul(v->args[0], entry(v->args[1], k));
    if (v->op != Op::Add) return g_.entry(v, k);
    Exprs terms;
    for (const Expr& a : v->args) terms.push_back(entry(a, k));
    return g_.sum(terms, sym::Shape::scalar());
  }

  /// x = first - second + period · a whole number.
  bool axis(Expr x) {
    DistanceBound::Axis a;
    Expr whole;
    sym::visitPostOrder({x}, [&](const sym::Node& n) {
      if (n.op == Op::Floor && has(Expr(&n), outer_) && has(Expr(&n), inner_)) whole = Expr(&n); // the outermost one
    });
    if (whole) {
      const Expr none = with(x, whole, 0), one = with(x, whole, 1), two = with(x, whole, 2);
      const Expr step = g_.sub(one, none);
      if (step != g_.sub(two, one) || step->indexed || !step->parametric) return false;
      a.period = step;
      x = none;
    }
    Exprs first, second;
    if (!split(x, g_.number(1), first, second)) return false;
    a.first = g_.sum(first, sym::Shape::scalar());
    a.second = g_.sum(second, sym::Shape::scalar());
    found_.axis.push_back(a);
    return true;
  }

  /// x with a number in the place of a part.
  Expr with(Expr x, Expr part, std::int64_t number) {
    std::unordered_map<const sym::Node*, Expr> now;
    sym::visitPostOrder({x}, [&](const sym::Node& n) {
      if (&n == part.node()) {
        now[&n] = g_.number(number);
        return;
      }
      Exprs args;
      bool changed = false;
      for (const Expr& arg : n.args) {
        args.push_back(now.at(arg.node()));
        changed = changed || args.back() != arg;
      }
      now[&n] = changed ? g_.rebuild(n, args) : Expr(&n);
    });
    return now.at(x.node());
  }

  /// factor · x as terms of the outer index, less terms of the inner one.
  bool split(Expr x, Expr factor, Exprs& first, Exprs& second) {
    if (x->op == Op::Add)
      return std::all_of(x->args.begin(), x->args.end(), [&](Expr a) { return split(a, factor, first, second); });
    if (x->op == Op::Mul && !x->args[0]->indexed) return split(x->args[1], g_.mul(factor, x->args[0]), first, second);
    const bool outer = has(x, outer_), inner = has(x, inner_);
    if (outer && inner) { // an entry of a difference
      const bool entryOfSum = x->op == Op::Component && x->args.size() == 2 && x->args[1]->isConst() &&
                              (x->args[0]->op == Op::Add || x->args[0]->op == Op::Mul);
      if (!entryOfSum) return false;
      return split(entry(x->args[0], static_cast<int>(sym::constantInt(x->args[1])) - 1), factor, first, second);
    }
    (inner ? second : first).push_back(inner ? g_.neg(g_.mul(factor, x)) : g_.mul(factor, x));
    return true;
  }

  sym::Graph& g_;
  const sym::Equation& e_;
  Expr outer_, inner_;
  DistanceBound found_;
};

} // namespace

std::optional<DistanceBound> distanceBound(const sym::Equation& e) {
  if (!e.guard || e.loops.size() != 2 || e.guard->isConst()) return std::nullopt;
  return Recognizer(e).run();
}

Nests nestsOf(const sym::Program& program, const std::vector<std::size_t>& equations) {
  Nests nests;
  for (const std::size_t k : equations) {
    const sym::Equation& e = program.equation(k);
    std::optional<DistanceBound> bound;
    if (e.kind == sym::EquationKind::Accumulate) bound = distanceBound(e);
    if (!bound) {
      nests.others.push_back(k);
      continue;
    }
    const auto same = [&](const NearSums& n) {
      const std::vector<sym::Loop>& loops = program.equation(n.equations[0]).loops;
      sym::Substitution renamed(program.graph(), [&](const sym::Node& leaf, const std::vector<Expr>&) {
        for (std::size_t d = 0; d < loops.size(); ++d)
          if (Expr(&leaf) == e.loops[d].index) return loops[d].index;
        return Expr();
      });
      return e.guard == n.guard || renamed(e.guard) == n.guard;
    };
    const auto found = std::find_if(nests.near.begin(), nests.near.end(), same);
    if (found != nests.near.end())
      found->equations.push_back(k);
    else
      nests.near.push_back({e.guard, *std::move(bound), {k}});
  }
  return nests;
}

} // namespace lmc::lower
