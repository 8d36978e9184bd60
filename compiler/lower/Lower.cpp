// Equations to loops and straight-line code; functions and the setup function of a module.
#include "lower/Lower.h"

#include "lower/LowerContext.h"
#include "lower/LowerCopies.h"
#include "lower/LowerNear.h"
#include "lower/LowerNewton.h"
#include "lower/LowerSeries.h"
#include "lower/LowerSetup.h"
#include "lower/LowerSparse.h"
#include "lower/builder/Copies.h"
#include "lower/builder/KeptValues.h"
#include "lower/builder/PairRows.h"
#include "lower/builder/Parameters.h"
#include "lower/builder/RegroupedValues.h"
#include "lower/builder/ShareMemory.h"
#include "lower/builder/Sums.h"

#include <algorithm>
#include <stdexcept>

namespace lmc::lower {

using sym::Equation;
using sym::EquationKind;

class Lowering::Impl {
public:
  Impl(const sym::Program& program, bool hoist)
      : p_(program), hoist_(hoist), setup_("setup", 0),
        constantsBuffer_(hoist ? addBuffer(module_, "constants", runtime::Role::Constants, 0, 0) : -1),
        s_(hoist ? &setup_ : nullptr, constantsBuffer_), x_(s_, module_) {
    if (hoist) module_.functions.emplace_back(); // setup, filled in by finish
  }

  void bindInput(const sym::Array* a, runtime::Role role, std::int64_t offset, std::vector<bool> zeros) {
    Place p;
    p.zeros = std::move(zeros);
    p.buffer = bufferAt(module_, role, offset); // what an earlier function writes there
    if (p.buffer < 0) p.buffer = addBuffer(module_, a->name, role, offset, a->size());
    inputs_[a] = p;
  }

  void bindLiveInput(const sym::Array* a, std::int64_t offset) {
    bindInput(a, runtime::Role::Params, offset, {});
    inputs_[a].live = true;
    parameterOnly_.setLive(a);
  }

  void bindArgument(const sym::Array* a, int position) {
    Place p;
    p.argument = position;
    inputs_[a] = p;
  }

  void keepNotes() { notes_ = true; }
  void useLists() { near_.wanted = true; }
  void usePivots(Pivots which, Rank rank, const Dependent& dependent) {
    x_.leastNorm = rank == Rank::Any;
    x_.dependent = dependent;
    x_.indefinite = which == Pivots::All;
    routinesPivot_ = which != Pivots::None;
  }

  void bindReport(runtime::Role role, std::int64_t offset) { report_ = addBuffer(module_, "report", role, offset, 3); }

  int addFunction(const std::string& name, int arguments, const std::vector<OutputBinding>& outputs, Use use) {
    Builder function(name, arguments);
    s_.begin(&function);
    x_.forgetAll();
    const auto writesState = [](const OutputBinding& o) { return o.role == runtime::Role::State; };
    x_.careful = !hoist_ || (use == Use::Alone && std::none_of(outputs.begin(), outputs.end(), writesState));
    std::erase_if(x_.places, [](const auto& entry) { return !entry.second.setup; });
    for (const auto& [a, place] : inputs_) x_.places[a] = place;
    near_.beginFunction(!x_.careful);
    filled_.clear();
    std::erase_if(factored_, [&](const auto& entry) { return !x_.places.contains(entry.first); });
    sparse_.forget();
    std::vector<const sym::Array*> roots;
    roots.reserve(outputs.size());
    for (const OutputBinding& o : outputs) roots.push_back(o.array);
    const std::vector<std::size_t> slice = withoutGiven(p_, roots, [&](auto* a) { return inputs_.contains(a); });
    std::vector<std::size_t> once, each;
    for (const std::size_t k : slice) {
      const sym::Array* a = p_.equations()[k].array;
      if (hoist_ && parameterOnly_(a)) {
        if (!x_.places.contains(a) || pendingSetup_.contains(a)) {
          once.push_back(k);
          pendingSetup_.insert(a);
        }
      } else {
        each.push_back(k);
      }
    }
    regrouped_.make(p_, each);
    stacked_ = stackedArrays(p_, slice);
    spill_(once); // of the functions before
    lowerSetup(once);
    pendingSetup_.clear();
    spill_(each);
    copies_.place(each, outputs, use == Use::InStep);
    bodies_ = extractBodies(p_, each);
    copies_.separateInputs(each, bodies_, stacked_);
    lowerAll(each, roots, true);
    copies_.write(outputs);
    const auto ownMemory = [&](std::int32_t b) { return isOwnMemory(module_.buffers[static_cast<std::size_t>(b)]); };
    tape::Function f = fuseSums(keepValues(function.finish(ownMemory), module_), module_.buffers);
    return add(near_.wanted ? rowsOfPairs(std::move(f), module_) : std::move(f));
  }

