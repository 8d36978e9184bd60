#include "mechanics/constraints/Contacts.h"

#include "mechanics/constraints/Rows.h"

#include <fmt/format.h>

namespace lmc::mechanics {

using sym::Expr;

namespace {

class ContactRows : private Rows {
public:
  ContactRows(Layer& layer, const ConstraintEquations& c)
      : Rows(layer.program(), contactLimit), m_(layer.model), c_(c) {}

  ContactEquations split(ConstraintEquations& c, const sym::Array* free) {
    const ContactEquations all{c.value, c.rate, c.jacobian, c.response, c.bias, free};
    c.value = held(all.value, "held c");
    c.rate = held(all.rate, "held dc");
    c.jacobian = c.force = held(all.jacobian, "held B");
    c.response = held(all.response, "held response");
    c.bias = held(all.bias, "held gamma");
    return all;
  }

  using RowOf = std::function<Expr(std::size_t, int)>;
  using LoopsOf = std::function<std::vector<sym::Loop>(std::size_t)>;

  const sym::Array* forces(const ContactEquations& all, const sym::Array* lambda, const RowOf& rowOf,
                           const LoopsOf& loopsOf) {
    for (const sema::Contact& x : m_.contacts) defineScale(x, all, rowOf, loopsOf);
    std::int64_t count = 0;
    for (const sema::Contact& x : m_.contacts)
      if (x.slip) count += x.mode->count();
    if (count == 0) return lambda;
    drag_ = g_.newArray("mu d", {count, c_.columns}, sym::Shape::scalar(), sym::Role::Temp);
    std::int64_t first = 0;
    for (const sema::Contact& x : m_.contacts) {
      if (!x.slip) continue;
      defineDrag(x, first, all, rowOf, loopsOf);
      first += x.mode->count();
    }
    return withFriction(count, lambda, rowOf, loopsOf);
  }

private:
  const sym::Array* held(const sym::Array* from, const std::string& name) {
    const sym::Array* to = g_.newArray(name, from->extents, sym::Shape::scalar(), sym::Role::Temp);
    const bool matrix = from->extents.size() == 2;
    each(c_.rows, "i", [&](Expr i, const std::vector<sym::Loop>& rows) {
      const Expr holds = g_.sub(g_.number(1), g_.load(c_.inactive, {i}));
      const auto one = [&](const std::vector<Expr>& at, const std::vector<sym::Loop>& loops) {
        set(to, loops, at, g_.mul(holds, g_.load(from, at)));
      };
      if (!matrix) return one({i}, rows);
      each(c_.columns, "a", [&](Expr a, const std::vector<sym::Loop>& columns) {
        std::vector<sym::Loop> loops = rows;
        loops.insert(loops.end(), columns.begin(), columns.end());
        one({i, a}, loops);
      });
    });
    return to;
  }

  static std::vector<Expr> indices(const std::vector<sym::Loop>& loops) { return sym::indicesOf(loops); }

  /// The position of the member of loops among those of a contact, counted from `first`.
  Expr member(const sym::Array& mode, const std::vector<sym::Loop>& loops, std::int64_t first) {
    Expr at = g_.integer(0);
    for (std::size_t e = 0; e < loops.size(); ++e)
      at = g_.add(g_.mul(g_.integer(mode.extents[e]), at), g_.sub(loops[e].index, g_.integer(1)));
    return g_.add(g_.integer(first + 1), at);
  }

  /// What forces at a contact without it would be: (|gamma| + sum |B a|)/(B M^-1 B^T).
  void defineScale(const sema::Contact& x, const ContactEquations& all, const RowOf& rowOf, const LoopsOf& loopsOf) {
    const std::vector<sym::Loop> loops = loopsOf(x.normal);
    const Expr row = rowOf(x.normal, 0);
    const auto vectorOf = [&](const char* name) {
      return g_.newArray(name, x.mode->extents, sym::Shape::scalar(), sym::Role::Temp);
    };
    const sym::Array* size = vectorOf("size of forces");
    const sym::Array* own = vectorOf("B M^-1 B^T");
    sum(
        size, loops, indices(loops), c_.columns,
        [&](Expr a) {
          return g_.function(sym::Op::Abs, g_.mul(g_.load(all.jacobian, {row, a}), g_.load(all.free, {a})));
        },
        g_.function(sym::Op::Abs, g_.load(all.bias, {row})));
    sum(own, loops, indices(loops), c_.columns, [&](Expr a) {
      return g_.mul(g_.load(all.jacobian, {row, a}), g_.load(all.response, {row, a}));
    });
    set(x.scale, loops, indices(loops), g_.div(g_.load(size, indices(loops)), g_.load(own, indices(loops))));
  }

  /// 1 where the contact slides.
  Expr slides(const sema::Contact& x, const std::vector<Expr>& at) {
    const Expr mode = g_.load(x.mode, at);
    const auto half = [&](int k) { return g_.number(sym::Number::ratio(k, 2)); };
    return g_.logic(sym::Op::And, g_.compare(sym::Op::Lt, half(1), mode), g_.compare(sym::Op::Lt, mode, half(3)));
  }

