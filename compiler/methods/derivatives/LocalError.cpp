#include "methods/derivatives/LocalError.h"

#include "mechanics/system/Geometry.h"
#include "mechanics/system/Knowledge.h"
#include "methods/phase/Phase.h"
#include "sema/manifolds/Generator.h"
#include "sym/Largest.h"
#include "sym/Rewrite.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

namespace {

/// A piece of one variable: `algebra` and `point` count parts from the first one of its slot.
struct Piece {
  ErrorPiece name;
  const PhaseSlot* slot = nullptr;
  std::size_t algebra = 0;         ///< the part of the algebra element that is measured
  std::vector<std::size_t> points; ///< parts of the point whose norm is its size; none: the size is 1
};

/// Parts of a group's storage that a part of its algebra moves at the identity, if they all are zero there.
std::vector<std::size_t> translated(sym::Program& p, const sema::Manifold& m, std::size_t part) {
  if (!m.isGroup()) return {};
  sym::Graph& g = p.graph();
  const sema::Tuple identity = mechanics::required(m, "identity", {});
  const auto w = sema::dummies(g, m.algebra(), "w");
  const sema::Tuple change = sema::generator(p, m, sema::Frame::Space, identity, sema::loads(g, w, {}));
  std::vector<std::size_t> moved;
  for (std::size_t k = 0; k < change.size(); ++k) {
    if (!sym::contains(change[k], [&](const sym::Node& n) { return n.array == w[part]; })) continue;
    if (!identity[k]->isZero()) return {};
    moved.push_back(k);
  }
  return moved;
}

std::vector<Piece> piecesOf(mechanics::Layer& layer, const Phase& phase) {
  const sema::Model& m = layer.model;
  if (m.simulation.embeddingNorm) return {{{"the state", "", ""}, nullptr, 0, {}}};
  std::vector<Piece> pieces;
  for (std::size_t v = 0; v < m.order.size(); ++v) {
    const PhaseSlot& s = phase.slots()[v];
    const std::vector<sema::Part>& algebra = s.manifold->algebra();
    const auto label = [&](const std::string& name, std::size_t k) {
      return algebra.size() == 1 ? name : name + "." + algebra[k].name;
    };
    for (std::size_t k = 0; s.pointCount > 0 && k < algebra.size(); ++k)
      pieces.push_back({{label(s.name, k), s.name, s.name}, &s, k, translated(layer.program(), *s.manifold, k)});
    // What follows the point is a vector with the parts of the algebra: a velocity, a momentum, an element of a dual.
    const std::string& vector = m.order[v].isFactor ? m.factors[m.order[v].index].velocityName : s.name;
    const std::size_t first = s.pointCount > 0 ? algebra.size() : 0;
    for (std::size_t k = 0; s.pointCount + k < s.pointParts.size(); ++k)
      pieces.push_back({{label(vector, k), vector, s.name}, &s, first + k, {s.pointCount + k}});
  }
  return pieces;
}

class Measurement {
public:
  explicit Measurement(mechanics::Layer& layer)
      : phase_(layer), p_(layer.program()), g_(p_.graph()), pieces_(piecesOf(layer, phase_)),
        whole_(layer.model.simulation.embeddingNorm) {}

  Phase& phase() { return phase_; }
  const std::vector<Piece>& pieces() const { return pieces_; }

  void declareTolerances() {
    const std::vector<std::int64_t> extents = {static_cast<std::int64_t>(pieces_.size())};
    tolerances_.absolute = g_.newArray("tolerance.absolute", extents, sym::Shape::scalar(), sym::Role::Param);
    tolerances_.relative = g_.newArray("tolerance.relative", extents, sym::Shape::scalar(), sym::Role::Param);
  }
  void use(const ToleranceArrays& tolerances) { tolerances_ = tolerances; }
  const ToleranceArrays& tolerances() const { return tolerances_; }

  /// What the error of a step is the size of: algebra elements, or differences of storage.
  sema::Tuple change(const sema::Tuple& y, const sema::Tuple& yhat) {
    return whole_ ? sema::sub(g_, yhat, y) : displacement(y, yhat);
  }

  /// Keeps a change in arrays.
  sema::Tuple held(const sema::Tuple& change, const std::string& name) {
    return whole_ ? phase_.loadPoint(phase_.storePoint(change, name))
                  : phase_.loadAlgebra(phase_.storeAlgebra(change, name));
  }

