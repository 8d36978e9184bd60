#include "mechanics/mass/Tridiagonal.h"

#include "mechanics/system/Equations.h"

#include <functional>

namespace lmc::mechanics {

using sym::Array;
using sym::Expr;
using sym::Graph;

namespace {

/// Segments that are worked on by one vector operation; two, where vectors have four numbers.
constexpr std::int64_t segmentsOfGroup = 8;

/// A system from so many rows on is cut, by measurements of chains (bench/README.md): below, the separators take longer
/// than the segments gain.
constexpr std::int64_t cutFrom = 64;

/// From so many rows on there are groups, twelve and more, that threads share, and a segment has so many rows: with
/// fewer the separators' own system takes more time, which all threads wait for.
constexpr std::int64_t groupsFrom = 3000;
constexpr std::int64_t lengthInGroups = 32;

struct Cut {
  std::int64_t groups = 0; ///< 0: none
  std::int64_t length = 0; ///< rows of a segment, its separator included
  [[nodiscard]] std::int64_t segments() const { return groups * segmentsOfGroup; }
};

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

Cut cutOf(std::int64_t rows) {
  if (rows < cutFrom) return {};
  if (rows < groupsFrom) return {1, ceilDiv(rows, segmentsOfGroup)};
  return {ceilDiv(rows, segmentsOfGroup * lengthInGroups), lengthInGroups};
}

/// What both ways to solve a system share.
class Rows {
public:
  Rows(sym::Program& p, const Tridiagonal& t) : p_(p), g_(p.graph()), t_(t), n_(t.rows) {}

protected:
  using AtIndex = std::function<Expr(Expr)>;

  Expr next(Expr i) { return g_.add(i, g_.integer(1)); }
  Expr preceding(Expr i) { return g_.sub(i, g_.integer(1)); }
  Expr at(const Array* a, Expr i) { return g_.load(a, {i}); }
  Expr reciprocal(Expr x) { return g_.div(g_.number(1), x); }

  /// array[i] = value(i) for i in lo…hi
  void set(const Array* array, std::int64_t lo, std::int64_t hi, const AtIndex& value, bool descending = false) {
    if (lo > hi) return;
    const Expr i = lo == hi ? g_.integer(lo) : g_.newIndex("i");
    defineRange(p_, array, i, lo, hi, value(i), descending);
  }

  sym::Program& p_;
  Graph& g_;
  const Tridiagonal& t_;
  std::int64_t n_;
};

/// From both ends to the middle and back, and without divisions on the way: what waits for the row before is a product
/// and a sum. Rows and columns are divided by the roots of the diagonal, x(i) + b(i) x(i-1) + b(i+1) x(i+1) = r(i), and
/// pivots are ratios of the determinants d(i) of the first i rows (continuants): d(i) = d(i-1) - b(i)^2 d(i-2), and
/// d(i) x(i) + b(i+1) d(i-1) x(i+1) = v(i) = d(i-1) r(i) - b(i) v(i-1). Pivots lie between 0 and 1, so that
/// determinants of fewer rows than are cut leave the range of numbers only where pivots are below 1e-9 everywhere.
class FromBothEnds : Rows {
public:
  using Rows::Rows;

  /// Returns by what the solution has to be multiplied, row by row.
  const Array* solve(const Array* solution) {
    divideByDiagonal();
    const std::int64_t half = (n_ - 1) / 2; // rows that each end eliminates; one or two are between them
    const Array* ends = g_.newArray("d, v of both ends", {half}, sym::Shape::vec(6), sym::Role::Temp);
    const Expr one = g_.number(1);
    set(ends, 1, 1, [&](Expr i) { return both({one, one, at(rhs_, i)}, {one, one, at(rhs_, across(i))}); });
    set(ends, 2, half, [&](Expr i) {
      const Expr inner = at(ends, preceding(i));
      return both(behind(reduced(inner, first), side(i), i),
                  behind(reduced(inner, last), side(next(across(i))), across(i)));
    });
    const Array* between = g_.newArray("x between", {}, sym::Shape::vec(2), sym::Role::Temp);
    define(p_, between, 0, {}, middle(at(ends, g_.integer(half)), g_.integer(half + 1), g_.integer(n_ - half)));
    findBack(solution, ends, between, half);
    return scale_;
  }

private:
  /// The determinants of the rows from an end to this one and to the one before it, and this row's right side.
  struct Reduced {
    Expr d, before, v;
  };
  static constexpr int first = 0, last = 3; ///< where the two ends stand in an element
  Reduced reduced(Expr ends, int k) { return {g_.entry(ends, k), g_.entry(ends, k + 1), g_.entry(ends, k + 2)}; }
  Expr both(const Reduced& a, const Reduced& b) { return g_.vector({a.d, a.before, a.v, b.d, b.before, b.v}); }

