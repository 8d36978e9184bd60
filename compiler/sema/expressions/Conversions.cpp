// From values to the tensors that an operation takes, with a message for what does not convert.
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/values/IndexMath.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::sema {

using sym::Expr;

Diagnostics::Report ExpressionEvaluator::mismatch(const syntax::Expr& e, const std::string& message) {
  return report(Code::LIE0120, e.range, "`" + text(e) + "`: " + message);
}

Expr ExpressionEvaluator::tensor(const Value& v, const syntax::Expr& e) {
  if (v.isError()) return {};
  if (isOneTensor(v)) return v.parts[0];
  if (v.kind == ValueKind::Family) {
    report(Code::LIE0130, e.range,
           "`" + text(e) + "` is a family of " +
               counted(static_cast<std::size_t>(v.extents.empty() ? 0 : v.extents[0]), "member") +
               ": name one of them, as in `" + text(e) + "[i]`");
  } else if (v.kind == ValueKind::Point || v.kind == ValueKind::Velocity || v.kind == ValueKind::Momentum) {
    report(Code::LIE0128, e.range,
           "`" + text(e) + "` has the parts " + listed(partNames(v)) + ": name one of them, as in `" + text(e) + "." +
               partNames(v).front() + "`");
  } else {
    report(Code::LIE0129, e.range, "a number, vector or matrix is expected here, not " + describe(v));
  }
  return {};
}

Expr ExpressionEvaluator::scalar(const Value& v, const syntax::Expr& e) {
  const Expr t = tensor(v, e);
  if (!t) return {};
  if (t->shape.rank == 0 && t->type != sym::Type::Bool) return asReal(t);
  report(t->type == sym::Type::Bool ? Code::LIE0129 : Code::LIE0122, e.range,
         "`" + text(e) + "` is " + describe(t) + "; a real number is expected here");
  return {};
}

Expr ExpressionEvaluator::vector(const Value& v, const syntax::Expr& e, int length) {
  const Expr t = tensor(v, e);
  if (!t) return {};
  if (t->shape.rank == 1 && (length == 0 || t->shape.rows == length)) return t;
  const std::string wanted = length == 0 ? "a vector" : "a vector of length " + std::to_string(length);
  report(Code::LIE0122, e.range, "`" + text(e) + "` is " + describe(t) + "; " + wanted + " is expected here");
  return {};
}

Expr ExpressionEvaluator::matrix(const Value& v, const syntax::Expr& e, bool square) {
  const Expr t = tensor(v, e);
  if (!t) return {};
  if (t->shape.rank == 2 && (!square || t->shape.rows == t->shape.cols)) return t;
  report(Code::LIE0122, e.range,
         "`" + text(e) + "` is " + describe(t) + "; a " + (square ? "square " : "") + "matrix is expected here");
  return {};
}

Expr ExpressionEvaluator::integer(const Value& v, const syntax::Expr& e) {
  const Expr t = tensor(v, e);
  if (!t) return {};
  if (t->type == sym::Type::Int) return reportsLarge(t, e) ? Expr() : t;
  auto r = report(Code::LIE0137, e.range, "`" + text(e) + "` is " + describe(t) + "; an integer is expected here");
  if (t->shape.rank == 0) {
    r.note(
        "integers are whole numbers, loop indices, parameters declared `: int`, and their sums, products, mod and div");
    if (isWhole(t)) r.note("it is a whole number, but data decide which: it is not known before the run");
  }
  return {};
}

bool ExpressionEvaluator::reportsLarge(Expr t, const syntax::Expr& e) {
  const bool constant = t->isConst();
  if (constant && t->number.isInteger()) return false;
  bool large = constant;
  if (!constant && loops_ != nullptr && !sym::bounds(t, loops_->loops)) {
    constexpr std::size_t most = 200000;
    const LoopContext& around = *loops_;
    enumerate(around.loops, most, [&](const IndexValues& values) {
      if (const auto n = around.guard ? valueAt(around.guard, values) : std::nullopt; n && n->isZero()) return true;
      const auto n = valueAt(t, values);
      large = n && !n->isInteger();
      return !large;
    });
  }
  if (!large) return false;
  if (!unreachable())
    report(Code::LIE0137, e.range,
           "`" + text(e) + "` is an integer of more than 64 bits" +
               (constant ? ", about " + t->number.text() : std::string()))
        .note("integers go to 9223372036854775807; where a real number is wanted, a larger one becomes real");
  return true;
}

bool ExpressionEvaluator::isWhole(Expr e) {
  if (e->shape.rank != 0) return false;
  switch (e->op) {
  case sym::Op::Floor:
  case sym::Op::ToReal:
    return true;
  case sym::Op::Const:
    return e->number.isInteger();
  case sym::Op::PowInt:
    return e->imm >= 0 && isWhole(e->args[0]);
  case sym::Op::Select:
    return isWhole(e->args[1]) && isWhole(e->args[2]);
  case sym::Op::Add:
  case sym::Op::Mul:
  case sym::Op::Min:
  case sym::Op::Max:
  case sym::Op::Abs:
    return std::all_of(e->args.begin(), e->args.end(), [](const Expr& a) { return isWhole(a); });
  default:
    return e->type == sym::Type::Int;
  }
}

Expr ExpressionEvaluator::condition(const Value& v, const syntax::Expr& e) {
  const Expr t = tensor(v, e);
  if (!t) return {};
  if (t->type == sym::Type::Bool) return t;
  report(Code::LIE0129, e.range,
         "`" + text(e) + "` is " + describe(t) + "; a condition is expected here, as in `a < b`");
  return {};
}

std::optional<std::int64_t> ExpressionEvaluator::constant(const Value& v, const syntax::Expr& e,
                                                          const std::string& what, std::int64_t least) {
  const Expr t = integer(v, e);
  if (!t) return std::nullopt;
  const auto n = constantInteger(t);
  if (!n) {
    report(Code::LIE0143, e.range,
           what + " must be known before the run: a whole number or parameters declared `: int`");
    return std::nullopt;
  }
  if (*n < least) {
    if (!unreachable())
      report(Code::LIE0143, e.range,
             what + " must be at least " + std::to_string(least) + "; it is " + std::to_string(*n));
    return std::nullopt;
  }
  return n;
}

std::optional<int> ExpressionEvaluator::size(const Value& v, const syntax::Expr& e, const std::string& what,
                                             std::int64_t least) {
  const auto n = constant(v, e, what, least);
  return n && withinLimit(*n, e) ? std::optional(static_cast<int>(*n)) : std::nullopt;
}

std::optional<Tuple> ExpressionEvaluator::parts(const Value& v, const std::vector<Part>& wanted,
                                                const std::string& what, const syntax::Expr& e, Code code,
                                                const std::optional<Expected>& expected) {
  if (v.isError() || reportsMix(v, expected, what, e)) return std::nullopt;
  Tuple result;
  if (v.kind == ValueKind::Parts) {
    for (const std::string& name : v.names) {
      if (std::any_of(wanted.begin(), wanted.end(), [&](const Part& p) { return p.name == name; })) continue;
      report(code, e.range, fmt::format("{} has no part `{}`; its parts are {}", what, name, listParts(wanted)));
      return std::nullopt;
    }
    for (const Part& p : wanted) {
      const auto it = std::find(v.names.begin(), v.names.end(), p.name);
      if (it == v.names.end()) {
        report(code, e.range, "part `" + p.name + "` is missing; the parts of " + what + " are " + listParts(wanted));
        return std::nullopt;
      }
      result.push_back(v.parts[static_cast<std::size_t>(it - v.names.begin())]);
    }
  } else if (wanted.size() == 1) {
    const Expr t = tensor(v, e);
    if (!t) return std::nullopt;
    result.push_back(asReal(t));
  } else if (v.kind != ValueKind::Tensor && v.parts.size() == wanted.size()) {
    result = v.parts;
  } else {
    report(code, e.range, what + " has the parts " + listParts(wanted) + "; this is " + describe(v));
    return std::nullopt;
  }
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (result[k]->shape == wanted[k].shape && result[k]->type == sym::Type::Real) continue;
    const std::string of = wanted.size() == 1 ? what : "part `" + wanted[k].name + "` of " + what;
    auto r = report(code, e.range,
                    "`" + text(e) + "` is " + describe(result[k]) + "; " + of + " is " + wanted[k].shape.text());
    // A parameter without a type is a number, which its declaration does not say.
    if (what.starts_with('`') && wanted[k].shape.rank == 0 && result[k]->shape.rank > 0)
      r.suggest(fmt::format("declare it with its shape: `{} : {}`", wanted[k].name, result[k]->shape.text()));
    return std::nullopt;
  }
  return result;
}