  int add(tape::Function function) {
    module_.functions.push_back(std::move(function));
    return static_cast<int>(module_.functions.size()) - 1;
  }
  tape::Module& module() { return module_; }

  tape::Module finish(int step) {
    if (hoist_) {
      s_.enterSetup();
      s_.storeSlots();
      s_.leaveSetup();
      tape::Buffer& constants = module_.buffers[constantsBuffer_];
      constants.offset = module_.roleSize[static_cast<int>(runtime::Role::Constants)];
      constants.size = s_.slots();
      module_.roleSize[static_cast<int>(runtime::Role::Constants)] += constants.size;
      module_.functions[0] = setup_.finish();
    }
    module_.step = step;
    shareWorkMemory(module_);
    return std::move(module_);
  }

private:
  std::vector<Scalar> valueOf(const Equation& e) {
    if (e.positive && (e.near || !x_.indefinite)) x_.requirePositive(regrouped_(e.positive), e.near);
    std::vector<Scalar> v = x_.lower(regrouped_(e.value));
    if (notes_) x_.note(e, v, setup_);
    return v;
  }

  void lowerSetup(const std::vector<std::size_t>& equations) {
    if (equations.empty()) return;
    s_.enterSetup();
    lowerAll(equations, {}, false);
    for (const std::size_t k : equations) x_.places[p_.equations()[k].array].setup = true;
    s_.leaveSetup();
    x_.forgetAll();
  }

  void lowerAll(const std::vector<std::size_t>& equations, const std::vector<const sym::Array*>& outputs, bool contract,
                const std::vector<std::size_t>& later = {}) {
    const Schedule plan = schedule(p_, equations, outputs, contract, bodies_, later);
    for (const std::size_t k : equations) {
      const sym::Array* a = p_.equations()[k].array;
      if (x_.places.contains(a)) continue;
      Place p;
      p.storage = plan.storage.at(a);
      p.separate = p.storage == ArrayStorage::Memory && a->shape.size() > 1 && !stacked_.contains(a);
      const std::int64_t size = p.separate ? separateSize(*a) : a->size();
      if (p.storage == ArrayStorage::Memory) p.buffer = copies_.inPlace(a);
      if (p.buffer < 0 && p.storage == ArrayStorage::Memory) p.buffer = x_.scratch(a->name, size);
      p.depth = s_.inSetup() ? 0 : s_.builder().depth();
      if (p.storage == ArrayStorage::Registers || (p.storage == ArrayStorage::Memory && plan.straight.contains(a)))
        p.registers.assign(static_cast<std::size_t>(size), s_.real(0));
      x_.places[a] = std::move(p);
    }
    x_.noteRoots(regrouped_.values(p_, equations));
    for (const Group& g : plan.groups) {
      const std::size_t first = g.equations[0];
      const EquationKind kind = g.straight ? EquationKind::Set : p_.equations()[first].kind;
      if (kind == EquationKind::LinearSolve)
        lowerLinearSolve(p_.equations()[first]);
      else if (kind == EquationKind::Newton)
        lowerNewton(first);
      else if (kind == EquationKind::Series)
        lowerSeries(first);
      else if (g.straight)
        for (const std::size_t k : g.equations) lowerStraight(p_.equations()[k]);
      else
        lowerLoops(g);
    }
  }