  Expr across(Expr i) { return g_.sub(g_.integer(n_ + 1), i); } // as far from the last row
  Expr side(Expr i) { return at(side_, i); }                    // b(i)

  void divideByDiagonal() {
    const auto array = [&](const char* name) { return g_.newArray(name, {n_}, sym::Shape::scalar(), sym::Role::Temp); };
    scale_ = array("1/root of own");
    const Array* const scales = array("1/root of own own(i-1)");
    set(scale_, 1, n_, [&](Expr i) { return reciprocal(g_.function(sym::Op::Sqrt, at(t_.own, i))); });
    set(scales, 2, n_, [&](Expr i) { return g_.mul(at(scale_, i), at(scale_, preceding(i))); });
    side_ = array("b"), rhs_ = array("r");
    set(side_, 2, n_, [&](Expr i) { return g_.mul(at(t_.before, i), at(scales, i)); });
    set(rhs_, 1, n_, [&](Expr i) { return g_.mul(at(t_.rhs, i), at(scale_, i)); });
  }

  /// Row i, to which `side` leads from the row before.
  Reduced behind(const Reduced& r, Expr side, Expr i) {
    return {g_.sub(r.d, g_.mul(g_.mul(side, side), r.before)), r.d,
            g_.sub(g_.mul(r.d, at(rhs_, i)), g_.mul(side, r.v))};
  }

  /// The unknowns of the rows that no end has eliminated: a system of two, or of one, which then stands twice.
  Expr middle(Expr ends, Expr left, Expr right) {
    const Reduced a = behind(reduced(ends, first), side(left), left);
    const Expr ofA = g_.mul(side(next(left)), a.before);
    if (left == right) {
      const Reduced b = reduced(ends, last);
      const Expr d = g_.sub(g_.mul(a.d, b.d), g_.mul(g_.mul(ofA, side(next(left))), b.before));
      const Expr x = g_.div(g_.sub(g_.mul(a.v, b.d), g_.mul(ofA, b.v)), d);
      return g_.vector({x, x});
    }
    const Reduced b = behind(reduced(ends, last), side(next(right)), right);
    const Expr ofB = g_.mul(side(right), b.before);
    const Expr inverse = reciprocal(g_.sub(g_.mul(a.d, b.d), g_.mul(ofA, ofB)));
    return g_.vector({g_.mul(inverse, g_.sub(g_.mul(a.v, b.d), g_.mul(ofA, b.v))),
                      g_.mul(inverse, g_.sub(g_.mul(a.d, b.v), g_.mul(ofB, a.v)))});
  }

