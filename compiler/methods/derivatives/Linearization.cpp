#include "methods/derivatives/Linearization.h"

#include "sym/derivatives/Derivative.h"

#include <algorithm>
#include <unordered_map>

namespace lmc::methods {

using sym::Expr;

static sema::ArrayTuple dataOf(const sema::Model& model, sema::Parameter::Use use) {
  sema::ArrayTuple list;
  for (const sema::Parameter& p : model.parameters)
    if (p.use == use) list.push_back(p.array);
  return list;
}
sema::ArrayTuple inputArrays(const sema::Model& model) {
  return dataOf(model, sema::Parameter::Use::InputValue);
}
sema::ArrayTuple parameterArrays(const sema::Model& model) {
  return dataOf(model, sema::Parameter::Use::Parameter);
}

namespace {

/// A value of a map: one tensor per element of its loops.
struct Value {
  std::vector<sym::Loop> loops;
  std::vector<std::int64_t> extents;
  std::vector<Expr> index;
  Expr value;
  std::string name;
};

std::int64_t numbersOf(const sema::ArrayTuple& arrays) {
  std::int64_t n = 0;
  for (const sym::Array* a : arrays) n += a->size();
  return n;
}

class Linearizer {
public:
  Linearizer(mechanics::Layer& layer, const Step* step, const LinearizationRequest& request)
      : layer_(layer), system_(layer.system), m_(layer.model), p_(layer.program()), g_(p_.graph()), step_(step),
        want_(request), tangent_(layer), y_(tangent_.phase().state()), inputs_(inputArrays(m_)),
        parameters_(parameterArrays(m_)) {
    for (const PhaseSlot& s : tangent_.phase().slots()) {
      for (const sym::Array* a : s.state) {
        r_.state.push_back(a);
        slotOf_[a] = &s;
      }
    }
    phaseParts_ = r_.state.size();
    for (const sema::DiscreteVariable& d : m_.discretes)
      if (std::find(want_.held.begin(), want_.held.end(), d.name) != want_.held.end())
        r_.held.insert(r_.held.end(), d.arrays.begin(), d.arrays.end());
    r_.state.insert(r_.state.end(), r_.held.begin(), r_.held.end());
  }

  Linearization run() {
    r_.coordinates = tangent_.space();
    addInputs();
    collectOutputs();
    addGeometry();
    if (want_.field) r_.ofField.emplace();
    if (want_.step && step_ != nullptr) r_.ofStep.emplace();
    if (want_.outputs && !r_.outputs.empty()) r_.ofOutputs.emplace();
    if (system_.constraints && (want_.forward || want_.matrices)) {
      r_.constraints = {system_.constraints->value, system_.constraints->rate};
      r_.ofConstraints.emplace();
    }
    if (r_.ofStep) collectNext();
    if (want_.forward) addForward();
    if (want_.matrices) addMatrices();
    if (want_.adjoint) addAdjoint();
    return std::move(r_);
  }

private:
  /// One pass of forward derivatives: the directions, as functions of the prefix's index.
  struct Pass {
    std::vector<sym::Loop> prefix;
    sema::Tuple z;           ///< horizontal
    sema::ArrayTuple change; ///< of the state, the prefix's indices first
  };

  const sym::Array* input(const std::string& name, const sym::Array& like) {
    return g_.newArray(name + like.name, like.extents, like.shape, sym::Role::State);
  }

  void addInputs() {
    const auto coordinates = [&](const std::string& name) {
      sema::ArrayTuple arrays;
      for (const Component& c : r_.coordinates)
        arrays.push_back(g_.newArray(name + c.name, c.extents(), c.shape, sym::Role::State));
      for (const sym::Array* a : r_.held) arrays.push_back(input(name, *a));
      return arrays;
    };
    r_.direction = coordinates("z.");
    r_.covector = coordinates("lambda.");
    r_.fieldCovector = coordinates("kappa.");
    for (const sym::Array* a : inputs_) r_.inputDirection.push_back(input("d", *a));
    for (const sym::Array* a : parameters_) r_.parameterDirection.push_back(input("d", *a));
    for (const sym::Array* a : r_.state) r_.storageChange.push_back(input("d", *a));
    for (const char* name : {"dt", "dh"})
      if (want_.jumps) r_.timeDirection.push_back(g_.newArray(name, {}, sym::Shape::scalar(), sym::Role::State));
  }

