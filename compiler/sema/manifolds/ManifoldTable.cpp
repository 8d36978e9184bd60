// Manifolds by their types, and the check of a declaration.
#include "base/Budget.h"
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/manifolds/Manifolds.h"
#include "sema/values/IndexMath.h"

#include <algorithm>
#include <array>

namespace lmc::sema {

namespace {

/// The space of the library whose points are stored as `real`, or as `vec(n)` for every n, with the size that was
/// written; empty if there is none, or the type is another.
std::string spaceOf(Session& session, const syntax::Type& type) {
  const bool vector = type.name == "vec" && type.args.size() == 1;
  if (!vector && type.name != "real") return {};
  for (const Found& found : session.library.libraryDeclarations(syntax::DeclKind::Group)) {
    const syntax::Declaration& d = *found.declaration;
    const syntax::Statement* element = nullptr;
    bool single = true;
    for (const syntax::StatementPtr& s : d.body) {
      if (s->kind != syntax::StatementKind::Element) continue;
      single = element == nullptr;
      element = s.get();
    }
    if (element == nullptr || !single || !element->type || element->type->name != type.name || !d.head) continue;
    if (!vector) return d.head->exponent || !d.head->args.empty() ? std::string() : d.name;
    const syntax::Expr* size = d.head->exponent.get();
    const auto& args = element->type->args;
    if (size == nullptr || args.size() != 1 || args[0]->kind != syntax::ExprKind::Name || args[0]->text != size->text)
      continue;
    return d.name + "^" + std::string(session.sources.text(type.args[0]->range));
  }
  return {};
}

const std::set<syntax::DeclKind> manifoldKinds = {syntax::DeclKind::Group, syntax::DeclKind::Manifold};

/// How a type fits the head of a declaration: not at all, as a member of the family, or exactly.
struct Fit {
  bool fits = false;
  std::vector<FamilyArgument> arguments; ///< of a family

