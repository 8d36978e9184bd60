#include "sema/expressions/Interpolation.h"

#include "sema/expressions/Splines.h"
#include "sema/expressions/Turns.h"
#include "sema/values/IndexMath.h"
#include "sema/values/Table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lmc::sema {

using sym::Expr;
using sym::Op;

namespace {

enum class Curve : std::uint8_t { Linear, Cubic };
enum class Ends : std::uint8_t { Strict, Hold, Extend, Periodic };

/// The members 1 … n of a family.
struct Members {
  std::function<Value(Expr)> at;
  std::int64_t n = 0;
  std::string text;
  std::shared_ptr<const Table> table; ///< may be null
  std::ptrdiff_t column = -1;
};

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

/// A run of one interpolation.
class Interpolation {
public:
  Interpolation(ExpressionEvaluator& ev, const syntax::Expr& call, const Context& c, KnownInterpolations& known)
      : ev_(ev), e_(call), c_(c), known_(known), g_(ev.session().graph), p_(ev.host().program()) {}

  Value run() {
    if (p_ == nullptr) return wrong(e_.range, "tables are looked up in models only", "");
    if (!readArguments() || !checkNodes() || !checkValues()) return Value::error();
    if (!known_.probe) known_.probe = g_.newIndex("i");
    const Expr at = ends_ == Ends::Hold ? held() : ends_ == Ends::Periodic ? wrapped() : argument_;
    row_ = row(at);
    next_ = g_.add(row_, g_.integer(1));
    const Value value = manifold_ != nullptr ? onManifold(at) : between(at);
    return value.isError() ? value : inside(value);
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
    argument_ = at.isError() ? Expr() : ev_.scalar(at, *e_.args[2]);
    for (std::size_t k = 3; k <= count; ++k) fine = readWord(*e_.args[k]) && fine;
    for (std::size_t k = 0; named != nullptr && k < named->args.size(); ++k) fine = readNamed(*named, k) && fine;
    return fine && argument_ && defaultNodes();
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
      if (m) values_ = std::move(*m);
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
    values_ = parts[0];
    values_.text = ev_.text(e);
    values_.column = -1;
    const bool one =
        std::all_of(parts.begin(), parts.end(), [&](const Members& m) { return m.table == parts[0].table; });
    if (!one) values_.table = nullptr;
    values_.at = [parts, &g = g_](Expr k) {
      std::vector<Expr> numbers;
      for (const Members& m : parts) numbers.push_back(asReal(m.at(k).parts[0]));
      return Value::tensor(g.vector(numbers));
    };
    combined_ = true;
    return true;
  }

