// Contacts that a method steps by impulses: the functions by which a run finds them.
#include "runtime/contacts/ContactSteps.h"
#include "mechanics/constraints/MemberContacts.h"
#include "products/Impl.h"
#include "products/stages/ContactPoints.h"

#include <algorithm>

namespace lmc::products {

namespace {

using runtime::SteppedFamily;
using sym::Expr;

/// The columns of all velocities, one behind the other.
std::vector<std::int64_t> firstColumns(const sema::Model& model, std::int64_t& count) {
  std::vector<std::int64_t> first;
  count = 0;
  for (const sema::Factor& f : model.factors) {
    first.push_back(count);
    count += std::max<std::int64_t>(f.extent, 1) * f.manifold->algebraSize();
  }
  return first;
}

/// A bound of the index of a loop: a number, or the index of the loop around it and a number.
std::optional<SteppedFamily::Bound> boundOf(Expr e, const std::vector<sym::Loop>& outer) {
  if (e->isConst()) return SteppedFamily::Bound{sym::constantInt(e), 0};
  if (outer.empty()) return std::nullopt;
  if (e == outer[0].index) return SteppedFamily::Bound{0, 1};
  if (e->op != sym::Op::Add || e->args.size() != 2) return std::nullopt;
  const bool first = e->args[0]->isConst();
  if (e->args[first ? 1 : 0] != outer[0].index || !e->args[first ? 0 : 1]->isConst()) return std::nullopt;
  return SteppedFamily::Bound{sym::constantInt(e->args[first ? 0 : 1]), 1};
}

class Placing {
public:
  Placing(Product& product, const methods::Step& step, const mechanics::MemberContacts& contacts)
      : product_(product), unit_(product.unit), model_(product.layer.model), step_(step), contacts_(contacts) {
    first_ = firstColumns(model_, steps_.columns);
  }

  /// Nothing, and the clause at fault, where a range of indices is none that the run can go through.
  std::shared_ptr<const runtime::ContactSteps> run(const mechanics::MemberContact*& fault) {
    velocities();
    masses();
    for (std::size_t k = 0; k < 2; ++k) unit_.argument(contacts_.indices[k], static_cast<int>(k) + 1);
    for (const mechanics::MemberContact& c : contacts_.contacts)
      if (!family(c)) {
        fault = &c;
        return nullptr;
      }
    return std::make_shared<const runtime::ContactSteps>(std::move(steps_));
  }

private:
  runtime::Field output(const std::string& name, const unit::UnitBuilder::Arrays& arrays,
                        unit::UnitBuilder::Outputs& outputs) {
    runtime::Field f = unit_.place(runtime::Role::Output, name, arrays);
    for (const lower::OutputBinding& o : unit::UnitBuilder::into(f, arrays)) outputs.push_back(o);
    return f;
  }

  void velocities() {
    unit_.argument(step_.stepSize, 1);
    unit::UnitBuilder::Outputs outputs;
    steps_.velocities = output("free velocities", step_.free, outputs);
    steps_.tolerance = output("tolerance of impulses", {step_.tolerance}, outputs);
    runtime::Field change = unit_.place(runtime::Role::State, "impulses", step_.change);
    unit_.reads(step_.change, change);
    steps_.change = change;
    steps_.free = unit_.function("free velocities", 2, std::move(outputs));
    const auto count = static_cast<std::size_t>(steps_.columns);
    steps_.place.assign(count, -1);
    steps_.state.assign(count, -1);
    std::int64_t next = 0; // among the arrays of the step, which are those of the velocities
    for (std::size_t j = 0; j < model_.factors.size(); ++j) {
      const sema::Factor& f = model_.factors[j];
      std::int64_t before = 0; // components of the parts so far
      for (const sym::Array* a : f.velocity) {
        const std::int64_t size = a->shape.size(), offset = product_.prepared.layout.of(a).offset;
        for (std::int64_t i = 0; i < a->count(); ++i)
          for (std::int64_t e = 0; e < size; ++e) {
            const auto column = static_cast<std::size_t>(first_[j] + i * f.manifold->algebraSize() + before + e);
            steps_.place[column] = next + i * size + e;
            steps_.state[column] = offset + i * size + e;
          }
        next += a->size();
        before += size;
      }
    }
  }