  /// The direction of a slip s that began in the direction of m, which is very short: it goes on through zero. The
  /// memory counts where the slip is not longer than it, with the weight 1/(1 + (|s|/|m|)^8).
  Expr direction(Expr s, Expr m) {
    if (m->shape.rank == 0) return g_.select(g_.compare(sym::Op::Lt, m, g_.number(0)), g_.number(-1), g_.number(1));
    const Expr back = g_.compare(sym::Op::Lt, g_.inner(s, m), g_.number(0));
    const Expr one = g_.number(1), part = g_.div(g_.inner(s, s), g_.inner(m, m));
    const Expr weight = g_.div(one, g_.add(one, g_.powInt(part, 4)));
    const Expr sum = g_.add(g_.select(back, g_.neg(s), s), g_.mul(weight, m));
    return g_.div(sum, g_.function(sym::Op::Sqrt, g_.inner(sum, sum)));
  }

  void defineDrag(const sema::Contact& x, std::int64_t first, const ContactEquations& all, const RowOf& rowOf,
                  const LoopsOf& loopsOf) {
    const std::vector<sym::Loop> loops = loopsOf(*x.slip);
    const std::vector<Expr> at = indices(loops);
    const sema::Constraint& slip = m_.constraints[*x.slip];
    const sym::Array* d = g_.newArray("d", slip.array->extents, slip.array->shape, sym::Role::Temp);
    const Expr pull = g_.mul(g_.load(x.coefficient, at), direction(g_.load(slip.array, at), g_.load(x.memory, at)));
    set(d, loops, at, g_.select(slides(x, at), pull, g_.zero(slip.array->shape)));
    directions_.push_back(d);
    const Expr f = member(*x.mode, loops, first);
    each(c_.columns, "a", [&](Expr a, const std::vector<sym::Loop>& columns) {
      std::vector<sym::Loop> both = loops;
      both.insert(both.end(), columns.begin(), columns.end());
      Expr total = g_.number(0);
      for (int e = 0; e < slip.array->shape.size(); ++e)
        total = g_.add(total, g_.mul(component(g_.load(d, at), e), g_.load(all.response, {rowOf(*x.slip, e), a})));
      set(drag_, both, {f, a}, total);
    });
  }

  Expr component(Expr v, int e) { return v->shape.rank == 0 ? v : g_.entry(v, e); }

  const sym::Array* withFriction(std::int64_t count, const sym::Array* lambda, const RowOf& rowOf,
                                 const LoopsOf& loopsOf) {
    const sym::Array* c = g_.newArray("C", {count, c_.rows}, sym::Shape::scalar(), sym::Role::Temp);
    const sym::Array* y = g_.newArray("Y", {count, c_.rows}, sym::Shape::scalar(), sym::Role::Temp);
    each(count, "f", [&](Expr f, const std::vector<sym::Loop>& outer) {
      each(c_.rows, "i", [&](Expr i, const std::vector<sym::Loop>& rows) {
        std::vector<sym::Loop> loops = outer;
        loops.insert(loops.end(), rows.begin(), rows.end());
        sum(c, loops, {f, i}, c_.columns, [&](Expr a) {
          return g_.mul(g_.load(c_.jacobian, {i, a}), g_.load(drag_, {f, a}));
        });
      });
    });
    solveEach(c_.matrix, c, y);
    // Normal forces of the contacts with friction.
    const sym::Array* k = g_.newArray("1 - Y", {count, count}, sym::Shape::scalar(), sym::Role::Temp);
    const sym::Array* x = vector("X", count);
    const sym::Array* normal = vector("lambda(N)", count);
    forContacts(rowOf, loopsOf, [&](const sema::Contact& own, const std::vector<sym::Loop>& loops, Expr f, Expr row) {
      set(x, loops, {f}, g_.load(lambda, {row}));
      each(count, "g", [&](Expr g, const std::vector<sym::Loop>& others) {
        std::vector<sym::Loop> both = loops;
        both.insert(both.end(), others.begin(), others.end());
        const Expr one = g_.select(g_.compare(sym::Op::Eq, g, f), g_.number(1), g_.number(0));
        set(k, both, {f, g}, g_.sub(one, g_.load(y, {g, row})));
      });
      set(own.pivot, loops, indices(loops), g_.load(k, {f, f}));
    });
    solveStacked(count, k, x, normal, sym::Definite::No);
    // All multipliers.
    const sym::Array* held = vector("held lambda", c_.rows);
    each(c_.rows, "i", [&](Expr i, const std::vector<sym::Loop>& rows) {
      sum(
          held, rows, {i}, count,
          [&](Expr f) {
            return g_.mul(g_.load(y, {f, i}), g_.load(normal, {f}));
          },
          g_.load(lambda, {i}));
    });
    const sym::Array* all = vector("lambda(all)", c_.rows);
    each(c_.rows, "i", [&](Expr i, const std::vector<sym::Loop>& rows) {
      set(all, rows, {i}, g_.load(held, {i}), sym::EquationKind::Accumulate);
    });
    std::size_t next = 0;
    forContacts(rowOf, loopsOf, [&](const sema::Contact& own, const std::vector<sym::Loop>& loops, Expr f, Expr) {
      const Expr d = g_.load(directions_[next++], indices(loops));
      for (int e = 0; e < m_.constraints[*own.slip].array->shape.size(); ++e)
        set(all, loops, {rowOf(*own.slip, e)}, g_.neg(g_.mul(component(d, e), g_.load(normal, {f}))),
            sym::EquationKind::Accumulate);
    });
    return all;
  }