  void collectOutputs() {
    if (system_.energy != nullptr) r_.outputs.push_back(system_.energy);
    for (const sema::Observable& o : m_.observables) r_.outputs.push_back(o.array);
    for (const sym::Array* a : r_.outputs) r_.outputCovector.push_back(input("lambda.", *a));
  }

  /// A tuple by parts of the state as a tuple of loads of such arrays.
  sema::Tuple loadState(const sema::ArrayTuple& arrays) {
    sema::Tuple r;
    for (std::size_t k = 0; k < phaseParts_; ++k) r.push_back(g_.load(arrays[k], slotOf_.at(r_.state[k])->index));
    return r;
  }

  void addHeld(sema::ArrayTuple& list, const std::string& name, Held what) {
    appendHeld(p_, list, r_.held, r_.direction, name, what);
  }

  void addGeometry() {
    const sema::Tuple z =
        hold({}, r_.coordinates, tangent_.horizontal(y_, load(g_, r_.coordinates, r_.direction)), "Hz");
    r_.moved = tangent_.phase().storePoint(tangent_.moved(y_, z), "moved");
    r_.lifted = tangent_.phase().storePoint(tangent_.change(y_, z), "lifted");
    r_.read = store(p_, r_.coordinates, tangent_.coordinates(y_, loadState(r_.storageChange)), "read");
    r_.rate = store(p_, r_.coordinates, tangent_.fieldCoordinates(y_, tangent_.field()), "rate");
    addHeld(r_.moved, "moved", Held::Moved);
    addHeld(r_.lifted, "lifted", Held::Same);
    addHeld(r_.rate, "rate", Held::Zero);
    r_.read.insert(r_.read.end(), r_.storageChange.begin() + static_cast<std::ptrdiff_t>(phaseParts_),
                   r_.storageChange.end());
  }

  void collectNext() {
    std::unordered_map<const sym::Array*, const sym::Array*> of;
    for (std::size_t k = 0; k < step_->state.size(); ++k) of[step_->state[k]] = step_->next[k];
    for (std::size_t k = 0; k < phaseParts_; ++k) r_.next.push_back(of.at(r_.state[k]));
    r_.next.insert(r_.next.end(), r_.held.begin(), r_.held.end());
  }

  // --- arrays with a prefix --------------------------------------------------------------------------------------

  static std::vector<Expr> indices(const std::vector<sym::Loop>& prefix, const std::vector<Expr>& own) {
    std::vector<Expr> index(prefix.size());
    for (std::size_t l = 0; l < prefix.size(); ++l) index[l] = prefix[l].index;
    index.insert(index.end(), own.begin(), own.end());
    return index;
  }

  sema::ArrayTuple storeWith(const std::vector<sym::Loop>& prefix, const Space& space, const sema::Tuple& value,
                             const std::string& name) {
    sema::ArrayTuple arrays;
    for (std::size_t k = 0; k < space.size(); ++k) {
      std::vector<std::int64_t> extents = space[k].extents();
      extents.insert(extents.begin(), prefix.size(), 0);
      for (std::size_t l = 0; l < prefix.size(); ++l) extents[l] = sym::constantInt(prefix[l].hi);
      sym::Equation e;
      e.array = g_.newArray(name + "." + space[k].name, extents, space[k].shape, sym::Role::Temp);
      e.loops = prefix;
      for (const sym::Loop& l : space[k].loops(g_)) e.loops.push_back(l);
      e.index = indices(prefix, space[k].index);
      e.value = value[k];
      arrays.push_back(e.array);
      p_.append(std::move(e));
    }
    return arrays;
  }