  bool readWord(const syntax::Expr& e) {
    const std::string word = e.kind == syntax::ExprKind::Name ? e.text : "";
    if (word == "linear" || word == "cubic") {
      curve_ = word == "linear" ? Curve::Linear : Curve::Cubic;
      return once(curveGiven_, e);
    }
    if (word == "hold" || word == "extend" || word == "periodic") {
      ends_ = word == "hold" ? Ends::Hold : word == "extend" ? Ends::Extend : Ends::Periodic;
      return once(endsGiven_, e);
    }
    const auto type = typeOf(e);
    if (type && ev_.session().manifolds->declares(type->name)) {
      manifold_ = ev_.manifold(*type, c_);
      return manifold_ != nullptr;
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
    if (m) nodes_ = std::move(*m);
    return m.has_value();
  }

  /// Of a table, without `over`: its first column. The table as a whole stands for what it has over that.
  bool defaultNodes() {
    const std::shared_ptr<const Table> t = values_.table;
    const bool whole = t && values_.column < 0 && !combined_;
    if (nodes_.n == 0 && t) {
      const sym::Array* first = t->columns[0].array;
      nodes_.n = t->rows;
      nodes_.text = t->name + "." + t->columns[0].name;
      nodes_.table = t;
      nodes_.column = 0;
      nodes_.at = [first, &g = g_](Expr k) { return Value::tensor(g.load(first, {k})); };
      if (whole && t->columns.size() > 1) withoutFirst(*t);
      if (!whole || t->columns.size() > 1) return true;
    } else if (nodes_.n > 0) {
      return true;
    }
    wrong(e_.range, "`" + values_.text + "` does not say at which nodes its values are",
          "name them: interpolate(" + values_.text + ", x, over = nodes)");
    return false;
  }

  void withoutFirst(const Table& t) {
    std::vector<const sym::Array*> rest;
    for (std::size_t k = 1; k < t.columns.size(); ++k) rest.push_back(t.columns[k].array);
    values_.at = [rest, &g = g_](Expr k) {
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
    const Value first = nodes_.at(g_.integer(1));
    if (!isOneTensor(first) || first.parts[0]->shape.rank != 0) {
      wrong(e_.range, "the nodes `" + nodes_.text + "` are no numbers", "");
      return false;
    }
    if (nodes_.n != values_.n) {
      wrong(e_.range,
            fmt::format("`{}` has {} values, `{}` has {} nodes", values_.text, values_.n, nodes_.text, nodes_.n), "");
      return false;
    }
    const std::int64_t least = curve_ == Curve::Linear ? 2 : ends_ == Ends::Periodic ? 4 : 3;
    if (nodes_.n < least) {
      ev_.report(Code::LIE0184, e_.range,
                 fmt::format("`{}` has {} nodes; {} interpolation needs {}", nodes_.text, nodes_.n,
                             curve_ == Curve::Linear   ? "linear"
                             : ends_ == Ends::Periodic ? "periodic cubic"
                                                       : "cubic",
                             least));
      return false;
    }
    if (!isFixed(*p_, node(g_.integer(1))) || !isFixed(*p_, node(g_.integer(nodes_.n)))) {
      return moves(e_.range, nodes_.text);
    }
    return increase();
  }

  /// Of a file the order is known now; families may be set later, and are looked at when a run begins.
  bool increase() {
    if (!nodes_.table || nodes_.column < 0) return true;
    const Table& t = *nodes_.table;
    const std::vector<double>& x = t.columns[static_cast<std::size_t>(nodes_.column)].numbers;
    for (std::size_t k = 1; k < x.size(); ++k) {
      if (x[k] > x[k - 1]) continue;
      const std::string what = x[k] == x[k - 1] ? "is that of the row before" : "is less than that of the row before";
      const std::string shown = t.secret ? "" : fmt::format(": {} after {}", x[k], x[k - 1]);
      ev_.report(Code::LIE0183, e_.range,
                 fmt::format("`{}` line {}: the node `{}` {}{}", t.file, t.lines[k], nodes_.text, what, shown))
          .suggest(x[k] == x[k - 1] ? "a jump is two nodes close to each other" : "sort the rows of the file");
      return false;
    }
    return true;
  }

  bool checkValues() {
    Value first = values_.at(g_.integer(1));
    if (first.isError()) return false;
    if (manifold_ == nullptr && first.kind == ValueKind::Point)
      manifold_ = dynamic_cast<const FoundManifold*>(first.manifold);
    for (const Expr& part : first.parts)
      if (!isFixed(*p_, part)) return moves(e_.args[1]->range, values_.text);
    if (manifold_ != nullptr && ev_.isVectorSpace(*manifold_)) manifold_ = nullptr; // straight lines
    if (manifold_ != nullptr) return checkPoints();
    if (!isOneTensor(first) || first.parts[0]->type == sym::Type::Bool) {
      wrong(e_.args[1]->range, "`" + values_.text + "` are no numbers, vectors or matrices", "");
      return false;
    }
    return ends_ != Ends::Periodic || closes();
  }

  bool checkPoints() {
    if (curve_ == Curve::Cubic) {
      ev_.report(Code::LIE0187, e_.range,
                 "between points of " + manifold_->name() + " there are geodesics; there are no cubic curves yet");
      return false;
    }
    if (manifold_->isGroup() ? manifold_->gives("log") : manifold_->helper("geodesic").has_value()) return true;
    ev_.report(Code::LIE0187, e_.range,
               manifold_->isGroup()
                   ? manifold_->name() + " gives no `log`, by which points are joined"
                   : manifold_->name() + " has no `fn geodesic(q, p)`, the algebra element that takes q to p")
        .suggest("declare a manifold of your own that has one");
    return false;
  }

  /// What is periodic ends as it begins.
  bool closes() {
    if (!values_.table || combined_ || values_.column < 0) return true;
    const Table& t = *values_.table;
    const TableColumn& column = t.columns[static_cast<std::size_t>(values_.column)];
    if (column.numbers.empty()) return true;
    double size = 0;
    for (const double y : column.numbers) size = std::max(size, std::abs(y));
    const double jump = column.numbers.back() - column.numbers.front();
    if (std::abs(jump) <= 1e-9 * size) return true;
    ev_.report(
           Code::LIE0184, e_.range,
           fmt::format("`{}` is not periodic: its last value is not its first one{}", values_.text,
                       t.secret ? "" : fmt::format(", but {} and {}", column.numbers.back(), column.numbers.front())))
        .suggest("the last row repeats the first one, a period later");
    return false;
  }

  // --- the row --------------------------------------------------------------------------------------------------

  Expr node(Expr k) { return asReal(nodes_.at(k).parts[0]); }
  Expr first() { return node(g_.integer(1)); }
  Expr last() { return node(g_.integer(nodes_.n)); }

  Expr held() { return g_.function(Op::Min, g_.function(Op::Max, argument_, first()), last()); }
  Expr wrapped() {
    const Expr period = g_.sub(last(), first());
    const Expr turns = g_.function(Op::Floor, g_.div(g_.sub(argument_, first()), period));
    return g_.sub(argument_, g_.mul(period, turns));
  }

  /// The k in 1 … N - 1 with x_k <= u < x_{k+1}; 1 below all nodes, N - 1 above. Each comparison is an equation of its
  /// own, so that no expression grows with the number of them.
  Expr row(Expr u) {
    const auto key = std::pair{node(known_.probe).node(), u.node()};
    if (const auto it = known_.rows.find(key); it != known_.rows.end()) return it->second;
    const std::int64_t rows = nodes_.n - 1;
    const auto half = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows)));
    const Turns turns = turnsOf(g_, c_.loops->loops, freeIndices(u));
    const auto define = [&](Expr value) {
      const std::string name = fmt::format("row{}({})", ++known_.searches, nodes_.text);
      const sym::Array* a = g_.newArray(name, turns.extents, sym::Shape::scalar(), sym::Role::Temp);
      p_->append({sym::EquationKind::Set, a, turns.loops, {}, turns.index, value, nullptr, nullptr});
      return g_.load(a, turns.index);
    };
    const auto isBelow = [&](Expr k) { return g_.compare(Op::Le, node(k), u); };
    Expr at = g_.number(1);
    if (rows > half) // then as many are left as a power of two
      at = define(g_.select(isBelow(g_.integer(rows - half + 1)), g_.number(rows - half + 1), at));
    for (std::int64_t step = half / 2; step >= 1; step /= 2) {
      const Expr further = g_.add(at, g_.number(step));
      at = define(g_.select(isBelow(g_.floorToInt(further)), further, at));
    }
    return known_.rows[key] = g_.floorToInt(at);
  }

