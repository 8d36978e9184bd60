// Units: all memory of all products is described by fields, one behind the other, and whoever reads it sees the same.
#include "products/Pipeline.h"
#include "products/ensembles/Ensemble.h"
#include "products/exported/Exported.h"
#include "unit/builder/UnitBuilder.h"

#include "diagnostics/Diagnostics.h"
#include "mechanics/system/System.h"
#include "runtime/ensemble/Ensemble.h"
#include "runtime/run/Workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace lmc {
namespace {

using runtime::Role;

/// All sorts of memory: inputs with and without a law, single and of a family, events, a family of observables, a
/// manifold with parts, one with conditions, tolerances.
const char* const everything = R"(
model Everything {
  param m = 2;
  param J : mat(3, 3) = diag(1, 2, 3);
  param N : int = 2;
  input push = sin(t);
  input T[i in 1..2] : real = 0;
  config X : SE(3) velocity V;
  config q[N] : S^2 velocity w;
  lagrangian = 0.5*dot(V.w, J*V.w) + 0.5*m*dot(V.v, V.v)
    + sum(i in 1..N: 0.5*dot(w[i], w[i]) - dot(e3, q[i]));
  force on X = (w = [push, T[1], T[2]], v = [0, 0, 0]);
  initial q[i in 1..N] = e1;
  initial w[1] = e3;
  observe height[i in 1..2] = dot(e3, q[i]);
  event low = dot(e3, q[1]) + 0.9;
  simulate { method = RKMK54; tolerance = 1e-6; time = 0..0.1; step = 0.01; }
}
)";

struct Named {
  std::string name;
  std::function<std::optional<runtime::Problem>(products::Pipeline&)> make;
};

template <class Made> std::optional<runtime::Problem> problemOf(std::unique_ptr<Made> made) {
  if (!made) return std::nullopt;
  if constexpr (std::is_same_v<Made, runtime::Problem>)
    return std::move(*made);
  else
    return std::move(made->problem);
}

std::vector<Named> allProducts() {
  const auto linear = [](bool step, bool matrices) {
    return [step, matrices](products::Pipeline& p) {
      methods::LinearizationRequest r;
      r.step = step;
      r.matrices = matrices;
      return problemOf(p.buildLinearization(r));
    };
  };
  return {{"run", [](products::Pipeline& p) { return problemOf(p.build()); }},
          {"field", [](products::Pipeline& p) { return problemOf(p.build(false)); }},
          {"fixed", [](products::Pipeline& p) { return problemOf(p.buildHost(products::HostSteps::Fixed)); }},
          {"evaluation",
           [](products::Pipeline& p) {
             (void)p.buildHost(products::HostSteps::Default);
             return problemOf(p.buildEvaluation());
           }},
          {"matrices", linear(true, true)},
          {"directions", linear(false, false)},
          {"ensemble",
           [](products::Pipeline& p) {
             products::EnsembleRequest r;
             r.samples = 2;
             return problemOf(products::buildEnsemble(p, r));
           }},
          {"exported", [](products::Pipeline& p) {
             const auto unit = products::exportedUnit(p, "m");
             return unit ? std::optional(unit->problem()) : std::nullopt;
           }}};
}

std::unique_ptr<products::Pipeline> loaded(const char* method = nullptr) {
  products::PipelineOptions o;
  o.compilation.libraryRoot = LMC_SOURCE_DIR;
  o.compile.optimization = 0;
  o.codeForAnyParameters = false;
  if (method != nullptr) o.method = method;
  auto p = std::make_unique<products::Pipeline>(std::move(o));
  EXPECT_TRUE(p->loadText("everything.lie", everything));
  return p;
}

std::vector<std::string> namesOf(const std::vector<runtime::Column>& columns) {
  std::vector<std::string> names;
  for (const runtime::Column& c : columns) names.push_back(c.entry.name());
  return names;
}

} // namespace

TEST(Placement, PutsFieldsOneBehindTheOtherInEachRole) {
  unit::Placement memory;
  const runtime::Field a = memory.place({"a", {2, 3}, {}, 2, Role::State});
  const runtime::Field b = memory.place({"b", {}, {}, 0, Role::Output});
  const runtime::Field c = memory.place({"c", {4}, {}, 0, Role::State});
  EXPECT_EQ(a.offset, 0);
  EXPECT_EQ(b.offset, 0);
  EXPECT_EQ(c.offset, 6);
  EXPECT_EQ(a.members(), 1);
  EXPECT_EQ(c.members(), 4);
  EXPECT_EQ(memory.size(Role::State), 10);
  EXPECT_EQ(memory.size(Role::Params), 0);
  EXPECT_EQ(memory.fields.size(), 3U);
  EXPECT_FALSE((runtime::Field{"nowhere", {}, {}}.there()));
}

TEST(Units, OfAllProductsHaveAFieldForEachNumber) {
  for (const Named& product : allProducts()) {
    const auto pipeline = loaded();
    const auto p = product.make(*pipeline);
    ASSERT_TRUE(p) << product.name << ": " << pipeline->diagnostics().sorted().front().message;
    std::array<std::int64_t, runtime::roleCount> next{};
    for (const runtime::Field& f : p->fields) {
      std::int64_t& size = next[static_cast<std::size_t>(f.role)];
      EXPECT_EQ(f.offset, size) << product.name << ", " << f.name;
      size += f.count();
    }
    for (const Role role : {Role::Params, Role::State, Role::Output}) {
      const auto r = static_cast<std::size_t>(role);
      EXPECT_GE(next[r], p->sizes[r]) << product.name << ", role " << r;
    }
    EXPECT_EQ(p->numbers(runtime::FieldKind::State).size(), p->initialState.size()) << product.name;
  }
}