  void prepare(const Equation& e) {
    const Place& p = x_.places.at(e.array);
    if (e.kind != EquationKind::Accumulate || p.storage != ArrayStorage::Memory) return;
    if (p_.equations()[p_.writers(e.array).front()].kind != EquationKind::Accumulate) return;
    if (filled_.insert(e.array).second) s_.builder().fill(p.buffer);
  }

  void lowerStraight(const Equation& e) {
    prepare(e);
    x_.writing = {e.array};
    unroll(e, 0);
    x_.writing.clear();
  }

  void unroll(const Equation& e, std::size_t depth) {
    if (depth == e.loops.size()) return assign(e);
    const sym::Loop& l = e.loops[depth];
    const auto lo = s_.constantInt(x_.scalar(l.lo)), hi = s_.constantInt(x_.scalar(l.hi));
    if (!lo || !hi) throw std::logic_error("an unrolled loop needs constant bounds");
    for (std::int64_t k = 0; k <= *hi - *lo; ++k) {
      x_.bindIndex(l.index, s_.integer(l.descending ? *hi - k : *lo + k));
      unroll(e, depth + 1);
    }
  }

  void lowerLoops(const Group& g) {
    for (const std::size_t k : g.equations) {
      prepare(p_.equations()[k]);
      x_.writing.insert(p_.equations()[k].array);
    }
    // Sums over near pairs have loops of their own, in each of which the values of one turn are worked out.
    const Nests nests = nestsOf(p_, g.equations);
    std::vector<std::size_t> values;
    for (const std::size_t k : nests.others)
      if (x_.places.at(p_.equations()[k].array).storage == ArrayStorage::Contracted) values.push_back(k);
    if (nests.near.empty() || values.size() < nests.others.size()) lowerNest(nests.others, {}, nullptr);
    for (const NearSums& near : nests.near)
      lowerNest(values, near_.list(p_.equations()[near.equations[0]], near.bound), &near);
    x_.writing.clear();
  }

  /// Loops around equations, and around sums over near pairs, the inner one over the rows of their list.
  void lowerNest(const std::vector<std::size_t>& equations, const NearLowering::List& list, const NearSums* near) {
    const Equation& first = p_.equations()[near != nullptr ? near->equations[0] : equations[0]];
    if (near != nullptr) near_.beginTotals(p_, *near);
    std::vector<Scalar> index;
    for (std::size_t d = 0; d < first.loops.size(); ++d) {
      const sym::Loop& l = first.loops[d];
      const tape::Value lo = s_.local(x_.scalar(l.lo)), hi = s_.local(x_.scalar(l.hi));
      const bool listed = list.buffer >= 0 && d == 1;
      index.push_back(
          {listed ? near_.beginLoop(lo, hi, list, index[0].id) : s_.builder().beginLoop(lo, hi, l.descending),
           s_.inSetup()});
      x_.bindIndex(l.index, index.back());
    }
    const auto turn = [&](std::size_t k) -> const Equation& {
      const Equation& e = p_.equations()[k];
      for (std::size_t d = 0; d < e.loops.size(); ++d) x_.bindIndex(e.loops[d].index, index[d]);
      return e;
    };
    for (const std::size_t k : equations) assign(turn(k));
    if (near != nullptr) { // one branch for all: forces on both members, and energies
      s_.builder().beginIf(s_.local(x_.scalar(turn(near->equations[0]).guard)));
      for (const std::size_t k : near->equations)
        near_.isTotal(k) ? near_.add(k, valueOf(turn(k)), index[0].id) : put(turn(k), {}, true);
      s_.builder().endIf();
    }
    for (std::size_t d = 0; d < first.loops.size(); ++d) s_.builder().endLoop();
    near_.endTotals();
    x_.forgetIndexed();
  }

