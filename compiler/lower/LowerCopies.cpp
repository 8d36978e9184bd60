#include "lower/LowerCopies.h"

#include "lower/builder/Copies.h"

#include <algorithm>

namespace lmc::lower {

using sym::Equation;
using sym::EquationKind;

/// How many loops read an array; those of a body are run again and again.
void MemoryCopies::count(const std::vector<std::size_t>& equations, const Bodies& bodies, int weight,
                         Counts& loops) const {
  for (const Group& g : schedule(p_, equations, {}, true, bodies).groups) {
    std::unordered_set<const sym::Array*> read;
    for (const std::size_t k : g.equations) {
      if (const auto body = bodies.find(k); body != bodies.end()) count(body->second, bodies, 2, loops);
      if (!g.straight) read.insert(p_.reads(k).begin(), p_.reads(k).end());
    }
    for (const sym::Array* a : read) loops[a] += weight;
  }
}

/// Whether loops find the entries of an array apart from each other: of a family of the state.
bool MemoryCopies::isJoined(const sym::Array* a, const Place& p) const {
  const bool inMemory = p.storage == ArrayStorage::Memory && p.argument < 0 && !p.setup && !p.live && !p.separate;
  if (!inMemory || p.buffer < 0 || a->shape.size() < 2 || a->count() <= unrollLimit) return false;
  const runtime::Role role = module_.buffers[static_cast<std::size_t>(p.buffer)].role;
  return role != runtime::Role::Params && role != runtime::Role::Constants;
}

/// The array to all of whose elements the equation gives another name, or null.
const sym::Array* MemoryCopies::renamed(const Equation& e) const {
  if (e.kind != EquationKind::Set || e.guard || e.positive || !e.value || e.value->op != sym::Op::Load) return nullptr;
  const sym::Array* const a = e.value->array;
  const bool same = e.loops.size() == e.array->extents.size() && e.index.size() == e.loops.size() &&
                    a->extents == e.array->extents && a->shape == e.array->shape && a->count() == tripCount(e);
  for (std::size_t d = 0; same && d < e.loops.size(); ++d)
    if (e.index[d] != e.loops[d].index || e.value->args[d] != e.loops[d].index) return nullptr;
  return same && p_.writers(e.array).size() == 1 ? a : nullptr;
}

void MemoryCopies::separateInputs(std::vector<std::size_t>& equations, const Bodies& bodies,
                                  const std::unordered_set<const sym::Array*>& stacked) {
  std::vector<const sym::Array*> order;
  for (const auto& [a, place] : x_.places)
    if (!stacked.contains(a) && isJoined(a, place)) order.push_back(a);
  if (order.empty()) return;
  Counts loops;
  count(equations, bodies, 1, loops);
  std::erase_if(order, [&](const sym::Array* a) { return loops[a] < 2; });
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  for (const sym::Array* a : order) {
    Place& p = x_.places[a];
    const int copy = x_.scratch(a->name, separateSize(*a));
    separateEntries(s_.builder(), p.buffer, copy, *a);
    p.buffer = copy;
    p.separate = true;
    p.depth = s_.builder().depth();
  }
  std::erase_if(equations, [&](std::size_t k) {
    const Equation& e = p_.equation(k);
    const sym::Array* const a = renamed(e);
    if (a == nullptr || stacked.contains(e.array) || std::find(order.begin(), order.end(), a) == order.end())
      return false;
    x_.places[e.array] = x_.places.at(a);
    return true;
  });
}

int MemoryCopies::bufferOf(const OutputBinding& o) {
  const int existing = bufferAt(module_, o.role, o.offset); // a step overwrites its state
  return existing >= 0 ? existing : addBuffer(module_, "out." + o.array->name, o.role, o.offset, o.array->size());
}

bool MemoryCopies::readsFrom(const std::vector<std::size_t>& equations, const std::vector<OutputBinding>& outputs,
                             const OutputBinding& o) const {
  const auto overlaps = [&](const sym::Array* a) {
    const auto place = x_.places.find(a);
    if (place == x_.places.end() || place->second.buffer < 0) return false;
    const tape::Buffer& read = module_.buffers[static_cast<std::size_t>(place->second.buffer)];
    return read.role == o.role && read.offset < o.offset + o.array->size() && o.offset < read.offset + read.size;
  };
  return std::any_of(outputs.begin(), outputs.end(), [&](const OutputBinding& out) { return overlaps(out.array); }) ||
         std::any_of(equations.begin(), equations.end(),
                     [&](std::size_t k) { return std::any_of(p_.reads(k).begin(), p_.reads(k).end(), overlaps); });
}

void MemoryCopies::place(const std::vector<std::size_t>& equations, const std::vector<OutputBinding>& outputs,
                         bool inStep) {
  inPlace_.clear();
  for (const OutputBinding& o : outputs) {
    if (o.role != runtime::Role::Output || inPlace_.contains(o.array)) continue;
    const auto isSeries = [&](std::size_t k) {
      return p_.equation(k).array == o.array && p_.equation(k).kind == EquationKind::Series;
    };
    const auto isMade = [&](std::size_t k) { return p_.equation(k).array == o.array; };
    const bool asItStands = inStep && o.array->shape.size() == 1 &&
                            std::any_of(equations.begin(), equations.end(), isMade) &&
                            !readsFrom(equations, outputs, o);
    if (asItStands || std::any_of(equations.begin(), equations.end(), isSeries)) inPlace_[o.array] = bufferOf(o);
  }
}

int MemoryCopies::inPlace(const sym::Array* a) const {
  const auto found = inPlace_.find(a);
  return found == inPlace_.end() ? -1 : found->second;
}

void MemoryCopies::write(const std::vector<OutputBinding>& outputs) {
  Builder& b = s_.builder();
  std::vector<int> buffers;
  buffers.reserve(outputs.size());
  for (const OutputBinding& o : outputs) buffers.push_back(bufferOf(o));
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const Place& p = x_.placeOf(outputs[k].array);
    if (p.buffer >= 0 && p.buffer == buffers[k]) continue;
    const std::int64_t n = outputs[k].array->size();
    if (p.storage == ArrayStorage::Memory && p.argument < 0) {
      p.separate ? joinEntries(b, p.buffer, buffers[k], *outputs[k].array) : copyNumbers(b, p.buffer, buffers[k], n);
      continue;
    }
    for (std::int64_t i = 0; i < n; ++i)
      b.store(buffers[k], b.integer(i),
              p.argument >= 0 ? b.argument(p.argument) : s_.local(p.registers[static_cast<std::size_t>(i)]));
  }
}

} // namespace lmc::lower
