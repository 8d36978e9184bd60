#include "mechanics/constraints/MemberContacts.h"

#include "mechanics/constraints/Flat.h"
#include "mechanics/constraints/Refusals.h"
#include "mechanics/constraints/Rows.h"
#include "mechanics/system/Equations.h"
#include "sema/manifolds/Generator.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace lmc::mechanics {

using sym::Expr;

namespace {

class Collecting : private Rows {
public:
  Collecting(Layer& layer, Diagnostics& diagnostics)
      : Rows(layer.program()), layer_(layer), s_(layer.system), m_(layer.model), d_(diagnostics) {
    for (const sema::Factor& f : m_.factors) {
      leaves_.insert(f.point.begin(), f.point.end());
      leaves_.insert(f.velocity.begin(), f.velocity.end());
    }
    for (const sema::DiscreteVariable& v : m_.discretes) leaves_.insert(v.arrays.begin(), v.arrays.end());
    leaves_.insert(m_.time);
  }

  std::optional<MemberContacts> run() {
    for (const char* name : {"first index", "second index"})
      all_.indices[name[0] == 'f' ? 0 : 1] = g_.newArray(name, {}, sym::Shape::scalar(), sym::Role::StepSize);
    masses();
    for (const auto& contact : m_.stepped)
      for (const sema::SteppedContact::Clause& clause : contact->clauses)
        if (d_.hasErrors() || !member(*contact, clause)) return std::nullopt;
    return d_.hasErrors() ? std::nullopt : std::optional(std::move(all_));
  }

private:
  bool refuse(Range where, const std::string& why) {
    d_.error(Code::LIE0455, where, why)
        .suggest("methods on `manifold` step the accelerations of a few contacts of any kind");
    return false;
  }

  [[nodiscard]] std::int64_t dimension(std::size_t j) const { return m_.factors[j].manifold->algebraSize(); }

  // --- masses -------------------------------------------------------------------------------------------------------

  void masses() {
    for (const MassGroup& group : s_.groups) {
      if (group.dense != nullptr) {
        refuse(
            m_.stepped.front()->range,
            fmt::format("the mass matrix of `{}` couples the members of a family, and impulses are found with a block "
                        "for each member",
                        m_.factors[group.factors.front()].velocityName));
        return;
      }
      MemberMass mass;
      mass.factors = group.factors;
      const std::int64_t extent = m_.factors[group.factors[0]].extent;
      mass.extent = std::max<std::int64_t>(extent, 1);
      mass.constant = group.constant;
      for (const std::size_t j : group.factors) mass.size += dimension(j);
      mass.matrix = g_.newArray("M", {mass.extent, mass.size, mass.size}, sym::Shape::scalar(), sym::Role::Temp);
      std::vector<Expr> index = group.index;
      if (extent > 0 && index.empty()) index = {g_.newIndex("i")};
      const std::vector<sym::Loop> loops = memberLoop(g_, extent, index);
      const Expr member = index.empty() ? g_.integer(1) : index[0];
      for (std::int64_t a = 0; a < mass.size; ++a)
        for (std::int64_t b = 0; b < mass.size; ++b) {
          Expr e = group.matrix;
          if (group.structure == MassStructure::Scalar)
            e = a == b ? group.matrix : g_.number(0);
          else if (group.matrix->shape.rank == 2)
            e = g_.entry(group.matrix, static_cast<int>(a), static_cast<int>(b));
          set(mass.matrix, loops, {member, g_.integer(a + 1), g_.integer(b + 1)}, e);
        }
      all_.masses.push_back(std::move(mass));
    }
  }

  // --- one clause ---------------------------------------------------------------------------------------------------

  /// A velocity that a contact acts on.
  struct Slot {
    std::size_t factor = 0;
    Expr member; ///< empty for a single one
  };