  /// The value as loads of arrays, so that it is computed once.
  sema::Tuple hold(const std::vector<sym::Loop>& prefix, const Space& space, const sema::Tuple& value,
                   const std::string& name) {
    const sema::ArrayTuple arrays = storeWith(prefix, space, value, name);
    sema::Tuple r;
    for (std::size_t k = 0; k < space.size(); ++k) r.push_back(g_.load(arrays[k], indices(prefix, space[k].index)));
    return r;
  }

  // --- forward ---------------------------------------------------------------------------------------------------

  /// Directions of the state; `z` need not be horizontal.
  Pass passAlong(std::vector<sym::Loop> prefix, const sema::Tuple& z, const std::string& name) {
    Pass pass;
    pass.prefix = std::move(prefix);
    pass.z = hold(pass.prefix, r_.coordinates, tangent_.horizontal(y_, z), name + ".z");
    pass.change = storeWith(pass.prefix, tangent_.phase().pointSpace(), tangent_.change(y_, pass.z), name + ".dy");
    return pass;
  }

  void seedState(sym::Tangent& t, const Pass& pass) {
    for (std::size_t k = 0; k < pass.change.size(); ++k) {
      t.seed(r_.state[k], [this, &pass, change = pass.change[k]](const std::vector<Expr>& index) {
        return g_.load(change, indices(pass.prefix, index));
      });
    }
  }

  sema::Tuple along(sym::Tangent& t, const sema::Tuple& values) {
    sema::Tuple r;
    for (const Expr& e : values) r.push_back(t.of(e));
    return r;
  }

  /// The values of the maps and their changes in one pass.
  std::vector<Value> stepChange(sym::Tangent& t) {
    const sema::Tuple next = loadState(r_.next);
    return coordinateValues(tangent_.coordinates(next, along(t, next)));
  }

  std::vector<Value> changeOf(sym::Tangent& t, const sema::ArrayTuple& arrays) {
    std::vector<Value> list;
    for (Value v : loadsOf(arrays)) {
      v.value = t.of(v.value);
      list.push_back(std::move(v));
    }
    return list;
  }

  std::vector<Value> coordinateValues(const sema::Tuple& z) {
    std::vector<Value> list;
    for (std::size_t k = 0; k < z.size(); ++k) {
      const Component& c = r_.coordinates[k];
      list.push_back({c.loops(g_), c.extents(), c.index, z[k], c.name});
    }
    return list;
  }

  /// One value for each element of each array: `element(array, index)`.
  template <class Element> std::vector<Value> valuesOf(const sema::ArrayTuple& arrays, Element element) {
    std::vector<Value> list;
    for (const sym::Array* a : arrays) {
      Value v;
      v.extents = a->extents;
      v.loops = sym::memberLoops(g_, a->extents);
      v.index = sym::indicesOf(v.loops);
      v.value = element(a, v.index);
      v.name = a->name;
      list.push_back(std::move(v));
    }
    return list;
  }

  std::vector<Value> loadsOf(const sema::ArrayTuple& arrays) {
    return valuesOf(arrays, [&](const sym::Array* a, const std::vector<sym::Expr>& i) { return g_.load(a, i); });
  }

  sema::ArrayTuple storeValues(const std::vector<Value>& values, const std::string& name) {
    sema::ArrayTuple arrays;
    for (const Value& v : values) {
      sym::Equation e;
      e.array = g_.newArray(name + "." + v.name, v.extents, v.value->shape, sym::Role::Temp);
      e.loops = v.loops;
      e.index = v.index;
      e.value = v.value;
      arrays.push_back(e.array);
      p_.append(std::move(e));
    }
    return arrays;
  }

