#include "products/equations/Equations.h"
#include "mechanics/system/Layer.h"
#include "products/Impl.h"
#include "products/equations/SharedJoints.h"

#include <algorithm>
#include <set>

namespace lmc::products {

namespace {

bool hasJoints(const sema::Model& model) {
  return std::any_of(model.constraints.begin(), model.constraints.end(),
                     [](const sema::Constraint& c) { return !c.joint.empty(); });
}

class Equations {
public:
  explicit Equations(Pipeline::Impl& made) : made_(made) {}
  std::string print(present::Presentation how);

private:
  std::string withSizes(present::Presentation how, std::int64_t size);
  /// Parameters and initial values as far as they can be evaluated: what is wrong is reported when the model is run.
  std::optional<InitialData> presentData();

  Pipeline::Impl& made_;
};

std::string Equations::print(present::Presentation how) {
  if (!made_.check() || !made_.requireModel()) return {};
  const Place place(made_.modelPlace());
  if (const auto data = presentData()) how.symmetric = symmetricParameters(*made_.model, *data);
  const std::string own = hasJoints(*made_.model) ? withSizes(how, 0) : std::string();
  const auto asIs = [&] { return own.empty() ? present::printEquations(*made_.system, how) : own; };
  if (how.expand || how.form == present::EquationForm::Matrix) return asIs();
  // For any size of families: what two other sizes give alike, with a name in their place.
  const std::string one = withSizes(how, 1009), other = one.empty() ? one : withSizes(how, 2003);
  return !one.empty() && one == other ? one : asIs();
}

/// The equations of the model compiled once more, with joints that are said once. With a size: as they are for other
/// sizes of families, which stand for their names; nothing where there are none, or the model cannot have them.
std::string Equations::withSizes(present::Presentation how, std::int64_t size) {
  if (!made_.reload) return {};
  std::set<std::int64_t> extents;
  for (const sema::Factor& f : made_.model->factors) extents.insert(f.extent);
  for (const sema::StateVariable& z : made_.model->states) extents.insert(z.extent);
  sema::CompilationOptions others = made_.options.compilation;
  const bool otherSizes = size > 0;
  for (const auto& [name, n] : made_.model->constants) {
    if (!otherSizes || !extents.contains(n) || n == 0) continue;
    std::erase_if(others.overrides, [&, &constant = name](const sema::Override& o) { return o.name == constant; });
    others.overrides.push_back({name, std::to_string(size)});
    how.sizes.emplace_back(name, size);
    how.present[name] = n;
    size += 10;
  }
  if (otherSizes && how.sizes.empty()) return {};
  const std::unique_ptr<sema::Compilation> compiled = sema::makeCompilation(std::move(others));
  sema::Compilation& otherwise = *compiled;
  if (!made_.reload(otherwise)) return {};
  std::unique_ptr<const sema::Model> largeModel = otherwise.check();
  if (!largeModel || otherwise.diagnostics().hasErrors()) return {};
  for (std::size_t k = 0; otherSizes && k < made_.model->factors.size(); ++k)
    if (largeModel->factors[k].extent != made_.model->factors[k].extent && largeModel->factors[k].extent < 1000)
      return {};
  std::optional<SharedJoints> joints;
  if (hasJoints(*made_.model)) {
    sema::JointReading reading = sema::readJoints(otherwise);
    if (!reading.model) return {};
    how.joints = joints.emplace(otherwise, *reading.model, std::move(reading.joints)).list();
    largeModel = std::move(reading.model);
  }
  const mechanics::System large = mechanics::deriveSystem(*largeModel, otherwise.diagnostics());
  if (otherwise.diagnostics().hasErrors()) return {};
  std::vector<const sym::Array*> symmetric;
  for (const sym::Array* a : how.symmetric)
    for (const sema::Parameter& p : largeModel->parameters)
      if (p.array->name == a->name) symmetric.push_back(p.array);
  how.symmetric = std::move(symmetric);
  how.remarksOf = made_.system.get();
  return present::printEquations(large, how);
}

std::optional<InitialData> Equations::presentData() {
  mechanics::Layer layer(*made_.system);
  const sym::Graph::Work work = layer.work();
  Diagnostics ignored;
  return evaluateInitialData(layer, layoutOf(*made_.model), made_.options.seed, ignored);
}

} // namespace

std::vector<const sym::Array*> symmetricParameters(const sema::Model& model, const InitialData& data) {
  std::vector<const sym::Array*> list;
  const Layout layout = layoutOf(model);
  for (const sema::Parameter& p : model.parameters) {
    const int n = p.array->shape.rows;
    if (p.array->shape.rank != 2 || p.array->shape.cols != n) continue;
    const double* values = data.params.data() + layout.of(p.array).offset;
    bool symmetric = true;
    for (std::int64_t member = 0; member < p.array->count(); ++member) {
      const double* a = values + member * n * n;
      for (int i = 0; i < n * n; ++i) symmetric = symmetric && a[i] == a[i % n * n + i / n];
    }
    if (symmetric) list.push_back(p.array);
  }
  return list;
}

std::string equations(Pipeline& pipeline, const std::string& format, const std::string& form, bool expand) {
  present::Presentation how;
  how.form = form == "matrix"     ? present::EquationForm::Matrix
             : form == "hamilton" ? present::EquationForm::Hamilton
                                  : present::EquationForm::Motion;
  how.expand = expand;
  how.format = format == "latex"  ? present::EquationFormat::Latex
               : format == "json" ? present::EquationFormat::Json
                                  : present::EquationFormat::Text;
  Pipeline::Impl& made = pipeline.impl();
  return made.limited([&] { return Equations(made).print(std::move(how)); });
}

} // namespace lmc::products
