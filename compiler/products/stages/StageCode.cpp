#include "products/stages/StageCode.h"

#include <numeric>

namespace lmc::products {

namespace {

lower::RowPlace placeOf(const runtime::Field& field) {
  return {field.role, field.offset};
}

/// One of t and h, of which a step is made.
int inStep(unit::UnitBuilder& unit, std::string name, unit::UnitBuilder::Outputs outputs) {
  return unit.function(std::move(name), 2, std::move(outputs), lower::Lowering::Use::InStep);
}

/// The routine that leaves multipliers; none: null.
const methods::SharedCalls::Routine* evaluation(const methods::SharedCalls& calls) {
  for (const methods::SharedCalls::Routine& r : calls.routines)
    if (r.multipliers.value != nullptr) return &r;
  return nullptr;
}

} // namespace

void StageCode::leave(unit::UnitBuilder& unit, const methods::LeftMultipliers& multipliers,
                      unit::UnitBuilder::Outputs& outputs) const {
  if (!observed_ || multipliers.value == nullptr) return;
  runtime::Field field = unit::numbersField(runtime::Role::Output, "multipliers", multipliers.value->size());
  field.comment = "multipliers of constraints where f was evaluated last";
  field = unit.place(std::move(field));
  unit.reads(multipliers.given, field);
  outputs.push_back({multipliers.value, field.role, field.offset});
}

const sym::Array* StageCode::multipliers(const methods::Step& step) {
  if (step.stages) return step.stages->multipliers.given;
  const methods::SharedCalls::Routine* const r = step.calls ? evaluation(*step.calls) : nullptr;
  return r != nullptr ? r->multipliers.given : nullptr;
}

int StageCode::observe(unit::UnitBuilder& unit, const methods::Step& step, const sym::Array* time,
                       unit::UnitBuilder::Outputs outputs) {
  observed_ = true;
  std::vector<lower::PartOfStep> parts;
  if (step.stages) {
    if (!memory_) memory_ = place(unit, *step.stages);
    parts = {{memory_->start, 0, 1}, {memory_->evaluate, 0, 1}};
  } else {
    place(unit, *step.calls);
    const methods::SharedCalls::Routine& r = *evaluation(*step.calls);
    unit::UnitBuilder::Outputs arguments;
    for (const sym::Array* a : r.arguments) {
      if (a == nullptr) continue;
      const runtime::Field& to = places_.at(a);
      const sym::Array* const single = a == step.calls->forces ? step.calls->ofForces : time;
      arguments.push_back({a->extents.empty() ? single : step.calls->begin, to.role, to.offset});
    }
    parts = {{inStep(unit, "state for f", std::move(arguments)), 0, 1},
             {routines_[static_cast<std::size_t>(&r - step.calls->routines.data())], 0, 1}};
  }
  parts.push_back({unit.function("what is observed", 2, std::move(outputs)), 0, 1});
  return unit.callsInOrder("observe", std::move(parts), 1);
}

StageCode::Memory StageCode::place(unit::UnitBuilder& unit, const methods::SharedStages& stages) const {
  const auto numbers = [&](const std::string& name, const char* comment) {
    runtime::Field field = unit::numbersField(runtime::Role::Output, name, stages.begin->size());
    field.comment = comment;
    return unit.place(std::move(field));
  };
  Memory m;
  m.begin = numbers("stages.begin", "the state at the begin of a step");
  m.point = numbers("stages.point", "where the stage is evaluated");
  m.rate = numbers("stages.rate", "what the last stage has given");
  m.blocks = blocksOf(stages);
  for (std::size_t k = 0; !m.blocks && k + 1 < stages.c.size(); ++k)
    m.rates.push_back(numbers("stages.k" + std::to_string(k + 1), "what a stage has given"));
  for (std::size_t k = 0; k < stages.ends.size(); ++k) {
    m.ends.push_back(numbers("stages.end" + std::to_string(k + 1), "the sum of all stages"));
    unit.reads(stages.ends[k], m.ends.back());
  }
  unit.reads(stages.point, m.point);
  m.start = inStep(unit, "begin of stages",
                   {{stages.begin, m.begin.role, m.begin.offset}, {stages.begin, m.point.role, m.point.offset}});
  unit::UnitBuilder::Outputs outputs{{stages.rate, m.rate.role, m.rate.offset}};
  leave(unit, stages.multipliers, outputs);
  m.evaluate = inStep(unit, "stage", std::move(outputs));
  if (m.blocks) {
    lower::SideBySide& t = m.together;
    t.a = m.blocks->a;
    t.c = m.blocks->c;
    t.size = stages.begin->size();
    t.begin = placeOf(m.begin);
    t.point = placeOf(m.point);
    t.rate = placeOf(m.rate);
    const auto together = [&](const std::string& name, std::int64_t count, const char* comment) {
      unit.beginLine(runtime::Role::Output);
      runtime::Field field = unit::numbersField(runtime::Role::Output, name, count);
      field.comment = comment;
      return placeOf(unit.place(std::move(field)));
    };
    t.coefficients = together("stages.coefficients", t.coefficientsOf(), "of stages that are evaluated at once");
    t.points = together("stages.points", t.size * t.width(), "where all stages of a turn are evaluated");
    t.rates = together("stages.rates", t.size * t.width(), "what they have given");
  }
  return m;
}

void StageCode::addBlocks(unit::UnitBuilder& unit, const Memory& m, std::size_t results,
                          std::vector<lower::PartOfStep>& parts) {
  const auto made = [&](auto function, const std::string& name, auto... more) {
    return unit.later([=, s = m.together, stage = m.evaluate](tape::Module& module) mutable {
      s.moving = lower::movingOf(module, s, stage);
      return function(module, name, s, more...);
    });
  };
  const auto sums = [&](bool before) {
    std::vector<lower::RowSums::Sum> all;
    for (std::size_t k = 0; k < results; ++k)
      if (m.blocks->weights[k].before == before) all.push_back({m.blocks->weights[k].weights, placeOf(m.ends[k])});
    return all;
  };
  const auto count = static_cast<std::int64_t>(m.blocks->count);
  parts.push_back({made(lower::beginTurns, "begin of turns"), 0, 1});
  parts.push_back({made(lower::turns, "turns", m.evaluate, count, sums(true)), 0, 1});
  parts.push_back({made(lower::sumsOfTurn, "sums for the end", sums(false)), 0, 1});
}

void StageCode::addStages(unit::UnitBuilder& unit, const methods::SharedStages& stages, const Memory& m,
                          const std::vector<std::size_t>& wanted, std::size_t results, lower::RowPlace first,
                          std::vector<lower::PartOfStep>& parts) {
  lower::RowSums sums; // of the stages so far, of which the last one is where f has left it
  sums.size = stages.begin->size();
  sums.begin = placeOf(m.begin);
  sums.rows = {first};
  const auto coefficients = [&](const std::vector<double>& all, std::size_t count) {
    std::vector<double> some;
    for (std::size_t k = 0; k < count; ++k) some.push_back(all[wanted[k]]);
    return some;
  };
  const lower::RowPlace rate = placeOf(m.rate);
  for (std::size_t k = 1; k < wanted.size(); ++k) {
    const std::size_t i = wanted[k];
    const bool moves = sums.rows.back().role == rate.role && sums.rows.back().offset == rate.offset;
    sums.sums = {{coefficients(stages.a[i], k), placeOf(m.point)}};
    sums.copies.clear();
    if (moves) sums.copies = {{k - 1, placeOf(m.rates[k - 1])}};
    parts.push_back({unit.rowSums("sum for a stage", sums), 0, 1});
    if (moves) sums.rows.back() = placeOf(m.rates[k - 1]);
    parts.push_back({m.evaluate, stages.c[i], 1});
    sums.rows.push_back(rate);
  }
  sums.copies.clear();
  sums.sums.clear();
  for (std::size_t k = 0; k < results; ++k)
    sums.sums.push_back({coefficients(stages.weights[k], wanted.size()), placeOf(m.ends[k])});
  parts.push_back({unit.rowSums("sums for the end", sums), 0, 1});
}

int StageCode::add(unit::UnitBuilder& unit, const methods::SharedStages& stages, const std::string& name,
                   const std::vector<std::size_t>& wanted, std::size_t results, unit::UnitBuilder::Outputs outputs) {
  if (!memory_) memory_ = place(unit, stages);
  const Memory& m = *memory_;
  std::vector<lower::PartOfStep> parts = {{m.start, 0, 1}};
  if (m.blocks) {
    addBlocks(unit, m, results, parts);
  } else {
    parts.push_back({m.evaluate, stages.c[wanted.front()], 1});
    addStages(unit, stages, m, wanted, results, placeOf(m.rate), parts);
  }
  parts.push_back({inStep(unit, "end of " + name, std::move(outputs)), 0, 1});
  return unit.callsInOrder(name, std::move(parts));
}

int StageCode::add(unit::UnitBuilder& unit, const methods::SharedStages& stages, const runtime::Field& first,
                   unit::UnitBuilder::Outputs outputs, unit::UnitBuilder::Outputs end) {
  if (!memory_) memory_ = place(unit, stages);
  const Memory& m = *memory_;
  unit.reads(stages.left, m.rate);
  std::vector<std::size_t> others(stages.c.size() - 1); // but the last one
  std::iota(others.begin(), others.end(), std::size_t{0});
  std::vector<lower::PartOfStep> parts = {{m.start, 0, 1}};
  addStages(unit, stages, m, others, stages.ends.size(), placeOf(first), parts);
  parts.push_back({inStep(unit, "step of trial", std::move(outputs)), 0, 1});
  lastParts_ = {{m.start, 1, 1}, {m.evaluate, 1, 1}, {inStep(unit, "end of trial", std::move(end)), 1, 1}};
  parts.insert(parts.end(), lastParts_.begin(), lastParts_.end());
  return unit.callsInOrder("trial", std::move(parts));
}

int StageCode::begin(unit::UnitBuilder& unit) const {
  std::vector<lower::PartOfStep> parts = lastParts_;
  for (lower::PartOfStep& p : parts) p.begin = 0;
  return unit.callsInOrder("begin", std::move(parts));
}

void StageCode::place(unit::UnitBuilder& unit, const methods::SharedCalls& calls) {
  if (!routines_.empty()) return;
  std::size_t count = 0;
  const auto row = [&](const sym::Array* array, const char* comment) {
    if (array == nullptr || places_.contains(array)) return;
    runtime::Field field =
        unit::numbersField(runtime::Role::Output, "calls.row" + std::to_string(++count), array->size());
    field.comment = comment;
    const runtime::Field placed = places_.emplace(array, unit.place(std::move(field))).first->second;
    unit.reads(array, placed);
  };
  // Rows first, which are whole vectors, then single numbers.
  for (const bool rows : {true, false}) {
    const auto some = [&](const sym::Array* array, const char* comment) {
      if (array != nullptr && array->extents.empty() != rows) row(array, comment);
    };
    for (const methods::SharedCalls::Routine& r : calls.routines) {
      for (const sym::Array* a : r.arguments) some(a, "an argument of a function that a step calls");
      some(r.given, "the result of a function that a step calls");
    }
    for (const methods::SharedCalls::Piece& p : calls.pieces)
      for (const methods::SharedCalls::Write& w : p.writes) some(w.to, "what a step keeps between its calls");
  }
  const methods::SharedCalls::Routine* const evaluates = evaluation(calls);
  for (const methods::SharedCalls::Routine& r : calls.routines) {
    const runtime::Field& to = places_.at(r.given);
    unit::UnitBuilder::Outputs outputs{{r.result, to.role, to.offset}};
    if (&r == evaluates) leave(unit, r.multipliers, outputs);
    routines_.push_back(inStep(unit, r.name, std::move(outputs)));
  }
}

int StageCode::add(unit::UnitBuilder& unit, const methods::SharedCalls& calls, const std::string& name, Wanted wanted,
                   unit::UnitBuilder::Outputs outputs) {
  place(unit, calls);
  std::vector<lower::PartOfStep> parts;
  for (const methods::SharedCalls::Piece& p : calls.pieces) {
    unit::UnitBuilder::Outputs written;
    std::vector<const sym::Array*> values;
    for (const methods::SharedCalls::Write& w : p.writes) {
      if (wanted == Wanted::Own && !w.own) continue;
      const runtime::Field& to = places_.at(w.to);
      written.push_back({w.value, to.role, to.offset});
      values.push_back(w.value);
    }
    if (!values.empty()) {
      const auto [found, isNew] = pieces_.try_emplace(std::move(values), 0);
      if (isNew) found->second = inStep(unit, "between calls", std::move(written));
      parts.push_back({found->second, 0, 1});
    }
    if (p.routine && (wanted == Wanted::All || p.own)) parts.push_back({routines_[*p.routine], 0, 1});
  }
  parts.push_back({inStep(unit, "end of " + name, std::move(outputs)), 0, 1});
  return unit.callsInOrder(name, std::move(parts));
}

} // namespace lmc::products
