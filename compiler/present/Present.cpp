#include "present/Present.h"

#include "mechanics/constraints/Sparse.h"
#include "present/Curves.h"
#include "present/Forms.h"
#include "present/Naming.h"
#include "sema/model/ModelContacts.h"

#include <fmt/format.h>
#include <functional>

namespace lmc::present {

std::vector<std::string> massRemarks(const mechanics::System& s) {
  std::vector<std::string> out;
  for (const mechanics::MassGroup& g : s.groups) {
    std::string names, note;
    for (const std::size_t k : g.factors) names += (names.empty() ? "" : ", ") + s.model->factors[k].name;
    static const char* const kinds[] = {"scalar", "block", "block per member", "chain", "dense", "constraint forces"};
    if (!g.matrix && mechanics::hasCoupledBlocks(s)) {
      out.push_back(fmt::format("{}: sparse, {} unknowns, solved for together with the constraints ({})", names, g.size,
                                g.reason));
      continue;
    }
    if (g.structure == mechanics::MassStructure::Members) note = " each";
    if (g.structure == mechanics::MassStructure::Multipliers)
      note = fmt::format(" by {} force{}", g.multipliers, g.multipliers == 1 ? "" : "s");
    out.push_back(fmt::format(
        "{}: {}, {} unknown{}{}, {} ({})", names, kinds[static_cast<int>(g.structure)], g.size, g.size == 1 ? "" : "s",
        note, g.constant ? "constant: factored once per run" : "factored at every evaluation", g.reason));
  }
  if (s.constraints) out.push_back(constraintRemark(s));
  return out;
}

namespace {

std::string assumption(const std::vector<const sym::Array*>& symmetric) {
  std::string names;
  for (const sym::Array* a : symmetric) names += (names.empty() ? "" : ", ") + a->name;
  const bool one = symmetric.size() == 1;
  return fmt::format("{} {} symmetric, as by {} present value{}", names, one ? "is" : "are", one ? "its" : "their",
                     one ? "" : "s");
}

/// In the form that was asked for; a system that has none of it is shown as it moves.
Document documentOf(mechanics::Layer& layer, Shower& show, const Presentation& how) {
  if (how.form == EquationForm::Matrix)
    if (auto d = MatrixForm(layer, show).document()) return *d;
  if (how.form == EquationForm::Hamilton && layer.model.lagrangian) return HamiltonForm(layer, show).document();
  return MotionForm(layer, show).document();
}

/// The tables whose curves a document calls, with or without primes.
std::vector<CurveLine> curvesIn(const Document& d, const Curves& curves) {
  std::set<std::string> called;
  const std::function<void(const TreePtr&)> visit = [&](const TreePtr& t) {
    if (t->op == Op::Call && t->text == "curve") called.insert(t->kids[0]->text.substr(0, t->kids[0]->text.find('\'')));
    for (const TreePtr& k : t->kids) visit(k);
  };
  for (const Section& s : d.sections)
    for (const Line& l : s.lines) {
      if (l.left) visit(l.left);
      visit(l.right);
    }
  std::vector<CurveLine> lines;
  for (const CurveLine& c : curves.named())
    if (called.contains(c.name)) lines.push_back(c);
  return lines;
}

} // namespace

void addDefinitions(Document& d, Shower& show, const mechanics::System& system) {
  std::vector<Line> where = show.definitions();
  if (system.constraints) {
    ConstraintSections::defineInPlace(d, where);
    ConstraintSections::sayDirectly(d, where);
    ConstraintSections::sayByMembers(d, where);
    ConstraintSections::dropUndefined(d, where);
  }
  for (Line& l : where) l.right = show.names().withTransposes(l.right);
  for (Section& s : d.sections)
    for (Line& l : s.lines) l.right = show.names().withTransposes(l.right);
  std::vector<const std::vector<Line>*> all{&where};
  for (const Section& s : d.sections) all.push_back(&s.lines);
  const std::vector<Line> data = show.dataIn(all);
  where.insert(where.begin(), data.begin(), data.end());
  if (!where.empty()) d.sections.push_back({"where", std::move(where)});
  std::set<std::string> taken;
  for (const sema::Parameter& p : system.model->parameters) taken.insert(p.name);
  for (const auto& [name, value] : system.model->constants) taken.insert(name);
  nameParts(d, std::move(taken));
  tidy(d, [&](const std::string& name) { return show.names().isName(name); });
}

std::string printEquations(const mechanics::System& system, const Presentation& asked) {
  Presentation how = asked;
  how.expand = how.expand || how.form == EquationForm::Matrix; // of members, as blocks of M are
  mechanics::Layer layer(system);
  const sym::Graph::Work work = layer.work();
  Shower show(layer, how);
  Document d = documentOf(layer, show, how);
  if (system.constraints) ConstraintSections(layer, show, how).addTo(d);
  addDefinitions(d, show, system);
  const auto calls =
      std::find_if(d.sections.begin(), d.sections.end(), [](const Section& s) { return s.title == "Joints"; });
  if (calls != d.sections.end()) { // with letters of their own
    std::vector<Section> shared;
    for (const SharedJoint& j : how.joints) {
      d.joints.push_back({j.name, j.parameters});
      shared.push_back({d.joints.back().title(), sharedEquations(j)});
    }
    d.sections.insert(std::next(calls), shared.begin(), shared.end());
  }
  d.curves = curvesIn(d, show.curves());
  d.masses = massRemarks(how.remarksOf != nullptr ? *how.remarksOf : system);
  for (const auto& [name, value] : system.model->constants)
    for (const auto& [size, stands] : how.sizes)
      if (name == size) d.assumptions.push_back(fmt::format("{} is {} at present", name, how.present.at(name)));
  for (const auto& contact : system.model->stepped)
    d.assumptions.push_back(
        fmt::format("the contact {} acts by impulses over steps, which the method finds", contact->name));
  if (!how.symmetric.empty()) d.assumptions.push_back(assumption(how.symmetric));
  switch (how.format) {
  case EquationFormat::Text:
    return text(d);
  case EquationFormat::Latex:
    return latex(d);
  default:
    return json(d);
  }
}

} // namespace lmc::present