  /// From the middle to both ends: x(i) = v/d - (b(i+1) d(i-1)/d) x(i+1), whose quotients wait for no x. They stand in
  /// the loop that makes the determinants: the divisions are made while these wait for each other.
  void findBack(const Array* solution, const Array* ends, const Array* between, std::int64_t half) {
    const Array* inverse = g_.newArray("1/d of both ends", {half}, sym::Shape::vec(2), sym::Role::Temp);
    const Array* quotients = g_.newArray("v/d, b d(i-1)/d", {half}, sym::Shape::vec(4), sym::Role::Temp);
    const auto fromEnds = [&](const Array* array, const AtIndex& value) {
      set(array, 1, 1, value);
      set(array, 2, half, value);
    };
    fromEnds(inverse, [&](Expr i) {
      const Expr both = at(ends, i);
      return g_.vector({reciprocal(reduced(both, first).d), reciprocal(reduced(both, last).d)});
    });
    fromEnds(quotients, [&](Expr i) {
      const Reduced a = reduced(at(ends, i), first), b = reduced(at(ends, i), last);
      const Expr ofA = g_.entry(at(inverse, i), 0), ofB = g_.entry(at(inverse, i), 1);
      return g_.vector({g_.mul(a.v, ofA), g_.mul(g_.mul(side(next(i)), a.before), ofA), g_.mul(b.v, ofB),
                        g_.mul(g_.mul(side(across(i)), b.before), ofB)});
    });
    set(solution, half + 1, half + 1, [&](Expr) { return g_.entry(g_.load(between), 0); });
    if (half + 1 < n_ - half) set(solution, n_ - half, n_ - half, [&](Expr) { return g_.entry(g_.load(between), 1); });
    // The first rows that are found stand alone: loops of few turns are written out.
    const auto back = [&](int end, Expr i, Expr inner) {
      const Expr q = at(quotients, end == 0 ? i : across(i));
      return g_.sub(g_.entry(q, 2 * end), g_.mul(g_.entry(q, 2 * end + 1), at(solution, inner)));
    };
    const auto toFirst = [&](Expr i) { return back(0, i, next(i)); };
    const auto toLast = [&](Expr i) { return back(1, i, preceding(i)); };
    set(solution, half, half, toFirst);
    set(solution, 1, half - 1, toFirst, true);
    set(solution, n_ - half + 1, n_ - half + 1, toLast);
    set(solution, n_ - half + 2, n_, toLast);
  }

  const Array* scale_ = nullptr;                 ///< by which rows and columns are multiplied
  const Array *side_ = nullptr, *rhs_ = nullptr; ///< b and r
};

/// Cut into segments. What belongs to row k of segment s of group G is element [G][k][s] of an array, so that the loop
/// over k is a recursion, and the one over s inside of it has turns of their own, which lie side by side in memory.
class BySegments : Rows {
public:
  BySegments(sym::Program& p, const Tridiagonal& t, const Cut& cut) : Rows(p, t), cut_(cut) {}

  void solve(const Array* solution) {
    fillUp();
    gather();
    eliminate();
    const Array* separators = solveSeparators();
    findBack(separators);
    scatter(solution);
  }

private:
  /// The place of a row: its group, its place in its segment, and its segment's place in the group.
  struct Row {
    Expr group, place, lane;
  };
  using AtRow = std::function<Expr(const Row&)>;
  enum class Innermost : std::uint8_t { Lane, Place };

  const Array* ofRows(const std::string& name, const sym::Shape& shape) {
    return g_.newArray(name, {cut_.groups, cut_.length, segmentsOfGroup}, shape, sym::Role::Temp);
  }
  const Array* ofSeparators(const std::string& name, const sym::Shape& shape, std::int64_t count) {
    return g_.newArray(name, {count}, shape, sym::Role::Temp);
  }
  Expr at(const Array* a, const Row& r) { return g_.load(a, {r.group, r.place, r.lane}); }
  using Rows::at;
  static Row moved(const Row& r, Expr place) { return {r.group, place, r.lane}; }
  Row behindIt(const Row& r) { return moved(r, preceding(r.place)); }
  Row beforeIt(const Row& r) { return moved(r, next(r.place)); }

  /// The number of a row's segment, from 1.
  Expr segment(const Row& r) { return g_.add(g_.mul(g_.integer(segmentsOfGroup), preceding(r.group)), r.lane); }
  /// The number of the row in the system.
  Expr number(const Row& r) { return g_.add(g_.mul(g_.integer(cut_.length), preceding(segment(r))), r.place); }

