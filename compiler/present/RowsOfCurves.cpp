// Elements of tables at the row that a search finds, by the curve through the table.
//
// Between the nodes x_k = u - s and x_{k+1} = x_k + h a curve is a polynomial of third degree at most, so that its
// values and bends at both ends are those of its Taylor polynomial at u, with y and its derivatives there. Written like
// this, what is made of the curve and its derivatives by the argument has no s and no h.
#include "present/Reader.h"

#include <algorithm>

namespace lmc::present {

using sym::Array;

namespace {
constexpr const char* offsetName = "?offset";
constexpr const char* widthName = "?width";
} // namespace

void Reader::useCurves(Curves& curves) {
  curves_ = &curves;
  for (const RowSearch& s : curves.searches()) {
    if (s.row->extents.empty()) // as conditions within conditions, as some expressions have them already
      for (const Array* a : s.steps) kept_.erase(a);
    else
      keep(s.row);
  }
  for (const Spline& s : curves.splines()) keep(s.bends);
}

bool Reader::readsRow(const Poly& p) {
  Search search([](Atom a) {
    return a->kind == Kind::Symbol && a->array == nullptr && (a->name == offsetName || a->name == widthName);
  });
  return std::any_of(p.terms.begin(), p.terms.end(), [&](const auto& t) { return search.in(t.first); });
}

/// Which of two neighbours a row is that a search finds: its first or its second.
std::optional<Reader::FoundRow> Reader::rowOf(const Poly& index, const RowSearch& s) {
  if (Terms::constant(index)) return {};
  Atom step = nullptr; // of a search for each member: by its name, or as its last step finds it
  Search search([&](Atom a) {
    const bool found = a->kind == Kind::Symbol && a->array != nullptr && (a->array == s.row || a->array == s.before);
    if (found) step = a;
    return found;
  });
  const bool any =
      std::any_of(index.terms.begin(), index.terms.end(), [&](const auto& t) { return search.in(t.first); });
  if (!any && !s.row->extents.empty()) return {};
  FoundRow row{step != nullptr ? step->kids : std::vector<Atom>(), 0};
  const bool named = step != nullptr && step->array == s.row;
  readingRow_ = true; // the search itself reads nodes by rows
  const Poly first = named ? t_.of(step) : atRow(s, row, s.found);
  readingRow_ = false;
  const auto shift = Terms::constant(t_.sub(index, first));
  if (!shift || (*shift != 0 && *shift != 1)) return {};
  row.shift = static_cast<int>(*shift);
  return row;
}

/// An expression of a search, with the index of the member whose row was found.
Poly Reader::atRow(const RowSearch& s, const FoundRow& row, sym::Expr e) {
  Poly p = (*this)(e);
  for (std::size_t k = 0; k < s.index.size() && k < row.loops.size(); ++k) {
    const Poly loop = (*this)(s.index[k]);
    if (loop.terms.size() == 1) p = t_.substitute(p, t_.seal(loop), t_.open(row.loops[k]));
  }
  return p;
}

/// Between which rows an expression takes its values from splines; elsewhere they are on straight lines.
void Reader::findSplines(sym::Expr e) {
  if (curves_ == nullptr || curves_->splines().empty()) return;
  std::vector<const sym::Node*> loads;
  sym::visitPostOrder({e}, [&](const sym::Node& n) {
    const bool isBend = n.op == sym::Op::Load && n.args.size() == 1 &&
                        std::any_of(curves_->splines().begin(), curves_->splines().end(),
                                    [&](const Spline& s) { return s.bends == n.array; });
    if (isBend) loads.push_back(&n);
  });
  for (const sym::Node* n : loads) {
    const Poly index = (*this)(n->args[0]);
    for (const RowSearch& s : curves_->searches())
      if (!onSpline_.contains({s.row, n->array}) && rowOf(index, s)) {
        onSpline_.insert({s.row, n->array});
        memo_.clear();
      }
  }
}

std::optional<Poly> Reader::onCurve(const Array* array, const std::vector<Poly>& index) {
  if (curves_ == nullptr || readingRow_ || index.size() != 1 || array->extents.size() != 1) return {};
  for (const RowSearch& search : curves_->searches()) {
    if (array->extents != search.nodes->extents) continue;
    std::vector<const Array*> columns{array};
    const Array* bends = nullptr;
    for (const Spline& s : curves_->splines()) {
      const bool own = s.nodes == search.nodes && onSpline_.contains({search.row, s.bends});
      if (!own || (array != s.bends && std::count(s.columns.begin(), s.columns.end(), array) == 0)) continue;
      bends = s.bends;
      columns = s.columns;
    }
    const auto row = rowOf(index[0], search);
    if (!row) continue;
    const auto unknown = [&](const char* name) {
      std::vector<Atom> kids = row->loops;
      kids.push_back(t_.seal(t_.number(search.row->id)));
      return t_.of(t_.symbol(nullptr, name, sym::Shape::scalar(), kids));
    };
    const Poly s = unknown(offsetName), h = unknown(widthName);
    if (array == search.nodes) {
      const Poly node = t_.sub(atRow(search, *row, search.inside), s);
      return row->shift == 0 ? node : t_.add(node, h);
    }
    const std::string name = curves_->nameOf(search, columns, bends != nullptr);
    const Poly argument = atRow(search, *row, search.argument);
    const Poly from = row->shift == 0 ? t_.scaled(-1, s) : t_.sub(h, s); // of u to the node
    const sym::Shape shape = bends != nullptr ? bends->shape : array->shape;
    const auto derivative = [&](int order) {
      Poly y = t_.call("curve " + name + std::string(static_cast<std::size_t>(order), '\''), {argument}, shape);
      if (array == bends || columns.size() == 1) return y;
      const auto entry = std::find(columns.begin(), columns.end(), array) - columns.begin();
      return t_.dot(t_.unit(shape.rows, static_cast<int>(entry) + 1), y);
    };
    const int first = array == bends ? 2 : 0, last = bends != nullptr ? 3 : 1;
    Poly sum = derivative(first), power = t_.number(1);
    for (int k = first + 1; k <= last; ++k) {
      power = t_.scaled(sym::Number::ratio(1, k - first), t_.mul(power, from));
      sum = t_.add(std::move(sum), t_.mul(power, derivative(k)));
    }
    return sum;
  }
  return {};
}

} // namespace lmc::present