  /// How many nodes are not above the one before.
  Expr disorder() {
    const auto key = std::pair{node(known_.probe).node(), last().node()};
    if (const auto it = known_.disorders.find(key); it != known_.disorders.end()) return it->second;
    const Expr i = g_.newIndex("i");
    const sym::Array* a = g_.newArray("disorder of " + nodes_.text, {}, sym::Shape::scalar(), sym::Role::Temp);
    const Expr rises = g_.compare(Op::Lt, node(i), node(g_.add(i, g_.integer(1))));
    p_->append({sym::EquationKind::Accumulate,
                a,
                {{i, g_.integer(1), g_.integer(nodes_.n - 1), false}},
                {},
                {},
                g_.select(rises, g_.number(0), g_.number(1)),
                nullptr,
                nullptr});
    return known_.disorders[key] = g_.load(a);
  }

  /// How many points are not on their manifold, to six digits of their numbers.
  Expr astray() {
    const Expr i = g_.newIndex("i");
    const auto p = point(i);
    const sym::Array* a = g_.newArray("astray of " + values_.text, {}, sym::Shape::scalar(), sym::Role::Temp);
    Expr good = g_.boolean(true);
    for (const HeldEquation& h : manifold_->holds(*p)) {
      const Expr d = g_.sub(asReal(h.left), asReal(h.right));
      good = g_.logic(Op::And, good, g_.compare(Op::Le, g_.inner(d, d), g_.number(sym::Number::real(1e-11))));
    }
    p_->append({sym::EquationKind::Accumulate,
                a,
                {{i, g_.integer(1), g_.integer(nodes_.n), false}},
                {},
                {},
                g_.select(good, g_.number(0), g_.number(1)),
                nullptr,
                nullptr});
    return g_.load(a);
  }