  /// Of some changes the array of (sum of |change|/scale)^2, per piece; the scale by the sizes of the states `ys`.
  std::vector<const sym::Array*> errors(const std::string& name, const std::vector<sema::Tuple>& changes,
                                        const std::vector<sema::Tuple>& ys) {
    if (!whole_) return squares(name, changes, ys);
    std::vector<Expr> totals;
    for (std::size_t k = 0; k < changes.size(); ++k)
      totals.push_back(total(fmt::format("{}.{}", name, k + 1), changes[k], storage));
    return {ofState(name, squareOfSum(totals), ys)};
  }

  /// Per piece the array of (sum of |u|/scale)^2, largest of the members; the scale by the sizes of the states `ys`.
  std::vector<const sym::Array*> squares(const std::string& name, const std::vector<sema::Tuple>& us,
                                         const std::vector<sema::Tuple>& ys) {
    if (whole_) return {ofState(name, total(name, us[0], algebra), ys)};
    return each(
        name,
        [&](const Piece& piece, Expr scale) {
          std::vector<Expr> own;
          for (const sema::Tuple& u : us) {
            const Expr part = u[piece.slot->algebraOffset + piece.algebra];
            own.push_back(g_.inner(part, part));
          }
          return g_.div(squareOfSum(own), g_.mul(scale, scale));
        },
        ys);
  }

  /// The same of the sizes themselves.
  std::vector<const sym::Array*> sizes(const std::string& name, const sema::Tuple& y) {
    if (whole_) return {ofState(name, total(name, y, storage), {y})};
    return each(name,
                [&](const Piece& piece, Expr scale) { return g_.div(squaredSize(piece, {y}), g_.mul(scale, scale)); },
                {y});
  }

  /// The algebra element that moves y to yhat, to first order; differences for vectors.
  sema::Tuple displacement(const sema::Tuple& y, const sema::Tuple& yhat) {
    sema::Tuple u;
    for (const PhaseSlot& s : phase_.slots()) {
      const auto first = static_cast<std::ptrdiff_t>(s.pointOffset);
      const auto middle = first + static_cast<std::ptrdiff_t>(s.pointCount);
      const auto end = first + static_cast<std::ptrdiff_t>(s.pointParts.size());
      const sema::Tuple from(y.begin() + first, y.begin() + middle);
      const sema::Tuple to(yhat.begin() + first, yhat.begin() + middle);
      if (s.pointCount > 0) {
        const sema::Tuple moved =
            s.manifold->isGroup() ? onGroup(s, from, to) : onOrbit(*s.manifold, from, sema::sub(g_, to, from));
        u.insert(u.end(), moved.begin(), moved.end());
      }
      for (auto k = middle; k < end; ++k) u.push_back(g_.sub(*(yhat.begin() + k), *(y.begin() + k)));
    }
    return u;
  }

  /// What a small change of the numbers of y is: algebra elements, or itself.
  sema::Tuple along(const sema::Tuple& y, const sema::Tuple& change) {
    if (whole_) return change;
    sema::Tuple u;
    for (const PhaseSlot& s : phase_.slots()) {
      if (s.pointCount > 0) {
        const sema::Tuple at = sema::part(y, s.pointOffset, s.pointCount);
        const sema::Tuple moving = sema::part(change, s.pointOffset, s.pointCount);
        const sema::Tuple moved = s.manifold->isGroup() ? alongGroup(s, at, moving) : onOrbit(*s.manifold, at, moving);
        u.insert(u.end(), moved.begin(), moved.end());
      }
      const sema::Tuple vectors = sema::part(change, s.pointOffset + s.pointCount, s.pointParts.size() - s.pointCount);
      u.insert(u.end(), vectors.begin(), vectors.end());
    }
    return u;
  }

  /// The same of a state that a small change leads to: of its storage, or by an element of the algebra.
  sema::Tuple moved(const sema::Tuple& y, const sema::Tuple& change, bool inStorage) {
    if (inStorage) return along(y, change);
    sema::Tuple u = rates(y, change);
    for (const PhaseSlot& s : phase_.slots())
      if (s.pointCount > 0 && !s.manifold->isGroup()) onHomogeneous(s, y, change, u);
    return whole_ ? storageOf(y, u) : u;
  }