  /// array[index] = value or += value for the present values of the loop indices.
  void assign(const Equation& e) {
    Place& p = x_.places.at(e.array);
    if (p.storage == ArrayStorage::Contracted) {
      std::vector<Scalar> v = valueOf(e); // which may make room in places
      x_.places.at(e.array).current = std::move(v);
      return;
    }
    const Scalar guard = e.guard ? x_.scalar(e.guard) : s_.boolean(true);
    const auto known = s_.constantInt(guard);
    if (known == 0) return;
    const bool branch = !known && p.storage == ArrayStorage::Memory;
    if (branch) s_.builder().beginIf(s_.local(guard));
    put(e, known ? std::nullopt : std::optional(guard), false);
    if (branch) s_.builder().endIf();
  }

  /// The value into its place; where a guard has to be asked still, it is given.
  void put(const Equation& e, const std::optional<Scalar>& guard, bool inOrder) {
    Place& p = x_.places.at(e.array);
    const std::vector<Scalar> v = valueOf(e);
    std::vector<Scalar> index;
    for (const sym::Expr& i : e.index) index.push_back(x_.scalar(i));
    const Scalar element = x_.position(e.array, index);
    for (std::size_t k = 0; k < v.size(); ++k) {
      const Scalar at = x_.entry(e.array, p, element, k);
      const bool sum = e.kind == EquationKind::Accumulate;
      if (p.storage == ArrayStorage::Registers) {
        Scalar& slot = p.registers.at(static_cast<std::size_t>(s_.constantInt(at).value()));
        const Scalar term = !guard ? v[k] : s_.select(*guard, v[k], sum ? s_.real(0) : slot);
        slot = sum ? s_.add(slot, term) : term;
      } else if (!p.registers.empty()) {
        x_.writeRemembered(p, at, v[k], sum, guard.has_value());
      } else if (sum) {
        s_.builder().accumulate(p.buffer, s_.local(at), s_.local(v[k]), inOrder);
      } else {
        s_.builder().store(p.buffer, s_.local(at), s_.local(v[k]));
      }
    }
  }

  void lowerNewton(std::size_t k) {
    const Equation& e = p_.equations()[k];
    const sym::NewtonIteration& newton = *e.newton;
    NewtonLowering iteration(s_.builder(), s_, x_, newton,
                             {x_.placeOf(newton.start), x_.places.at(e.array).buffer, report_});
    factorBefore(bodies_[k]);
    if (newton.sparse && newton.product == nullptr) return lowerSparse(iteration, newton, bodies_[k]);
    if (newton.change != nullptr) return lowerEliminated(iteration, newton, bodies_[k]);
    SparseLowering::Factors near; // of a matrix near the Jacobian
    if (newton.sparse) sparse_.factor(*newton.sparse, near = sparse_.place(*newton.sparse));
    iteration.begin();
    std::vector<std::size_t> body = bodies_[k];
    const std::vector<std::size_t> products = extractDependents(p_, body, newton.direction, bodies_);
    if (!newton.columns.empty()) {
      lowerColumns(iteration, newton, std::move(body));
    } else if (newton.jacobian != nullptr) {
      const std::vector<std::size_t> forResidual = takeSlice(p_, newton.residual, body);
      lowerAll(forResidual, {newton.residual}, true, body);
      factorBefore(body);
      iteration.beginJacobian(x_.placeOf(newton.residual));
      lowerAll(body, {newton.jacobian}, true);
      iteration.endJacobian(x_.placeOf(newton.jacobian));
    } else {
      lowerAll(body, {newton.residual}, true, products);
      factorBefore(products);
      iteration.beginProducts(x_.placeOf(newton.residual), near.plan, near.factors);
      lowerAll(products, {newton.product}, true);
      iteration.endProducts(x_.placeOf(newton.product));
    }
    iteration.end(newton.tolerance ? std::optional(s_.local(x_.scalar(newton.tolerance))) : std::nullopt);
    x_.forgetIndexed();
  }