  /// array[index(r)] = value(r) for the rows at places lo…hi of all segments.
  void set(const Array* array, std::int64_t lo, std::int64_t hi,
           const std::function<std::vector<Expr>(const Row&)>& index, const AtRow& value,
           Innermost innermost = Innermost::Lane, bool descending = false) {
    if (lo > hi) return;
    sym::Equation e;
    const auto loop = [&](const char* name, std::int64_t from, std::int64_t to, bool down) {
      if (from == to) return g_.integer(from);
      const Expr i = g_.newIndex(name);
      e.loops.push_back({i, g_.integer(from), g_.integer(to), down});
      return i;
    };
    Row r;
    r.group = loop("G", 1, cut_.groups, false);
    if (innermost == Innermost::Place) r.lane = loop("s", 1, segmentsOfGroup, false);
    r.place = loop("k", lo, hi, descending);
    if (innermost == Innermost::Lane) r.lane = loop("s", 1, segmentsOfGroup, false);
    e.array = array;
    e.index = index(r);
    e.value = value(r);
    p_.append(std::move(e));
  }
  void set(const Array* array, std::int64_t lo, std::int64_t hi, const AtRow& value, bool descending = false) {
    const auto own = [](const Row& r) { return std::vector<Expr>{r.group, r.place, r.lane}; };
    set(array, lo, hi, own, value, Innermost::Lane, descending);
  }

  /// Rows behind the last one: x = 0.
  void fillUp() {
    const std::int64_t room = cut_.segments() * cut_.length;
    Rows::set(t_.before, 1, 1, [&](Expr) { return g_.number(0); });
    Rows::set(t_.own, n_ + 1, room, [&](Expr) { return g_.number(1); });
    for (const Array* a : {t_.before, t_.rhs}) Rows::set(a, n_ + 1, room, [&](Expr) { return g_.number(0); });
  }

  /// The diagonal by segments: often it depends on parameters alone. The rest is taken where it is needed.
  void gather() {
    own_ = ofRows("own of segments", sym::Shape::scalar());
    set(own_, 1, cut_.length, [&](const Row& r) { return Rows::at(t_.own, number(r)); });
  }

  // What is kept of a row that has been eliminated: 1/pivot, right side, the entry in the column of the separator
  // before the segment; how many times the row before was taken from it; and what all rows before it take from that
  // separator's diagonal and right side.
  enum Kept : std::uint8_t { Pivot, Right, Column, Ratio, OfOwn, OfRight };

  Expr right(const Row& r) { return Rows::at(t_.rhs, number(r)); }
  Expr link(const Row& r) { return Rows::at(t_.before, number(r)); }
  Expr kept(const Row& r, Kept which) { return g_.entry(at(reduced_, r), which); }

  /// The rows before the separators. Only one product and one division of a row wait for those of the row before.
  void eliminate() {
    reduced_ = ofRows("1/pivot, rhs', column", sym::Shape::vec(6));
    const Expr none = g_.number(0);
    set(reduced_, 1, 1, [&](const Row& r) {
      return g_.vector({reciprocal(at(own_, r)), right(r), link(r), none, none, none});
    });
    set(reduced_, 2, cut_.length - 1, [&](const Row& r) {
      const Rest left = rest(r);
      return g_.vector({reciprocal(left.own), left.rhs, left.column, left.ratio, left.ofOwn, left.ofRight});
    });
  }

  /// A row without what the one before takes of it.
  struct Rest {
    Expr own, rhs, column, ratio, ofOwn, ofRight;
  };
  Rest rest(const Row& r) {
    const Row last = behindIt(r);
    const Expr side = link(r), pivot = kept(last, Pivot), column = kept(last, Column);
    const Expr ratio = g_.mul(side, pivot), scaled = g_.mul(column, pivot);
    return {g_.sub(at(own_, r), g_.mul(g_.mul(side, side), pivot)),
            g_.sub(right(r), g_.mul(ratio, kept(last, Right))),
            g_.neg(g_.mul(ratio, column)),
            ratio,
            g_.add(kept(last, OfOwn), g_.mul(scaled, column)),
            g_.add(kept(last, OfRight), g_.mul(scaled, kept(last, Right)))};
  }