  /// The parts of a state whose size before a step counts.
  [[nodiscard]] std::vector<bool> sized() const {
    std::vector<bool> parts(phase_.pointSize(), whole_);
    for (const Piece& piece : pieces_)
      for (const std::size_t k : piece.points) parts[piece.slot->pointOffset + k] = true;
    return parts;
  }

  /// How fast the pieces change where the state y is moved by the algebra element f: f itself, but the coadjoint action
  /// turns momenta.
  sema::Tuple rates(const sema::Tuple& y, sema::Tuple f) {
    for (const PhaseSlot& s : phase_.slots()) {
      if (s.kind != PhaseKind::Dual && s.kind != PhaseKind::Momentum) continue;
      const std::size_t n = s.manifold->algebra().size();
      const auto u = f.begin() + static_cast<std::ptrdiff_t>(s.algebraOffset);
      const auto mu = y.begin() + static_cast<std::ptrdiff_t>(s.pointOffset + s.pointCount);
      const sema::Tuple turned =
          mechanics::adstar(p_, s.manifold->group(), sema::Tuple(u, u + static_cast<std::ptrdiff_t>(n)),
                            sema::Tuple(mu, mu + static_cast<std::ptrdiff_t>(n)));
      for (std::size_t k = 0; k < n; ++k) {
        const Expr change = s.handed == Handed::Opposite ? turned[k] : g_.neg(turned[k]);
        if (s.kind == PhaseKind::Dual)
          f[s.algebraOffset + k] = change;
        else
          f[s.algebraOffset + n + k] = g_.add(f[s.algebraOffset + n + k], change);
      }
    }
    return f;
  }

private:
  /// Of numbers of which the squares are given; no root of a single one.
  Expr squareOfSum(const std::vector<Expr>& squares) {
    if (squares.size() == 1) return squares[0];
    std::vector<Expr> roots;
    roots.reserve(squares.size());
    for (const Expr& square : squares) roots.push_back(g_.function(sym::Op::Sqrt, square));
    const Expr sum = g_.sum(roots, sym::Shape::scalar());
    return g_.mul(sum, sum);
  }

  /// Where the parts of a slot stand in a tuple: the first one, and how many.
  using Parts = std::pair<std::size_t, std::size_t> (*)(const PhaseSlot&);
  static std::pair<std::size_t, std::size_t> storage(const PhaseSlot& s) {
    return {s.pointOffset, s.pointParts.size()};
  }
  static std::pair<std::size_t, std::size_t> algebra(const PhaseSlot& s) {
    return {s.algebraOffset, s.algebraParts.size()};
  }

  /// The square of the Euclidean norm of all variables and all members together.
  Expr total(const std::string& name, const sema::Tuple& v, Parts parts) {
    std::vector<Expr> squares;
    for (const PhaseSlot& s : phase_.slots()) {
      const auto [first, count] = parts(s);
      std::vector<Expr> own;
      for (std::size_t k = first; k < first + count; ++k) own.push_back(g_.inner(v[k], v[k]));
      const Expr square = g_.sum(own, sym::Shape::scalar());
      if (s.index.empty()) {
        squares.push_back(square);
        continue;
      }
      sym::Equation e;
      e.kind = sym::EquationKind::Accumulate;
      e.array = g_.newArray(name + ".sum." + s.name, {}, sym::Shape::scalar(), sym::Role::Temp);
      e.loops = {{s.index[0], g_.integer(1), g_.integer(s.extent), false}};
      e.value = square;
      squares.push_back(g_.load(e.array));
      p_.append(std::move(e));
    }
    return g_.sum(squares, sym::Shape::scalar());
  }

  /// An array with square/scale^2 of the whole state.
  const sym::Array* ofState(const std::string& name, Expr square, const std::vector<sema::Tuple>& ys) {
    Expr size;
    for (std::size_t k = 0; k < ys.size(); ++k) {
      const Expr one = total(fmt::format("{}.size{}", name, k + 1), ys[k], storage);
      size = size ? g_.function(sym::Op::Max, size, one) : one;
    }
    const Expr scale = g_.add(g_.load(tolerances_.absolute, {g_.integer(1)}),
                              g_.mul(g_.load(tolerances_.relative, {g_.integer(1)}), g_.function(sym::Op::Sqrt, size)));
    return sym::largest(p_, name + ".state", 0, {}, g_.div(square, g_.mul(scale, scale)));
  }