  void lowerSeries(std::size_t k) {
    const Equation& e = p_.equations()[k];
    SeriesLowering recursion(s_.builder(), s_, x_, *e.series, x_.places.at(e.array).buffer, e.array->extents[1]);
    factorBefore(bodies_[k]);
    recursion.begin();
    std::vector<std::size_t> body = bodies_[k]; // first of all what follows from x_n alone
    const std::vector<std::size_t> late = extractDependents(p_, body, recursion.sums(), bodies_);
    lowerAll(body, recursion.results(), true, late);
    lowerAll(late, recursion.results(), true);
    recursion.end();
  }

  /// With a Jacobian whose columns are loops over directions.
  void lowerColumns(NewtonLowering& iteration, const sym::NewtonIteration& newton, std::vector<std::size_t> body) {
    std::vector<const sym::Array*> directions;
    for (const sym::JacobianColumns& c : newton.columns) directions.push_back(c.direction);
    const std::vector<std::size_t> later = body;
    std::vector<std::size_t> products = extractDependents(p_, body, directions, bodies_);
    lowerAll(takeSlice(p_, newton.residual, body), {newton.residual}, true, later);
    factorBefore(later);
    iteration.beginJacobian(x_.placeOf(newton.residual));
    lowerAll(body, {}, true, products);
    for (const sym::JacobianColumns& c : newton.columns) {
      iteration.beginColumns(c);
      lowerAll(extractDependents(p_, products, {c.direction}, bodies_), {c.product}, true);
      iteration.endColumns(c, x_.placeOf(c.product));
      x_.forgetIndexed();
    }
    iteration.endJacobian();
  }

  /// With equations for the change, or the residual for it; what they keep is made in a branch.
  void lowerEliminated(NewtonLowering& iteration, const sym::NewtonIteration& newton, std::vector<std::size_t> body) {
    iteration.begin();
    const auto forResidual = takeSlice(p_, newton.residual, body);
    lowerAll(forResidual, {newton.residual}, true, body);
    if (newton.change == newton.residual) {
      iteration.moveBySecants(x_.placeOf(newton.residual));
    } else {
      iteration.beginFactors(x_.placeOf(newton.residual));
      const auto kept = takeSlices(p_, newton.factors, body);
      lowerAll(kept, newton.factors, true, body);
      iteration.endFactors(p_, kept);
      lowerAll(body, {newton.change}, true);
      iteration.move(x_.placeOf(newton.change));
    }
    iteration.end(newton.tolerance ? std::optional(s_.local(x_.scalar(newton.tolerance))) : std::nullopt);
    x_.forgetIndexed();
  }

  /// With a sparse Jacobian, whose factors are made before the loop if it depends on nothing in it.
  void lowerSparse(NewtonLowering& iteration, const sym::NewtonIteration& newton, std::vector<std::size_t> body) {
    const sym::SparseJacobian& s = *newton.sparse;
    const bool inLoop = writesArray(p_, body, s.values);
    const SparseLowering::Factors f = sparse_.place(s);
    if (!inLoop) sparse_.factor(s, f);
    iteration.begin();
    const std::vector<std::size_t> forResidual = takeSlice(p_, newton.residual, body);
    lowerAll(forResidual, {newton.residual}, true, body);
    iteration.beginSparse(x_.placeOf(newton.residual), inLoop);
    if (inLoop) {
      lowerAll(body, {s.values}, true);
      sparse_.factor(s, f);
    }
    iteration.endSparse(f.plan, f.factors, inLoop);
    iteration.end(newton.tolerance ? std::optional(s_.local(x_.scalar(newton.tolerance))) : std::nullopt);
    x_.forgetIndexed();
  }