  void addForward() {
    const Pass pass = passAlong({}, load(g_, r_.coordinates, r_.direction), "forward");
    sym::Tangent t(p_);
    seedState(t, pass);
    const auto seed = [&](const sema::ArrayTuple& arrays, const sema::ArrayTuple& directions) {
      for (std::size_t k = 0; k < arrays.size(); ++k)
        t.seed(arrays[k], [this, d = directions[k]](const std::vector<Expr>& index) { return g_.load(d, index); });
    };
    seed(inputs_, r_.inputDirection);
    seed(parameters_, r_.parameterDirection);
    seed(r_.held, {r_.direction.begin() + static_cast<std::ptrdiff_t>(r_.coordinates.size()), r_.direction.end()});
    if (want_.jumps) seed({m_.time, step_->stepSize}, r_.timeDirection);
    if (r_.ofField) {
      const sema::Tuple f = tangent_.field();
      const auto v = tangent_.variation(y_, f, pass.z, along(t, f));
      r_.ofField->change = storeValues(coordinateValues(v.rate), "A");
      r_.ofField->fieldChange = storeValues(coordinateValues(v.change), "D");
      addHeld(r_.ofField->change, "A", Held::Zero);
      addHeld(r_.ofField->fieldChange, "D", Held::Zero);
    }
    if (r_.ofStep) {
      r_.ofStep->change = storeValues(stepChange(t), "Phi");
      addHeld(r_.ofStep->change, "Phi", Held::Same);
    }
    if (r_.ofOutputs) r_.ofOutputs->change = storeValues(changeOf(t, r_.outputs), "C");
    if (r_.ofConstraints) r_.ofConstraints->change = storeValues(changeOf(t, r_.constraints), "G");
    if (!want_.jumps) return;
    sema::ArrayTuple change = pass.change;
    addHeld(change, "reset", Held::Same);
    r_.jumps = jumpChanges(layer_, t, r_.state, change);
  }

  // --- matrices --------------------------------------------------------------------------------------------------

  /// The element of a direction's arrays in direction j, of all numbers in their order.
  Expr unitElement(Expr j, std::int64_t first, const sym::Array& a, const std::vector<Expr>& index) {
    return unitElement(j, first, a.extents, a.shape, index);
  }
  Expr unitElement(Expr j, std::int64_t first, const std::vector<std::int64_t>& extents, const sym::Shape& shape,
                   const std::vector<Expr>& index) {
    Expr base = g_.add(g_.integer(first), g_.mul(g_.integer(shape.size()), memberOf(extents, index)));
    const Expr own = g_.sub(j, base);
    std::vector<Expr> entries;
    for (int k = 1; k <= shape.size(); ++k)
      entries.push_back(g_.select(g_.compare(sym::Op::Eq, own, g_.integer(k)), g_.number(1), g_.number(0)));
    if (shape.rank == 0) return entries[0];
    return shape.rank == 1 ? g_.vector(entries) : g_.matrix(shape.rows, shape.cols, entries);
  }

  /// The number of an element among all, from 0.
  Expr memberOf(const std::vector<std::int64_t>& extents, const std::vector<Expr>& index) {
    Expr member = g_.integer(0);
    for (std::size_t d = 0; d < extents.size(); ++d)
      member = g_.add(g_.mul(g_.integer(extents[d]), member), g_.sub(index[d], g_.integer(1)));
    return member;
  }

  /// [directions][values], all numbers of the values in their order.
  const sym::Array* matrix(const std::vector<sym::Loop>& prefix, const std::vector<Value>& values,
                           const std::string& name) {
    std::int64_t rows = 0;
    const auto count = [](const Value& v) {
      std::int64_t n = v.value->shape.size();
      for (const std::int64_t e : v.extents) n *= e;
      return n;
    };
    for (const Value& v : values) rows += count(v);
    const sym::Array* a =
        g_.newArray(name, {sym::constantInt(prefix[0].hi), rows}, sym::Shape::scalar(), sym::Role::Temp);
    std::int64_t first = 0;
    for (const Value& v : values) {
      const sym::Shape shape = v.value->shape;
      const Expr base = g_.mul(g_.integer(shape.size()), memberOf(v.extents, v.index));
      for (int k = 0; k < shape.size(); ++k) {
        sym::Equation e;
        e.array = a;
        e.loops = prefix;
        e.loops.insert(e.loops.end(), v.loops.begin(), v.loops.end());
        e.index = {prefix[0].index, g_.add(g_.integer(first + k + 1), base)};
        e.value = g_.entry(v.value, k / shape.cols, k % shape.cols);
        p_.append(std::move(e));
      }
      first += count(v);
    }
    return a;
  }

