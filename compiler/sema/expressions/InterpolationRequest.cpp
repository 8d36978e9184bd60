#include "sema/expressions/InterpolationRequest.h"

#include "sema/values/Table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::sema {

using sym::Expr;

namespace {

bool isFixedArray(const sym::Program& p, const sym::Array* a, std::map<const sym::Array*, bool>& known) {
  if (a->role == sym::Role::Param) return true;
  if (a->role != sym::Role::Temp) return false;
  const auto [it, isNew] = known.try_emplace(a, true);
  if (!isNew) return it->second;
  const std::vector<std::size_t>& writers = p.writers(a);
  bool fixed = !writers.empty(); // what derivation defines later moves
  for (const std::size_t k : writers)
    for (const sym::Array* r : p.reads(k)) fixed = fixed && isFixedArray(p, r, known);
  return known[a] = fixed;
}

class RequestReader {
public:
  RequestReader(ExpressionEvaluator& ev, const syntax::Expr& call, const Context& c)
      : ev_(ev), e_(call), c_(c), g_(ev.session().graph), p_(ev.host().program()) {}

  std::optional<InterpolationRequest> run() {
    if (p_ == nullptr) {
      wrong(e_.range, "tables are looked up in models only", "");
      return std::nullopt;
    }
    if (!readArguments() || !checkNodes() || !checkValues()) return std::nullopt;
    return std::move(r_);
  }

private:
  Value wrong(Range range, const std::string& message, const std::string& cure) {
    auto r = ev_.report(Code::LIE0182, range, message);
    if (!cure.empty()) r.suggest(cure);
    return Value::error();
  }

  bool moves(Range range, const std::string& what) {
    ev_.report(Code::LIE0185, range, "`" + what + "` changes during a run")
        .suggest("nodes and values are tables, parameters, or what follows from them");
    return false;
  }

  // --- arguments ------------------------------------------------------------------------------------------------

  bool readArguments() {
    std::size_t count = e_.args.size() - 1;
    const syntax::Expr* named =
        count > 0 && e_.args.back()->kind == syntax::ExprKind::Parts ? e_.args.back().get() : nullptr;
    if (named != nullptr) --count;
    if (count < 2) {
      wrong(e_.range, "`interpolate` takes the values and where they are wanted",
            "for example interpolate(road.height, x), interpolate(road.height, x, cubic, hold)");
      return false;
    }
    bool fine = readValues(*e_.args[1]);
    const Value at = ev_.evaluate(*e_.args[2], c_);
    r_.argument = at.isError() ? Expr() : ev_.scalar(at, *e_.args[2]);
    for (std::size_t k = 3; k <= count; ++k) fine = readWord(*e_.args[k]) && fine;
    for (std::size_t k = 0; named != nullptr && k < named->args.size(); ++k) fine = readNamed(*named, k) && fine;
    return fine && r_.argument && defaultNodes();
  }

  std::optional<Members> members(const Value& v, const syntax::Expr& e) {
    if (v.isError()) return std::nullopt;
    const bool family = v.kind == ValueKind::Family && v.extents.size() == 1 && (v.first.empty() || v.first[0] == 1);
    if (!family) {
      wrong(e.range, "`" + ev_.text(e) + "` is no column of a table and no family with one index",
            "read a table, `param road = read(\"road.csv\");`, or declare a family, `param height[5] = [...];`");
      return std::nullopt;
    }
    Members m;
    m.n = v.extents[0];
    m.text = ev_.text(e);
    m.table = v.table;
    m.column = v.column;
    m.at = [member = v.member, range = e.range](Expr k) { return member({k}, range); };
    return m;
  }

  bool readValues(const syntax::Expr& e) {
    if (e.kind != syntax::ExprKind::List) {
      auto m = members(ev_.evaluate(e, c_), e);
      if (m) r_.values = std::move(*m);
      return m.has_value();
    }
    std::vector<Members> parts;
    for (const syntax::ExprPtr& a : e.args) {
      auto m = members(ev_.evaluate(*a, c_), *a);
      if (!m) return false;
      const Value first = m->at(g_.integer(1));
      if (!isOneTensor(first) || first.parts[0]->shape.rank != 0 || (!parts.empty() && parts[0].n != m->n)) {
        wrong(a->range, "the columns of a vector are numbers, with as many rows each", "");
        return false;
      }
      parts.push_back(std::move(*m));
    }
    if (parts.empty()) return false;
    r_.values = parts[0];
    r_.values.text = ev_.text(e);
    r_.values.column = -1;
    const bool one =
        std::all_of(parts.begin(), parts.end(), [&](const Members& m) { return m.table == parts[0].table; });
    if (!one) r_.values.table = nullptr;
    r_.values.at = [parts, &g = g_](Expr k) {
      std::vector<Expr> numbers;
      numbers.reserve(parts.size());
      for (const Members& m : parts) numbers.push_back(asReal(m.at(k).parts[0]));
      return Value::tensor(g.vector(numbers));
    };
    r_.combined = true;
    return true;
  }