  /// No number where the nodes are out of order, or, without a rule for that, beyond the ends; rounding is allowed for.
  Value inside(Value v) {
    const Expr faults = manifold_ != nullptr ? g_.add(disorder(), astray()) : disorder();
    Expr good = g_.compare(Op::Eq, faults, g_.number(0));
    if (ends_ == Ends::Strict) {
      const Expr slack = g_.scale(sym::Number::real(1e-9), g_.sub(last(), first()));
      const Expr within = g_.logic(Op::And, g_.compare(Op::Le, g_.sub(first(), slack), argument_),
                                   g_.compare(Op::Le, argument_, g_.add(last(), slack)));
      good = g_.logic(Op::And, good, within);
      ev_.host().lookUp(ev_.text(e_), *c_.loops, argument_, first(), last(), faults);
    } else {
      ev_.host().lookUp(ev_.text(e_), *c_.loops, g_.number(0), g_.number(-1), g_.number(1), faults);
    }
    for (Expr& part : v.parts) part = g_.select(good, part, nothing(part->shape));
    return v;
  }

  Expr nothing(const sym::Shape& shape) {
    const Expr none = g_.number(sym::Number::real(std::numeric_limits<double>::quiet_NaN()));
    const std::vector<Expr> all(static_cast<std::size_t>(shape.size()), none);
    return shape.rank == 0 ? none : shape.rank == 1 ? g_.vector(all) : g_.matrix(shape.rows, shape.cols, all);
  }

  // --- between two rows -----------------------------------------------------------------------------------------

  Expr value(Expr k) { return asReal(values_.at(k).parts[0]); }
  Expr width(Expr k) { return g_.sub(node(g_.add(k, g_.integer(1))), node(k)); }
  Expr rise(Expr k) { return g_.sub(value(g_.add(k, g_.integer(1))), value(k)); }
  Expr slope(Expr k) { return g_.div(rise(k), width(k)); }

  Value between(Expr u) {
    const Expr s = g_.sub(u, node(row_));
    if (curve_ == Curve::Linear) return Value::tensor(kinked(g_.add(value(row_), g_.mul(s, slope(row_)))));
    // y'' runs from m to n along the width h: y = y_k + s (b + s (m/2 + s (n - m)/(6 h)))
    const sym::Array* bend = bends();
    const Expr h = width(row_), m = g_.load(bend, {row_}), n = g_.load(bend, {next_});
    const Expr b = g_.sub(slope(row_), g_.mul(h, g_.scale(sym::Number::ratio(1, 6), g_.add(g_.scale(2, m), n))));
    const Expr third = g_.div(g_.scale(sym::Number::ratio(1, 6), g_.sub(n, m)), h);
    const Expr inner = g_.add(g_.scale(sym::Number::ratio(1, 2), m), g_.mul(s, third));
    return Value::tensor(g_.add(value(row_), g_.mul(s, g_.add(b, g_.mul(s, inner)))));
  }

  const sym::Array* bends() {
    const auto key = std::tuple{ends_ == Ends::Periodic, node(known_.probe).node(), value(known_.probe).node()};
    if (const auto it = known_.curves.find(key); it != known_.curves.end()) return it->second;
    const CurveData data{[this](Expr k) { return node(k); }, [this](Expr k) { return value(k); },
                         value(known_.probe)->shape, nodes_.n, values_.text};
    return known_.curves[key] = splineBends(*p_, data, ends_ == Ends::Periodic);
  }
  Expr after(Expr i) { return g_.add(i, g_.integer(1)); }

  /// As an array, by which it is found where kinks matter.
  Expr kinked(Expr e) {
    const Turns turns = turnsOf(g_, c_.loops->loops, freeIndices(e));
    const sym::Array* a = g_.newArray("between nodes of " + nodes_.text, turns.extents, e->shape, sym::Role::Temp);
    p_->append({sym::EquationKind::Set, a, turns.loops, {}, turns.index, e, nullptr, nullptr});
    known_.kinked.insert(a);
    return g_.load(a, turns.index);
  }

  // --- points of manifolds --------------------------------------------------------------------------------------

  std::optional<Tuple> point(Expr k) {
    const Value v = values_.at(k);
    return ev_.parts(v, manifold_->point(), "a point of " + manifold_->name(), *e_.args[1], Code::LIE0122,
                     Expected{ValueKind::Point, manifold_, {}});
  }

