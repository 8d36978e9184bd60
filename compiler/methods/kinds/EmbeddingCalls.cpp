// The functions of methods on `embedding`.
#include "methods/kinds/EmbeddingKind.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc {

using sym::Expr;

namespace {

bool isReal(const Value& v) {
  return v.kind == ValueKind::Tensor && v.parts[0]->shape.rank == 0 && v.parts[0]->type != sym::Type::Bool;
}

/// What a function takes: t a number, y a vector of storage coordinates, l multipliers.
struct Signature {
  const char* name;
  const char* arguments;
  const char* usage;
};

constexpr Signature firstOrder[] = {{"ydot", "ty", "ydot takes the time and coordinates: ydot(t, y)"}};
constexpr Signature secondOrder[] = {
    {"vdot", "tyy", "vdot takes the time, coordinates and their rates: vdot(t, q, v)"},
    {"momentum", "tyy", "momentum takes the time, coordinates and their rates: momentum(t, q, v)"},
    {"force", "tyy", "force takes the time, coordinates and their rates: force(t, q, v)"},
    {"holds", "y", "holds takes coordinates: holds(q)"},
    {"holdsT", "yl", "holdsT takes coordinates and multipliers, which have the form of holds(q): holdsT(q, lam)"},
    {"holdsdot", "yy", "holdsdot takes coordinates and their rates: holdsdot(q, v)"},
};

bool takes(const Signature& s, const std::vector<Value>& args) {
  const std::string wanted = s.arguments;
  if (args.size() != wanted.size()) return false;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const bool good = wanted[k] == 't'   ? isReal(args[k])
                      : wanted[k] == 'y' ? args[k].kind == ValueKind::PhaseVector
                                         : args[k].kind == ValueKind::PhaseDual;
    if (!good) return false;
  }
  return true;
}

} // namespace

std::vector<std::string> EmbeddingKind::names() const {
  std::vector<std::string> list;
  if (secondOrder_)
    for (const Signature& s : secondOrder) list.emplace_back(s.name);
  else
    for (const Signature& s : firstOrder) list.emplace_back(s.name);
  return list;
}

std::optional<Value> EmbeddingKind::call(const std::string& name, const std::vector<Value>& args, Range where) {
  const Signature* const begin = secondOrder_ ? std::begin(secondOrder) : std::begin(firstOrder);
  const Signature* const end = secondOrder_ ? std::end(secondOrder) : std::end(firstOrder);
  const Signature* const s = std::find_if(begin, end, [&](const Signature& x) { return name == x.name; });
  if (s == end) return std::nullopt;
  if (!takes(*s, args)) {
    d_.error(Code::LIE0505, where, s->usage);
    return Value::error();
  }
  if (s->arguments[0] == 'y') return constraint(name, args, where);
  const Expr time = g_.toReal(args[0].parts[0]);
  if (name == "ydot") return vectorValue(ydot(time, args[1].parts));
  if (name == "vdot") return vectorValue(vdot(time, args[1].parts, args[2].parts));
  return mechanics(name, args);
}

Value EmbeddingKind::mechanics(const std::string& name, const std::vector<Value>& args) {
  if (slots_.empty()) return vectorValue({}); // a method that is looked into without a model
  if (!mechanics_) {
    std::vector<AmbientMechanics::Variable> variables;
    for (const Slot& s : slots_) variables.push_back({s.factor, s.index});
    mechanics_ = std::make_unique<AmbientMechanics>(context_, variables);
  }
  const Expr time = g_.toReal(args[0].parts[0]);
  const std::string suffix = fmt::format("E{}", ++counter_);
  const ArrayTuple q = store(p_, points_, args[1].parts, suffix);
  const ArrayTuple v = store(p_, points_, args[2].parts, suffix + "'");
  return vectorValue(name == "momentum" ? mechanics_->momentum(time, q, v, suffix)
                                        : mechanics_->force(time, q, v, suffix));
}

/// Chooses the constraints of every manifold; false when one has none that can be used (reported).
bool EmbeddingKind::prepareConstraints(Range where) {
  if (!constraints_.empty()) return true;
  std::vector<Constraints> all;
  Space space;
  for (const Slot& s : slots_) {
    all.emplace_back(p_, *s.manifold);
    if (!all.back().refusal().empty()) {
      d_.error(Code::LIE0512, where, "the method cannot step this model: " + all.back().refusal());
      return false;
    }
    if (all.back().count() > 0)
      space.push_back({s.factor->name + ".holds", all.back().shape(), s.factor->extent, s.index});
  }
  constraints_ = std::move(all);
  multipliers_ = std::move(space);
  return true;
}

std::optional<Value> EmbeddingKind::constraint(const std::string& name, const std::vector<Value>& args, Range where) {
  if (!prepareConstraints(where)) return Value::error();
  Tuple result;
  std::size_t first = 0, multiplier = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& s = slots_[k];
    const Constraints& c = constraints_[k];
    const Tuple q = part(args[0].parts, first, s.points);
    if (name == "holdsT") {
      const Tuple own = c.count() > 0 ? c.transposed(q, args[1].parts[multiplier++]) : zero(g_, s.manifold->point());
      result.insert(result.end(), own.begin(), own.end());
    } else if (c.count() > 0) {
      result.push_back(name == "holds" ? c.value(q) : c.rate(q, part(args[1].parts, first, s.points)));
    }
    first += s.points;
  }
  Value v = vectorValue(std::move(result));
  if (name != "holdsT") v.kind = ValueKind::PhaseDual;
  return v;
}

} // namespace lmc