  bool readWord(const syntax::Expr& e) {
    const std::string word = e.kind == syntax::ExprKind::Name ? e.text : "";
    if (word == "linear" || word == "cubic") {
      r_.curve = word == "linear" ? Curve::Linear : Curve::Cubic;
      return once(curveGiven_, e);
    }
    if (word == "hold" || word == "extend" || word == "periodic") {
      r_.ends = word == "hold" ? Ends::Hold : word == "extend" ? Ends::Extend : Ends::Periodic;
      return once(endsGiven_, e);
    }
    const auto type = typeOf(e);
    if (type && ev_.session().manifolds->declares(type->name)) {
      r_.manifold = ev_.manifold(*type, c_);
      return r_.manifold != nullptr;
    }
    const std::vector<std::string> words = {"linear", "cubic", "hold", "extend", "periodic"};
    const std::string near = word.empty() ? "" : nearest(word, words);
    wrong(e.range, "`" + ev_.text(e) + "` is no way to interpolate: there are " + listed(words) + ", and manifolds",
          near.empty() ? "" : didYouMean(near));
    return false;
  }

  bool once(bool& given, const syntax::Expr& e) {
    if (given)
      wrong(e.range, "`" + e.text + "` contradicts the word before it", "one way between nodes, one at the ends");
    return !std::exchange(given, true);
  }

  bool readNamed(const syntax::Expr& named, std::size_t k) {
    if (named.names[k] != "over") {
      wrong(named.nameRanges[k], "`interpolate` has no argument `" + named.names[k] + "`",
            "the nodes are named `over`: interpolate(road.height, x, over = road.distance)");
      return false;
    }
    auto m = members(ev_.evaluate(*named.args[k], c_), *named.args[k]);
    if (m) r_.nodes = std::move(*m);
    return m.has_value();
  }

  /// Of a table, without `over`: its first column. The table as a whole stands for what it has over that.
  bool defaultNodes() {
    const std::shared_ptr<const Table> t = r_.values.table;
    const bool whole = t && r_.values.column < 0 && !r_.combined;
    if (r_.nodes.n == 0 && t) {
      const sym::Array* first = t->columns[0].array;
      r_.nodes.n = t->rows;
      r_.nodes.text = t->name + "." + t->columns[0].name;
      r_.nodes.table = t;
      r_.nodes.column = 0;
      r_.nodes.at = [first, &g = g_](Expr k) { return Value::tensor(g.load(first, {k})); };
      if (whole && t->columns.size() > 1) withoutFirst(*t);
      if (!whole || t->columns.size() > 1) return true;
    } else if (r_.nodes.n > 0) {
      return true;
    }
    wrong(e_.range, "`" + r_.values.text + "` does not say at which nodes its values are",
          "name them: interpolate(" + r_.values.text + ", x, over = nodes)");
    return false;
  }

  void withoutFirst(const Table& t) {
    std::vector<const sym::Array*> rest;
    for (std::size_t k = 1; k < t.columns.size(); ++k) rest.push_back(t.columns[k].array);
    r_.values.at = [rest, &g = g_](Expr k) {
      if (rest.size() == 1) return Value::tensor(g.load(rest[0], {k}));
      std::vector<Expr> numbers;
      for (const sym::Array* a : rest) {
        const Expr x = g.load(a, {k});
        for (int i = 0; i < a->shape.size(); ++i)
          numbers.push_back(a->shape.rank == 0 ? x : g.entry(x, i / a->shape.cols, i % a->shape.cols));
      }
      return Value::tensor(g.vector(numbers));
    };
  }

  // --- what cannot be interpolated ------------------------------------------------------------------------------

  bool checkNodes() {
    const Value first = r_.nodes.at(g_.integer(1));
    if (!isOneTensor(first) || first.parts[0]->shape.rank != 0) {
      wrong(e_.range, "the nodes `" + r_.nodes.text + "` are no numbers", "");
      return false;
    }
    if (r_.nodes.n != r_.values.n) {
      wrong(
          e_.range,
          fmt::format("`{}` has {} values, `{}` has {} nodes", r_.values.text, r_.values.n, r_.nodes.text, r_.nodes.n),
          "");
      return false;
    }
    const std::int64_t least = r_.curve == Curve::Linear ? 2 : r_.ends == Ends::Periodic ? 4 : 3;
    if (r_.nodes.n < least) {
      ev_.report(Code::LIE0184, e_.range,
                 fmt::format("`{}` has {} nodes; {} interpolation needs {}", r_.nodes.text, r_.nodes.n,
                             r_.curve == Curve::Linear   ? "linear"
                             : r_.ends == Ends::Periodic ? "periodic cubic"
                                                         : "cubic",
                             least));
      return false;
    }
    if (!isFixed(*p_, node(g_.integer(1))) || !isFixed(*p_, node(g_.integer(r_.nodes.n)))) {
      return moves(e_.range, r_.nodes.text);
    }
    return increase();
  }