  template <class Value>
  std::vector<const sym::Array*> each(const std::string& name, const Value& value, const std::vector<sema::Tuple>& ys) {
    std::vector<const sym::Array*> arrays;
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      const Piece& piece = pieces_[k];
      const std::vector<Expr> at = {g_.integer(static_cast<std::int64_t>(k) + 1)};
      const Expr absolute = g_.load(tolerances_.absolute, at);
      const Expr relative = g_.load(tolerances_.relative, at);
      const Expr size = piece.points.empty() ? g_.number(1) : g_.function(sym::Op::Sqrt, squaredSize(piece, ys));
      const Expr scale = g_.add(absolute, g_.mul(relative, size));
      const Expr index = piece.slot->index.empty() ? Expr() : piece.slot->index[0];
      arrays.push_back(sym::largest(p_, name + "." + piece.name.name, piece.slot->extent, index, value(piece, scale)));
    }
    return arrays;
  }

  /// The largest of several states.
  Expr squaredSize(const Piece& piece, const std::vector<sema::Tuple>& ys) {
    if (piece.points.empty()) return g_.number(1);
    Expr largest;
    for (const sema::Tuple& y : ys) {
      Expr square = g_.number(0);
      for (const std::size_t k : piece.points) {
        const Expr part = y[piece.slot->pointOffset + k];
        square = g_.add(square, g_.inner(part, part));
      }
      largest = largest ? g_.function(sym::Op::Max, largest, square) : square;
    }
    return largest;
  }

  /// On a homogeneous manifold what moves the point is horizontal, and what is carried along is turned as a whole.
  void onHomogeneous(const PhaseSlot& s, const sema::Tuple& y, const sema::Tuple& change, sema::Tuple& u) {
    const sema::Manifold& m = *s.manifold;
    const std::size_t n = m.algebra().size();
    const auto put = [&](const sema::Tuple& own, std::size_t first) {
      std::copy(own.begin(), own.end(), u.begin() + static_cast<std::ptrdiff_t>(first));
    };
    const sema::Tuple point = sema::part(y, s.pointOffset, s.pointCount);
    const sema::Tuple by = sema::part(change, s.algebraOffset, n);
    put(sema::horizontalProjection(p_, m, point, by, true), s.algebraOffset);
    if (s.kind == PhaseKind::State) return;
    const std::size_t second = s.algebraOffset + n;
    const sema::Tuple own = sema::part(change, second, n);
    const sema::Tuple fiber = sema::part(y, s.pointOffset + s.pointCount, n);
    if (s.kind == PhaseKind::Velocity)
      put(sema::add(g_, mechanics::bracket(m.group(), by, fiber), sema::horizontalProjection(p_, m, point, own, true)),
          second);
    else
      put(sema::add(g_, sema::sub(g_, sema::part(u, second, n), own),
                    sema::momentumProjection(p_, m, point, own, true)),
          second);
  }

  /// The change of storage that belongs to what `moved` gives.
  sema::Tuple storageOf(const sema::Tuple& y, const sema::Tuple& u) {
    sema::Tuple change;
    for (const PhaseSlot& s : phase_.slots()) {
      const auto first = y.begin() + static_cast<std::ptrdiff_t>(s.pointOffset);
      const auto own = u.begin() + static_cast<std::ptrdiff_t>(s.algebraOffset);
      const std::size_t n = s.pointCount > 0 ? s.manifold->algebra().size() : 0;
      if (s.pointCount > 0) {
        const sema::Tuple point(first, first + static_cast<std::ptrdiff_t>(s.pointCount));
        const sema::Tuple by(own, own + static_cast<std::ptrdiff_t>(n));
        const sema::Frame frame = s.handed == Handed::Opposite ? sema::Frame::Body : sema::Frame::Space;
        const sema::Tuple moved = sema::generator(p_, *s.manifold, frame, point, by);
        change.insert(change.end(), moved.begin(), moved.end());
      }
      const std::size_t rest = s.pointParts.size() - s.pointCount;
      change.insert(change.end(), own + static_cast<std::ptrdiff_t>(n), own + static_cast<std::ptrdiff_t>(n + rest));
    }
    return change;
  }