  /// exp(s xi) moves the point of one node towards the next, s from 0 to 1: from the right on a group.
  Value onManifold(Expr u) {
    const std::vector<const sym::Array*>* xi = directions();
    const auto from = xi != nullptr ? point(row_) : std::nullopt;
    if (!from) return Value::error();
    const Expr s = g_.div(g_.sub(u, node(row_)), width(row_));
    Tuple step;
    for (const sym::Array* part : *xi) step.push_back(g_.mul(s, g_.load(part, {row_})));
    const Manifold& group = manifold_->group();
    const Tuple turn = *group.apply("exp", {step});
    auto to = manifold_->isGroup() ? group.apply("product", {*from, turn}) : manifold_->apply("action", {turn, *from});
    for (Expr& part : *to) part = kinked(part);
    return manifold_->wrap(ClauseKind::Point, *to);
  }

  /// The algebra elements that take each point to the next.
  const std::vector<const sym::Array*>* directions() {
    const auto probe = point(known_.probe);
    if (!probe) return nullptr;
    const auto key = std::pair{static_cast<const Manifold*>(manifold_), (*probe)[0].node()};
    if (const auto it = known_.geodesics.find(key); it != known_.geodesics.end()) return &it->second;
    const Expr i = g_.newIndex("i");
    const auto p = point(i), q = point(after(i));
    std::optional<Tuple> xi;
    if (manifold_->isGroup()) {
      const Manifold& group = *manifold_;
      xi = group.apply("log", {*group.apply("product", {*group.apply("inverse", {*p}), *q})});
    } else {
      xi = byHelper(*p, *q);
    }
    if (!xi) return nullptr;
    std::vector<const sym::Array*> arrays;
    const std::vector<Part>& parts = manifold_->algebra();
    for (std::size_t k = 0; k < parts.size(); ++k) {
      arrays.push_back(g_.newArray("geodesic of " + values_.text, {nodes_.n}, parts[k].shape, sym::Role::Temp));
      p_->append({sym::EquationKind::Set,
                  arrays.back(),
                  {{i, g_.integer(1), g_.integer(nodes_.n - 1), false}},
                  {},
                  {i},
                  (*xi)[k],
                  nullptr,
                  nullptr});
    }
    return &(known_.geodesics[key] = std::move(arrays));
  }

  std::optional<Tuple> byHelper(const Tuple& p, const Tuple& q) {
    const auto f = manifold_->helper("geodesic");
    std::vector<Value> arguments;
    for (const Tuple* t : {&p, &q})
      arguments.push_back(t->size() == 1 ? Value::tensor((*t)[0]) : manifold_->wrap(ClauseKind::Point, *t));
    const Value v = ev_.callFunction(*f, arguments, e_, c_);
    if (v.isError()) return std::nullopt;
    return ev_.parts(v, manifold_->algebra(), "an element of the algebra of " + manifold_->group().name(), e_,
                     Code::LIE0122);
  }

  ExpressionEvaluator& ev_;
  const syntax::Expr& e_;
  const Context& c_;
  KnownInterpolations& known_;
  sym::Graph& g_;
  sym::Program* p_;
  Members values_, nodes_;
  bool combined_ = false; ///< values of several columns
  Expr argument_;
  Curve curve_ = Curve::Linear;
  Ends ends_ = Ends::Strict;
  bool curveGiven_ = false, endsGiven_ = false;
  const FoundManifold* manifold_ = nullptr;
  Expr row_, next_;
};

} // namespace

bool isFixed(const sym::Program& program, Expr e) {
  std::map<const sym::Array*, bool> known;
  return !sym::contains(e,
                        [&](const sym::Node& n) { return n.op == Op::Load && !isFixedArray(program, n.array, known); });
}

bool ExpressionEvaluator::hasKinks(const std::unordered_set<const sym::Array*>& arrays) const {
  if (!interpolations_ || interpolations_->kinked.empty()) return false;
  return std::any_of(arrays.begin(), arrays.end(),
                     [&](const sym::Array* a) { return interpolations_->kinked.contains(a); });
}

const std::vector<sym::Loop>& ExpressionEvaluator::loops() const {
  static const std::vector<sym::Loop> none;
  return loops_ != nullptr ? loops_->loops : none;
}

Value interpolated(ExpressionEvaluator& ev, const syntax::Expr& call, const Context& c, KnownInterpolations& known) {
  return Interpolation(ev, call, c, known).run();
}

} // namespace lmc::sema