  /// Of a file the order is known now; families may be set later, and are looked at when a run begins.
  bool increase() {
    if (!r_.nodes.table || r_.nodes.column < 0) return true;
    const Table& t = *r_.nodes.table;
    const std::vector<double>& x = t.columns[static_cast<std::size_t>(r_.nodes.column)].numbers;
    for (std::size_t k = 1; k < x.size(); ++k) {
      if (x[k] > x[k - 1]) continue;
      const std::string what = x[k] == x[k - 1] ? "is that of the row before" : "is less than that of the row before";
      const std::string shown = t.secret ? "" : fmt::format(": {} after {}", x[k], x[k - 1]);
      ev_.report(Code::LIE0183, e_.range,
                 fmt::format("`{}` line {}: the node `{}` {}{}", t.file, t.lines[k], r_.nodes.text, what, shown))
          .suggest(x[k] == x[k - 1] ? "a jump is two nodes close to each other" : "sort the rows of the file");
      return false;
    }
    return true;
  }

  bool checkValues() {
    Value first = r_.values.at(g_.integer(1));
    if (first.isError()) return false;
    if (r_.manifold == nullptr && first.kind == ValueKind::Point)
      r_.manifold = dynamic_cast<const FoundManifold*>(first.manifold);
    for (const Expr& part : first.parts)
      if (!isFixed(*p_, part)) return moves(e_.args[1]->range, r_.values.text);
    if (r_.manifold != nullptr && ev_.isVectorSpace(*r_.manifold)) r_.manifold = nullptr; // straight lines
    if (r_.manifold != nullptr) return checkPoints();
    if (!isOneTensor(first) || first.parts[0]->type == sym::Type::Bool) {
      wrong(e_.args[1]->range, "`" + r_.values.text + "` are no numbers, vectors or matrices", "");
      return false;
    }
    return r_.ends != Ends::Periodic || closes();
  }

  bool checkPoints() {
    if (r_.curve == Curve::Cubic) {
      ev_.report(Code::LIE0187, e_.range,
                 "between points of " + r_.manifold->name() + " there are geodesics; there are no cubic curves yet");
      return false;
    }
    if (r_.manifold->isGroup() ? r_.manifold->gives("log") : r_.manifold->helper("geodesic").has_value()) return true;
    ev_.report(Code::LIE0187, e_.range,
               r_.manifold->isGroup()
                   ? r_.manifold->name() + " gives no `log`, by which points are joined"
                   : r_.manifold->name() + " has no `fn geodesic(q, p)`, the algebra element that takes q to p")
        .suggest("declare a manifold of your own that has one");
    return false;
  }

  /// What is periodic ends as it begins.
  bool closes() {
    if (!r_.values.table || r_.combined || r_.values.column < 0) return true;
    const Table& t = *r_.values.table;
    const TableColumn& column = t.columns[static_cast<std::size_t>(r_.values.column)];
    if (column.numbers.empty()) return true;
    double size = 0;
    for (const double y : column.numbers) size = std::max(size, std::abs(y));
    const double jump = column.numbers.back() - column.numbers.front();
    if (std::abs(jump) <= 1e-9 * size) return true;
    ev_.report(
           Code::LIE0184, e_.range,
           fmt::format("`{}` is not periodic: its last value is not its first one{}", r_.values.text,
                       t.secret ? "" : fmt::format(", but {} and {}", column.numbers.back(), column.numbers.front())))
        .suggest("the last row repeats the first one, a period later");
    return false;
  }

  Expr node(Expr k) { return asReal(r_.nodes.at(k).parts[0]); }

  ExpressionEvaluator& ev_;
  const syntax::Expr& e_;
  const Context& c_;
  sym::Graph& g_;
  sym::Program* p_;
  InterpolationRequest r_;
  bool curveGiven_ = false, endsGiven_ = false;
};

} // namespace

bool isFixed(const sym::Program& program, Expr e) {
  std::map<const sym::Array*, bool> known;
  return !sym::contains(
      e, [&](const sym::Node& n) { return n.op == sym::Op::Load && !isFixedArray(program, n.array, known); });
}

std::optional<InterpolationRequest> readInterpolation(ExpressionEvaluator& ev, const syntax::Expr& call,
                                                      const Context& c) {
  return RequestReader(ev, call, c).run();
}

} // namespace lmc::sema