  /// The horizontal algebra element with T(y) u = change by least squares: T^T T u = T^T change. Where T^T T u is u
  /// itself, nothing has to be solved for.
  sema::Tuple onOrbit(const sema::Manifold& m, const sema::Tuple& from, const sema::Tuple& change) {
    return isIsometric(m) ? mechanics::generatorTransposed(p_, m, false, from, change)
                          : mechanics::velocityOf(p_, m, false, from, change);
  }

  /// T^T T u = u for horizontal u at every point, and T^T change is horizontal since T takes conormals to 0.
  bool isIsometric(const sema::Manifold& m) {
    if (!sema::isotropyIsNormal(p_, m)) return false;
    const auto q = sema::dummies(g_, m.point(), "q"), w = sema::dummies(g_, m.algebra(), "w");
    const sema::Tuple at = sema::loads(g_, q, {}), xi = sema::loads(g_, w, {});
    const sema::Tuple twice =
        mechanics::generatorTransposed(p_, m, false, at, sema::generator(p_, m, sema::Frame::Space, at, xi));
    const auto keep = [](sym::Rewriter&, const sym::Node&, const std::vector<Expr>&) { return Expr(); };
    sym::Rewriter known(g_, keep, mechanics::manifoldKnowledge(p_, {{&m, q, {w}, {}}}));
    for (std::size_t k = 0; k < xi.size(); ++k)
      if (known(twice[k]) != xi[k]) return false;
    return true;
  }

  sema::Tuple onGroup(const PhaseSlot& s, const sema::Tuple& from, const sema::Tuple& to) {
    const sema::Manifold& m = *s.manifold;
    const sema::Tuple back = mechanics::required(m, "inverse", {from});
    const sema::Tuple quotient = mechanics::required(m, "product",
                                                     s.handed == Handed::Opposite ? std::vector<sema::Tuple>{back, to}
                                                                                  : std::vector<sema::Tuple>{to, back});
    return mechanics::veeAtIdentity(m, sema::sub(g_, quotient, mechanics::required(m, "identity", {})));
  }

  /// The derivative of the same, not a difference in which what is small would be lost.
  sema::Tuple alongGroup(const PhaseSlot& s, const sema::Tuple& at, const sema::Tuple& moving) {
    const auto to = sema::dummies(g_, s.manifold->point(), "to");
    return sema::directional(p_, onGroup(s, at, sema::loads(g_, to, {})), to, moving, at);
  }

  Phase phase_;
  sym::Program& p_;
  sym::Graph& g_;
  std::vector<Piece> pieces_;
  bool whole_; ///< the state is one vector in storage
  ToleranceArrays tolerances_;
};

} // namespace

namespace {

const sym::Array* number(sym::Program& p, const std::string& name, Expr value) {
  sym::Equation e;
  e.array = p.graph().newArray(name, {}, sym::Shape::scalar(), sym::Role::Temp);
  e.value = value;
  const sym::Array* array = e.array;
  p.append(std::move(e));
  return array;
}

/// Of the squares s and z of estimates of two orders, s^2/(s + z/100): E. Hairer, S. P. Norsett, G. Wanner, "Solving
/// Ordinary Differential Equations I", 2nd ed., section II.10. With |s| = O(h^(q + 1)) and |z| = O(h^(r + 1)) the root
/// is O(h^(2 q - r + 1)), far below both, which for orders 5 and 3 is that of the error of order 8.
const sym::Array* combined(sym::Program& p, const sym::Array* square, const sym::Array* lower) {
  sym::Graph& g = p.graph();
  const Expr s = g.load(square);
  const Expr total = g.add(s, g.scale(sym::Number::ratio(1, 100), g.load(lower)));
  return number(p, square->name + ".combined",
                g.select(g.compare(sym::Op::Eq, total, g.number(0)), g.number(0), g.div(g.mul(s, s), total)));
}

/// The sum of squares of errors that have two causes.
const sym::Array* added(sym::Program& p, const sym::Array* square, const sym::Array* other) {
  return number(p, square->name + ".added", p.graph().add(p.graph().load(square), p.graph().load(other)));
}

/// An estimate of which the pieces and their tolerances are known.
ErrorEstimate declared(Measurement& m) {
  m.declareTolerances();
  ErrorEstimate e;
  for (const Piece& piece : m.pieces()) e.pieces.push_back(piece.name);
  e.tolerances = m.tolerances();
  return e;
}

/// The changes that the last terms of a series are.
std::vector<sema::Tuple> lastTerms(Measurement& m, const StepSeries& series) {
  std::vector<sema::Tuple> changes;
  for (std::size_t n = 0; n < series.terms.size(); ++n)
    changes.push_back(m.held(m.along(m.phase().state(), m.phase().loadPoint(series.terms[n])),
                             fmt::format("error{}", static_cast<std::size_t>(series.first) + n)));
  return changes;
}

} // namespace

