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
/// Of sums that `mechanics/constraints/Shown.cpp` makes.
constexpr const char* forcesName = "B^T lambda";

/// Whether a constraint is the gap or the slip of a contact: it holds in some of its modes alone.
bool isOfContact(const sema::Model& m, std::size_t constraint) {
  return std::any_of(m.contacts.begin(), m.contacts.end(),
                     [&](const sema::Contact& c) { return c.normal == constraint || c.slip == constraint; });
}
} // namespace

void ConstraintSections::addTo(Document& document) {
  const mechanics::ShownConstraints shownOnes = mechanics::shownConstraints(
      layer_, show_.expands() ? mechanics::LeadingIndices::Numbers : mechanics::LeadingIndices::Symbols);
  Section equations{equationsTitle, {}};
  Section gaps{gapsTitle, {}};
  Section forces{forcesTitle, {}};
  for (const mechanics::ShownConstraint& s : shownOnes.list) {
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
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const sema::Factor& f = m_.factors[k];
    for (std::size_t part = 0; part < shownOnes.forces[k].size(); ++part) {
      const sym::Expr force = shownOnes.forces[k][part];
      if (force->isZero()) continue;
      const auto name = [&] { return partOf("reaction", named(f.name, f.extent), f.manifold->algebra(), part); };
      put(forces.lines, name, force, s_.factors[k].index, f.extent);
      for (Section& s : document.sections)
        for (Line& l : s.lines) {
          if (l.factor != static_cast<int>(k) || l.part != part) continue;
          member_ = l.member;
          l.right = addTree({l.right, name()}, force->shape);
          member_ = 0;
        }
    }
  }
  for (Section* section : {&equations, &gaps})
    if (!section->lines.empty()) document.sections.push_back(std::move(*section));
  document.sections.push_back(std::move(forces));
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
  const std::string size =
      fmt::format("constraints: {} equation{} between {} velocities", c.rows, c.rows == 1 ? "" : "s", c.columns);
  if (c.blocks)
    return fmt::format("{}, with M xi' = r as one sparse system of {} blocks between members and constraints: each "
                       "equation names few members; its factors have {:.0f} numbers for each unknown",
                       size, c.blocks->matrix->blockCount, c.blocks->fill);
  const std::string dense = c.rows <= 24 ? "written out" : "factored by a routine, since " + c.why;
  return fmt::format("{}, by S = {}, {}", size, s.model->hamiltonian ? "dd/dp B^T" : "B M^-1 B^T", dense);
}

} // namespace lmc::present