  /// The last rows of all segments.
  const Array* solveSeparators() {
    const std::int64_t count = cut_.segments(), room = tridiagonalRoom(count), last = cut_.length;
    left_ = ofSeparators("separators", sym::Shape::vec(6), count);
    set(
        left_, last, last, [&](const Row& r) { return std::vector<Expr>{segment(r)}; },
        [&](const Row& r) {
          const Rest own = rest(r);
          return g_.vector({own.own, own.rhs, own.column, own.ratio, own.ofOwn, own.ofRight});
        });
    const auto part = [&](Expr i, int which) { return g_.entry(Rows::at(left_, i), which); };
    Tridiagonal border{count, ofSeparators("own of separators", sym::Shape::scalar(), room),
                       ofSeparators("before of separators", sym::Shape::scalar(), room),
                       ofSeparators("rhs of separators", sym::Shape::scalar(), room)};
    Rows::set(border.before, 2, count, [&](Expr i) { return part(i, Column); });
    Rows::set(border.own, 1, count - 1, [&](Expr i) { return g_.sub(part(i, Pivot), part(next(i), OfOwn)); });
    Rows::set(border.rhs, 1, count - 1, [&](Expr i) { return g_.sub(part(i, Right), part(next(i), OfRight)); });
    Rows::set(border.own, count, count, [&](Expr i) { return part(i, Pivot); });
    Rows::set(border.rhs, count, count, [&](Expr i) { return part(i, Right); });
    const TridiagonalSolution x = solveTridiagonal(p_, border, "x of separators");
    if (x.scale == nullptr) return x.x;
    const Array* scaled = ofSeparators("separators' own x", sym::Shape::scalar(), room);
    Rows::set(scaled, 1, count, [&](Expr i) { return g_.mul(Rows::at(x.scale, i), Rows::at(x.x, i)); });
    return scaled;
  }

  /// x(k) = (rhs' - column x(separator before))/pivot - ratio(k+1) x(k+1). One product waits for x(k+1).
  void findBack(const Array* separators) {
    const std::int64_t count = cut_.segments();
    const Array* ahead = ofSeparators("x of separators before", sym::Shape::scalar(), count);
    Rows::set(ahead, 1, 1, [&](Expr) { return g_.number(0); });
    Rows::set(ahead, 2, count, [&](Expr i) { return Rows::at(separators, preceding(i)); });
    found_ = ofRows("x of segments", sym::Shape::scalar());
    const std::int64_t last = cut_.length;
    set(found_, last, last, [&](const Row& r) { return Rows::at(separators, segment(r)); });
    const auto found = [&](const Row& r, Expr ratio) {
      const Expr alone = g_.sub(kept(r, Right), g_.mul(kept(r, Column), Rows::at(ahead, segment(r))));
      return g_.sub(g_.mul(kept(r, Pivot), alone), g_.mul(ratio, at(found_, beforeIt(r))));
    };
    set(found_, last - 1, last - 1,
        [&](const Row& r) { return found(r, g_.entry(Rows::at(left_, segment(r)), Ratio)); });
    set(
        found_, 1, last - 2, [&](const Row& r) { return found(r, kept(beforeIt(r), Ratio)); }, true);
  }

  void scatter(const Array* solution) {
    set(
        solution, 1, cut_.length, [&](const Row& r) { return std::vector<Expr>{number(r)}; },
        [&](const Row& r) { return at(found_, r); }, Innermost::Place);
  }

  Cut cut_;
  const Array* own_ = nullptr;     ///< the diagonal by segments
  const Array* reduced_ = nullptr; ///< see Kept
  const Array* left_ = nullptr;  ///< of the separators, by the number of the segment: see Kept, with pivots themselves
  const Array* found_ = nullptr; ///< x by segments
};

} // namespace

std::int64_t tridiagonalRoom(std::int64_t rows) {
  const Cut cut = cutOf(rows);
  return cut.groups > 0 ? cut.segments() * cut.length : rows;
}

TridiagonalSolution solveTridiagonal(sym::Program& program, const Tridiagonal& system, const std::string& name) {
  const Array* x =
      program.graph().newArray(name, {tridiagonalRoom(system.rows)}, sym::Shape::scalar(), sym::Role::Temp);
  const Cut cut = cutOf(system.rows);
  if (cut.groups == 0) return {x, FromBothEnds(program, system).solve(x)};
  BySegments(program, system, cut).solve(x);
  return {x, nullptr};
}

} // namespace lmc::mechanics
