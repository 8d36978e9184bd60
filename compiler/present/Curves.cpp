#include "present/Curves.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace lmc::present {

using sym::Array;
using sym::Expr;
using sym::Node;

namespace {

/// Names that `sema/expressions` gives to arrays of splines and of broken lines.
constexpr std::string_view bendsName = "bend of ", lineName = "between nodes of ", seamName = "bend at the seam of ";

/// The last step of the search by bisection: `if x[k + 1] <= u then k + 1 else k`.
std::optional<Curve> searchOf(const sym::Equation& e) {
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
  Curve c;
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
void readEnds(Curve& c, const sema::Model& model, const sym::Program& p) {
  c.argument = c.inside;
  const Node& u = *c.inside;
  if (u.op == sym::Op::Min && u.args[0]->op == sym::Op::Max) {
    c.ends = Curve::Ends::Hold;
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
          c.ends = Curve::Ends::Periodic;
        }
    });
    return;
  }
  c.ends = Curve::Ends::Extend;
  for (const sema::LookUp& l : model.lookUps)
    for (const std::size_t k : p.writers(l.argument))
      if (p.equations()[k].value == c.inside) c.ends = Curve::Ends::Strict;
}

} // namespace

std::set<const Array*> disordersOf(const sema::Model& model, const sym::Program& program) {
  std::set<const Array*> found;
  for (const sema::LookUp& l : model.lookUps)
    for (const std::size_t k : program.writers(l.disorder))
      for (const Array* a : program.reads(k)) found.insert(a);
  return found;
}

std::vector<Curve> curvesOf(const sema::Model& model, const sym::Program& program) {
  std::vector<Curve> searches, found;
  if (model.lookUps.empty()) return found;
  for (const sym::Equation& e : program.equations())
    if (auto c = searchOf(e)) {
      readEnds(*c, model, program);
      searches.push_back(std::move(*c));
    }
  const auto put = [&](Curve c, std::set<const Array*> values, const std::set<const Array*>& among,
                       const sym::Shape& shape) {
    values.erase(c.nodes);
    c.rows = c.nodes->extents.empty() ? 0 : c.nodes->extents[0];
    c.shape = shape;
    if (values.size() == 1 && (*values.begin())->shape == shape)
      c.columns = {*values.begin()};
    else
      c.columns = listed(program, among, values);
    if (c.columns.empty()) return;
    for (const Array* a : c.columns) c.name += (c.name.empty() ? "" : "_") + a->name;
    found.push_back(std::move(c));
  };
  std::set<const Array*> done;
  for (const sym::Equation& e : program.equations()) {
    const std::string_view name = e.array->name;
    if (!done.insert(e.array).second) continue;
    for (const Curve& s : searches) {
      std::set<const Array*> seen, leaves;
      if (name.starts_with(bendsName) && e.array->extents == s.nodes->extents) {
        leavesOf(program, e.array, seen, leaves);
        if (!leaves.contains(s.nodes)) continue;
        const bool wraps = std::any_of(seen.begin(), seen.end(), [](const Array* a) {
          return std::string_view(a->name).starts_with(seamName);
        });
        if (wraps != (s.ends == Curve::Ends::Periodic)) continue;
        Curve c = s;
        c.bends = e.array;
        put(std::move(c), leaves, seen, e.array->shape);
        continue;
      }
      const std::size_t writer = program.writers(e.array)[0];
      const auto reads = [&](const Array* a) { return a != nullptr && program.reads(writer, a); };
      if (name.starts_with(lineName) && reads(s.nodes) && (reads(s.row) || reads(s.before))) {
        for (const Array* a : program.reads(writer))
          if (a != s.row && a != s.before && !a->extents.empty() && a->extents == s.nodes->extents) leaves.insert(a);
        put(s, leaves, {e.array}, e.array->shape);
      }
    }
  }
  // one name for what has the same values, nodes and kind
  std::map<std::string, std::vector<const Curve*>> named;
  for (Curve& c : found) {
    const auto same = [&](const Curve* o) {
      return o->nodes == c.nodes && o->bends == c.bends && o->ends == c.ends && o->columns == c.columns;
    };
    auto& kinds = named[c.name];
    const auto place = std::find_if(kinds.begin(), kinds.end(), same) - kinds.begin();
    if (place == static_cast<std::ptrdiff_t>(kinds.size())) kinds.push_back(&c);
    if (place > 0) c.name += fmt::format("_{}", place + 1);
  }
  return found;
}

CurveLine lineOf(const Curve& c) {
  static const char* const ends[] = {"strict", "hold", "extend", "periodic"};
  static const char* const beyond[] = {"", ", held beyond its ends", ", going on beyond its ends", ", repeated"};
  CurveLine line;
  line.name = c.name;
  line.over = c.nodes->name;
  line.rows = c.rows;
  line.cubic = c.bends != nullptr;
  line.ends = ends[static_cast<int>(c.ends)];
  std::string columns;
  for (const Array* a : c.columns) {
    line.columns.push_back(a->name);
    columns += (columns.empty() ? "" : ", ") + a->name;
  }
  const char* kind = !line.cubic                          ? "straight lines"
                     : c.ends == Curve::Ends::Periodic ? "the periodic cubic spline"
                                                       : "the natural cubic spline";
  line.words = fmt::format("{} through the {} rows of {} over {}{}", kind, c.rows, columns, line.over,
                           beyond[static_cast<int>(c.ends)]);
  return line;
}

} // namespace lmc::present
