#include "present/Curves.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace lmc::present {

using sym::Array;
using sym::Expr;
using sym::Node;

namespace {

/// The name that `sema/expressions` gives to second derivatives of splines.
constexpr std::string_view bendsName = "bend of ";

/// The last step of the search by bisection: `if x[k + 1] <= u then k + 1 else k`.
std::optional<RowSearch> searchOf(const sym::Equation& e) {
  if (e.kind != sym::EquationKind::Set || !e.value || e.value->op != sym::Op::Select) return {};
  const Expr condition = e.value->args[0], further = e.value->args[1], here = e.value->args[2];
  if (condition->op != sym::Op::Le || condition->args[0]->op != sym::Op::Load) return {};
  const Node& node = *condition->args[0];
  if (node.args.size() != 1 || node.args[0]->op != sym::Op::FloorToInt || !(node.args[0]->args[0] == further)) {
    if (!further->isConst() || !here->isConst()) return {};
    if (node.args.size() != 1 || !node.args[0]->isConst()) return {};
  }
  const bool next = further->isConst() && here->isConst()
                        ? (further->number - here->number).isOne()
                        : further->op == sym::Op::Add && further->args.size() == 2 &&
                              ((further->args[0]->isOne() && further->args[1] == here) ||
                               (further->args[1]->isOne() && further->args[0] == here));
  if (!next) return {};
  RowSearch c;
  c.row = e.array;
  c.nodes = node.array;
  c.inside = condition->args[1];
  c.index = e.index;
  c.found = e.value;
  if (here->op == sym::Op::Load) c.before = here->array;
  return c;
}

/// Data and what keeps its name, of which an array is made.
void leavesOf(const sym::Program& p, const Array* a, std::set<const Array*>& seen, std::set<const Array*>& leaves) {
  if (!seen.insert(a).second) return;
  const bool isSpline = a->name.find(" of ") != std::string::npos;
  if (a->role != sym::Role::Temp || (!a->extents.empty() && !isSpline) || p.writers(a).empty()) {
    leaves.insert(a);
    return;
  }
  for (const std::size_t k : p.writers(a))
    for (const Array* r : p.reads(k)) leavesOf(p, r, seen, leaves);
}

/// In the order in which a vector of one row lists them; empty where there is none.
std::vector<const Array*> listed(const sym::Program& p, const std::set<const Array*>& among,
                                 const std::set<const Array*>& leaves) {
  std::vector<const Array*> order;
  for (const Array* a : among)
    for (const std::size_t k : p.writers(a)) {
      const sym::Equation& e = p.equations()[k];
      if (!e.value || !order.empty()) continue;
      sym::visitPostOrder({e.value}, [&](const Node& n) {
        if (n.op != sym::Op::Vector || !order.empty()) return;
        std::vector<const Array*> row;
        for (const Expr& x : n.args)
          if (x->op == sym::Op::Load) row.push_back(x->array);
        const std::set<const Array*> once(row.begin(), row.end()); // a column twice has two entries: not told apart
        if (row.size() == n.args.size() && once.size() == row.size() && once == leaves) order = row;
      });
    }
  return order;
}

/// As it was written, of an argument that is held between the ends or brought into one period.
void readEnds(RowSearch& c, const sema::Model& model, const sym::Program& p) {
  c.argument = c.inside;
  const Node& u = *c.inside;
  if (u.op == sym::Op::Min && u.args[0]->op == sym::Op::Max) {
    c.ends = RowSearch::Ends::Hold;
    c.argument = u.args[0]->args[0];
    return;
  }
  if (sym::contains(c.inside, [](const Node& n) { return n.op == sym::Op::Floor; })) {
    sym::visitPostOrder({c.inside}, [&](const Node& n) { // floor((argument - first)/period)
      if (n.op != sym::Op::Floor || n.args[0]->op != sym::Op::Div) return;
      const Node& shifted = *n.args[0]->args[0];
      if (shifted.op != sym::Op::Add) return;
      for (const Expr& x : shifted.args)
        if (!sym::contains(x, [&](const Node& y) { return y.op == sym::Op::Load && y.array == c.nodes; })) {
          c.argument = x;
          c.ends = RowSearch::Ends::Periodic;
        }
    });
    return;
  }
  c.ends = RowSearch::Ends::Extend;
  for (const sema::LookUp& l : model.lookUps)
    for (const std::size_t k : p.writers(l.argument))
      if (p.equations()[k].value == c.inside) c.ends = RowSearch::Ends::Strict;
}

} // namespace