TEST(Units, ShowEveryReaderTheSameColumns) {
  const auto pipeline = loaded();
  const auto run = pipeline->build();
  ASSERT_TRUE(run);
  const std::vector<std::string> columns = namesOf(run->columns());
  EXPECT_EQ(columns.size(), run->columnCount());
  EXPECT_EQ(columns.front(), "X.R[1][1]");
  EXPECT_EQ(std::vector<std::string>(columns.end() - 3, columns.end()),
            (std::vector<std::string>{"energy", "height[1]", "height[2]"}));
  for (const Named& product : allProducts()) {
    if (product.name != "exported" && product.name != "fixed" && product.name != "ensemble") continue;
    const auto other = product.make(*loaded());
    ASSERT_TRUE(other);
    EXPECT_EQ(namesOf(other->columns()), columns) << product.name;
  }
  // A workspace finds the same number by its column and by its field.
  runtime::Workspace w(*run);
  ASSERT_EQ(w.start(), runtime::Ok);
  ASSERT_EQ(w.observe(0), runtime::Ok);
  const std::vector<runtime::Column> all = run->columns();
  const runtime::Field* const energy = run->field(runtime::FieldKind::Energy);
  ASSERT_NE(energy, nullptr);
  EXPECT_EQ(w.place(all[all.size() - 3]), w.numbers(*energy).data());
  EXPECT_NEAR(w.numbers(*energy)[0], 0.5, 1e-15); // of w[1] = e3 at q = e1
}

TEST(Units, SayWhatBelongsToAnInput) {
  const auto pipeline = loaded();
  const auto run = pipeline->build();
  ASSERT_TRUE(run);
  std::vector<std::string> given, value;
  for (const runtime::Field* f : run->all(runtime::FieldKind::InputGiven)) given.push_back(f->of);
  for (const runtime::Field* f : run->all(runtime::FieldKind::InputValue)) value.push_back(f->of);
  EXPECT_EQ(given, (std::vector<std::string>{"push", "T"}));
  EXPECT_EQ(value, given);
  const sema::Model& m = *pipeline->system()->model;
  for (std::size_t k = 0; k < m.parameters.size(); ++k) {
    const sema::Parameter& p = m.parameters[k];
    EXPECT_EQ(p.input.empty(), p.use == sema::Parameter::Use::Parameter) << p.name;
    if (p.input.empty()) continue;
    EXPECT_EQ(m.parameters[p.other].other, k);
    EXPECT_EQ(m.parameters[p.other].input, p.input);
    EXPECT_NE(m.parameters[p.other].use, p.use);
  }
  const auto linear = pipeline->buildLinearization({});
  ASSERT_TRUE(linear);
  EXPECT_EQ(linear->inputNames, (std::vector<std::string>{"push", "T[1]", "T[2]"}));
  const runtime::Field* const flags = linear->problem.all(runtime::FieldKind::InputGiven)[1];
  EXPECT_EQ(linear->inputGiven[1], flags->offset);
  EXPECT_EQ(linear->inputGiven[2], flags->offset + 1);
  EXPECT_EQ(linear->direction.count(), linear->coordinates);
  EXPECT_EQ(linear->inputDirection.count(), linear->inputs);
}

TEST(Units, KeepEventsWithTheirMembersAndDirections) {
  const auto run = loaded()->build();
  ASSERT_TRUE(run);
  ASSERT_EQ(run->events().size(), 1U);
  EXPECT_EQ(run->events()[0].entry.name(), "low");
  runtime::Problem without = *run;
  without.ignoreEvents();
  EXPECT_TRUE(without.events().empty());
}

TEST(Units, AreTheSameWhenTheyAreBuiltAgain) {
  sym::Graph graph;
  sym::Program program(graph);
  const sym::Array* x = graph.newArray("x", {}, sym::Shape::vec(3), sym::Role::Param);
  const sym::Array* y = graph.newArray("y", {}, sym::Shape::scalar(), sym::Role::Temp);
  sym::Equation e;
  e.array = y;
  e.value = graph.inner(graph.load(x), graph.load(x));
  program.append(std::move(e));
  unit::UnitBuilder builder(program);
  runtime::Field field = unit::fieldOf("x", *x);
  field.role = Role::Params;
  builder.reads(x, builder.place(field));
  const runtime::Field result = builder.place(Role::Output, "y", {y});
  builder.functions.observe = builder.function("y", 1, unit::UnitBuilder::into(result, {y}));
  const unit::Unit all = builder.build(), again = builder.build(),
                   first = builder.build({{x->id, {false, true, true}}});
  EXPECT_EQ(tape::print(all.module), tape::print(again.module));
  EXPECT_NE(tape::print(all.module), tape::print(first.module)); // two products less
  EXPECT_EQ(all.problem.functions.setup, 0);
  EXPECT_EQ(all.problem.functions.observe, 1);
  EXPECT_EQ(all.problem.sizes[static_cast<std::size_t>(Role::Output)], 1);
}

} // namespace lmc
