// The C interface: what is known about a model, and about the library.
#include "api/c/C.h"

#include <nlohmann/json.hpp>

namespace lmc::c {
namespace {

const std::vector<v1::Quantity>& quantities(const v1::Model& m, lmc_quantity_kind kind) {
  static const std::vector<v1::Quantity> none; // of a kind that there is not
  switch (kind) {
  case LMC_PARAMETER:
    return m.parameters();
  case LMC_INPUT:
    return m.inputs();
  case LMC_OBSERVABLE:
    return m.observables();
  case LMC_DISCRETE:
    return m.discretes();
  default:
    return none;
  }
}

lmc_storage storageOf(const v1::Storage& s) {
  lmc_storage x = {};
  x.name = s.name.c_str();
  x.offset = s.offset;
  x.members = s.members();
  x.extent_count = s.extents.size();
  x.extents = s.extents.empty() ? nullptr : s.extents.data();
  x.first = s.first.empty() ? nullptr : s.first.data();
  x.rank = s.rank;
  x.rows = s.rows;
  x.columns = s.columns;
  return x;
}

} // namespace
} // namespace lmc::c

using namespace lmc::c;

void lmc_model_free(lmc_model* model) {
  delete model;
}
const char* lmc_model_name(const lmc_model* model) {
  return model->model.name().c_str();
}
const char* lmc_model_method(const lmc_model* model) {
  return model->model.method().c_str();
}
int lmc_model_order(const lmc_model* model) {
  return model->model.order();
}
int lmc_model_has_energy(const lmc_model* model) {
  return model->model.hasEnergy() ? 1 : 0;
}
int lmc_model_has_mass(const lmc_model* model) {
  return model->model.hasMass() ? 1 : 0;
}
int lmc_model_estimates_error(const lmc_model* model) {
  return model->model.estimatesError() ? 1 : 0;
}
int lmc_model_from_cache(const lmc_model* model) {
  return model->model.fromCache() ? 1 : 0;
}

lmc_status lmc_model_settings(const lmc_model* model, lmc_settings* out) {
  const lmc::Settings& s = model->model.settings();
  return lmc::c::give(out,
                      lmc_settings{0, s.timeFrom, s.timeTo, s.step, s.every, s.everySteps, s.adaptive ? 1 : 0, s.seed});
}

size_t lmc_model_variables(const lmc_model* model) {
  return model->model.variables().size();
}

lmc_status lmc_model_variable(const lmc_model* model, size_t i, lmc_variable* out) {
  if (i >= model->model.variables().size()) return lmc::c::misuse("there is no such variable");
  const lmc::Variable& v = model->model.variables()[i];
  lmc_variable x = {};
  x.name = v.name.c_str();
  x.fiber = v.fiber.c_str();
  x.manifold = v.manifold.c_str();
  x.kind = static_cast<lmc_variable_kind>(v.kind);
  x.is_group = v.isGroup ? 1 : 0;
  x.space_frame = v.frame == lmc::Frame::Space ? 1 : 0;
  x.members = v.members;
  x.dimension = v.dimension;
  x.algebra_dimension = v.algebraDimension;
  x.point_parts = v.point.size();
  x.fiber_parts = v.fiberParts.size();
  x.algebra_offset = v.algebraOffset;
  x.tangent_offset = v.tangentOffset;
  x.tangent_size = v.tangentSize;
  return lmc::c::give(out, x);
}

lmc_status lmc_model_part(const lmc_model* model, size_t i, int fiber, size_t k, lmc_storage* out) {
  if (i >= model->model.variables().size()) return lmc::c::misuse("there is no such variable");
  const lmc::Variable& v = model->model.variables()[i];
  const std::vector<lmc::Storage>& parts = fiber != 0 ? v.fiberParts : v.point;
  if (k >= parts.size()) return lmc::c::misuse("there is no such part");
  return lmc::c::give(out, lmc::c::storageOf(parts[k]));
}

size_t lmc_model_quantities(const lmc_model* model, lmc_quantity_kind kind) {
  return lmc::c::quantities(model->model, kind).size();
}