  /// The same at the member that the arguments name.
  Expr atMember(Expr e, const sema::SteppedContact::Clause& clause) {
    sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
      for (std::size_t k = 0; k < clause.loops.size(); ++k)
        if (clause.loops[k].index.node() == &n) return g_.floorToInt(g_.load(all_.indices[k]));
      return {};
    });
    return substitution(e);
  }

  /// Written out, so that members of the state stand in it.
  Expr flat(Expr e, const sema::SteppedContact& contact, Range where) {
    const auto written = Flat(p_, leaves_)(e);
    if (written) return *written;
    refuse(where, fmt::format("`{}` is no expression of a few members: sums over families and recursions run through "
                              "others, too",
                              contact.name));
    return {};
  }

  bool member(const sema::SteppedContact& contact, const sema::SteppedContact::Clause& clause) {
    if (clause.loops.size() > 2)
      return refuse(clause.range, fmt::format("the members of `{}` have {} indices, and there may be two", contact.name,
                                              clause.loops.size()));
    MemberContact own;
    own.contact = &contact;
    own.clause = &clause;
    own.gap = flat(clause.gap, contact, clause.range);
    if (!own.gap) return false;
    const Expr gap = atMember(own.gap, clause);
    std::vector<Expr> numbers = {gap};
    for (const Expr& e : {clause.size, clause.restitution, clause.friction, clause.rest}) {
      const Expr written = flat(atMember(e, clause), contact, clause.range);
      if (!written) return false;
      numbers.push_back(written);
    }
    std::vector<Expr> rates = {rateOfPoints(layer_, gap)};
    if (clause.slip) {
      const Expr slip = flat(atMember(clause.slip, clause), contact, clause.range);
      if (!slip) return false;
      for (const Expr& e : sema::entries(g_, {slip})) rates.push_back(e);
    }
    own.tangents = static_cast<int>(rates.size()) - 1;
    numbers.insert(numbers.end(), rates.begin(), rates.end());
    for (const Slot& slot : slotsOf(rates)) {
      own.touched.push_back(slot.factor);
      numbers.push_back(slot.member ? g_.toReal(slot.member) : g_.number(1));
      if (!rowsOf(slot, rates, contact, clause, numbers)) return false;
    }
    own.numbers = vector("member of " + contact.name, static_cast<std::int64_t>(numbers.size()));
    for (std::size_t k = 0; k < numbers.size(); ++k)
      set(own.numbers, {}, {g_.integer(static_cast<std::int64_t>(k) + 1)}, layer_.simplify(numbers[k]));
    all_.contacts.push_back(std::move(own));
    return true;
  }

  [[nodiscard]] std::vector<Slot> slotsOf(const std::vector<Expr>& rates) const {
    std::vector<Slot> slots;
    sym::visitPostOrder(rates, [&](const sym::Node& n) {
      if (n.op != sym::Op::Load) return;
      for (std::size_t j = 0; j < m_.factors.size(); ++j) {
        const sema::ArrayTuple& own = m_.factors[j].velocity;
        if (std::find(own.begin(), own.end(), n.array) == own.end()) continue;
        const Expr member = n.args.empty() ? Expr() : n.args[0];
        if (std::none_of(slots.begin(), slots.end(),
                         [&](const Slot& s) { return s.factor == j && s.member == member; }))
          slots.push_back({j, member});
      }
    });
    return slots;
  }

  bool rowsOf(const Slot& slot, const std::vector<Expr>& rates, const sema::SteppedContact& contact,
              const sema::SteppedContact::Clause& clause, std::vector<Expr>& numbers) {
    std::vector<sema::Tuple> columns;
    for (int c = 0; c < dimension(slot.factor); ++c)
      columns.push_back(sema::unit(g_, m_.factors[slot.factor].manifold->algebra(), c));
    for (const Expr& rate : rates)
      for (const sema::Tuple& unit : columns) {
        const Expr slope = layer_.simplify(slopeOf(rate, slot, unit));
        if (readsVelocities(slope)) {
          reportNonlinearSlip(contact.name, clause.range, d_);
          return false;
        }
        numbers.push_back(slope);
      }
    return true;
  }

  Expr slopeOf(Expr rate, const Slot& slot, const sema::Tuple& unit) {
    const sema::Factor& f = m_.factors[slot.factor];
    sym::Tangent t(p_);
    for (std::size_t part = 0; part < unit.size(); ++part) {
      const Expr direction = unit[part], member = slot.member;
      t.seed(f.velocity[part], [direction, member](const std::vector<Expr>& index) {
        return index.empty() || index[0] == member ? direction : Expr();
      });
    }
    return t.of(rate);
  }

  [[nodiscard]] bool readsVelocities(Expr e) const {
    const auto read = sym::reads(e);
    return std::any_of(m_.factors.begin(), m_.factors.end(), [&](const sema::Factor& f) {
      return std::any_of(f.velocity.begin(), f.velocity.end(), [&](const sym::Array* a) { return read.contains(a); });
    });
  }

  Layer& layer_;
  const System& s_;
  const sema::Model& m_;
  Diagnostics& d_;
  MemberContacts all_;
  std::unordered_set<const sym::Array*> leaves_;
};

} // namespace

std::optional<MemberContacts> memberContacts(Layer& layer, Diagnostics& diagnostics) {
  return Collecting(layer, diagnostics).run();
}

Expr rateOfPoints(Layer& layer, Expr value) {
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  sym::Tangent flow(p);
  for (const sema::Factor& f : layer.model.factors)
    for (std::size_t part = 0; part < f.point.size(); ++part)
      flow.seed(f.point[part], [&p, &g, &f, part](const std::vector<Expr>& index) {
        return sema::generator(p, *f.manifold, f.frame, sema::loads(g, f.point, index),
                               sema::loads(g, f.velocity, index))[part];
      });
  flow.seed(layer.model.time, [&g](const std::vector<Expr>&) { return g.number(1); });
  return flow.of(value);
}

} // namespace lmc::mechanics
