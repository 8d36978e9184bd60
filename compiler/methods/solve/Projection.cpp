#include "methods/solve/Projection.h"

#include "methods/solve/Newton.h"

#include <algorithm>

namespace lmc::methods {

using sym::Expr;

Projection::Projection(mechanics::Layer& layer, Phase& phase)
    : mechanics::Rows(layer.program()), layer_(layer), phase_(phase), c_(*layer.system.constraints) {}

sema::Tuple Projection::onConstraints(const sema::Tuple& y, Expr time, const std::string& name) {
  return onRates(onPositions(y, time, name + ".q"), time, name + ".v");
}

/// The first n rows and columns.
const sym::Array* Projection::block(const sym::Array* matrix, std::int64_t n, const std::string& name) {
  if (matrix->extents[0] == n) return matrix;
  const sym::Array* a = g_.newArray(name, {n, n}, sym::Shape::scalar(), sym::Role::Temp);
  copyMatrix(matrix, a, n);
  return a;
}

/// sum over rows of factors[row] matrix[row, …], for the velocities of a slot.
sema::Tuple Projection::combination(const PhaseSlot& slot, std::size_t factor, std::int64_t rows,
                                    const sym::Array* matrix, const sym::Array* factors, const std::string& name) {
  const std::vector<sema::Part>& algebra = slot.manifold->algebra();
  const int dimension = slot.manifold->algebraSize();
  const Expr member = slot.index.empty() ? Expr() : slot.index[0];
  std::vector<sym::Loop> loops;
  if (member) loops = {{member, g_.integer(1), g_.integer(slot.extent), false}};
  const sym::Array* total = vector(name, std::max<std::int64_t>(slot.extent, 1) * dimension);
  std::vector<Expr> list;
  for (int c = 0; c < dimension; ++c) {
    const Expr at = column(0, dimension, member, c);
    sum(total, loops, {at}, rows, [&](Expr r) {
      return g_.mul(g_.load(matrix, {r, column(c_.firstColumn[factor], dimension, member, c)}), g_.load(factors, {r}));
    });
    list.push_back(g_.load(total, {at}));
  }
  return sema::fromEntries(g_, algebra, list);
}

/// exp(u) y for the velocities u that the factors of the rows make.
sema::Tuple Projection::movedBy(const sema::Tuple& y, const sym::Array* moves, const sym::Array* factors,
                                const std::string& name) {
  const sema::Model& m = layer_.model;
  sema::Tuple k;
  for (std::size_t v = 0; v < m.order.size(); ++v) {
    const PhaseSlot& slot = phase_.slots()[v];
    const sema::Tuple nothing = sema::zero(g_, slot.algebraParts);
    if (!m.order[v].isFactor) {
      k.insert(k.end(), nothing.begin(), nothing.end());
      continue;
    }
    const sema::Tuple u = combination(slot, m.order[v].index, c_.positions, moves, factors, name);
    k.insert(k.end(), u.begin(), u.end());
    k.insert(k.end(), nothing.begin() + static_cast<std::ptrdiff_t>(u.size()), nothing.end());
  }
  return phase_.act(k, y);
}

sema::Tuple Projection::changedBy(const sema::Tuple& y, const sym::Array* response, const sym::Array* factors,
                                  const std::string& name) {
  const sema::Model& m = layer_.model;
  sema::Tuple r = y;
  for (std::size_t v = 0; v < m.order.size(); ++v) {
    if (!m.order[v].isFactor) continue;
    const PhaseSlot& slot = phase_.slots()[v];
    const sema::Tuple change = combination(slot, m.order[v].index, c_.rows, response, factors, name);
    for (std::size_t k = 0; k < change.size(); ++k) {
      Expr& own = r[slot.pointOffset + slot.pointCount + k];
      own = g_.sub(own, change[k]);
    }
  }
  return r;
}

/// One, and the sum of the absolute values of all points (velocities): rounding is a part of it.
const sym::Array* Projection::sizeOf(const sema::Tuple& y, bool points, const std::string& name) {
  const sym::Array* size = g_.newArray(name, {}, sym::Shape::scalar(), sym::Role::Temp);
  set(size, {}, {}, g_.number(1), sym::EquationKind::Accumulate);
  for (const PhaseSlot& s : phase_.slots()) {
    const std::size_t first = points ? 0 : s.pointCount;
    const std::size_t end = points ? s.pointCount : s.pointParts.size();
    for (std::size_t k = first; k < end; ++k) {
      Expr total = g_.number(0);
      for (const Expr& e : sema::entries(g_, {y[s.pointOffset + k]}))
        total = g_.add(total, g_.function(sym::Op::Abs, e));
      std::vector<sym::Loop> loops;
      if (!s.index.empty()) loops = {{s.index[0], g_.integer(1), g_.integer(s.extent), false}};
      set(size, loops, {}, total, sym::EquationKind::Accumulate);
    }
  }
  return size;
}

/// Factors mu at which `value`(mu) vanishes, from zero; to first order it is its value at zero and S mu.
///
/// The unknowns of the iteration are x = S mu and, added to it, the size of the terms of which the value is the sum:
/// changes below their rounding are not seen. With (1 - S S^-1) x the slope is near 1 where rows depend on each other.
const sym::Array* Projection::iterated(const sym::Array* s, const sym::Array* slopes, const sym::Array* size,
                                       const std::string& name,
                                       const std::function<const sym::Array*(const sym::Array*)>& value) {
  const std::int64_t n = s->extents[0];
  const sym::Array* terms = vector(name + ".terms", n);
  each(n, "i", [&](Expr i, const std::vector<sym::Loop>& loops) {
    sum(
        terms, loops, {i}, c_.columns,
        [&](Expr a) {
          return g_.mul(g_.load(size), g_.function(sym::Op::Abs, g_.load(slopes, {i, a})));
        },
        g_.load(c_.inactive, {i}));
  });
  const Expr index = g_.newIndex("i");
  const std::vector<sym::Loop> all = {{index, g_.integer(1), g_.integer(n), false}};
  const Space space{{name, sym::Shape::scalar(), n, {index}}};
  Newton newton(p_, {space});
  const auto factors = [&](Expr unknown, const std::string& own) {
    const sym::Array* x = vector(own + ".x", n);
    set(x, all, {index}, g_.sub(unknown, g_.load(terms, {index})));
    return std::pair{x, solveRows(s, x, own)};
  };
  const auto tried = factors(newton.iterate(0)[0], name + "?");
  const sym::Array* const x = tried.first;
  const sym::Array* const mu = tried.second;
  const sym::Array* values = value(mu);
  const sym::Array* residual = vector(name + ".residual", n);
  each(n, "i", [&](Expr i, const std::vector<sym::Loop>& loops) {
    sum(
        residual, loops, {i}, n,
        [&](Expr k) {
          return g_.neg(g_.mul(g_.load(s, {i, k}), g_.load(mu, {k})));
        },
        g_.add(g_.add(g_.load(values, {i}), g_.load(x, {i})), g_.mul(g_.load(c_.inactive, {i}), g_.load(mu, {i}))));
  });
  Newton::Settings settings;
  settings.nearOne = true;
  settings.limit = 2 * settings.limit; // far from the constraints secants take more turns than Newton's method
  newton.finish({{g_.load(terms, {index})}}, {{space, {g_.load(residual, {index})}}}, settings);
  return factors(newton.solution(0)[0], name).second;
}

sema::Tuple Projection::onPositions(const sema::Tuple& y, Expr time, const std::string& name) {
  if (c_.positions == 0) return y;
  const sema::Tuple begin = phase_.loadPoint(phase_.storePoint(y, name));
  if (c_.blocks) return sparseOnPositions(begin, time, name);
  const sema::ArrayTuple there = phase_.at(begin, time, {c_.moves, c_.matrix, c_.force}, name);
  const sym::Array* s = block(there[1], c_.positions, "S");
  const sym::Array* size = sizeOf(begin, true, name + ".size");
  const sym::Array* mu = iterated(s, there[2], size, name + ".mu", [&](const sym::Array* x) {
    const sema::Tuple moved = movedBy(begin, there[0], x, name + ".u");
    const sym::Array* all = phase_.at(moved, time, {c_.value}, name + "?")[0];
    const sym::Array* own = vector(name + ".c", c_.positions);
    each(c_.positions, "i",
         [&](Expr i, const std::vector<sym::Loop>& loops) { set(own, loops, {i}, g_.load(all, {i})); });
    return own;
  });
  return phase_.loadPoint(phase_.storePoint(movedBy(begin, there[0], mu, name + ".u"), name + "="));
}

sema::Tuple Projection::moved(const sema::Tuple& y, const sema::Tuple& z, Expr time, const sym::Array* mu,
                              const sym::Array* nu, const std::string& name) {
  const sema::Tuple there = phase_.loadPoint(phase_.storePoint(z, name + ".z"));
  const sema::ArrayTuple at = phase_.at(there, time, {c_.moves, c_.response}, name);
  const sema::Tuple begin = phase_.loadPoint(phase_.storePoint(y, name + ".y"));
  const sema::Tuple changed = changedBy(begin, at[1], nu, name + ".w");
  if (mu == nullptr) return changed;
  return movedBy(phase_.loadPoint(phase_.storePoint(changed, name + ".v")), at[0], mu, name + ".u");
}

bool Projection::isAffine() const {
  std::vector<const sym::Array*> fibers;
  for (const sema::Factor& f : layer_.model.factors) fibers.insert(fibers.end(), f.velocity.begin(), f.velocity.end());
  for (const std::size_t k : p_.slice({c_.jacobian})) {
    for (const sym::Array* a : p_.reads(k)) {
      if (std::find(fibers.begin(), fibers.end(), a) != fibers.end()) return false;
    }
  }
  return true;
}

sema::Tuple Projection::onRates(const sema::Tuple& y, Expr time, const std::string& name) {
  const sema::Tuple begin = phase_.loadPoint(phase_.storePoint(y, name));
  if (c_.blocks) return sparseOnRates(begin, time, name);
  const sema::ArrayTuple there = phase_.at(begin, time, {c_.rate, c_.response, c_.matrix, c_.jacobian}, name);
  const sym::Array* nu = nullptr;
  if (isAffine()) {
    nu = solveRows(there[2], there[0], name + ".nu");
  } else {
    const sym::Array* size = sizeOf(begin, false, name + ".size");
    nu = iterated(there[2], there[3], size, name + ".nu", [&](const sym::Array* x) {
      const sym::Array* rate = phase_.at(changedBy(begin, there[1], x, name + ".w"), time, {c_.rate}, name + "?")[0];
      const sym::Array* down = vector(name + ".-d", c_.rows); // grows with x, as S x does
      each(c_.rows, "i",
           [&](Expr i, const std::vector<sym::Loop>& loops) { set(down, loops, {i}, g_.neg(g_.load(rate, {i}))); });
      return down;
    });
  }
  return changedBy(begin, there[1], nu, name + ".w");
}

// --- by blocks
// --------------------------------------------------------------------------------------------------------

/// exp(u) y for stacked velocities, each less a number that all of them contain.
sema::Tuple Projection::movedByStacked(const sema::Tuple& y, const sym::Array* u, Expr less) {
  return phase_.act(unstacked(u, nullptr, less), y);
}

sema::Tuple Projection::unstacked(const PhaseSlot& slot, std::size_t factor, const sym::Array* stacked, Expr less) {
  const int dimension = slot.manifold->algebraSize();
  const Expr member = slot.index.empty() ? Expr() : slot.index[0];
  std::vector<Expr> list;
  for (int c = 0; c < dimension; ++c) {
    const Expr value = g_.load(stacked, {column(c_.firstColumn[factor], dimension, member, c)});
    list.push_back(less ? g_.sub(value, less) : value);
  }
  return sema::fromEntries(g_, slot.manifold->algebra(), list);
}

sema::Tuple Projection::withVelocities(sema::Tuple y, const sym::Array* stacked,
                                       const std::function<Expr(Expr, Expr)>& changed) {
  const sema::Model& m = layer_.model;
  for (std::size_t v = 0; v < m.order.size(); ++v) {
    if (!m.order[v].isFactor) continue;
    const PhaseSlot& slot = phase_.slots()[v];
    const sema::Tuple change = unstacked(slot, m.order[v].index, stacked, {});
    for (std::size_t k = 0; k < change.size(); ++k) {
      Expr& own = y[slot.pointOffset + slot.pointCount + k];
      own = changed(own, change[k]);
    }
  }
  return y;
}

sema::Tuple Projection::movedByStacked(const sema::Tuple& y, const sym::Array* u, const sym::Array* w,
                                       const std::string& name) {
  const sema::Tuple changed = withVelocities(phase_.loadPoint(phase_.storePoint(y, name + ".y")), w,
                                             [this](Expr own, Expr change) { return g_.sub(own, change); });
  if (u == nullptr) return changed;
  return movedByStacked(phase_.loadPoint(phase_.storePoint(changed, name + ".v")), u, {});
}

const sym::Array* Projection::blocksAt(const sema::Tuple& z, Expr time, const std::string& name) {
  return phase_.at(phase_.loadPoint(phase_.storePoint(z, name + ".z")), time, {c_.blocks->matrix->values}, name)[0];
}

std::vector<const sym::Array*>
Projection::missing(const sema::Tuple& z, Expr time,
                    const std::vector<std::pair<const sym::Array*, const sym::Array*>>& pairs,
                    const std::string& name) {
  const sym::Array* values = blocksAt(z, time, name);
  std::vector<mechanics::ConstraintBlocks::Family> positions;
  for (const mechanics::ConstraintBlocks::Family& f : c_.blocks->jacobian)
    if (!f.velocities) positions.push_back(f);
  std::vector<const sym::Array*> list;
  for (const auto& [a, factors] : pairs) {
    if (a == nullptr) {
      list.push_back(nullptr);
      continue;
    }
    list.push_back(vector(name + ".missing", c_.columns));
    mechanics::addProduct(p_, c_.blocks->mass, values, a, list.back(), 0, 1, false);
    mechanics::addProduct(p_, list.size() == 1 ? positions : c_.blocks->jacobian, values, factors, list.back(), 0, -1,
                          true);
  }
  return list;
}

const sym::Array* Projection::stacked(const sema::Tuple& k, bool points, const std::string& name) {
  const sema::Model& m = layer_.model;
  const sym::Array* all = vector(name, c_.columns);
  for (std::size_t v = 0; v < m.order.size(); ++v) {
    if (!m.order[v].isFactor) continue;
    const PhaseSlot& slot = phase_.slots()[v];
    const std::size_t parts = slot.manifold->algebra().size();
    const auto first = k.begin() + static_cast<std::ptrdiff_t>(slot.algebraOffset + (points ? 0 : parts));
    const std::vector<Expr> list = sema::entries(g_, sema::Tuple(first, first + static_cast<std::ptrdiff_t>(parts)));
    const Expr member = slot.index.empty() ? Expr() : slot.index[0];
    std::vector<sym::Loop> loops;
    if (member) loops = {{member, g_.integer(1), g_.integer(slot.extent), false}};
    for (int c = 0; c < slot.manifold->algebraSize(); ++c)
      set(all, loops, {column(c_.firstColumn[m.order[v].index], slot.manifold->algebraSize(), member, c)}, list[c]);
  }
  return all;
}

sema::Tuple Projection::unstacked(const sym::Array* u, const sym::Array* w, Expr less) {
  const sema::Model& m = layer_.model;
  sema::Tuple k;
  for (std::size_t v = 0; v < m.order.size(); ++v) {
    const PhaseSlot& slot = phase_.slots()[v];
    sema::Tuple all = sema::zero(g_, slot.algebraParts);
    if (m.order[v].isFactor) {
      const sema::Tuple point = unstacked(slot, m.order[v].index, u, less);
      const sema::Tuple velocity = w != nullptr ? unstacked(slot, m.order[v].index, w, {}) : sema::Tuple{};
      std::copy(velocity.begin(), velocity.end(), std::copy(point.begin(), point.end(), all.begin()));
    }
    k.insert(k.end(), all.begin(), all.end());
  }
  return k;
}

/// M u = B^T mu, c(exp(u) y) = 0. The unknowns of the iteration are u and, added to them, the mean size of positions:
/// changes below its rounding are not seen.
sema::Tuple Projection::sparseOnPositions(const sema::Tuple& begin, Expr time, const std::string& name) {
  const sym::Array* blocks = phase_.at(begin, time, {c_.blocks->matrix->values}, name)[0];
  const sym::Array* mean = g_.newArray(name + ".mean", {}, sym::Shape::scalar(), sym::Role::Temp);
  set(mean, {}, {},
      g_.add(g_.number(1), g_.scale(sym::Number::ratio(1, c_.columns), g_.load(sizeOf(begin, true, name + ".size")))));
  const Expr offset = g_.load(mean);
  mechanics::Saddle saddle(p_, c_, mechanics::positionBlocks(p_, c_, blocks), offset);
  const sema::Tuple moved =
      phase_.loadPoint(phase_.storePoint(movedByStacked(begin, saddle.change(), offset), name + "+"));
  const sym::Array* value = phase_.at(moved, time, {c_.value}, name + "?")[0];
  const sym::Loop r = sym::fullLoop(g_, "r", c_.rows);
  saddle.addToRow({r}, r.index, g_.load(value, {r.index}));
  const mechanics::Saddle::Solution solution = saddle.finish(name + ".mu", false);
  return phase_.loadPoint(phase_.storePoint(movedByStacked(begin, solution.change, offset), name + "="));
}

/// M w = B^T nu, d(xi + w) = 0.
sema::Tuple Projection::sparseOnRates(const sema::Tuple& begin, Expr time, const std::string& name) {
  const sema::ArrayTuple there = phase_.at(begin, time, {c_.blocks->matrix->values, c_.rate}, name);
  mechanics::Saddle saddle(p_, c_, there[0]);
  saddle.addRows();
  const sym::Loop r = sym::fullLoop(g_, "r", c_.rows);
  saddle.addToRow({r}, r.index, g_.load(there[1], {r.index}));
  const mechanics::Saddle::Solution solution = saddle.finish(name + ".nu", true);
  return withVelocities(begin, solution.change, [this](Expr own, Expr change) { return g_.add(own, change); });
}

} // namespace lmc::methods