ErrorEstimate errorEstimate(mechanics::Layer& layer, const Step& step) {
  Measurement m(layer);
  ErrorEstimate e = declared(m);
  if (step.series) {
    e.squares = m.errors("error", lastTerms(m, *step.series), {m.phase().state()});
    return e;
  }
  const sema::Tuple next = m.phase().loadPoint(step.compared.empty() ? step.next : step.compared);
  const sema::Tuple change = m.held(m.change(next, m.phase().loadPoint(step.embedded)), "error");
  e.squares = m.errors("error", {change}, {m.phase().state(), next});
  const auto other = [&](const sema::ArrayTuple& result, const char* name, auto both) {
    if (result.empty()) return;
    const sema::Tuple own = m.held(m.change(next, m.phase().loadPoint(result)), name);
    const std::vector<const sym::Array*> squares = m.errors(name, {own}, {m.phase().state(), next});
    for (std::size_t k = 0; k < e.squares.size(); ++k) e.squares[k] = both(layer.program(), e.squares[k], squares[k]);
  };
  other(step.embedded2, "error2", combined);
  other(step.turnBefore, "error of turns", added);
  return e;
}

ErrorEstimate estimateAtEnd(mechanics::Layer& layer, const Step& step) {
  Measurement m(layer);
  ErrorEstimate e = declared(m);
  const LastStage& last = step.last.value();
  for (std::size_t k = 0; k < last.given.size(); ++k) e.left.push_back({last.difference[k], last.given[k]});
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  Phase& phase = m.phase();
  const sema::Tuple next = phase.state();
  sema::Tuple before = next;
  const std::vector<bool> sized = m.sized();
  for (const PhaseSlot& s : phase.slots())
    for (std::size_t k = 0; k < s.state.size(); ++k) {
      if (!sized[s.pointOffset + k]) continue;
      const sym::Array& a = *s.state[k];
      const sym::Array* const value = sym::defineLike(
          p, a, a.name + " before", [&](const std::vector<Expr>& index) { return g.load(s.state[k], index); });
      e.left.push_back({value, g.newArray(value->name, a.extents, a.shape, sym::Role::State)});
      before[s.pointOffset + k] = g.load(e.left.back().given, s.index);
    }
  const sema::Tuple by = last.inStorage ? phase.loadPoint(last.change) : phase.loadAlgebra(last.change);
  const sema::Tuple change = m.held(m.moved(next, by, last.inStorage), "error");
  e.squares = m.errors("error", {change}, {before, next});
  return e;
}

StartRates startRates(mechanics::Layer& layer, const Step& step, const ToleranceArrays& tolerances) {
  Measurement m(layer);
  m.use(tolerances);
  Phase& phase = m.phase();
  sym::Graph& g = layer.program().graph();
  const Expr t = g.load(layer.model.time), h = g.load(step.stepSize);
  const sema::Tuple y = phase.state();
  const sema::Tuple f0 = phase.loadAlgebra(phase.storeAlgebra(phase.field(y, t, "start"), "start.f"));
  const sema::Tuple y1 = phase.act(sema::scale(g, h, f0), y);
  const sema::Tuple f1 = phase.loadAlgebra(phase.storeAlgebra(phase.field(y1, g.add(t, h), "ahead"), "ahead.f"));
  StartRates r;
  r.sizes = m.sizes("size", y);
  const sema::Tuple before = m.rates(y, f0), after = m.rates(y1, f1);
  r.rates = m.squares("rate", {before}, {y});
  r.changes = m.squares("change", {sema::sub(g, after, before)}, {y});
  return r;
}

} // namespace lmc::methods
