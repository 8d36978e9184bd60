#include "methods/solve/Elimination.h"

#include <algorithm>

namespace lmc::methods {

Elimination::Elimination(sym::Program& p, const Newton& system, std::vector<ImplicitEquation> equations,
                         const std::vector<bool>& removable)
    : p_(p), system_(system), equations_(std::move(equations)), eliminated_(system.unknowns(), false),
      used_(equations_.size(), false), given_(system.unknowns()), spaces_(system.unknowns()),
      needs_(system.unknowns(), std::vector<bool>(system.unknowns(), false)), values_(system.unknowns()) {
  choose(removable);
  order();
  for (const std::size_t u : order_) {
    const sema::ArrayTuple plain = store(p_, spaces_[u], given_[u], "given");
    values_[u] = sym::inlineCopy(p_, plain, replacement(), "~");
  }
}

/// The unknowns on whose iterates a value depends.
std::vector<bool> Elimination::unknownsIn(const sema::Tuple& value) const {
  std::unordered_set<const sym::Array*> seen;
  for (const sym::Expr& e : value) seen.merge(sym::reads(e));
  for (const std::size_t k : p_.slice({}, value)) seen.merge(sym::reads(p_.equations()[k]));
  std::vector<bool> found;
  for (std::size_t u = 0; u < system_.unknowns(); ++u) {
    const sema::ArrayTuple& arrays = system_.iterateArrays(u);
    found.push_back(std::any_of(arrays.begin(), arrays.end(), [&](const sym::Array* a) { return seen.contains(a); }));
  }
  return found;
}

void Elimination::choose(const std::vector<bool>& removable) {
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    const ImplicitEquation& equation = equations_[e];
    if (equation.left.empty()) continue;
    for (std::size_t u = 0; u < system_.unknowns(); ++u) {
      if (!removable[u] || eliminated_[u]) continue;
      const sema::Tuple iterate = system_.iterate(u);
      if (equation.left == iterate && tryEquation(e, u, equation.right)) break;
      if (equation.right == iterate && tryEquation(e, u, equation.left)) break;
    }
  }
}

/// u = value, unless u depends on itself then.
bool Elimination::tryEquation(std::size_t e, std::size_t u, const sema::Tuple& value) {
  std::vector<bool> needs = unknownsIn(value);
  for (std::size_t v = 0; v < needs.size(); ++v) {
    if (!needs[v] || !eliminated_[v]) continue;
    for (std::size_t w = 0; w < needs.size(); ++w) needs[w] = needs[w] || needs_[v][w];
  }
  if (needs[u]) return false;
  for (std::size_t v = 0; v < needs.size(); ++v) { // those removed before may depend on it
    if (!eliminated_[v] || !needs_[v][u]) continue;
    for (std::size_t w = 0; w < needs.size(); ++w) needs_[v][w] = needs_[v][w] || needs[w];
  }
  eliminated_[u] = true;
  used_[e] = true;
  given_[u] = value;
  spaces_[u] = equations_[e].space;
  needs_[u] = std::move(needs);
  return true;
}

void Elimination::order() {
  for (std::size_t u = 0; u < eliminated_.size(); ++u)
    if (eliminated_[u]) order_.push_back(u);
  const auto rank = [&](std::size_t u) { // what it depends on has fewer dependences, or as many and is no dependent
    std::size_t n = 0;
    for (std::size_t v = 0; v < eliminated_.size(); ++v) n += eliminated_[v] && needs_[u][v] ? 1 : 0;
    return n;
  };
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
}

/// Of the removed unknowns whose values are known so far.
sym::Replacement Elimination::replacement() const {
  sym::Replacement r;
  for (const std::size_t u : order_) {
    for (std::size_t k = 0; k < values_[u].size(); ++k) r.arrays[system_.iterateArrays(u)[k]] = values_[u][k];
  }
  return r;
}

std::vector<std::pair<Space, sema::Tuple>> Elimination::residuals() {
  std::vector<std::pair<Space, sema::Tuple>> list;
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    if (used_[e]) continue;
    const Space& space = equations_[e].space;
    if (order_.empty()) {
      list.emplace_back(space, equations_[e].residual);
      continue;
    }
    const sema::ArrayTuple plain = store(p_, space, equations_[e].residual, "equation");
    list.emplace_back(space, load(p_.graph(), space, sym::inlineCopy(p_, plain, replacement(), "~")));
  }
  return list;
}

std::vector<sema::Tuple> Elimination::at(const std::vector<sema::ArrayTuple>& solution, const std::string& suffix) {
  sym::Replacement r;
  for (std::size_t u = 0; u < solution.size(); ++u) {
    for (std::size_t k = 0; k < solution[u].size(); ++k) r.arrays[system_.iterateArrays(u)[k]] = solution[u][k];
  }
  std::vector<const sym::Array*> roots;
  for (const std::size_t u : order_) roots.insert(roots.end(), values_[u].begin(), values_[u].end());
  const std::vector<const sym::Array*> copies = sym::inlineCopy(p_, roots, r, suffix);
  std::vector<sema::Tuple> list(values_.size());
  auto next = copies.begin();
  for (const std::size_t u : order_) {
    const auto end = next + static_cast<std::ptrdiff_t>(values_[u].size());
    list[u] = load(p_.graph(), spaces_[u], sema::ArrayTuple(next, end));
    next = end;
  }
  return list;
}

} // namespace lmc::methods