  bool entry(const syntax::Declaration& d, const syntax::Expr& head, const FamilyArgument& value) {
    if (head.kind == syntax::ExprKind::Number)
      return value.group == nullptr && head.isInteger && static_cast<int>(head.number) == value.size;
    if (head.kind != syntax::ExprKind::Name || isGroupParameter(d, head.text) != (value.group != nullptr)) return false;
    arguments.push_back({head.text, value.size, value.group});
    return true;
  }
};

/// What a type is written with: its exponent, then its arguments.
struct Sizes {
  std::optional<int> exponent;
  std::vector<FamilyArgument> args;
};

Fit fitOf(const syntax::Declaration& d, const Sizes& sizes) {
  Fit fit;
  if (!d.head || d.head->args.size() != sizes.args.size()) return fit;
  // M^1 is M.
  const int exponent = sizes.exponent.value_or(1);
  if (d.head->exponent) {
    if (!sizes.exponent || !fit.entry(d, *d.head->exponent, {"", exponent, nullptr})) return fit;
  } else if (exponent != 1) {
    return fit;
  }
  for (std::size_t k = 0; k < sizes.args.size(); ++k) {
    if (!fit.entry(d, *d.head->args[k], sizes.args[k])) return fit;
  }
  fit.fits = true;
  return fit;
}

std::string shownName(const syntax::Declaration& d, const Sizes& sizes) {
  std::string name = d.name;
  if (d.head->exponent) name += "^" + std::to_string(sizes.exponent.value_or(1));
  if (sizes.args.empty()) return name;
  std::string list;
  for (const FamilyArgument& a : sizes.args)
    list += (list.empty() ? "" : ",") + (a.group != nullptr ? a.group->name() : std::to_string(a.size));
  return name + "(" + list + ")";
}

} // namespace

bool ManifoldTable::declares(const std::string& name) {
  return !session_.library.find(manifoldKinds, name, 0).empty();
}

bool isGroupParameter(const syntax::Declaration& d, const std::string& name) {
  const auto mentions = [&](const syntax::Type& t) {
    if (t.name == name && !t.hasArgs && !t.exponent) return true;
    const auto isName = [&](const syntax::ExprPtr& e) { return e->kind == syntax::ExprKind::Name && e->text == name; };
    const auto isType = [&](const auto& inner) { return inner->name == name; };
    const bool ofGroup = t.name == "algebra" || t.name == "dual";
    return std::any_of(t.types.begin(), t.types.end(), isType) ||
           (ofGroup && std::any_of(t.args.begin(), t.args.end(), isName));
  };
  return std::any_of(d.body.begin(), d.body.end(), [&](const syntax::StatementPtr& s) {
    const bool types = s->kind == syntax::StatementKind::Element || s->kind == syntax::StatementKind::ActingGroup;
    return types && s->type && mentions(*s->type);
  });
}

const DeclaredManifold* ManifoldTable::find(const syntax::Type& type, SourceId from, const Reader& reader) {
  if (!type.hasArgs && !type.exponent) {
    if (const DeclaredManifold* g = declared(reader.parameter(type.name))) return g;
  }
  if (type.name == "dual" || !type.types.empty()) {
    session_.diagnostics.error(Code::LIE0102, type.range,
                               "`dual(G)` is the type of a `state` or a `let`; it has no meaning here");
    return nullptr;
  }
  Sizes sizes;
  if (type.exponent) {
    if (const auto n = reader.integerOf(*type.exponent)) sizes.exponent = static_cast<int>(*n);
  }
  auto arguments = argumentsOf(type, from, reader);
  if (!arguments || (type.exponent && !sizes.exponent)) return nullptr;
  sizes.args = std::move(*arguments);
  for (const std::vector<Found>& found : session_.library.tiers(manifoldKinds, type.name, from)) {
    const Found* best = nullptr;
    Fit bestFit;
    for (const Found& f : found) {
      const Fit fit = fitOf(*f.declaration, sizes);
      if (fit.fits && (best == nullptr || fit.arguments.size() < bestFit.arguments.size())) {
        best = &f;
        bestFit = fit;
      }
    }
    if (best != nullptr) return member(*best, bestFit.arguments, type, shownName(*best->declaration, sizes));
  }
  reportUnknown(type, from);
  return nullptr;
}

std::optional<std::vector<FamilyArgument>> ManifoldTable::argumentsOf(const syntax::Type& type, SourceId from,
                                                                      const Reader& reader) {
  std::vector<FamilyArgument> list;
  bool failed = false;
  // An argument is a group where some declaration of the name has a group in that place: manifolds have names of their
  // own.
  const auto takesGroup = [&](std::size_t k) {
    const auto all = session_.library.find(manifoldKinds, type.name, from);
    return std::any_of(all.begin(), all.end(), [&](const Found& f) {
      const syntax::TypePtr& head = f.declaration->head;
      return head && head->args.size() == type.args.size() && head->args[k]->kind == syntax::ExprKind::Name &&
             isGroupParameter(*f.declaration, head->args[k]->text);
    });
  };
  for (std::size_t k = 0; k < type.args.size(); ++k) {
    const syntax::ExprPtr& a = type.args[k];
    const auto inner = typeOf(*a);
    const bool named = inner && (declares(inner->name) || reader.parameter(inner->name) != nullptr);
    if (named && takesGroup(k)) {
      const DeclaredManifold* g = declared(reader.manifoldOf(*inner));
      if (g != nullptr && !g->isGroup()) {
        session_.diagnostics.error(Code::LIE0151, a->range, g->name() + " is a manifold; a group is expected here");
        g = nullptr;
      }
      failed = failed || g == nullptr;
      list.push_back({"", 0, g});
      continue;
    }
    const auto n = reader.integerOf(*a);
    failed = failed || !n;
    list.push_back({"", static_cast<int>(n.value_or(1)), nullptr});
  }
  if (failed) return std::nullopt;
  return list;
}

const DeclaredManifold* ManifoldTable::member(const Found& found, const std::vector<FamilyArgument>& arguments,
                                              const syntax::Type& type, const std::string& shown) {
  // A member may be made of smaller ones; one that needs itself, or ever other ones, has no end.
  const Active wanted{found.declaration, arguments};
  constexpr auto deepest = 24;
  const auto sameDeclaration = [&](const Active& a) { return a.first == wanted.first; };
  if (std::find(active_.begin(), active_.end(), wanted) != active_.end() ||
      std::count_if(active_.begin(), active_.end(), sameDeclaration) > deepest) {
    session_.diagnostics.error(Code::LIE0108, type.range, "the declaration of " + shown + " needs itself");
    return nullptr;
  }
  const Place place(type.range);
  const DeclaredManifold* m = instance(found, arguments);
  if (!m->exists()) {
    session_.diagnostics
        .error(Code::LIE0158, type.range,
               "there is no " + m->name() + ": " + shownHead(*found.declaration) + " needs " +
                   std::string(session_.sources.text(found.declaration->condition->range)))
        .note("declared here", found.declaration->nameRange);
  }
  return m->usable() ? m : nullptr;
}

void ManifoldTable::reportUnknown(const syntax::Type& type, SourceId from) {
  std::vector<std::string> known = session_.library.names(manifoldKinds);
  const std::string written(session_.sources.text(type.range));
  const bool sameName = !session_.library.find(manifoldKinds, type.name, from).empty();
  auto r = session_.diagnostics.error(Code::LIE0102, type.range,
                                      sameName ? "there is no manifold `" + written + "`; see its sizes"
                                               : "there is no type or manifold `" + written + "`");
  if (sameName) {
    std::erase_if(known,
                  [&](const std::string& head) { return head.substr(0, head.find_first_of("^(")) != type.name; });
  } else {
    for (const char* t : {"real", "int", "vec(3)", "mat(3,3)"}) known.emplace_back(t);
    const std::string near = nearest(written, known);
    const bool plain = type.name == "vec" || type.name == "mat" || type.name == "real";
    if (!near.empty() && !plain) r.suggest(didYouMean(near));
  }
  // Numbers and vectors are the points of a space.
  const std::string space = spaceOf(session_, type);
  if (!space.empty()) r.suggest(didYouMean(space));
  if (type.name == "mat")
    r.note("there is no space of matrices: take one of vectors with as many numbers, or a family of rows");
  if (space.empty()) r.note("declared are " + listed(known));
}

std::string ManifoldTable::shownHead(const syntax::Declaration& d) const {
  return std::string(session_.sources.text(d.head->range));
}

DeclaredManifold* ManifoldTable::instance(const Found& found, const std::vector<FamilyArgument>& arguments) {
  Sizes all;
  const auto valueOf = [&](const syntax::Expr& e) {
    if (e.kind == syntax::ExprKind::Number) return FamilyArgument{"", static_cast<int>(e.number), nullptr};
    for (const FamilyArgument& a : arguments) {
      if (e.kind == syntax::ExprKind::Name && a.name == e.text) return a;
    }
    return FamilyArgument{"", 1, nullptr};
  };
  const syntax::Declaration& d = *found.declaration;
  if (d.head->exponent) all.exponent = valueOf(*d.head->exponent).size;
  for (const syntax::ExprPtr& a : d.head->args) all.args.push_back(valueOf(*a));
  const std::string name = shownName(d, all);
  for (const auto& m : instances_) {
    if (&m->declaration() == &d && m->arguments() == arguments) return m.get();
  }
  active_.emplace_back(&d, arguments);
  auto m = std::make_unique<DeclaredManifold>(session_, found, name, arguments);
  active_.pop_back();
  DeclaredManifold* made = m.get();
  instances_.push_back(std::move(m));
  made->complete();
  return made;
}

namespace {

/// The parameters that a head leaves open, in order.
std::vector<std::string> openNames(const syntax::Declaration& d) {
  std::vector<std::string> names;
  if (!d.head) return names;
  const auto open = [&](const syntax::Expr& e) {
    if (e.kind == syntax::ExprKind::Name) names.push_back(e.text);
  };
  if (d.head->exponent) open(*d.head->exponent);
  for (const syntax::ExprPtr& a : d.head->args) open(*a);
  return names;
}

} // namespace

std::vector<std::string> openSizes(const syntax::Declaration& d) {
  return openNames(d);
}

/// The groups of the library without parameters of their own, the smallest first, to try families of groups with.
const DeclaredManifold* ManifoldTable::closedGroup(int number) {
  std::vector<const DeclaredManifold*> groups;
  for (const Found& f : session_.library.libraryDeclarations(syntax::DeclKind::Group)) {
    if (openNames(*f.declaration).empty()) groups.push_back(instance(f, {}));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto* a, const auto* b) { return a->algebraSize() < b->algebraSize(); });
  return number > static_cast<int>(groups.size()) ? nullptr : groups[static_cast<std::size_t>(number - 1)];
}

