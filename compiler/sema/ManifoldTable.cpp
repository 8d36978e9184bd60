// Manifolds by their types, and the check of a declaration.
#include "sema/ExpressionEvaluator.h"
#include "sema/IndexMath.h"

#include <algorithm>

namespace lmc {

namespace {

const std::set<ast::DeclKind> manifoldKinds = {ast::DeclKind::Group, ast::DeclKind::Manifold};

/// How a type fits the head of a declaration: not at all, as a member of the family, or exactly.
struct Fit {
  bool fits = false;
  std::vector<std::pair<std::string, int>> sizes; ///< of a family

  bool entry(const ast::Expr& head, std::int64_t size) {
    if (head.kind == ast::ExprKind::Number) return head.isInteger && static_cast<std::int64_t>(head.number) == size;
    if (head.kind != ast::ExprKind::Name) return false;
    sizes.emplace_back(head.text, static_cast<int>(size));
    return true;
  }
};

/// The sizes of a type: its exponent, then its arguments.
struct Sizes {
  std::optional<std::int64_t> exponent;
  std::vector<std::int64_t> args;
};

Fit fitOf(const ast::Declaration& d, const Sizes& sizes) {
  Fit fit;
  if (!d.head || d.head->args.size() != sizes.args.size()) return fit;
  // M^1 is M.
  const std::int64_t exponent = sizes.exponent.value_or(1);
  if (d.head->exponent) {
    if (!sizes.exponent || !fit.entry(*d.head->exponent, exponent)) return fit;
  } else if (exponent != 1) {
    return fit;
  }
  for (std::size_t k = 0; k < sizes.args.size(); ++k) {
    if (!fit.entry(*d.head->args[k], sizes.args[k])) return fit;
  }
  fit.fits = true;
  return fit;
}

std::string shownName(const ast::Declaration& d, const Sizes& sizes) {
  std::string name = d.name;
  if (d.head->exponent) name += "^" + std::to_string(sizes.exponent.value_or(1));
  if (sizes.args.empty()) return name;
  std::string list;
  for (const std::int64_t a : sizes.args) list += (list.empty() ? "" : ",") + std::to_string(a);
  return name + "(" + list + ")";
}

} // namespace

bool ManifoldTable::declares(const std::string& name) {
  return !session_.library.find(manifoldKinds, name, 0).empty();
}

const DeclaredManifold* ManifoldTable::find(const ast::Type& type, SourceId from, const IntegerOf& integerOf) {
  if (type.name == "dual" || !type.types.empty()) {
    session_.diagnostics.error(Code::LIE0102, type.range,
                               "`dual(G)` is the type of a `state` or a `let`; it has no meaning here");
    return nullptr;
  }
  Sizes sizes;
  bool failed = false;
  if (type.exponent) {
    sizes.exponent = integerOf(*type.exponent);
    failed = !sizes.exponent;
  }
  for (const ast::ExprPtr& a : type.args) {
    const auto n = integerOf(*a);
    failed = failed || !n;
    sizes.args.push_back(n.value_or(1));
  }
  if (failed) return nullptr;
  for (const std::vector<Found>& found : session_.library.tiers(manifoldKinds, type.name, from)) {
    const Found* best = nullptr;
    Fit bestFit;
    for (const Found& f : found) {
      const Fit fit = fitOf(*f.declaration, sizes);
      if (fit.fits && (best == nullptr || fit.sizes.size() < bestFit.sizes.size())) {
        best = &f;
        bestFit = fit;
      }
    }
    if (best == nullptr) continue;
    if (std::find(active_.begin(), active_.end(), best->declaration) != active_.end()) {
      session_.diagnostics.error(Code::LIE0108, type.range,
                                 "the declaration of " + shownName(*best->declaration, sizes) + " needs itself");
      return nullptr;
    }
    const DeclaredManifold* m = instance(*best, bestFit.sizes);
    return m->usable() ? m : nullptr;
  }
  std::vector<std::string> known = session_.library.names(manifoldKinds);
  const std::string written(session_.sources.text(type.range));
  const bool sameName = !session_.library.find(manifoldKinds, type.name, from).empty();
  auto r = session_.diagnostics.error(Code::LIE0102, type.range,
                                      sameName ? "there is no manifold `" + written + "`; see its sizes"
                                               : "there is no type or manifold `" + written + "`");
  if (sameName) {
    std::erase_if(known, [&](const std::string& head) { return head.rfind(type.name, 0) != 0; });
  } else {
    for (const char* t : {"real", "int", "vec(3)", "mat(3,3)"}) known.emplace_back(t);
    const std::string near = nearest(written, known);
    if (!near.empty()) r.suggest(didYouMean(near));
  }
  r.note("declared are " + listed(known));
  return nullptr;
}

DeclaredManifold* ManifoldTable::instance(const Found& found, const std::vector<std::pair<std::string, int>>& sizes) {
  Sizes all;
  const auto sizeOf = [&](const ast::Expr& e) {
    if (e.kind == ast::ExprKind::Number) return static_cast<std::int64_t>(e.number);
    for (const auto& [name, n] : sizes) {
      if (e.kind == ast::ExprKind::Name && name == e.text) return static_cast<std::int64_t>(n);
    }
    return std::int64_t{1};
  };
  const ast::Declaration& d = *found.declaration;
  if (d.head->exponent) all.exponent = sizeOf(*d.head->exponent);
  for (const ast::ExprPtr& a : d.head->args) all.args.push_back(sizeOf(*a));
  const std::string name = shownName(d, all);
  for (auto& [known, m] : instances_) {
    if (known == name && &m->declaration() == &d) return m.get();
  }
  active_.push_back(&d);
  auto m = std::make_unique<DeclaredManifold>(session_, found, name, sizes);
  active_.pop_back();
  instances_.emplace_back(name, std::move(m));
  return instances_.back().second.get();
}

std::vector<std::string> openSizes(const ast::Declaration& declaration) {
  std::vector<std::string> names;
  if (!declaration.head) return names;
  const auto open = [&](const ast::Expr& e) {
    if (e.kind == ast::ExprKind::Name) names.push_back(e.text);
  };
  if (declaration.head->exponent) open(*declaration.head->exponent);
  for (const ast::ExprPtr& a : declaration.head->args) open(*a);
  return names;
}

DeclaredManifold* ManifoldTable::instantiate(const Found& found, const std::vector<int>& sizes) {
  if (!found.declaration->head) return nullptr;
  std::vector<std::pair<std::string, int>> named;
  for (const std::string& name : openSizes(*found.declaration)) named.emplace_back(name, sizes.at(named.size()));
  return instance(found, named);
}

// --- the check of a declaration -------------------------------------------------------------------------------

Tuple DeclaredManifold::dummies(ClauseKind kind, const std::string& name) const {
  Tuple t;
  if (kind == ClauseKind::Vector) {
    const sym::Shape shape = sym::Shape::vec(actsOn().value_or(3));
    return {session_.graph.load(session_.graph.newArray(name, {}, shape, sym::Role::Temp))};
  }
  for (const Part& p : kind == ClauseKind::Algebra ? algebra() : point_) {
    t.push_back(session_.graph.load(session_.graph.newArray(name, {}, p.shape, sym::Role::Temp)));
  }
  return t;
}

namespace {

/// Lets a clause `random` be checked before there is a run.
class TrialHost final : public Host {
public:
  explicit TrialHost(sym::Graph& graph) : graph_(graph) {}
  [[nodiscard]] bool draws() const override { return true; }
  sym::Expr draw(bool, const sym::Shape& shape, const LoopContext&) override {
    return graph_.load(graph_.newArray("draw", {}, shape, sym::Role::Random));
  }

private:
  sym::Graph& graph_;
};

} // namespace

bool DeclaredManifold::checkClause(const ast::Statement& s, const ClauseSignature& signature) {
  std::vector<Tuple> args;
  for (std::size_t k = 0; k < signature.args.size(); ++k) {
    const bool ofGroup = !isGroup_ && signature.name == "action" && k == 0;
    args.push_back((ofGroup ? *group_ : *this).dummies(signature.args[k], s.params[k].name));
  }
  TrialHost host(session_.graph);
  return value(s, signature, args, host, LoopContext()).has_value();
}

void DeclaredManifold::checkHolds(const ast::Statement& s) {
  for (const HeldEquation& h : holds(dummies(ClauseKind::Point, "point"))) {
    if (h.left->shape == h.right->shape) continue;
    session_.diagnostics.error(Code::LIE0151, s.range,
                               "the two sides of a `holds` equation are " + describe(h.left) + " and " +
                                   describe(h.right));
    usable_ = false;
  }
}

bool DeclaredManifold::check() {
  if (!usable_) return false;
  for (const auto& [name, s] : clauses_) {
    const auto& all = clauseSignatures(isGroup_);
    const auto it = std::find_if(all.begin(), all.end(),
                                 [&, clauseName = name](const ClauseSignature& k) { return k.name == clauseName; });
    const bool good = checkClause(*s, *it);
    if (!good || (isGroup_ && name == "action" && !checkAction(*s))) usable_ = false;
  }
  if (!holds_.empty()) checkHolds(*holds_.front());
  return usable_;
}

} // namespace lmc
