// The built-in functions: one table.
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/values/IndexMath.h"

#include <algorithm>
#include <limits>

namespace lmc::sema {

using sym::Expr;
using sym::Op;
using sym::Shape;

namespace {

constexpr std::size_t any = std::numeric_limits<std::size_t>::max();

Value made(Expr e) {
  return e ? Value::tensor(e) : Value::error();
}
sym::Graph& graph(ExpressionEvaluator& ev) {
  return ev.session().graph;
}

template <Op op> Value scalarFunction(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr x = ev.scalar(c.args[0], c.arg(0));
  return x ? made(graph(ev).function(op, x)) : Value::error();
}

/// x^2 without a square root below: (c sqrt(s))^2 = c^2 s.
Expr squareOf(sym::Graph& g, Expr x) {
  if (x->op == Op::Mul) return g.mul(squareOf(g, x->args[0]), squareOf(g, x->args[1]));
  if (x->op == Op::Div) return g.div(squareOf(g, x->args[0]), squareOf(g, x->args[1]));
  return g.powInt(x, 2);
}

Value sinc(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr x = ev.scalar(c.args[0], c.arg(0));
  return x ? made(graph(ev).stumpff(1, squareOf(graph(ev), x))) : Value::error();
}

Value stumpff(ExpressionEvaluator& ev, const BuiltinCall& c) {
  constexpr int highest = 30; // its derivatives are of higher order, and fit, too
  const auto k = ev.size(c.args[0], c.arg(0), "the order of a Stumpff function", 0);
  const Expr s = ev.scalar(c.args[1], c.arg(1));
  if (k && *k > highest) {
    ev.report(Code::LIE0143, c.arg(0).range,
              "the order of a Stumpff function goes from 0 to " + std::to_string(highest) + "; it is " +
                  std::to_string(*k));
    return Value::error();
  }
  return k && s ? made(graph(ev).stumpff(*k, s)) : Value::error();
}

Value atan2Of(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr y = ev.scalar(c.args[0], c.arg(0));
  const Expr x = ev.scalar(c.args[1], c.arg(1));
  return y && x ? made(graph(ev).function(Op::Atan2, y, x)) : Value::error();
}

/// A number that stays an int if it is one; empty if it is none (reported).
Expr number(ExpressionEvaluator& ev, const Value& v, const syntax::Expr& e) {
  const Expr t = ev.tensor(v, e);
  return t && t->type == sym::Type::Int ? t : ev.scalar(v, e);
}

Value absolute(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr x = number(ev, c.args[0], c.arg(0));
  return x ? made(graph(ev).function(Op::Abs, x)) : Value::error();
}

template <Op op> Value extremum(ExpressionEvaluator& ev, const BuiltinCall& c) {
  Expr result;
  for (std::size_t k = 0; k < c.args.size(); ++k) {
    Expr x = number(ev, c.args[k], c.arg(k));
    if (!x || (k > 0 && ev.reportsMix(c.args[k - 1], c.args[k], c.e, "cannot be compared"))) return Value::error();
    if (result && result->type != x->type) {
      x = asReal(x);
      result = asReal(result);
    }
    result = result ? graph(ev).function(op, result, x) : x;
  }
  return made(result);
}

Value floorOf(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr x = number(ev, c.args[0], c.arg(0));
  if (!x || x->type == sym::Type::Int) return x ? made(x) : Value::error();
  return made(isIndexOnly(x) ? graph(ev).floorToInt(x) : graph(ev).function(Op::Floor, x));
}

Value modOf(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr a = number(ev, c.args[0], c.arg(0));
  const Expr b = number(ev, c.args[1], c.arg(1));
  if (!a || !b) return Value::error();
  sym::Graph& g = graph(ev);
  if (ev.reportsZero(b, *c.context.loops, c.e)) return Value::error();
  if (a->type == sym::Type::Int && b->type == sym::Type::Int) {
    const Expr x = ev.integer(c.args[0], c.arg(0));
    const Expr y = ev.integer(c.args[1], c.arg(1));
    return x && y ? made(g.imod(x, y)) : Value::error();
  }
  const Expr x = asReal(a);
  const Expr y = asReal(b);
  return made(g.sub(x, g.mul(g.function(Op::Floor, g.div(x, y)), y)));
}

/// Of integers; whole numbers that data decide (`floor` of a parameter, of the time) are divided as reals, which is
/// exact up to 2^53.
Value divOf(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const auto operand = [&](std::size_t k) {
    const Value& v = c.args[k];
    const bool whole =
        isOneTensor(v) && v.parts[0]->type == sym::Type::Real && ExpressionEvaluator::isWhole(v.parts[0]);
    return whole && !v.parts[0]->isConst() ? v.parts[0] : ev.integer(v, c.arg(k));
  };
  const Expr a = operand(0);
  const Expr b = operand(1);
  if (!a || !b || ev.reportsZero(b, *c.context.loops, c.e)) return Value::error();
  sym::Graph& g = graph(ev);
  if (a->type == sym::Type::Int && b->type == sym::Type::Int) return made(g.idiv(a, b));
  return made(g.function(Op::Floor, g.div(asReal(a), asReal(b))));
}

// --- vectors and matrices -------------------------------------------------------------------------------------

Value dot(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr a = ev.tensor(c.args[0], c.arg(0));
  const Expr b = ev.tensor(c.args[1], c.arg(1));
  if (!a || !b) return Value::error();
  const bool scalars = a->shape.rank == 0 && b->shape.rank == 0;
  const Expr x = scalars ? ev.scalar(c.args[0], c.arg(0)) : ev.vector(c.args[0], c.arg(0));
  const Expr y = scalars ? ev.scalar(c.args[1], c.arg(1)) : ev.vector(c.args[1], c.arg(1));
  if (!x || !y || (!scalars && ev.reportsMixedProduct(c.args[0], c.args[1], c.e, false))) return Value::error();
  if (x->shape != y->shape) {
    ev.report(Code::LIE0120, c.e.range,
              "`" + ev.text(c.e) + "`: the two vectors must have one length, not " + describe(x) + " and " +
                  describe(y));
    return Value::error();
  }
  return made(graph(ev).inner(x, y));
}

Value cross(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr a = ev.vector(c.args[0], c.arg(0), 3);
  const Expr b = a ? ev.vector(c.args[1], c.arg(1), 3) : Expr();
  if (ev.reportsMixedProduct(c.args[0], c.args[1], c.e, true)) return Value::error();
  return a && b ? made(graph(ev).cross(a, b)) : Value::error();
}

/// |v|; a constant factor stands outside, so that its square is not needed.
Expr lengthOf(sym::Graph& g, Expr v) {
  const bool factor = v->op == Op::Mul && v->args[0]->isConst();
  const Expr core = factor ? v->args[1] : v;
  const Expr length = g.function(Op::Sqrt, g.inner(core, core));
  return factor ? g.mul(g.function(Op::Abs, v->args[0]), length) : length;
}

Value norm(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr v = ev.tensor(c.args[0], c.arg(0));
  if (!v) return Value::error();
  if (v->shape.rank == 0) {
    const Expr x = ev.scalar(c.args[0], c.arg(0));
    return x ? made(graph(ev).function(Op::Abs, x)) : Value::error();
  }
  return made(lengthOf(graph(ev), asReal(v)));
}

Value normalize(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr v = ev.vector(c.args[0], c.arg(0));
  if (!v) return Value::error();
  if (v->isZero()) { // 0 divided by what is not known to be 0 would be 0
    if (!ev.unreachable())
      ev.report(Code::LIE0124, c.arg(0).range, "`" + ev.text(c.arg(0)) + "` is zero: it has no direction");
    return Value::error();
  }
  return made(graph(ev).div(v, lengthOf(graph(ev), v)));
}

Value hat(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr v = ev.vector(c.args[0], c.arg(0), 3);
  return v ? made(graph(ev).hat(v)) : Value::error();
}

Value vee(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr a = ev.tensor(c.args[0], c.arg(0));
  if (!a) return Value::error();
  if (a->shape == Shape::mat(3, 3)) return made(graph(ev).scale(sym::Number::ratio(1, 2), graph(ev).unhat(a)));
  ev.report(Code::LIE0122, c.arg(0).range, "`" + ev.text(c.arg(0)) + "` is " + describe(a) + "; `vee` takes mat(3,3)");
  return Value::error();
}

Value transpose(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr a = ev.tensor(c.args[0], c.arg(0));
  if (!a) return Value::error();
  if (a->shape.rank == 1)
    return made(graph(ev).matrix(1, a->shape.rows, [&] {
      std::vector<Expr> row;
      row.reserve(a->shape.rows);
      for (int k = 0; k < a->shape.rows; ++k) row.push_back(graph(ev).entry(a, k));
      return row;
    }()));
  const Expr m = ev.matrix(c.args[0], c.arg(0), false);
  return m ? made(graph(ev).transpose(m)) : Value::error();
}

template <Expr (sym::Graph::*operation)(Expr)> Value ofSquare(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr a = ev.matrix(c.args[0], c.arg(0), true);
  return a ? made((graph(ev).*operation)(a)) : Value::error();
}

Value outer(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr a = ev.vector(c.args[0], c.arg(0));
  const Expr b = ev.vector(c.args[1], c.arg(1));
  return a && b ? made(graph(ev).outer(a, b)) : Value::error();
}

Value solve(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const Expr a = ev.matrix(c.args[0], c.arg(0), true);
  const Expr b = ev.tensor(c.args[1], c.arg(1));
  if (!a || !b) return Value::error();
  if (b->shape.rank == 0 || b->shape.rows != a->shape.rows) {
    ev.report(Code::LIE0120, c.e.range,
              "`" + ev.text(c.e) + "`: " + describe(a) + " and " + describe(b) + ": the right side must have " +
                  std::to_string(a->shape.rows) + " rows");
    return Value::error();
  }
  return made(graph(ev).solve(a, b, false));
}

Value diag(ExpressionEvaluator& ev, const BuiltinCall& c) {
  if (c.args.size() == 1) {
    const Expr a = ev.tensor(c.args[0], c.arg(0));
    if (!a) return Value::error();
    if (a->shape.rank == 1) return made(graph(ev).diag(a));
    if (a->shape.rank == 2) {
      const Expr m = ev.matrix(c.args[0], c.arg(0), true);
      return m ? made(graph(ev).diagOf(m)) : Value::error();
    }
  }
  std::vector<Expr> entries;
  for (std::size_t k = 0; k < c.args.size(); ++k) {
    const Expr x = ev.scalar(c.args[k], c.arg(k));
    if (!x) return Value::error();
    entries.push_back(x);
  }
  return made(graph(ev).diag(graph(ev).vector(entries)));
}

Value eye(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const auto n = ev.size(c.args[0], c.arg(0), "a size");
  return n ? made(graph(ev).identity(*n)) : Value::error();
}

/// unit(n, i): the i-th unit vector of R^n.
Value unitVector(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const auto n = ev.size(c.args[0], c.arg(0), "a size");
  if (!n) return Value::error();
  const Expr i = ev.integer(c.args[1], c.arg(1));
  if (!i) return Value::error();
  const Expr index =
      ev.checkedIndex(i, {1, *n}, *c.context.loops, c.arg(1), "the unit vectors of length " + std::to_string(*n));
  return index ? made(graph(ev).basis(*n, index)) : Value::error();
}

/// exp of a number, or the exponential of a square matrix.
Value exponential(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const bool matrix = isOneTensor(c.args[0]) && c.args[0].parts[0]->shape.rank == 2;
  if (!matrix) return scalarFunction<Op::Exp>(ev, c);
  const Expr a = ev.matrix(c.args[0], c.arg(0), true);
  return a ? made(graph(ev).exponential(asReal(a))) : Value::error();
}

Value zeros(ExpressionEvaluator& ev, const BuiltinCall& c) {
  const auto m = ev.size(c.args[0], c.arg(0), "a size");
  if (!m) return Value::error();
  if (c.args.size() == 1) return made(graph(ev).zero(Shape::vec(*m)));
  const auto n = ev.size(c.args[1], c.arg(1), "a size");
  return n ? made(graph(ev).zero(Shape::mat(*m, *n))) : Value::error();
}

// --- random numbers and files ---------------------------------------------------------------------------------

/// normal(mean, sd, n) and uniform(a, b, n): scale and shift of a standard draw.
Value drawn(ExpressionEvaluator& ev, const BuiltinCall& c, bool uniform) {
  const Expr a = ev.scalar(c.args[0], c.arg(0));
  const Expr b = ev.scalar(c.args[1], c.arg(1));
  Shape shape;
  if (c.args.size() == 3) {
    const auto n = ev.size(c.args[2], c.arg(2), "the number of random numbers");
    if (!n) return Value::error();
    shape = Shape::vec(*n);
  }
  if (!a || !b) return Value::error();
  if (!ev.host().draws()) {
    ev.report(Code::LIE0136, c.e.range,
              "random numbers are drawn in `param`, `initial` and the blocks of `every` only");
    return Value::error();
  }
  sym::Graph& g = graph(ev);
  const Expr x = ev.host().draw(uniform, shape, *c.context.loops);
  const Expr scaled = g.mul(uniform ? g.sub(b, a) : b, x);
  if (shape.rank == 0) return made(g.add(a, scaled));
  const std::vector<Expr> shift(static_cast<std::size_t>(shape.rows), a);
  return made(g.add(g.vector(shift), scaled));
}

Value normal(ExpressionEvaluator& ev, const BuiltinCall& c) {
  return drawn(ev, c, false);
}
Value uniform(ExpressionEvaluator& ev, const BuiltinCall& c) {
  return drawn(ev, c, true);
}

Value readFile(ExpressionEvaluator& ev, const BuiltinCall& c) {
  if (c.args[0].kind != ValueKind::String) {
    ev.report(Code::LIE0122, c.arg(0).range, "`read` takes the name of a file in quotes, as in `read(\"data.csv\")`");
    return Value::error();
  }
  if (auto v = ev.host().read(c.args[0].text, c.arg(0).range)) return *v;
  ev.report(Code::LIE0136, c.e.range, "files are read in models only");
  return Value::error();
}

} // namespace

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> table = {
      {"dot", 2, 2, dot},
      {"cross", 2, 2, cross},
      {"norm", 1, 1, norm},
      {"normalize", 1, 1, normalize},
      {"hat", 1, 1, hat},
      {"vee", 1, 1, vee},
      {"transpose", 1, 1, transpose},
      {"trace", 1, 1, ofSquare<&sym::Graph::trace>},
      {"det", 1, 1, ofSquare<&sym::Graph::det>},
      {"inverse", 1, 1, ofSquare<&sym::Graph::inverse>},
      {"solve", 2, 2, solve},
      {"outer", 2, 2, outer},
      {"diag", 1, any, diag},
      {"eye", 1, 1, eye},
      {"zeros", 1, 2, zeros},
      {"unit", 2, 2, unitVector},
#define LMC_WORD_Scalar(op, name) {#name, 1, 1, scalarFunction<Op::op>},
#define LMC_WORD_Own(op, name)
#define LMC_FUNCTION(op, name, word, ...) LMC_WORD_##word(op, name)
#include "sym/functions/Functions.def"
#undef LMC_WORD_Scalar
#undef LMC_WORD_Own
      {"exp", 1, 1, exponential},
      {"atan2", 2, 2, atan2Of},
      {"abs", 1, 1, absolute},
      {"min", 2, any, extremum<Op::Min>},
      {"max", 2, any, extremum<Op::Max>},
      {"sinc", 1, 1, sinc},
      {"stumpff", 2, 2, stumpff},
      {"floor", 1, 1, floorOf},
      {"mod", 2, 2, modOf},
      {"div", 2, 2, divOf},
      {"normal", 2, 3, normal},
      {"uniform", 2, 3, uniform},
      {"read", 1, 1, readFile},
  };
  return table;
}

const Builtin* findBuiltin(std::string_view name) {
  const auto& table = builtins();
  const auto it = std::find_if(table.begin(), table.end(), [&](const Builtin& b) { return b.name == name; });
  return it == table.end() ? nullptr : &*it;
}

const std::vector<std::string>& predefinedNames() {
  static const std::vector<std::string> names = {"t", "pi", "e1", "e2", "e3", "energy", "true", "false"};
  return names;
}

const std::vector<std::string>& specialFunctions() {
  static const std::vector<std::string> names = {"interpolate", "momentum", "multiplier",
                                                 "random",      "reaction", "velocity"};
  return names;
}

} // namespace lmc::sema
