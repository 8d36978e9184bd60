// The constraints of a model and their forces, in the form M xi' = r + B^T lambda.
#include "mechanics/constraints/Shown.h"
#include "present/Forms.h"
#include "present/terms/Shown.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>

namespace lmc::present {

namespace {
constexpr const char* equationsTitle = "Constraints (each is zero)";
constexpr const char* gapsTitle = "Contacts (gaps, never negative; zero while closed) and slips";
constexpr const char* forcesTitle = "Forces of the constraints";
constexpr const char* jointsTitle = "Joints";
/// Of sums that `mechanics/constraints/Shown.cpp` makes.
constexpr const char* forcesName = "B^T lambda";

/// Whether a constraint is the gap or the slip of a contact: it holds in some of its modes alone.
bool isOfContact(const sema::Model& m, std::size_t constraint) {
  return std::any_of(m.contacts.begin(), m.contacts.end(),
                     [&](const sema::Contact& c) { return c.normal == constraint || c.slip == constraint; });
}
} // namespace

void ConstraintSections::addTo(Document& document) {
  mechanics::ConstraintView view;
  view.leading = show_.expands() ? mechanics::LeadingIndices::Numbers : mechanics::LeadingIndices::Symbols;
  view.left = joints_.covered();
  view.rates = how_.rates;
  const mechanics::ShownConstraints constraints = mechanics::shownConstraints(layer_, view);
  addEquations(document, constraints);
  if (Section calls{jointsTitle, joints_.calls()}; !calls.lines.empty()) document.sections.push_back(std::move(calls));
  addForces(document, constraints);
}

void ConstraintSections::addEquations(Document& document, const mechanics::ShownConstraints& constraints) {
  Section equations{equationsTitle, {}};
  Section gaps{gapsTitle, {}};
  for (const mechanics::ShownConstraint& s : constraints.list) {
    const sema::Constraint& c = m_.constraints[s.constraint];
    const std::int64_t extent = s.index.empty() ? 0 : c.array->extents.back();
    std::vector<IndexRange> outer; // symbols before the last index
    for (std::size_t n = 0; n + 1 < s.index.size(); ++n)
      outer.push_back({show_.engine(Depth::Plain).outer(s.index.size() - 2 - n)->name, numberTree(1),
                       show_.integer(c.array->extents[n])});
    const auto add = [&](const std::function<TreePtr()>& left, sym::Expr e) {
      std::vector<Line>& lines = isOfContact(m_, s.constraint) ? gaps.lines : equations.lines;
      const std::size_t first = lines.size();
      put(lines, left, e, s.index, extent);
      for (std::size_t n = first; n < lines.size(); ++n) lines[n].outer = outer;
    };
    const auto member = [&](const std::string& name) {
      const TreePtr last = named(name, extent);
      std::vector<TreePtr> kids;
      for (const std::int64_t n : s.leading) kids.push_back(numberTree(n));
      for (const IndexRange& r : outer) kids.push_back(tree(Op::Name, {}, {}, r.index));
      kids.insert(kids.end(), last->kids.begin(), last->kids.end());
      return tree(Op::Name, std::move(kids), {}, name);
    };
    if (!c.velocities) add([&] { return member(c.name); }, s.value);
    add([&] { return member(c.velocities ? c.name : c.name + "'"); }, s.rate);
    add([&] { return tree(Op::Call, {member(c.name)}, {}, "gamma"); }, s.bias);
  }
  for (Section* section : {&equations, &gaps})
    if (!section->lines.empty()) document.sections.push_back(std::move(*section));
}

void ConstraintSections::addForces(Document& document, const mechanics::ShownConstraints& constraints) {
  Section forces{forcesTitle, {}};
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const sema::Factor& f = m_.factors[k];
    const auto shares = joints_.shares(k);
    const auto acts = [&](std::size_t part) {
      return std::any_of(shares->begin(), shares->end(), [&](const JointLines::Share& s) {
        return std::any_of(s.terms.begin(), s.terms.end(), [&](const auto& term) { return term(nullptr, part); });
      });
    };
    for (std::size_t part = 0; part < constraints.forces[k].size(); ++part) {
      const sym::Expr force = constraints.forces[k][part];
      if (force->isZero() && shares && !acts(part)) continue;
      const auto name = [&] { return partOf("reaction", named(f.name, f.extent), f.manifold->algebra(), part); };
      if (!shares)
        document.assumptions.push_back(fmt::format("{} is the sum of what all joints {}do to it", text(name()),
                                                   force->isZero() ? "" : "and other constraints "));
      else if (shares->empty())
        put(forces.lines, name, force, s_.factors[k].index, f.extent);
      else
        putForce(forces.lines, k, part, force, *shares);
      for (Section& s : document.sections)
        for (Line& l : s.lines) {
          if (l.factor != static_cast<int>(k) || l.part != part) continue;
          member_ = l.member;
          l.right = addTree({l.right, name()}, force->shape);
          member_ = 0;
        }
    }
  }
  document.sections.push_back(std::move(forces));
}