lmc_status lmc_model_quantity(const lmc_model* model, lmc_quantity_kind kind, size_t i, lmc_quantity* out,
                              lmc_storage* storage) {
  const std::vector<lmc::Quantity>& list = lmc::c::quantities(model->model, kind);
  if (i >= list.size()) return lmc::c::misuse("there is no such quantity");
  const lmc::Quantity& q = list[i];
  lmc_quantity x = {};
  x.name = q.name.c_str();
  x.value = q.value.empty() ? nullptr : q.value.data();
  x.has_default = q.hasDefault ? 1 : 0;
  x.is_set = q.isSet ? 1 : 0;
  const lmc_status status = lmc::c::give(out, x);
  return status != LMC_OK || storage == nullptr ? status : lmc::c::give(storage, lmc::c::storageOf(q.storage));
}

size_t lmc_model_events(const lmc_model* model) {
  return model->model.events().size();
}

lmc_status lmc_model_event(const lmc_model* model, size_t i, const char** name, int* direction) {
  if (i >= model->model.events().size()) return lmc::c::misuse("there is no such event");
  if (name != nullptr) *name = model->model.events()[i].name.c_str();
  if (direction != nullptr) *direction = model->model.events()[i].direction;
  return LMC_OK;
}

size_t lmc_model_samplings(const lmc_model* model) {
  return model->model.samplings().size();
}
const char* lmc_model_sampling(const lmc_model* model, size_t i) {
  const std::vector<std::string>& all = model->model.samplings();
  return i < all.size() ? all[i].c_str() : nullptr;
}

size_t lmc_model_constants(const lmc_model* model) {
  return model->model.constants().size();
}

lmc_status lmc_model_constant(const lmc_model* model, size_t i, const char** name, int64_t* value) {
  if (i >= model->model.constants().size()) return lmc::c::misuse("there is no such constant");
  if (name != nullptr) *name = model->model.constants()[i].first.c_str();
  if (value != nullptr) *value = model->model.constants()[i].second;
  return LMC_OK;
}

size_t lmc_model_state_size(const lmc_model* model) {
  return model->model.stateSize();
}
size_t lmc_model_algebra_size(const lmc_model* model) {
  return model->model.algebraSize();
}
size_t lmc_model_tangent_size(const lmc_model* model) {
  return model->model.tangentSize();
}
size_t lmc_model_observables_size(const lmc_model* model) {
  return model->model.observablesSize();
}
size_t lmc_model_columns(const lmc_model* model) {
  return model->model.columns().size();
}
const char* lmc_model_column(const lmc_model* model, size_t i) {
  return i < model->model.columns().size() ? model->model.columns()[i].c_str() : nullptr;
}
const double* lmc_model_initial_state(const lmc_model* model) {
  return model->model.initialState().data();
}

lmc_status lmc_model_equations(const lmc_model* model, lmc_format format, char** text) {
  if (text == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded([&] { *text = lmc::c::ownText(model->model.equations(static_cast<lmc::Format>(format))); });
}

lmc_status lmc_model_methods(const lmc_model* model, char** json) {
  if (json == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded([&] {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const lmc::MethodInfo& m : model->model.methods())
      list.push_back({{"name", m.name}, {"kind", m.kind}, {"order", m.order}, {"description", m.description}});
    *json = lmc::c::ownText(list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  });
}

lmc_status lmc_model_prepare(const lmc_model* model) {
  return lmc::c::guarded([&] { model->model.prepare(); });
}
void lmc_model_release(const lmc_model* model) {
  model->model.release();
}

lmc_status lmc_manifolds(const char* library_root, char** json) {
  if (json == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded([&] {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const lmc::ManifoldInfo& m : lmc::manifolds(library_root == nullptr ? "" : library_root)) {
      nlohmann::ordered_json one = {{"name", m.name}, {"kind", m.isGroup ? "group" : "manifold"}};
      one["dimension"] = m.dimension ? nlohmann::ordered_json(*m.dimension) : nlohmann::ordered_json();
      one["storage"] = m.storage;
      one["description"] = m.description;
      list.push_back(std::move(one));
    }
    *json = lmc::c::ownText(list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  });
}
