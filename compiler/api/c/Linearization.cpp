// The C interface: derivatives.
#include "api/c/C.h"

namespace lmc::c {
namespace {

const std::vector<std::string>& namesOf(const lmc_linearization* l, lmc_coordinate_kind kind) {
  switch (kind) {
  case LMC_INPUT_NUMBERS:
    return l->linearization.inputs();
  case LMC_PARAMETER_NUMBERS:
    return l->linearization.parameters();
  case LMC_OUTPUT_NUMBERS:
    return l->linearization.outputs();
  default:
    return l->linearization.coordinates();
  }
}

std::size_t sizeOf(const lmc_linearization* l, lmc_coordinate_kind kind) {
  return namesOf(l, kind).size();
}

/// Numbers, or none for NULL.
v1::Span<const double> optional(const double* values, std::size_t count) {
  return values == nullptr ? v1::Span<const double>() : v1::Span<const double>(values, count);
}

v1::Linearized mapOf(lmc_linearized map) {
  if (map < LMC_MOTION || map > LMC_OUTPUTS) throw Error(Error::Kind::Misuse, "there is no such map to linearize");
  return static_cast<v1::Linearized>(map);
}

std::size_t rowsOf(const lmc_linearization* l, lmc_linearized map) {
  return sizeOf(l, map == LMC_OUTPUTS ? LMC_OUTPUT_NUMBERS : LMC_COORDINATES);
}

void copy(const std::vector<double>& from, double* to) {
  if (to != nullptr) std::copy(from.begin(), from.end(), to);
}

} // namespace
} // namespace lmc::c

using namespace lmc::c;
using lmc::Error;

lmc_status lmc_linearization_new(const lmc_model* model, lmc_linearization** out) {
  if (out == nullptr || model == nullptr) return lmc::c::misuse("derivatives need a model, and a place for the result");
  *out = nullptr;
  return lmc::c::guarded([&] { *out = new lmc_linearization{lmc::Linearization(model->model)}; });
}
void lmc_linearization_free(lmc_linearization* l) {
  delete l;
}
size_t lmc_linearization_size(const lmc_linearization* l, lmc_coordinate_kind kind) {
  return lmc::c::sizeOf(l, kind);
}
const char* lmc_linearization_name(const lmc_linearization* l, lmc_coordinate_kind kind, size_t i) {
  const std::vector<std::string>& names = lmc::c::namesOf(l, kind);
  return i < names.size() ? names[i].c_str() : nullptr;
}

lmc_status lmc_linearization_at(lmc_linearization* l, const lmc_workspace* w) {
  if (w == nullptr) return lmc::c::misuse("there is no workspace");
  return lmc::c::guarded([&] { l->linearization.at(w->workspace); });
}
double* lmc_linearization_state(lmc_linearization* l) {
  return l->linearization.state().data();
}
double lmc_linearization_time(const lmc_linearization* l) {
  return l->linearization.time();
}
void lmc_linearization_set_time(lmc_linearization* l, double t) {
  l->linearization.setTime(t);
}
lmc_status lmc_linearization_set_inputs(lmc_linearization* l, const double* values, size_t count) {
  return lmc::c::guarded([&] { l->linearization.setInputs(lmc::c::given(values, count)); });
}
lmc_status lmc_linearization_set_parameters(lmc_linearization* l, const double* values, size_t count) {
  return lmc::c::guarded([&] { l->linearization.setParameters(lmc::c::given(values, count)); });
}

lmc_status lmc_linearization_jacobians(lmc_linearization* l, lmc_linearized map, double h, lmc_jacobians* out) {
  lmc_jacobians j = {};
  const lmc_status status = lmc::c::guarded([&] {
    const lmc::Jacobians all = l->linearization.jacobians(lmc::c::mapOf(map), h);
    j.rows = all.rows;
    j.state = all.state.data();
    j.inputs = all.inputs.data();
    j.parameters = all.parameters.data();
    j.field = all.field.data();
    j.value = all.value.data();
  });
  return status != LMC_OK ? status : lmc::c::give(out, j);
}