/// Of some members after the others, on which different joints act.
void ConstraintSections::putForce(std::vector<Line>& lines, std::size_t factor, std::size_t part, sym::Expr force,
                                  const std::vector<JointLines::Share>& shares) {
  const sema::Factor& f = m_.factors[factor];
  const std::vector<sema::Part>& algebra = f.manifold->algebra();
  std::vector<JointLines::Share> all;
  std::int64_t next = f.extent > 0 ? 1 : 0;
  for (const JointLines::Share& s : shares) { // where no joint acts there is the rest
    if (s.from > next && !force->isZero()) all.push_back({next, s.from - 1, {}});
    all.push_back(s);
    next = s.to + 1;
  }
  if (next <= f.extent && !force->isZero()) all.push_back({next, f.extent, {}});
  for (const JointLines::Share& s : all) {
    const bool each = show_.expands() && f.extent > 0;
    const std::int64_t first = each || s.from == s.to ? s.from : 0, last = each ? s.to : first;
    for (member_ = first; member_ <= last; ++member_) {
      std::vector<TreePtr> sum;
      if (!force->isZero()) sum.push_back(shown(force, s_.factors[factor].index));
      const TreePtr own = named(f.name, f.extent);
      for (const auto& term : s.terms)
        if (TreePtr t = term(own->kids.empty() ? nullptr : own->kids[0], part)) sum.push_back(std::move(t));
      lines.push_back(line(partOf("reaction", own, algebra, part), addTree(std::move(sum), force->shape), f.extent));
      if (lines.back().index.empty()) continue;
      lines.back().from = show_.integer(s.from);
      lines.back().to = show_.integer(s.to);
    }
    member_ = 0;
  }
}

void ConstraintSections::defineInPlace(Document& document, std::vector<Line>& where) {
  const auto nameOf = [](const TreePtr& t) { return t && t->op == Op::Name ? t->text : std::string(); };
  for (Section& s : document.sections) {
    if (s.title != equationsTitle && s.title != gapsTitle) continue;
    std::vector<Line> lines;
    for (Line& l : s.lines) {
      const std::string name = nameOf(l.right);
      const auto defines = [&](const Line& w) { return !name.empty() && nameOf(w.left) == name; };
      if (nameOf(l.left) != name || std::none_of(where.begin(), where.end(), defines)) {
        lines.push_back(std::move(l));
        continue;
      }
      std::copy_if(where.begin(), where.end(), std::back_inserter(lines), defines);
      std::erase_if(where, defines);
    }
    s.lines = std::move(lines);
  }
}

void ConstraintSections::sayDirectly(Document& document, std::vector<Line>& where) {
  const auto uses = [&](const std::string& name) {
    std::size_t n = 0;
    const std::function<void(const TreePtr&)> count = [&](const TreePtr& t) {
      n += t->op == Op::Name && t->text == name ? 1 : 0;
      for (const TreePtr& k : t->kids) count(k);
    };
    for (const Section& s : document.sections)
      for (const Line& l : s.lines) count(l.right);
    for (const Line& l : where) count(l.right);
    return n;
  };
  for (Section& s : document.sections) {
    if (s.title != equationsTitle && s.title != gapsTitle && s.title != forcesTitle) continue;
    std::vector<Line> lines;
    for (const Line& l : std::vector<Line>(s.lines)) {
      const bool ofCall = l.left->op == Op::Call && (l.left->text == "gamma" || l.left->text == "reaction");
      const TreePtr of = ofCall ? l.left->kids[0] : nullptr;
      const auto defines = [&](const Line& w) { return w.left->op == Op::Name && w.left->text == l.right->text; };
      const bool plain = ofCall && l.right->op == Op::Name && of->kids.size() == l.right->kids.size() &&
                         std::equal(of->kids.begin(), of->kids.end(), l.right->kids.begin(), equal) &&
                         !l.index.empty() && std::any_of(where.begin(), where.end(), defines) &&
                         uses(l.right->text) == 1;
      if (!plain) {
        lines.push_back(l);
        continue;
      }
      for (Line w : where) { // gamma(c[1]) = …, where gamma(c[i]) = g[i] and g[1] = …
        if (!defines(w)) continue;
        auto member = std::make_shared<Tree>(*of);
        member->kids = w.left->kids;
        auto left = std::make_shared<Tree>(*l.left);
        left->kids[0] = member;
        w.left = left;
        lines.push_back(std::move(w));
      }
      std::erase_if(where, defines);
    }
    s.lines = std::move(lines);
  }
}