DeclaredManifold* ManifoldTable::instantiate(const Found& found, const std::vector<int>& sizes) {
  if (!found.declaration->head) return nullptr;
  std::vector<FamilyArgument> arguments;
  for (const std::string& name : openNames(*found.declaration)) {
    FamilyArgument a{name, sizes.at(arguments.size()), nullptr};
    if (isGroupParameter(*found.declaration, name)) {
      a.group = closedGroup(a.size);
      a.size = 0;
      if (a.group == nullptr) return nullptr;
    }
    arguments.push_back(a);
  }
  return instance(found, arguments);
}

std::vector<int> ManifoldTable::smallSizes(const Found& found) {
  const std::size_t open = openSizes(*found.declaration).size();
  // 3 first: small, and different from what is special about 1 and 2
  static constexpr std::array<int, 5> candidates = {3, 4, 2, 1, 5};
  std::size_t combinations = 1;
  for (std::size_t k = 0; k < open; ++k) combinations *= candidates.size();
  for (std::size_t c = 0; c < combinations && open > 0; ++c) {
    std::vector<int> sizes;
    for (std::size_t k = 0, rest = c; k < open; ++k, rest /= candidates.size())
      sizes.push_back(candidates[rest % candidates.size()]);
    const DeclaredManifold* m = instantiate(found, sizes);
    if (m != nullptr && m->exists()) return sizes;
  }
  return std::vector<int>(open, 1);
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

bool DeclaredManifold::checkClause(const syntax::Statement& s, const ClauseSignature& signature) {
  std::vector<Tuple> args;
  for (std::size_t k = 0; k < signature.args.size(); ++k) {
    const bool ofGroup = !isGroup_ && signature.name == "action" && k == 0;
    args.push_back((ofGroup ? *group_ : *this).dummies(signature.args[k], s.params[k].name));
  }
  TrialHost drawing(session_.graph);
  Host none;
  Host& host = signature.name == "random" ? static_cast<Host&>(drawing) : none;
  return value(s, signature, args, host, LoopContext()).has_value();
}

void DeclaredManifold::checkHolds(const syntax::Statement& s) {
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
    const bool good = checkClause(*s, *signatureOf(isGroup_, name));
    if (!good || (isGroup_ && name == "action" && !checkAction(*s))) usable_ = false;
  }
  if (!holds_.empty()) checkHolds(*holds_.front());
  checkBasisHolds();
  if (!checkPicture()) usable_ = false;
  return usable_;
}

} // namespace lmc::sema
