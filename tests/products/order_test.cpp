// What is made of a model does not depend on what was made of it before: the same tapes, in any order.
#include "products/Pipeline.h"
#include "products/ensembles/Ensemble.h"
#include "products/equations/Equations.h"
#include "products/exported/Exported.h"

#include "diagnostics/Diagnostics.h"
#include "mechanics/system/System.h"
#include "products/Pipeline.h"
#include "products/States.h"
#include "runtime/ensemble/Ensemble.h"
#include "runtime/mass/MassCheck.h"
#include "tape/Tape.h"
#include "unit/Unit.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace lmc {
namespace {

struct Sample {
  std::string name;
  std::vector<sema::Override> overrides; ///< small sizes
  std::string method;                    ///< beside that of the file; empty: that one
  std::string vary;
  bool symplectic = true; ///< has a symplectic form
};

std::vector<Sample> samples() {
  return {{"heavy_top", {}, "", "Omega ~ normal(0, 0.1)"},
          {"heavy_top_hamiltonian", {}, "", "p ~ normal(0, 0.1)"},
          {"heavy_top_lie_poisson", {}, "", "m ~ normal(0, 0.1)"},
          {"spherical_pendulum", {}, "VIMidpoint", "q ~ normal(0.1)"},
          {"satellite", {}, "RKMK4", "", false},
          {"pendulum_chain", {{"N", "3"}}, "RKMKGL2", ""},
          {"dipolar_spheres", {{"N", "4"}}, "RKMK4", ""},
          {"two_quadrotors", {}, "RKMK4", ""}};
}

products::PipelineOptions optionsOf(const Sample& s) {
  products::PipelineOptions o;
  o.compilation.libraryRoot = LMC_SOURCE_DIR;
  o.compilation.overrides = s.overrides;
  o.compile.optimization = 0;
  o.codeForAnyParameters = false;
  if (!s.method.empty()) o.method = s.method;
  return o;
}

std::string textOf(const tape::Module& m) {
  return tape::print(m);
}

template <class Made> std::string keyOf(const std::unique_ptr<Made>& p) {
  return p ? p->problem.codeKey : "nothing";
}
std::string keyOf(const std::unique_ptr<runtime::Problem>& p) {
  return p ? p->codeKey + (p->mass ? textOf(p->mass->module) : "") : "nothing";
}

/// What can be made of a model; each says what it has made, by the tapes of its code.
struct Making {
  std::string name;
  std::function<std::string(products::Pipeline&, const Sample&)> make;
};

std::vector<Making> products() {
  const auto linear = [](bool step) {
    return [step](products::Pipeline& p, const Sample&) {
      methods::LinearizationRequest r;
      r.step = step;
      return keyOf(p.buildLinearization(r));
    };
  };
  return {
      {"check", [](products::Pipeline& p, const Sample&) { return std::string(p.check() ? "right" : "wrong"); }},
      {"equations", [](products::Pipeline& p,
                       const Sample&) { return products::equations(p, "text") + products::equations(p, "json"); }},
      {"system", [](products::Pipeline& p, const Sample&) { return p.dump("system"); }},
      {"step", [](products::Pipeline& p, const Sample&) { return p.dump("step"); }},
      {"tape", [](products::Pipeline& p, const Sample&) { return p.dump("tape"); }},
      {"run", [](products::Pipeline& p, const Sample&) { return keyOf(p.build()); }},
      {"field", [](products::Pipeline& p, const Sample&) { return keyOf(p.build(false)); }},
      {"tangent", [](products::Pipeline& p, const Sample& s) { return s.symplectic ? keyOf(p.buildTangent()) : ""; }},
      {"linearized field", linear(false)},
      {"linearized step", linear(true)},
      {"ensemble",
       [](products::Pipeline& p, const Sample& s) {
         products::EnsembleRequest r;
         if (!s.vary.empty()) r.vary = {s.vary};
         r.samples = 3;
         return keyOf(products::buildEnsemble(p, r));
       }},
      {"host",
       [](products::Pipeline& p, const Sample&) {
         std::string made = keyOf(p.buildHost(products::HostSteps::Default));
         made += keyOf(p.buildEvaluation());
         return made + textOf(p.massEquation() ? p.massEquation()->module : tape::Module{});
       }},
      {"fixed steps",
       [](products::Pipeline& p, const Sample&) { return keyOf(p.buildHost(products::HostSteps::Fixed)); }},
      {"unit",
       [](products::Pipeline& p, const Sample&) {
         const auto unit = products::exportedUnit(p, "m");
         return unit ? unit->equations + textOf(unit->unit.module) : "nothing";
       }},
      {"states from outside",
       [](products::Pipeline& p, const Sample&) {
         if (!p.check()) return std::string("wrong");
         const products::StateSettler settler(*p.system());
         return std::string();
       }},
  };
}

class Order : public testing::TestWithParam<Sample> {};

TEST_P(Order, OfProductsDecidesNothing) {
  const Sample& s = GetParam();
  const std::string file = std::string(LMC_SOURCE_DIR) + "/examples/" + s.name + ".lie";
  const std::vector<Making> all = products();
  std::vector<std::string> first;
  for (const Making& product : all) {
    products::Pipeline fresh(optionsOf(s));
    ASSERT_TRUE(fresh.load(file));
    first.push_back(product.make(fresh, s));
    EXPECT_FALSE(fresh.diagnostics().hasErrors())
        << product.name << ": " << fresh.diagnostics().sorted().front().message;
    EXPECT_NE(first.back(), "nothing") << product.name;
  }
  std::mt19937_64 engine(7);
  for (int order = 0; order < 3; ++order) {
    std::vector<std::size_t> list;
    for (std::size_t k = 0; k < all.size(); ++k) list.insert(list.end(), {k, k}); // each twice
    std::shuffle(list.begin(), list.end(), engine);
    products::Pipeline one(optionsOf(s));
    ASSERT_TRUE(one.load(file));
    std::string before;
    for (const std::size_t k : list) {
      EXPECT_TRUE(all[k].make(one, s) == first[k]) << all[k].name << " after" << before;
      before += " " + all[k].name + ",";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Order, testing::ValuesIn(samples()), [](const auto& p) { return p.param.name; });

} // namespace
} // namespace lmc