namespace {

/// A product with a factor of another sign is written with one sign.
TreePtr withSigns(const TreePtr& t) {
  bool negative = false;
  const TreePtr now = withKids(t, [&](const TreePtr& k) {
    TreePtr own = withSigns(k);
    if (t->op != Op::Mul || own->op != Op::Neg) return own;
    negative = !negative;
    return own->kids[0];
  });
  return negative ? negTree(now) : now;
}

/// The line for the members that one line of `where` is about, with what that says of the name.
Line forMembersOf(Line l, const Line& definition) {
  const TreePtr& at = definition.left->kids[0];
  const auto isIndex = [](const TreePtr& t) { return t->op == Op::Name && t->kids.empty() && t->text == "i"; };
  const auto put = [&](const TreePtr& t) {
    TreePtr own = replaced(t, [&](const TreePtr& x) { return isIndex(x) ? at : nullptr; });
    own = replaced(own, [&](const TreePtr& x) { return equal(x, definition.left) ? definition.right : nullptr; });
    return withSigns(own);
  };
  l.left = put(l.left);
  l.right = put(l.right);
  l.index = definition.index;
  l.from = definition.from;
  l.to = definition.to;
  return l;
}

} // namespace

void ConstraintSections::sayByMembers(Document& document, std::vector<Line>& where) {
  for (Section& s : document.sections) {
    if (s.title != forcesTitle) continue;
    std::vector<Line> lines;
    for (const Line& l : std::vector<Line>(s.lines)) {
      std::string name; // of a sum over the constraints at one member
      const auto find = [&](const TreePtr& t) -> TreePtr {
        if (t->op == Op::Name && t->text.starts_with(forcesName) && t->kids.size() == 1) name = t->text;
        return nullptr;
      };
      if (l.index == "i") (void)replaced(l.right, find);
      std::vector<Line> parts;
      for (const Line& w : where)
        if (!name.empty() && w.left->text == name && w.left->kids.size() == 1) parts.push_back(w);
      const bool plain =
          !parts.empty() && l.right->text != name && std::all_of(parts.begin(), parts.end(), [&](const Line& w) {
            return w.outer.empty() && !mentions(w.right, name) && (w.index.empty() || w.index == "i");
          });
      if (!plain) {
        lines.push_back(l);
        continue;
      }
      for (const Line& w : parts) lines.push_back(forMembersOf(l, w));
    }
    s.lines = std::move(lines);
  }
  std::erase_if(where, [&](const Line& w) { // that nothing reads any more
    if (!w.left->text.starts_with(forcesName)) return false;
    const auto reads = [&](const Line& l) { return &l != &w && mentions(l.right, w.left->text); };
    return std::none_of(where.begin(), where.end(), reads) &&
           std::none_of(document.sections.begin(), document.sections.end(),
                        [&](const Section& s) { return std::any_of(s.lines.begin(), s.lines.end(), reads); });
  });
}

void ConstraintSections::dropUndefined(Document& document, const std::vector<Line>& where) {
  const auto nameOf = [](const TreePtr& t) { return t->op == Op::Name ? t->text : std::string(); };
  for (Section& s : document.sections) {
    if (s.title != forcesTitle) continue;
    std::erase_if(s.lines, [&](const Line& l) {
      const std::string name = nameOf(l.right);
      if (!name.starts_with(forcesName)) return false;
      if (std::any_of(where.begin(), where.end(), [&](const Line& w) { return nameOf(w.left) == name; })) return false;
      document.assumptions.push_back(fmt::format(
          "{} is the sum over all constraints of the transposed slope of their rates, times their multipliers",
          text(l.left)));
      return true;
    });
  }
  std::erase_if(document.sections, [](const Section& s) { return s.title == forcesTitle && s.lines.empty(); });
}

/// By what system the forces are found.
std::string constraintRemark(const mechanics::System& s) {
  const mechanics::ConstraintEquations& c = *s.constraints;
  const std::string size = fmt::format("constraints: {} equation{} between {} velocit{}", c.rows,
                                       c.rows == 1 ? "" : "s", c.columns, c.columns == 1 ? "y" : "ies");
  if (c.blocks)
    return fmt::format("{}, with M xi' = r as one sparse system of {} blocks between members and constraints: each "
                       "equation names few members; its factors have {:.0f} numbers for each unknown",
                       size, c.blocks->matrix->blockCount, c.blocks->fill);
  const std::string dense = c.rows <= 24 ? "written out" : "factored by a routine, since " + c.why;
  return fmt::format("{}, by S = {}, {}", size, s.model->hamiltonian ? "dd/dp B^T" : "B M^-1 B^T", dense);
}

} // namespace lmc::present