  void addMatrices() {
    const sym::Loop j = sym::fullLoop(g_, "j", sizeOf(r_.coordinates));
    sema::Tuple z;
    std::int64_t first = 0;
    for (const Component& c : r_.coordinates) {
      z.push_back(unitElement(j.index, first, c.extents(), c.shape, c.index));
      first += c.size();
    }
    const Pass pass = passAlong({j}, z, "columns");
    sym::Tangent t(p_, pass.prefix);
    seedState(t, pass);
    if (r_.ofField) {
      const sema::Tuple f = tangent_.field();
      const auto v = tangent_.variation(y_, f, pass.z, along(t, f));
      r_.ofField->stateMatrix = matrix(pass.prefix, coordinateValues(v.rate), "A");
      r_.ofField->fieldStateMatrix = matrix(pass.prefix, coordinateValues(v.change), "D");
    }
    if (r_.ofStep) r_.ofStep->stateMatrix = matrix(pass.prefix, stepChange(t), "Phi");
    if (r_.ofOutputs) r_.ofOutputs->stateMatrix = matrix(pass.prefix, changeOf(t, r_.outputs), "C");
    if (r_.ofConstraints) r_.ofConstraints->stateMatrix = matrix(pass.prefix, changeOf(t, r_.constraints), "G");
    addDataMatrices(inputs_, &MapDerivative::inputMatrix, "u");
    addDataMatrices(parameters_, &MapDerivative::parameterMatrix, "p");
  }

  /// Columns by inputs or parameters.
  void addDataMatrices(const sema::ArrayTuple& arrays, const sym::Array* MapDerivative::*where,
                       const std::string& name) {
    const std::int64_t n = numbersOf(arrays);
    if (n == 0) return;
    const std::vector<sym::Loop> prefix{sym::fullLoop(g_, "j", n)};
    sym::Tangent t(p_, prefix);
    std::int64_t first = 0;
    for (const sym::Array* a : arrays) {
      t.seed(a, [this, j = prefix[0].index, first, a](const std::vector<Expr>& index) {
        return unitElement(j, first, *a, index);
      });
      first += a->size();
    }
    if (r_.ofField) {
      const sema::Tuple f = tangent_.field();
      sema::Tuple none;
      for (const Component& c : r_.coordinates) none.push_back(g_.zero(c.shape));
      const auto v = tangent_.variation(y_, f, none, along(t, f));
      (*r_.ofField).*where = matrix(prefix, coordinateValues(v.rate), "A." + name);
    }
    if (r_.ofStep) (*r_.ofStep).*where = matrix(prefix, stepChange(t), "Phi." + name);
    if (r_.ofOutputs) (*r_.ofOutputs).*where = matrix(prefix, changeOf(t, r_.outputs), "C." + name);
  }

  // --- adjoint ---------------------------------------------------------------------------------------------------

  /// Covectors of everything that `terms` depend on; `own` is what reaches the coordinates directly.
  /// `held`: whether discrete variables stay what they are under the map, or are not among its values.
  void storeAdjoint(MapDerivative& d, const std::vector<sym::SeededTerm>& terms, const sema::Tuple& own,
                    const std::string& name, Held held = Held::Zero) {
    sema::ArrayTuple all = r_.state;
    all.insert(all.end(), inputs_.begin(), inputs_.end());
    all.insert(all.end(), parameters_.begin(), parameters_.end());
    const sym::Gradient gradient = sym::gradient(p_, terms, all, name);
    sema::Tuple state;
    for (std::size_t k = 0; k < phaseParts_; ++k)
      state.push_back(gradient.of(r_.state[k], slotOf_.at(r_.state[k])->index));
    sema::Tuple z = tangent_.changeTransposed(y_, state);
    if (!own.empty()) z = sema::add(g_, z, own);
    d.byState = store(p_, r_.coordinates, z, name + ".x");
    for (std::size_t k = 0; k < r_.held.size(); ++k)
      d.byState.push_back(
          sym::defineLike(p_, *r_.held[k], name + "." + r_.held[k]->name, [&](const std::vector<Expr>& index) {
            const Expr direct = gradient.of(r_.held[k], index);
            return held == Held::Same ? g_.add(direct, g_.load(r_.covector[r_.coordinates.size() + k], index)) : direct;
          }));
    const auto ofData = [&](const sema::ArrayTuple& arrays) {
      return storeValues(
          valuesOf(arrays, [&](const sym::Array* a, const std::vector<sym::Expr>& i) { return gradient.of(a, i); }),
          name);
    };
    d.byInputs = ofData(inputs_);
    d.byParameters = ofData(parameters_);
  }