  [[nodiscard]] SteppedFamily::Touched columnsOf(std::size_t factor) const {
    const sema::Factor& f = model_.factors[factor];
    return {first_[factor], f.manifold->algebraSize(), std::max<std::int64_t>(f.extent, 1)};
  }

  void masses() {
    unit::UnitBuilder::Outputs outputs;
    steps_.constantMasses = true;
    for (const mechanics::MemberMass& m : contacts_.masses) {
      runtime::SteppedMass mass;
      for (const std::size_t j : m.factors) mass.columns.push_back(columnsOf(j));
      mass.extent = m.extent;
      mass.size = m.size;
      mass.matrix = output("masses", {m.matrix}, outputs);
      steps_.constantMasses = steps_.constantMasses && m.constant;
      steps_.masses.push_back(std::move(mass));
    }
    steps_.massFunction = unit_.function("masses", 1, std::move(outputs));
  }

  bool family(const mechanics::MemberContact& c) {
    SteppedFamily f;
    f.name = c.contact->name;
    const std::vector<sym::Loop>& loops = c.clause->loops;
    f.indices = static_cast<int>(loops.size());
    for (std::size_t k = 0; k < loops.size(); ++k) {
      const std::vector<sym::Loop> outer(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(k));
      const auto low = boundOf(loops[k].lo, outer), high = boundOf(loops[k].hi, outer);
      if (!low || !high) return false;
      f.low[k] = *low;
      f.high[k] = *high;
    }
    f.tangents = c.tangents;
    for (const std::size_t j : c.touched) f.touched.push_back(columnsOf(j));
    unit::UnitBuilder::Outputs outputs;
    f.values = output("member of " + f.name, {c.numbers}, outputs);
    f.function = unit_.function("contact " + f.name, 3, std::move(outputs));
    mechanics::Layer& layer = product_.layer;
    const auto points = contactPoints(layer, c.gap, loops, [&](Expr e) { return mechanics::rateOfPoints(layer, e); });
    if (points) {
      unit::UnitBuilder::Outputs places;
      f.first = output("first points of " + f.name, {points->first}, places);
      f.second = output("second points of " + f.name, {points->second}, places);
      f.first.first = {points->firstIndex};
      f.second.first = {points->secondIndex};
      f.squared = points->squared;
      f.points = unit_.function("points of " + f.name, 1, std::move(places));
    }
    steps_.families.push_back(std::move(f));
    return true;
  }

  Product& product_;
  unit::UnitBuilder& unit_;
  const sema::Model& model_;
  const methods::Step& step_;
  const mechanics::MemberContacts& contacts_;
  runtime::ContactSteps steps_;
  std::vector<std::int64_t> first_;
};

} // namespace

void Pipeline::Impl::checkSteppedContacts() {
  if (!model || model->stepped.empty() || step() == nullptr) return;
  mechanics::Layer layer = mechanics::Layer::over(*stage()->layer);
  const sym::Graph::Work work = layer.work();
  (void)mechanics::memberContacts(layer, diagnostics());
}

void Pipeline::Impl::addContactSteps(Product& product) {
  if (product.step().change.empty()) return;
  const auto contacts = mechanics::memberContacts(product.layer, diagnostics());
  if (!contacts) return;
  const mechanics::MemberContact* fault = nullptr;
  product.contactSteps = Placing(product, product.step(), *contacts).run(fault);
  if (fault != nullptr)
    diagnostics().error(Code::LIE0455, fault->clause->range,
                        "the second index of `" + fault->contact->name +
                            "` goes from and to whole numbers, or the first index "
                            "and a whole number, as in `j in i+1..N`");
}

bool Pipeline::Impl::refusesImpulses(const std::string& what) {
  if (!model || model->stepped.empty()) return false;
  diagnostics()
      .error(Code::LIE0654, model->stepped.front()->range,
             what + " cannot have contacts that the method steps by impulses")
      .suggest("runs, ensembles and host programs carry them out; or a method on `manifold`, for a few contacts");
  return true;
}

} // namespace lmc::products
