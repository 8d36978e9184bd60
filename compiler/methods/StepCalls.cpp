#include "methods/StepCalls.h"

#include "methods/Parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

namespace {
using sema::ValueKind;

const sym::Array* inMemory(sym::Graph& g, const std::string& name, std::int64_t row) {
  return g.newArray(name, row > 0 ? std::vector<std::int64_t>{row} : std::vector<std::int64_t>{}, sym::Shape::scalar(),
                    sym::Role::State);
}
} // namespace

/// By measurement: velocities by f are shorter code by a tenth to a sixth of all, and at least as fast, where f is
/// long, and cost up to a fifth of a step where it is short. Products of rows in S are not counted: most are with
/// zeros.
bool asksForVelocities(const KindContext& context, MethodKind& kind) {
  constexpr std::size_t shortest = 2300;
  if (!kind.projectsByRates()) return false;
  const sym::Program& p = context.layer.program();
  const mechanics::ConstraintEquations& c = *context.system.constraints;
  const std::size_t all = operationsOfTurns(p, kind.rateArrays());
  if (all < shortest) return false;
  return all >= shortest + operationsOfTurns(p, {c.matrix}) - operationsOfTurns(p, {c.jacobian, c.response});
}

StepCalls::StepCalls(const KindContext& context, MethodKind& kind)
    : context_(context), kind_(kind), p_(context.layer.program()), g_(p_.graph()) {
  calls_.pieces.emplace_back();
  uses_.emplace_back();
}

// --- rows ---------------------------------------------------------------------------------------------------------

/// The length of the rows of a value; 0 of a single number.
std::int64_t StepCalls::rowOf(const sema::Value& v) const {
  if (v.kind == ValueKind::Tensor) return 0;
  return methods::rowOf(kind_.rowSpace(v.kind == ValueKind::Opaque ? ValueKind::PhaseAlgebra : v.kind));
}

Expr StepCalls::index(std::int64_t row) {
  Expr& e = indices_[row];
  if (!e) e = g_.newIndex("e");
  return e;
}

/// A value of the kind of `v` whose rows stand in arrays, as its parts.
sema::Value StepCalls::unpacked(const sema::Value& v, const std::vector<const sym::Array*>& rows) const {
  sema::Value r = v;
  r.parts.clear();
  if (v.kind == ValueKind::Tensor) {
    r.parts.push_back(g_.load(rows[0]));
    return r;
  }
  const Space space = kind_.rowSpace(v.kind == ValueKind::Opaque ? ValueKind::PhaseAlgebra : v.kind);
  for (const sym::Array* row : rows) {
    const sema::Tuple own = unflat(g_, space, row);
    r.parts.insert(r.parts.end(), own.begin(), own.end());
  }
  return r;
}

/// An array with a row, or with a single number where that is 0, of this piece.
const sym::Array* StepCalls::store(Expr value, std::int64_t row, const std::string& name) {
  sym::Equation e;
  e.value = recalled(value);
  std::vector<std::int64_t> extents;
  if (row > 0) {
    extents = {row};
    e.index = {index(row)};
    e.loops = {{index(row), g_.integer(1), g_.integer(row), false}};
  }
  e.array = g_.newArray(name, std::move(extents), sym::Shape::scalar(), sym::Role::Temp);
  const sym::Array* const array = e.array;
  p_.append(std::move(e));
  return array;
}

/// What was held in an earlier piece is read from memory.
Expr StepCalls::recalled(Expr e) {
  const std::size_t now = calls_.pieces.size() - 1;
  sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>& args) {
    const auto found = n.op == sym::Op::Load ? held_.find(n.array) : held_.end();
    if (found == held_.end() || found->second.piece == now) return Expr();
    Held& held = found->second;
    if (held.copy == nullptr) {
      held.copy = inMemory(g_, n.array->name, n.array->extents[0]);
      (void)write(held.piece, n.array, held.copy);
    }
    return g_.load(held.copy, args);
  });
  return substitution(e);
}

std::size_t StepCalls::write(std::size_t piece, const sym::Array* value, const sym::Array* to, bool own) {
  std::vector<SharedCalls::Write>& writes = calls_.pieces[piece].writes;
  writes_.push_back({piece, writes.size()});
  writes.push_back({value, to, own});
  return writes_.size() - 1;
}

