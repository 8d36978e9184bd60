#include "lower/builder/Schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace lmc::lower {

using sym::Equation;
using sym::EquationKind;
using sym::Expr;

std::int64_t tripCount(const Equation& e) {
  std::int64_t n = 1;
  for (std::size_t k = 0; k < e.loops.size(); ++k) {
    const std::vector<sym::Loop> outer(e.loops.begin(), e.loops.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    const auto range = sym::bounds(e.loops[k].index, outer);
    if (!range) return std::int64_t{1} << 40;
    n *= std::max<std::int64_t>(0, range->hi - range->lo + 1);
    if (n > std::int64_t{1} << 40) return n;
  }
  return n;
}

namespace {

/// Text of a loop bound in which loop indices are named by their position.
std::string boundText(Expr e, const std::vector<sym::Loop>& loops) {
  if (e->isConst()) return std::to_string(e->number.num());
  for (std::size_t k = 0; k < loops.size(); ++k) {
    if (loops[k].index == e) return fmt::format("#{}", k);
  }
  std::string text = fmt::format("{}(", static_cast<int>(e->op));
  if (e->op == sym::Op::Load) return fmt::format("node{}", e->id);
  for (const Expr& a : e->args) text += boundText(a, loops) + ",";
  return text + ")";
}

std::string signatureOf(const Equation& e) {
  std::string s;
  for (const sym::Loop& l : e.loops) {
    s += fmt::format("{}[{}..{}]", l.descending ? "-" : "+", boundText(l.lo, e.loops), boundText(l.hi, e.loops));
  }
  return s;
}

/// The equation writes element [i, j, …] in iteration (i, j, …).
bool writesAligned(const Equation& e) {
  if (e.kind != EquationKind::Set || e.guard || e.index.size() != e.loops.size()) return false;
  for (std::size_t k = 0; k < e.index.size(); ++k) {
    if (e.index[k] != e.loops[k].index) return false;
  }
  return true;
}

/// Every read of `a` in the equation is of element [i, j, …] in iteration (i, j, …).
bool readsAligned(const Equation& e, const sym::Array* a) {
  bool aligned = true;
  std::vector<Expr> roots{e.value};
  if (e.guard) roots.push_back(e.guard);
  if (e.positive) roots.push_back(e.positive);
  roots.insert(roots.end(), e.index.begin(), e.index.end());
  sym::visitPostOrder(roots, [&](const sym::Node& n) {
    if (n.op != sym::Op::Load || n.array != a) return;
    aligned = aligned && n.args.size() == e.loops.size();
    for (std::size_t k = 0; aligned && k < n.args.size(); ++k) aligned = n.args[k] == e.loops[k].index;
  });
  return aligned;
}

/// What an equation reads, for an iteration with what its body reads.
std::vector<const sym::Array*> readsWithBody(const sym::Program& p, std::size_t k, const Bodies& bodies) {
  std::vector<const sym::Array*> all = p.reads(k);
  const auto body = bodies.find(k);
  if (body == bodies.end()) return all;
  std::unordered_set<const sym::Array*> own;
  for (const std::size_t b : body->second) {
    const auto more = readsWithBody(p, b, bodies);
    all.insert(all.end(), more.begin(), more.end());
    own.insert(p.equations()[b].array);
  }
  std::erase_if(all, [&](const sym::Array* a) { return own.contains(a); });
  std::sort(all.begin(), all.end(), [](const auto* x, const auto* y) { return x->id < y->id; });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Numbers of an array of which it is remembered what straight-line code writes: more are a family, which writes few.
constexpr std::int64_t mostRemembered = 1 << 16;

class Scheduler {
public:
  Scheduler(const sym::Program& p, bool contract, const Bodies& bodies) : p_(p), contract_(contract), bodies_(bodies) {}

  Schedule run(const std::vector<std::size_t>& equations, const std::vector<const sym::Array*>& outputs,
               const std::vector<std::size_t>& later) {
    for (const std::size_t k : equations) place(k);
    decideStorage(outputs, later);
    for (const auto& [a, w] : writers_) {
      const bool all = w.straight == p_.writers(a).size() && a->size() <= mostRemembered;
      if (all && w.loops.empty()) s_.straight.insert(a);
    }
    return std::move(s_);
  }

private:
  struct Writer {
    std::size_t equation;
    std::size_t group;
  };
  /// Of an array: straight-line code may have very many, of which the last group is all that counts.
  struct Writers {
    std::size_t straight = 0;     ///< how many there are in straight-line code
    std::size_t lastStraight = 0; ///< their last group
    std::vector<Writer> loops;    ///< all others
    /// The first group behind those in straight-line code, or with them.
    [[nodiscard]] std::size_t afterStraight(bool same) const {
      return straight == 0 ? 0 : lastStraight + (same ? 0 : 1);
    }
  };

  void place(std::size_t k) {
    const Equation& e = p_.equations()[k];
    const bool kernel = isKernel(e);
    const bool straight = !kernel && tripCount(e) <= unrollLimit;
    const std::string signature = kernel ? fmt::format("solve {}", k) : straight ? "" : signatureOf(e);
    std::size_t position = 0;
    for (const sym::Array* a : readsWithBody(p_, k, bodies_)) {
      if (a != e.array) position = std::max(position, after(e, a, straight, signature));
    }
    Writers& before = writers_[e.array];
    position = std::max(position, before.afterStraight(straight));
    for (const Writer& w : before.loops) position = std::max(position, w.group + (commute(k, w.equation) ? 0 : 1));
    std::size_t g = position;
    const auto joins = [&](const Group& group) {
      return group.straight == straight && group.signature == signature &&
             (e.loops.size() < 2 || sharesReads(group, k));
    };
    while (g < s_.groups.size() && !joins(s_.groups[g])) ++g;
    if (g == s_.groups.size()) s_.groups.push_back({straight, signature, {}});
    s_.groups[g].equations.push_back(k);
    if (straight) {
      ++before.straight;
      before.lastStraight = std::max(before.lastStraight, g);
    } else {
      before.loops.push_back({k, g});
    }
  }

  /// Loops over pairs that read nothing in common, such as those of two stages of a method, stay apart: together they
  /// would need more registers and gain nothing.
  bool sharesReads(const Group& group, std::size_t equation) const {
    if (group.straight) return true;
    return std::any_of(group.equations.begin(), group.equations.end(), [&](std::size_t k) {
      const auto& other = p_.reads(k);
      return std::any_of(other.begin(), other.end(),
                         [&](const sym::Array* a) { return a->role != sym::Role::Param && p_.reads(equation, a); });
    });
  }

  static bool hasBody(const Equation& e) { return e.kind == EquationKind::Newton || e.kind == EquationKind::Series; }
  static bool isKernel(const Equation& e) { return e.kind == EquationKind::LinearSolve || hasBody(e); }

  /// Terms of one sum may be added in any order: both members of a pair get theirs in one loop. Elements of an array
  /// are set once each, in any order: the solution of a system, entry by entry, is found in one loop.
  bool commute(std::size_t k, std::size_t earlier) const {
    const auto readsNoOther = [&](std::size_t j) {
      const Equation& x = p_.equations()[j];
      return (x.kind == EquationKind::Accumulate || x.kind == EquationKind::Set) && !p_.reads(j, x.array);
    };
    return p_.equations()[k].kind == p_.equations()[earlier].kind && readsNoOther(k) && readsNoOther(earlier);
  }

  /// The first group in which the equation may stand so that its reads of `a` see final values.
  std::size_t after(const Equation& e, const sym::Array* a, bool straight, const std::string& signature) {
    const Writers& writers = writers_[a];
    std::size_t position = writers.afterStraight(straight);
    for (const Writer& w : writers.loops) {
      const bool same = !straight && s_.groups[w.group].signature == signature && contract_ &&
                        writesAligned(p_.equations()[w.equation]) && readsAligned(e, a);
      position = std::max(position, w.group + (same ? 0 : 1));
    }
    return position;
  }

  void decideStorage(const std::vector<const sym::Array*>& outputs, const std::vector<std::size_t>& later) {
    std::unordered_map<const sym::Array*, std::size_t> home; // the one loop group of writers and readers
    std::unordered_map<const sym::Array*, bool> simple;      // may be contracted
    for (const auto& [a, list] : writers_) s_.storage[a] = ArrayStorage::Registers;
    for (std::size_t g = 0; g < s_.groups.size(); ++g) {
      for (const std::size_t k : s_.groups[g].equations) {
        const Equation& e = p_.equations()[k];
        if (s_.groups[g].straight) {
          for (const sym::Array* a : p_.reads(k)) simple[a] = false;
          for (const sym::Array* a : p_.choices(k)) note(a, g, false, home, simple);
          if (s_.storage[e.array] != ArrayStorage::Registers || !e.loops.empty()) simple[e.array] = false;
          simple[e.array] = false;
          continue;
        }
        note(e.array, g, writesAligned(e), home, simple);
        if (hasBody(e)) {
          noteBody(k, g, home, simple);
          if (e.series) // copied from order to order
            for (const sym::Array* a : {e.series->start, e.series->next}) note(a, g, false, home, simple);
          if (e.newton && e.newton->sparse)
            for (const sym::Array* a : {e.newton->sparse->nodes, e.newton->sparse->blocks, e.newton->sparse->values})
              note(a, g, false, home, simple);
          continue;
        }
        for (const sym::Array* a : p_.reads(k)) note(a, g, a != e.array && readsAligned(e, a), home, simple);
      }
    }
    for (const sym::Array* a : outputs) simple[a] = false;
    noteReads(later, s_.groups.size(), home, simple);
    for (auto& [a, storage] : s_.storage) {
      if (!home.contains(a)) continue; // only straight-line code touches it
      storage = contract_ && simple[a] ? ArrayStorage::Contracted : ArrayStorage::Memory;
    }
  }

  /// Straight-line code of an iteration may read values; its loops and routines need memory.
  void noteBody(std::size_t k, std::size_t group, std::unordered_map<const sym::Array*, std::size_t>& home,
                std::unordered_map<const sym::Array*, bool>& simple) {
    for (const sym::Array* a : p_.reads(k)) simple[a] = false;
    const auto body = bodies_.find(k);
    if (body != bodies_.end()) noteReads(body->second, group, home, simple);
  }

  void noteReads(const std::vector<std::size_t>& equations, std::size_t group,
                 std::unordered_map<const sym::Array*, std::size_t>& home,
                 std::unordered_map<const sym::Array*, bool>& simple) {
    for (const std::size_t b : equations) {
      const Equation& e = p_.equations()[b];
      const bool looped = isKernel(e) || tripCount(e) > unrollLimit;
      for (const sym::Array* a : p_.reads(b)) {
        simple[a] = false;
        if (looped) note(a, group, false, home, simple);
      }
      for (const sym::Array* a : p_.choices(b)) note(a, group, false, home, simple);
      if (hasBody(e)) noteBody(b, group, home, simple);
    }
  }

  static void note(const sym::Array* a, std::size_t group, bool aligned,
                   std::unordered_map<const sym::Array*, std::size_t>& home,
                   std::unordered_map<const sym::Array*, bool>& simple) {
    const auto [it, fresh] = home.emplace(a, group);
    const auto [s, first] = simple.emplace(a, true);
    s->second = s->second && aligned && it->second == group;
    (void)fresh;
    (void)first;
  }

  const sym::Program& p_;
  bool contract_;
  const Bodies& bodies_;
  Schedule s_;
  std::unordered_map<const sym::Array*, Writers> writers_;
};

} // namespace

std::vector<std::size_t> extractDependents(const sym::Program& program, std::vector<std::size_t>& equations,
                                           const std::vector<const sym::Array*>& sources, const Bodies& bodies,
                                           std::size_t except) {
  std::unordered_set<const sym::Array*> inside(sources.begin(), sources.end());
  for (const std::size_t j : equations) { // in order: what an equation reads comes before it
    const auto read = readsWithBody(program, j, bodies);
    if (j != except && std::any_of(read.begin(), read.end(), [&](const sym::Array* a) { return inside.contains(a); }))
      inside.insert(program.equations()[j].array);
  }
  if (except < program.equations().size()) inside.erase(program.equations()[except].array);
  std::vector<std::size_t> dependents;
  std::vector<std::size_t> rest;
  for (const std::size_t j : equations) {
    (inside.contains(program.equations()[j].array) ? dependents : rest).push_back(j);
  }
  equations = std::move(rest);
  return dependents;
}

Bodies extractBodies(const sym::Program& program, std::vector<std::size_t>& equations) {
  Bodies bodies;
  for (const std::size_t k : std::vector<std::size_t>(equations)) {
    const Equation& e = program.equations()[k];
    if (e.kind == EquationKind::Series) {
      std::vector<const sym::Array*> turns = {e.series->order, e.series->point};
      for (const auto& products : e.series->products) turns.push_back(products.sums);
      bodies[k] = extractDependents(program, equations, turns, bodies, k);
    }
    if (e.kind != EquationKind::Newton) continue;
    std::vector<const sym::Array*> unknowns = e.newton->iterate;
    unknowns.insert(unknowns.end(), e.newton->direction.begin(), e.newton->direction.end());
    for (const sym::JacobianColumns& c : e.newton->columns) unknowns.push_back(c.direction);
    bodies[k] = extractDependents(program, equations, unknowns, bodies, k);
    if (e.newton->columns.empty()) continue;
    // Without the equations of the Jacobian as a whole.
    std::vector<const sym::Array*> roots{e.newton->residual};
    for (const sym::JacobianColumns& c : e.newton->columns) roots.push_back(c.product);
    const std::vector<std::size_t> slice = program.slice(roots);
    const std::unordered_set<std::size_t> wanted(slice.begin(), slice.end());
    std::erase_if(bodies[k], [&](std::size_t j) { return !wanted.contains(j); });
  }
  return bodies;
}

std::vector<std::size_t> takeSlice(const sym::Program& program, const sym::Array* array,
                                   std::vector<std::size_t>& equations) {
  return takeSlices(program, {array}, equations);
}

std::vector<std::size_t> takeSlices(const sym::Program& program, const std::vector<const sym::Array*>& arrays,
                                    std::vector<std::size_t>& equations) {
  const std::vector<std::size_t> slice = program.slice(arrays);
  const std::unordered_set<std::size_t> wanted(slice.begin(), slice.end());
  const auto rest =
      std::stable_partition(equations.begin(), equations.end(), [&](std::size_t k) { return wanted.contains(k); });
  std::vector<std::size_t> taken(equations.begin(), rest);
  equations.erase(equations.begin(), rest);
  return taken;
}

std::unordered_set<const sym::Array*> stackedArrays(const sym::Program& program,
                                                    const std::vector<std::size_t>& slice) {
  std::unordered_set<const sym::Array*> stacked;
  for (const std::size_t k : slice) {
    const Equation& e = program.equation(k);
    if (e.kind == EquationKind::LinearSolve) stacked.insert({e.array, e.matrix, e.rhs});
    if (e.series) {
      stacked.insert({e.array, e.series->start, e.series->next});
      for (const auto& products : e.series->products) stacked.insert(products.operands);
    }
    if (e.kind != EquationKind::Newton) continue;
    const sym::NewtonIteration& n = *e.newton;
    stacked.insert({e.array, n.start, n.residual, n.jacobian, n.product, n.change});
    for (const sym::JacobianColumns& c : n.columns) stacked.insert(c.product);
    if (n.sparse) stacked.insert({n.sparse->nodes, n.sparse->blocks, n.sparse->values});
  }
  return stacked;
}

Schedule schedule(const sym::Program& program, const std::vector<std::size_t>& equations,
                  const std::vector<const sym::Array*>& outputs, bool contract, const Bodies& bodies,
                  const std::vector<std::size_t>& later) {
  return Scheduler(program, contract, bodies).run(equations, outputs, later);
}

std::vector<std::size_t> withoutGiven(const sym::Program& program, const std::vector<const sym::Array*>& roots,
                                      const std::function<bool(const sym::Array*)>& isGiven) {
  std::vector<std::size_t> slice = program.slice(roots);
  const auto gives = [&](std::size_t k) { return isGiven(program.equation(k).array); };
  if (std::none_of(slice.begin(), slice.end(), gives)) return slice;
  std::unordered_set<const sym::Array*> needed;
  std::vector<const sym::Array*> pending = roots;
  while (!pending.empty()) {
    const sym::Array* const a = pending.back();
    pending.pop_back();
    if (isGiven(a) || !needed.insert(a).second) continue;
    for (const std::size_t k : program.writers(a))
      pending.insert(pending.end(), program.reads(k).begin(), program.reads(k).end());
  }
  std::erase_if(slice, [&](std::size_t k) { return !needed.contains(program.equation(k).array); });
  return slice;
}

} // namespace lmc::lower