  /// The matrix is factored where it stands, once: nothing but solves reads it.
  void factor(const sym::Array* a, bool semidefinite) {
    if (factored_.contains(a)) return;
    const Place& matrix = x_.places.at(a);
    const bool once = matrix.setup && !s_.inSetup(); // of parameters only
    if (once) s_.enterSetup();
    factored_[a] = x_.factorSymmetric(matrix.buffer, a->extents[0], x_.factorsOf(semidefinite, routinesPivot_));
    if (once) s_.leaveSetup();
  }

  /// Matrices that a loop over these equations does not change are factored before it.
  void factorBefore(const std::vector<std::size_t>& equations) {
    for (const std::size_t k : equations) {
      const Equation& e = p_.equations()[k];
      if (e.kind == EquationKind::Newton || e.kind == EquationKind::Series) factorBefore(bodies_[k]);
      if (e.kind == EquationKind::LinearSolve && x_.places.contains(e.matrix)) factor(e.matrix, e.semidefinite);
    }
  }

  void lowerLinearSolve(const Equation& e) {
    const int matrix = x_.places.at(e.matrix).buffer, x = x_.places.at(e.array).buffer;
    const std::int64_t n = e.matrix->extents[0], size = e.array->size();
    factor(e.matrix, e.semidefinite);
    copyNumbers(s_.builder(), x_.places.at(e.rhs).buffer, x, size);
    s_.builder().kernel(tape::KernelId::CholeskySolve, {matrix, factored_.at(e.matrix), x},
                        {s_.local(s_.integer(n)), s_.local(s_.integer(size / n))});
  }

  const sym::Program& p_;
  bool hoist_;
  tape::Module module_;
  Builder setup_;
  int constantsBuffer_;
  Scalars s_;
  ExpressionLowering x_;
  SparseLowering sparse_{s_, x_};
  NearLowering near_{s_, x_, module_};
  SetupSpill spill_{p_, s_, x_, setup_};
  MemoryCopies copies_{p_, s_, x_, module_};
  std::unordered_map<const sym::Array*, Place> inputs_;
  ParameterOnly parameterOnly_{p_};
  std::unordered_set<const sym::Array*> pendingSetup_;
  std::unordered_set<const sym::Array*> filled_;
  std::unordered_map<const sym::Array*, int> factored_; ///< matrices, with the working memory of their factors
  std::unordered_set<const sym::Array*> stacked_;
  Bodies bodies_;
  RegroupedValues regrouped_;
  bool routinesPivot_ = false;
  int report_ = -1; ///< buffer of bindReport
  bool notes_ = false;
};

Lowering::Lowering(const sym::Program& program, bool hoist) : impl_(std::make_unique<Impl>(program, hoist)) {}
Lowering::~Lowering() = default;
void Lowering::bindInput(const sym::Array* a, runtime::Role role, std::int64_t offset, std::vector<bool> zeros) {
  impl_->bindInput(a, role, offset, std::move(zeros));
}
void Lowering::bindLiveInput(const sym::Array* array, std::int64_t offset) {
  impl_->bindLiveInput(array, offset);
}
void Lowering::bindArgument(const sym::Array* a, int position) {
  impl_->bindArgument(a, position);
}
void Lowering::bindReport(runtime::Role role, std::int64_t offset) {
  impl_->bindReport(role, offset);
}
void Lowering::usePivots(Pivots which, Rank rank, const Dependent& dependent) {
  impl_->usePivots(which, rank, dependent);
}
void Lowering::keepNotes() {
  impl_->keepNotes();
}
void Lowering::useLists() {
  impl_->useLists();
}
int Lowering::addFunction(const std::string& name, int arguments, const std::vector<OutputBinding>& outputs, Use use) {
  return impl_->addFunction(name, arguments, outputs, use);
}
int Lowering::add(const std::function<tape::Function(tape::Module&)>& make) {
  return impl_->add(make(impl_->module()));
}
tape::Module Lowering::finish(int step) {
  return impl_->finish(step);
}

} // namespace lmc::lower