sema::Value StepCalls::hold(const sema::Value& v, const std::string& name) {
  if (v.kind == ValueKind::Tensor || v.kind == ValueKind::Opaque) return v;
  const std::int64_t row = rowOf(v);
  const sym::Array* const array = store(v.parts[0], row, name);
  held_[array].piece = calls_.pieces.size() - 1;
  sema::Value r = v;
  r.parts = {g_.load(array, {index(row)})};
  return r;
}

sema::Value StepCalls::begin(const sema::Value& v) {
  const std::int64_t row = rowOf(v);
  const sym::Array* const array = flat(p_, kind_.rowSpace(v.kind), v.parts, "begin");
  calls_.begin = array;
  held_[array].piece = calls_.pieces.size() - 1;
  sema::Value r = v;
  r.parts = {g_.load(array, {index(row)})};
  return r;
}

sema::Value StepCalls::end(const sema::Value& v, bool own) {
  const std::int64_t row = rowOf(v);
  const sym::Array* const place = inMemory(g_, "end", row);
  (void)write(calls_.pieces.size() - 1, store(v.parts[0], row, "end"), place, own);
  return unpacked(v, {place});
}

// --- calls --------------------------------------------------------------------------------------------------------

StepCalls::Routine& StepCalls::routine(const std::string& name, const Arguments& args, const Work& work) {
  std::string key = name;
  for (const sema::Value& a : args)
    for (const std::string& n : a.names) key += " " + n;
  if (const auto found = routines_.find(key); found != routines_.end()) return found->second;
  Step& step = context_.step;
  const int evaluations = step.evaluations, exponentials = step.exponentials;
  SharedCalls::Routine shared;
  shared.name = name;
  Arguments own;
  for (const sema::Value& a : args) {
    std::vector<const sym::Array*> rows;
    for (std::size_t k = 0; k < a.parts.size(); ++k) rows.push_back(inMemory(g_, name, rowOf(a)));
    own.push_back(unpacked(a, rows));
    shared.arguments.insert(shared.arguments.end(), rows.begin(), rows.end());
  }
  step.multipliers = nullptr;
  sema::Value result = work(own);
  Routine made;
  made.result = result;
  made.result.parts.clear();
  if (!result.isError()) {
    shared.result = flat(p_, kind_.rowSpace(result.kind), result.parts, name);
    shared.given = inMemory(g_, name, rowOf(result));
    std::unordered_set<const sym::Array*> read;
    for (const std::size_t k : p_.slice({shared.result})) read.insert(p_.reads(k).begin(), p_.reads(k).end());
    for (const sym::Array*& a : shared.arguments)
      if (!read.contains(a)) a = nullptr;
  }
  shared.multipliers = leftMultipliers(g_, step);
  shared.evaluations = std::exchange(step.evaluations, evaluations) - evaluations;
  made.exponentials = std::exchange(step.exponentials, exponentials) - exponentials;
  made.number = calls_.routines.size();
  made.given.resize(shared.arguments.size());
  made.writtenBy.resize(shared.arguments.size());
  calls_.routines.push_back(std::move(shared));
  return routines_.emplace(std::move(key), std::move(made)).first->second;
}

sema::Value StepCalls::call(const std::string& name, const Arguments& args, const Work& work) {
  return call(routine(name, args, work), args);
}

sema::Value StepCalls::call(Routine& r, const Arguments& args) {
  if (r.result.isError()) return r.result;
  const SharedCalls::Routine& shared = calls_.routines[r.number];
  const std::size_t piece = calls_.pieces.size() - 1;
  std::size_t k = 0;
  for (const sema::Value& a : args) {
    for (const Expr& part : a.parts) {
      if (shared.arguments[k] != nullptr) {
        if (!(r.given[k] == part)) { // else it stands there still
          r.given[k] = part;
          r.writtenBy[k] = write(piece, store(part, rowOf(a), shared.name), shared.arguments[k]);
        }
        uses_.back().push_back(r.writtenBy[k]);
      }
      ++k;
    }
  }
  context_.step.evaluations += shared.evaluations;
  context_.step.exponentials += r.exponentials;
  calls_.pieces.back().routine = r.number;
  calls_.pieces.back().evaluations = shared.evaluations;
  calls_.pieces.emplace_back();
  uses_.emplace_back();
  sema::Value result = r.result;
  result.parts = {g_.load(shared.given, {index(rowOf(result))})};
  return hold(result, shared.name);
}