  void forContacts(const RowOf& rowOf, const LoopsOf& loopsOf,
                   const std::function<void(const sema::Contact&, const std::vector<sym::Loop>&, Expr, Expr)>& body) {
    std::int64_t first = 0;
    for (const sema::Contact& x : m_.contacts) {
      if (!x.slip) continue;
      // The rows of both constraints are in terms of loops of their own, over the same members.
      const std::vector<sym::Loop> loops = loopsOf(*x.slip), normal = loopsOf(x.normal);
      Expr row = rowOf(x.normal, 0);
      for (std::size_t e = 0; e < loops.size(); ++e) row = replaced(row, normal[e].index, loops[e].index);
      body(x, loops, member(*x.mode, loops, first), row);
      first += x.mode->count();
    }
  }

  Expr replaced(Expr e, Expr from, Expr to) {
    sym::Substitution s(g_,
                        [&](const sym::Node& n, const std::vector<Expr>&) { return from.node() == &n ? to : Expr(); });
    return s(e);
  }

  /// Rows y with S y = b, the shortest where rows of S depend on each other.
  void solveEach(const sym::Array* s, const sym::Array* b, const sym::Array* y) {
    const std::int64_t n = c_.rows;
    if (n > written_) {
      sym::Equation e;
      e.kind = sym::EquationKind::LinearSolve;
      e.array = y;
      const sym::Array* own = g_.newArray(s->name, {n, n}, sym::Shape::scalar(), sym::Role::Temp);
      const sym::Loop i = sym::fullLoop(g_, "i", n), j = sym::fullLoop(g_, "j", n);
      set(own, {i, j}, {i.index, j.index}, g_.load(s, {i.index, j.index}));
      e.matrix = own; // its factors take the place of the matrix
      e.rhs = b;
      e.semidefinite = true;
      p_.append(std::move(e));
      return;
    }
    const int size = static_cast<int>(n);
    std::vector<Expr> m;
    for (int i = 1; i <= size; ++i)
      for (int j = 1; j <= size; ++j) m.push_back(g_.load(s, {g_.integer(i), g_.integer(j)}));
    const Expr matrix = g_.matrix(size, size, m);
    each(b->extents[0], "f", [&](Expr f, const std::vector<sym::Loop>& loops) {
      std::vector<Expr> rhs;
      for (int i = 1; i <= size; ++i) rhs.push_back(g_.load(b, {f, g_.integer(i)}));
      const Expr solution = g_.solve(matrix, g_.vector(rhs), sym::Definite::Semi);
      for (int i = 0; i < size; ++i) set(y, loops, {f, g_.integer(i + 1)}, g_.entry(solution, i));
    });
  }

  const sema::Model& m_;
  const ConstraintEquations& c_;
  const sym::Array* drag_ = nullptr;
  std::vector<const sym::Array*> directions_; ///< mu d of the contacts with friction
};

} // namespace

bool hasTooManyContacts(const sema::Model& model, Diagnostics& diagnostics) {
  std::int64_t count = 0;
  for (const sema::Contact& x : model.contacts)
    if (x.slip) count += x.mode->count();
  if (count <= mostFrictionContacts) return false;
  diagnostics
      .error(Code::LIE0448, model.contacts.front().range,
             fmt::format("the model has {} contacts with friction; up to {} are solved for together", count,
                         mostFrictionContacts))
      .note("their forces are the solution of one dense system that is written out")
      .suggest("fewer contacts, or contacts without friction");
  return true;
}

ContactEquations splitContacts(Layer& layer, ConstraintEquations& equations, const sym::Array* free) {
  return ContactRows(layer, equations).split(equations, free);
}

const sym::Array* contactForces(Layer& layer, const ConstraintEquations& equations, const ContactEquations& all,
                                const sym::Array* lambda, const std::function<Expr(std::size_t, int)>& rowOf,
                                const std::function<std::vector<sym::Loop>(std::size_t)>& loopsOf) {
  return ContactRows(layer, equations).forces(all, lambda, rowOf, loopsOf);
}

} // namespace lmc::mechanics
