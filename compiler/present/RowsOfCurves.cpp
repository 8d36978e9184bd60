// Elements of tables at the row that a search finds, by the curve through the table.
//
// Between the nodes x_k = u - s and x_{k+1} = x_k + h a curve is a polynomial of third degree at most, so that its values and
// bends at both ends are those of its Taylor polynomial at u, with y and its derivatives there. Written like this, what
// is made of the curve and its derivatives by the argument has no s and no h.
#include "present/Reader.h"

#include <algorithm>

namespace lmc::present {

using sym::Array;

namespace {
constexpr const char* offsetName = "?offset";
constexpr const char* widthName = "?width";
} // namespace

void Reader::useCurves(const std::vector<Curve>& curves, const std::set<const Array*>& disorders) {
  curves_ = curves;
  disorders_ = disorders;
  for (const Curve& c : curves) {
    keep(c.row);
    if (c.bends != nullptr) keep(c.bends);
  }
}

bool Reader::readsRow(const Poly& p) {
  Search search([](Atom a) {
    return a->kind == Kind::Symbol && a->array == nullptr && (a->name == offsetName || a->name == widthName);
  });
  return std::any_of(p.terms.begin(), p.terms.end(), [&](const auto& t) { return search.in(t.first); });
}

std::optional<Poly> Reader::onCurve(const Array* array, const std::vector<Poly>& index) {
  if (curves_.empty() || readingRow_ || index.size() != 1) return {};
  for (const Curve& c : curves_) {
    const auto column = std::find(c.columns.begin(), c.columns.end(), array);
    if (array != c.nodes && array != c.bends && column == c.columns.end()) continue;
    // the row by its name, or as the last step of the search finds it
    Atom step = nullptr;
    Search search([&](Atom a) {
      const bool found = a->kind == Kind::Symbol && a->array != nullptr && (a->array == c.row || a->array == c.before);
      if (found) step = a;
      return found;
    });
    const bool any = std::any_of(index[0].terms.begin(), index[0].terms.end(),
                                 [&](const auto& t) { return search.in(t.first); });
    if (!any && c.before != nullptr) continue;
    const std::vector<Atom> loops = step != nullptr ? step->kids : std::vector<Atom>();
    const auto at = [&](sym::Expr e) { // with the index of the search that was read
      Poly p = (*this)(e);
      for (std::size_t k = 0; k < c.index.size() && k < loops.size(); ++k) {
        const Poly loop = (*this)(c.index[k]);
        if (loop.terms.size() == 1) p = t_.substitute(p, t_.seal(loop), t_.open(loops[k]));
      }
      return p;
    };
    const auto row = [&] {
      readingRow_ = true; // the search itself reads nodes by rows
      const Poly p = at(c.found);
      readingRow_ = false;
      return p;
    };
    const bool named = step != nullptr && step->array == c.row;
    const auto shift = Terms::constant(t_.sub(index[0], named ? t_.of(step) : row()));
    if (!shift || (*shift != 0 && *shift != 1)) continue;
    const Poly id = t_.number(c.row->id);
    const auto unknown = [&](const char* name) {
      std::vector<Atom> kids = loops;
      kids.push_back(t_.seal(id));
      return t_.of(t_.symbol(nullptr, name, sym::Shape::scalar(), kids));
    };
    const Poly s = unknown(offsetName), h = unknown(widthName);
    if (array == c.nodes) {
      const Poly node = t_.sub(at(c.inside), s);
      return *shift == 0 ? node : t_.add(node, h);
    }
    const Poly argument = at(c.argument), from = *shift == 0 ? t_.scaled(-1, s) : t_.sub(h, s); // of u to the node
    const auto derivative = [&](int order) {
      const Poly y = t_.call("curve " + c.name + std::string(static_cast<std::size_t>(order), '\''), {argument}, c.shape);
      if (array == c.bends || c.columns.size() == 1) return y;
      return t_.dot(t_.basis(c.shape.rows, t_.number(column - c.columns.begin() + 1)), y);
    };
    const int first = array == c.bends ? 2 : 0, last = c.bends != nullptr ? 3 : 1;
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