lmc_status lmc_linearization_forward(lmc_linearization* l, lmc_linearized map, double h, const double* direction,
                                     const double* inputs, const double* parameters, const double** out) {
  if (out == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded([&] {
    *out = l->linearization
               .forward(lmc::c::mapOf(map), h, lmc::c::optional(direction, lmc::c::sizeOf(l, LMC_COORDINATES)),
                        lmc::c::optional(inputs, lmc::c::sizeOf(l, LMC_INPUT_NUMBERS)),
                        lmc::c::optional(parameters, lmc::c::sizeOf(l, LMC_PARAMETER_NUMBERS)))
               .data();
  });
}

lmc_status lmc_linearization_adjoint(lmc_linearization* l, lmc_linearized map, double h, const double* covector,
                                     lmc_covectors* out) {
  lmc_covectors c = {};
  const lmc_status status = lmc::c::guarded([&] {
    const lmc::Covectors all =
        l->linearization.adjoint(lmc::c::mapOf(map), h, lmc::c::given(covector, lmc::c::rowsOf(l, map)));
    c.state = all.state.data();
    c.inputs = all.inputs.data();
    c.parameters = all.parameters.data();
  });
  return status != LMC_OK ? status : lmc::c::give(out, c);
}

lmc_status lmc_linearization_basis(lmc_linearization* l, double* out, size_t capacity, size_t* vectors) {
  if (out == nullptr || vectors == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded([&] {
    const std::vector<double> basis = l->linearization.basis();
    if (basis.size() > capacity) throw Error(Error::Kind::Misuse, "the basis has more numbers than there is room for");
    lmc::c::copy(basis, out);
    *vectors = basis.empty() ? 0 : basis.size() / lmc::c::sizeOf(l, LMC_COORDINATES);
  });
}

lmc_status lmc_linearization_move(lmc_linearization* l, const double* direction) {
  return lmc::c::guarded([&] { l->linearization.move(lmc::c::given(direction, lmc::c::sizeOf(l, LMC_COORDINATES))); });
}

lmc_status lmc_linearization_difference(lmc_linearization* l, const double* state, double* out) {
  if (out == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded(
      [&] { lmc::c::copy(l->linearization.difference(lmc::c::given(state, l->linearization.state().size())), out); });
}

lmc_status lmc_linearization_propagate(lmc_linearization* l, double h, int64_t n, double* directions, size_t count,
                                       const double* inputs, const double* parameters) {
  return lmc::c::guarded([&] {
    lmc::c::copy(
        l->linearization.propagate(h, n, lmc::c::given(directions, count * lmc::c::sizeOf(l, LMC_COORDINATES)),
                                   lmc::c::optional(inputs, count * lmc::c::sizeOf(l, LMC_INPUT_NUMBERS)),
                                   lmc::c::optional(parameters, count * lmc::c::sizeOf(l, LMC_PARAMETER_NUMBERS))),
        directions);
  });
}

lmc_status lmc_linearization_gradient(lmc_linearization* l, double h, int64_t n, const double* inputs,
                                      lmc_output_weights cost, void* user, double* by_state, double* by_inputs,
                                      double* by_parameters) {
  if (cost == nullptr || n < 0) return lmc::c::misuse("a gradient needs a cost and a number of steps");
  return lmc::c::guarded([&] {
    const auto weights = [&](std::int64_t k, lmc::Span<const double> y) {
      std::vector<double> w(y.size(), 0.0);
      if (cost(k, y.data(), w.data(), w.size(), user) != 0)
        throw Error(Error::Kind::Misuse, "the cost of a trajectory gave up");
      return w;
    };
    const lmc::CostGradient g = l->linearization.gradient(
        h, n, lmc::c::optional(inputs, static_cast<std::size_t>(n) * lmc::c::sizeOf(l, LMC_INPUT_NUMBERS)), weights);
    lmc::c::copy(g.state, by_state);
    lmc::c::copy(g.inputs, by_inputs);
    lmc::c::copy(g.parameters, by_parameters);
  });
}