bool ExpressionEvaluator::withinLimit(std::int64_t size, const syntax::Expr& e) {
  constexpr std::int64_t largest = 10'000'000;
  if (size <= largest) return true;
  if (unreachable()) return false;
  report(Code::LIE0143, e.range,
         "a size of " + std::to_string(size) + " is more than " + std::to_string(largest) + " numbers");
  return false;
}

std::optional<std::pair<sym::Shape, sym::Type>> ExpressionEvaluator::tensorType(const syntax::Type& type,
                                                                                const Context& c, bool& wrong) {
  wrong = false;
  const bool plain = !type.exponent;
  const auto scalarType = [&](sym::Type t) -> std::optional<std::pair<sym::Shape, sym::Type>> {
    if (!type.hasArgs) return std::pair{sym::Shape::scalar(), t};
    report(Code::LIE0110, type.range, "`" + type.name + "` takes no sizes");
    wrong = true;
    return std::nullopt;
  };
  if (plain && type.name == "real") return scalarType(sym::Type::Real);
  if (plain && type.name == "int") return scalarType(sym::Type::Int);
  if (plain && type.name == "bool") return scalarType(sym::Type::Bool);
  if (!plain || (type.name != "vec" && type.name != "mat")) return std::nullopt;
  const std::size_t wanted = type.name == "vec" ? 1 : 2;
  wrong = true;
  if (type.args.size() != wanted) {
    report(Code::LIE0110, type.range,
           wanted == 1 ? "a vector type names its length: `vec(3)`"
                       : "a matrix type names its rows and columns: `mat(3,3)`");
    return std::nullopt;
  }
  std::vector<int> sizes;
  for (const syntax::ExprPtr& a : type.args) {
    if (const auto n = size(evaluate(*a, c), *a, "a size")) sizes.push_back(*n);
  }
  if (sizes.size() != wanted) return std::nullopt;
  if (wanted == 2 && !withinLimit(static_cast<std::int64_t>(sizes[0]) * sizes[1], *type.args[0])) return std::nullopt;
  wrong = false;
  return std::pair{wanted == 1 ? sym::Shape::vec(sizes[0]) : sym::Shape::mat(sizes[0], sizes[1]), sym::Type::Real};
}

const FoundManifold* ExpressionEvaluator::manifold(const syntax::Type& type, const Context& c) {
  ManifoldSource::Reader reader;
  reader.integerOf = [&](const syntax::Expr& e) {
    auto n = constant(evaluate(e, c), e, "the size of a manifold", 1);
    return n && !withinLimit(*n, e) ? std::nullopt : n;
  };
  reader.manifoldOf = [&](const syntax::Type& t) { return manifold(t, c); };
  reader.parameter = [&](const std::string& name) {
    return static_cast<const FoundManifold*>(c.env->groupParameter(name));
  };
  return s_.manifolds->find(type, type.range.source, reader);
}

} // namespace lmc::sema