Curves::Curves(const sema::Model& model, const sym::Program& program) {
  for (const sema::LookUp& l : model.lookUps)
    for (const std::size_t k : program.writers(l.disorder))
      for (const Array* a : program.reads(k)) disorders_.insert(a);
  if (disorders_.empty()) return; // elements of tables alone
  std::set<const Array*> nodes, done;
  for (const sym::Equation& e : program.equations()) {
    auto search = searchOf(e);
    if (!search) continue;
    readEnds(*search, model, program);
    search->steps = {search->row};
    for (const Array* a = search->before; a != nullptr;) {
      search->steps.push_back(a);
      const Expr value = program.equations()[program.writers(a)[0]].value;
      const bool goesOn = value->op == sym::Op::Select && value->args[2]->op == sym::Op::Load;
      a = goesOn ? value->args[2]->array : nullptr;
    }
    nodes.insert(search->nodes);
    searches_.push_back(std::move(*search));
  }
  for (const sym::Equation& e : program.equations()) {
    if (!std::string_view(e.array->name).starts_with(bendsName) || !done.insert(e.array).second) continue;
    std::set<const Array*> seen, leaves;
    leavesOf(program, e.array, seen, leaves);
    Spline spline{e.array, nullptr, {}};
    for (const Array* a : leaves)
      if (nodes.contains(a)) spline.nodes = a;
    leaves.erase(spline.nodes);
    if (leaves.size() == 1 && (*leaves.begin())->shape == e.array->shape)
      spline.columns = {*leaves.begin()};
    else
      spline.columns = listed(program, seen, leaves);
    if (spline.nodes != nullptr && !spline.columns.empty()) splines_.push_back(std::move(spline));
  }
}

const std::string& Curves::nameOf(const RowSearch& search, const std::vector<const Array*>& columns, bool cubic) {
  static const char* const ends[] = {"strict", "hold", "extend", "periodic"};
  static const char* const beyond[] = {"", ", held beyond its ends", ", going on beyond its ends", ", repeated"};
  const auto which = static_cast<std::size_t>(search.ends);
  CurveLine line;
  line.over = search.nodes->name;
  line.rows = search.nodes->extents.empty() ? 0 : search.nodes->extents[0];
  line.cubic = cubic;
  line.ends = ends[which];
  std::string list;
  for (const Array* a : columns) {
    line.columns.push_back(a->name);
    line.name += (line.name.empty() ? "" : "_") + a->name;
    list += (list.empty() ? "" : ", ") + a->name;
  }
  std::size_t others = 0; // of the same values
  for (const CurveLine& n : named_) {
    if (n.columns != line.columns) continue;
    if (n.over == line.over && n.cubic == line.cubic && n.ends == line.ends) return n.name;
    ++others;
  }
  if (others > 0) line.name += fmt::format("_{}", others + 1);
  const char* kind = !cubic                                     ? "straight lines"
                     : search.ends == RowSearch::Ends::Periodic ? "the periodic cubic spline"
                                                                : "the natural cubic spline";
  line.words = fmt::format("{} through the {} rows of {} over {}{}", kind, line.rows, list, line.over, beyond[which]);
  named_.push_back(std::move(line));
  return named_.back().name;
}

} // namespace lmc::present