/// The number by which f is asked for (Phase::Asked).
sema::Value StepCalls::askFor(bool forces) const {
  return sema::Value::tensor(g_.number(forces ? 1 : 0));
}

sema::Value StepCalls::rate(const std::string& name, const Arguments& args, const Work& work) {
  if (!asks_) asks_ = asksForVelocities(context_, kind_);
  if (!*asks_) return call(name, args, work);
  Arguments all = args;
  all.push_back(askFor(true));
  const Work asked = [&](const Arguments& own) {
    kind_.ask(g_.compare(sym::Op::Lt, g_.number(0), own.back().parts[0]));
    sema::Value made = work({own.begin(), own.end() - 1});
    kind_.ask({});
    return made;
  };
  rate_ = &routine(name, all, asked);
  if (calls_.forces == nullptr && !rate_->result.isError()) {
    calls_.forces = calls_.routines[rate_->number].arguments.back();
    calls_.ofForces = g_.newArray("forces", {}, sym::Shape::scalar(), sym::Role::Temp);
    sym::Equation one;
    one.array = calls_.ofForces;
    one.value = g_.number(1);
    p_.append(std::move(one));
  }
  return call(*rate_, all);
}

sema::Value StepCalls::endOnConstraints(const sema::Value& state, Expr time) {
  if (rate_ == nullptr) return end(state, true);
  const sema::Value at = sema::Value::tensor(time);
  const sema::Value moved = call("onto positions", {at, state}, [&](const Arguments& given) {
    return kind_.onPositions(given[0].parts[0], given[1]);
  });
  const int evaluations = context_.step.evaluations;
  const sema::Value velocities = call(*rate_, {at, moved, askFor(false)});
  context_.step.evaluations = evaluations;
  calls_.pieces[calls_.pieces.size() - 2].evaluations = 0; // of no f
  return kind_.withVelocities(end(moved, true), end(velocities, true));
}

sema::Value StepCalls::word(const Word& word, const Arguments& args, Range where) {
  if (word.gives == 'e' || word.gives == 'g') return kind_.word(word, args, where); // its algebra elements, with names
  const std::string name = word.name + "(" + word.takes + ")";
  const Work work = [&](const Arguments& own) { return kind_.word(word, own, where); };
  return word.takes == "ty" ? rate(name, args, work) : call(name, args, work);
}

sema::Value StepCalls::act(const sema::Value& element, const sema::Value& point) {
  sema::Value y = point;
  for (std::size_t k = element.names.size(); k > 0; --k) { // the rightmost acts first
    sema::Value one = element;
    one.names = {element.names[k - 1]};
    one.parts = {element.parts[k - 1]};
    y = call("action", {one, y}, [&](const Arguments& own) { return kind_.act(own[0], own[1]); });
  }
  return y;
}

sema::Value StepCalls::bracket(const sema::Value& a, const sema::Value& b) {
  return call("bracket", {a, b}, [&](const Arguments& own) { return kind_.bracket(own[0], own[1]); });
}

// --- what the result of the step needs ----------------------------------------------------------------------------

void StepCalls::markOwn() {
  std::unordered_map<const sym::Array*, Place> places;
  for (const Place& w : writes_) places.emplace(calls_.pieces[w.piece].writes[w.write].to, w);
  std::unordered_map<const sym::Array*, std::size_t> results;
  for (std::size_t k = 0; k < calls_.routines.size(); ++k) results.emplace(calls_.routines[k].given, k);
  for (std::size_t k = calls_.pieces.size(); k-- > 0;) {
    SharedCalls::Piece& piece = calls_.pieces[k];
    if (piece.own) // its call, by what stands behind
      for (const std::size_t w : uses_[k]) calls_.pieces[writes_[w].piece].writes[writes_[w].write].own = true;
    for (const SharedCalls::Write& w : piece.writes) {
      if (!w.own) continue;
      for (const std::size_t e : p_.slice({w.value})) {
        for (const sym::Array* read : p_.reads(e)) {
          if (results.contains(read)) calls_.pieces[k - 1].own = true;
          const auto before = places.find(read);
          if (before != places.end()) calls_.pieces[before->second.piece].writes[before->second.write].own = true;
        }
      }
    }
  }
}

SharedCalls StepCalls::finish() {
  markOwn();
  return std::move(calls_);
}

} // namespace lmc::methods
