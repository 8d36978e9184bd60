#include "lower/LowerCalls.h"

#include "lower/builder/Copies.h"

#include <algorithm>

namespace lmc::lower {

namespace {
/// In the place of the number of a function that has none yet.
std::int64_t provisional(std::size_t number) {
  return -1 - static_cast<std::int64_t>(number);
}
} // namespace

void CallLowering::beginRoutine(const sym::Function& f) {
  Routine& r = routines_[f.results];
  for (const sym::Array* a : f.inputs) {
    Place p;
    p.buffer = x_.scratch(a->name, a->size());
    r.inputs.push_back(p.buffer);
    x_.places[a] = std::move(p);
  }
}

void CallLowering::endRoutine(const sym::Function& f, std::size_t firstBuffer, Builder& made) {
  Routine& r = routines_.at(f.results);
  std::map<tape::Value, std::int64_t> places;
  const auto result = [&](const Scalar& x) -> Result {
    if (const auto number = s_.constant(x)) return {number, {}, -1};
    if (x.setup) return {std::nullopt, x, -1};
    return {std::nullopt, {}, places.emplace(x.id, static_cast<std::int64_t>(places.size())).first->second};
  };
  const auto results = [&](const std::vector<Scalar>& all) {
    std::vector<Result> list;
    for (const Scalar& x : all) list.push_back(result(x));
    return list;
  };
  const bool withFactors = x_.writesFactors(sym::Definite::Semi);
  const auto isSolved = [&](const sym::Array* a) {
    return withFactors && std::find(f.solved.begin(), f.solved.end(), a) != f.solved.end();
  };
  std::vector<std::vector<Scalar>> values;
  for (const sym::Array* a : f.results) {
    const Place& p = x_.placeOf(a);
    const bool inLoops = p.storage == ArrayStorage::Memory && p.registers.empty() && !p.setup;
    const bool whole = inLoops && a->shape.size() == 1 && !isSolved(a); // factors are found by the matrix's numbers
    r.whole.push_back(whole ? p.buffer : -1);
    values.push_back(whole ? std::vector<Scalar>{} : x_.numbers(a));
    r.values.push_back(results(values.back()));
  }
  for (std::size_t k = 0; k < f.results.size(); ++k) {
    if (!isSolved(f.results[k])) continue;
    Factors factors;
    factors.matrix = k;
    factors.shape = x_.symmetricFactors(values[k], static_cast<int>(f.results[k]->extents[0]));
    factors.inverse = results(factors.shape.inverse);
    for (const auto& column : factors.shape.columns) {
      std::vector<Scalar> own;
      for (const auto& [row, value] : column) own.push_back(value);
      factors.columns.push_back(results(own));
    }
    r.factors.push_back(std::move(factors));
  }
  r.size = static_cast<std::int64_t>(places.size());
  r.results = x_.scratch("results", r.size);
  for (const auto& [value, place] : places) made.store(r.results, made.integer(place), value);
  keepFrom(firstBuffer);
  r.number = made_.size();
  made_.push_back({std::move(made), r.results});
}

/// Callers have numbers of their own in memory while a function runs, so it shares none with them.
void CallLowering::keepFrom(std::size_t firstBuffer) {
  for (std::size_t b = firstBuffer; b < module_.buffers.size(); ++b)
    module_.buffers[b].kept = module_.buffers[b].kept || module_.buffers[b].role == runtime::Role::Work;
}

std::vector<Scalar> CallLowering::read(const Routine& r, const std::vector<Result>& results,
                                       std::vector<Scalar>& loaded) {
  std::vector<Scalar> list;
  for (const Result& x : results) {
    if (x.place < 0) {
      list.push_back(x.number ? s_.real(*x.number) : x.ofSetup);
      continue;
    }
    Scalar& value = loaded[static_cast<std::size_t>(x.place)];
    // Not shared with loads behind another call.
    if (value.id == tape::none) value = {s_.builder().load(r.results, s_.local(s_.integer(x.place)), true), false};
    list.push_back(value);
  }
  return list;
}

void CallLowering::put(const sym::Array* a, const std::vector<Scalar>& values) {
  Place& p = x_.places.at(a);
  const auto size = static_cast<std::size_t>(a->shape.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Scalar at = x_.entry(a, p, s_.integer(static_cast<std::int64_t>(k / size)), k % size);
    if (p.storage == ArrayStorage::Registers)
      p.registers[static_cast<std::size_t>(s_.constantInt(at).value())] = values[k];
    else if (!p.registers.empty())
      x_.writeRemembered(p, at, values[k], false, false);
    else
      s_.builder().store(p.buffer, s_.local(at), s_.local(values[k]));
  }
}

/// All numbers of an array that stand in memory, before another call overwrites them.
void CallLowering::copy(const sym::Array* a, int from) {
  Place& p = x_.places.at(a);
  if (p.storage == ArrayStorage::Memory) {
    copyNumbers(s_.builder(), from, p.buffer, a->size());
    std::fill(p.registers.begin(), p.registers.end(), Scalar{});
    return;
  }
  for (std::int64_t k = 0; k < a->size(); ++k)
    p.registers[static_cast<std::size_t>(k)] = {s_.builder().load(from, s_.local(s_.integer(k)), true), false};
}

void CallLowering::lower(const sym::Equation& e) {
  if (written_.contains(e.array)) return;
  const sym::Call& call = *e.call;
  const Routine& r = routines_.at(call.function->results);
  for (std::size_t k = 0; k < call.given.size(); ++k) {
    const std::vector<Scalar> numbers = x_.numbers(call.given[k]);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      s_.builder().store(r.inputs[k], s_.local(s_.integer(static_cast<std::int64_t>(i))), s_.local(numbers[i]));
  }
  s_.builder().call(static_cast<int>(provisional(r.number)), {});
  std::vector<Scalar> loaded(static_cast<std::size_t>(r.size));
  std::vector<std::vector<Scalar>> values;
  for (const std::vector<Result>& v : r.values) values.push_back(read(r, v, loaded));
  for (std::size_t k = 0; k < call.results.size(); ++k) {
    const sym::Array* const a = call.results[k];
    if (a == nullptr || !x_.places.contains(a) || !written_.insert(a).second) continue;
    r.whole[k] >= 0 ? copy(a, r.whole[k]) : put(a, values[k]);
  }
  for (const Factors& f : r.factors) {
    ExpressionLowering::SymmetricFactors own = f.shape;
    own.inverse = read(r, f.inverse, loaded);
    for (std::size_t c = 0; c < own.columns.size(); ++c) {
      const std::vector<Scalar> column = read(r, f.columns[c], loaded);
      for (std::size_t i = 0; i < column.size(); ++i) own.columns[c][i].second = column[i];
    }
    x_.giveFactors(values[f.matrix], static_cast<int>(own.order.size()), std::move(own));
  }
}

std::unordered_set<std::int64_t> CallLowering::placesRead(int buffer) const {
  std::unordered_set<std::int64_t> read;
  for (const tape::Function& f : module_.functions) {
    std::unordered_map<tape::Value, std::int64_t> constants;
    for (const tape::Block& b : f.blocks)
      for (const tape::Instr& i : b.code)
        if (i.op == tape::Op::ConstInt) constants[i.result] = i.imm;
    for (const tape::Block& b : f.blocks)
      for (const tape::Instr& i : b.code)
        if (i.op == tape::Op::Load && i.buffer == buffer) read.insert(constants.at(i.args[0]));
  }
  return read;
}

void CallLowering::finish(const std::function<tape::Function(Builder&)>& finished) {
  const auto first = static_cast<std::int64_t>(module_.functions.size());
  for (tape::Function& f : module_.functions)
    for (tape::Block& b : f.blocks)
      for (tape::Instr& i : b.code)
        if (i.op == tape::Op::Call && i.imm < 0) i.imm = first - 1 - i.imm;
  for (Made& m : made_) {
    const auto read = placesRead(m.results);
    m.function.removeStores(m.results, [&](std::int64_t place) { return read.contains(place); });
    const std::size_t firstBuffer = module_.buffers.size();
    tape::Function f = finished(m.function);
    keepFrom(firstBuffer);
    f.inner = true;
    module_.functions.push_back(std::move(f));
  }
}

} // namespace lmc::lower