  /// <seed, value> for every part of a tuple that belongs to the parts of a space.
  std::vector<sym::SeededTerm> terms(const Space& space, const sema::Tuple& values, const sema::Tuple& seeds) {
    std::vector<sym::SeededTerm> list;
    for (std::size_t k = 0; k < space.size(); ++k) list.push_back({space[k].loops(g_), Expr(), values[k], seeds[k]});
    return list;
  }

  void addAdjoint() {
    const sema::Tuple lambda = load(g_, r_.coordinates, r_.covector);
    if (r_.ofField) {
      const sema::Tuple f = tangent_.field();
      const auto back = tangent_.variationTransposed(y_, f, lambda, load(g_, r_.coordinates, r_.fieldCovector));
      const sema::Tuple seeds = hold({}, r_.coordinates, back.df, "A/df");
      const sema::Tuple own = hold({}, r_.coordinates, back.z, "A/z");
      storeAdjoint(*r_.ofField, terms(r_.coordinates, f, seeds), horizontalTransposed(own), "A/");
    }
    if (r_.ofStep) {
      const sema::Tuple next = loadState(r_.next);
      const Space points = tangent_.phase().pointSpace();
      const sema::Tuple seeds = hold({}, points, tangent_.coordinatesTransposed(next, lambda), "Phi/dy");
      storeAdjoint(*r_.ofStep, terms(points, next, seeds), {}, "Phi/", Held::Same);
    }
    if (!r_.ofOutputs) return;
    std::vector<sym::SeededTerm> list;
    const std::vector<Value> values = loadsOf(r_.outputs);
    for (std::size_t k = 0; k < values.size(); ++k)
      list.push_back({values[k].loops, Expr(), values[k].value, g_.load(r_.outputCovector[k], values[k].index)});
    storeAdjoint(*r_.ofOutputs, list, {}, "C/");
  }

  sema::Tuple horizontalTransposed(const sema::Tuple& covector) {
    const auto x = placeholders();
    return sema::transposedLinear(p_, tangent_.horizontal(y_, sema::loads(g_, x, {})), x, covector);
  }
  sema::ArrayTuple placeholders() {
    sema::ArrayTuple arrays;
    for (const Component& c : r_.coordinates)
      arrays.push_back(g_.newArray("z." + c.name, {}, c.shape, sym::Role::Temp));
    return arrays;
  }

  mechanics::Layer& layer_;
  const mechanics::System& system_;
  const sema::Model& m_;
  sym::Program& p_;
  sym::Graph& g_;
  const Step* step_;
  LinearizationRequest want_;
  TangentCoordinates tangent_;
  sema::Tuple y_;
  sema::ArrayTuple inputs_, parameters_;
  std::unordered_map<const sym::Array*, const PhaseSlot*> slotOf_;
  Linearization r_;
  std::size_t phaseParts_ = 0; ///< of the state, without discrete variables
};

} // namespace

std::int64_t coordinateCount(mechanics::Layer& layer) {
  return sizeOf(TangentCoordinates(layer).space());
}

Linearization linearize(mechanics::Layer& layer, const Step* step, const LinearizationRequest& request) {
  return Linearizer(layer, step, request).run();
}

} // namespace lmc::methods
