// The header of exported source and of objects that are compiled ahead of time.
#include "backends/c/Source.h"

#include "backends/c/Text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::backends {

using runtime::Role;

namespace {

const char* partName(Role role) {
  switch (role) {
  case Role::Params:
    return "parameters";
  case Role::State:
    return "state";
  default:
    return "output";
  }
}

std::string declaration(const unit::Exported& u, std::size_t field) {
  std::string text = "double " + u.members[field];
  for (const std::int64_t n : u.fields()[field].extents) text += fmt::format("[{}]", n);
  return text + ";";
}

bool hasFields(const unit::Exported& u, Role role) {
  return std::any_of(u.fields().begin(), u.fields().end(), [&](const runtime::Field& f) { return f.role == role; });
}

std::string structure(const unit::Exported& u, Role role, const std::string& what) {
  if (!hasFields(u, role)) return {};
  std::string text = comment(what, 0) + fmt::format("typedef struct {}_{} {{\n", u.prefix, partName(role));
  std::size_t width = 0;
  for (std::size_t k = 0; k < u.fields().size(); ++k)
    if (u.fields()[k].role == role) width = std::max(width, declaration(u, k).size());
  for (std::size_t k = 0; k < u.fields().size(); ++k) {
    const runtime::Field& f = u.fields()[k];
    if (f.role != role) continue;
    if (f.comment.empty())
      text += "  " + declaration(u, k) + "\n";
    else
      text += fmt::format("  {:<{}} /* {} */\n", declaration(u, k), std::min<std::size_t>(width, 40), safe(f.comment));
  }
  return text + fmt::format("}} {}_{};\n\n", u.prefix, partName(role));
}

std::string wholeStructure(const unit::Exported& u) {
  std::string text =
      comment("Everything about one instance. The caller provides the memory; copies are independent.", 0);
  text += fmt::format("typedef struct {} {{\n", u.prefix);
  for (const Role role : {Role::Params, Role::State, Role::Output})
    if (hasFields(u, role)) text += fmt::format("  {0}_{1} {1};\n", u.prefix, partName(role));
  const std::int64_t constants = u.unit.module.roleSize[static_cast<int>(Role::Constants)];
  const std::int64_t work = u.unit.module.roleSize[static_cast<int>(Role::Work)];
  if (constants > 0)
    text += fmt::format("  double constants[{}]; /* made by {}_setup from the parameters */\n", constants, u.prefix);
  if (work > 0) text += fmt::format("  double work[{}]; /* scratch memory */\n", work);
  text += fmt::format("  {}_state before; /* scratch memory: the state before a step */\n", u.prefix);
  return text + fmt::format("}} {};\n\n", u.prefix);
}

std::string statuses(const unit::Exported& u) {
  const std::string p = unit::upper(u.prefix);
  std::string text = comment("What the functions return.", 0) + "enum {\n";
  const auto add = [&](const char* name, int value, const char* meaning, const char* behind = ",") {
    text +=
        fmt::format("  {:<{}} /* {} */\n", fmt::format("{}_{} = {}{}", p, name, value, behind), p.size() + 23, meaning);
  };
  add("OK", runtime::Ok, "done");
  add("SINGULAR_MASS", runtime::SingularMass, "the mass matrix has no inverse");
  add("SINGULAR_MATRIX", runtime::SingularMatrix, "a matrix of the model has no inverse");
  add("NO_CONVERGENCE", runtime::NoConvergence,
      "the equations of an implicit step were not solved; try a smaller step");
  add("NON_FINITE", runtime::NonFinite, "the new state would not be finite");
  // C89 and C++98 know no comma behind the last one.
  add("FAR_FROM_MANIFOLD", runtime::FarFromManifold, "the step left the manifold too far; try a smaller one", "");
  text += "};\n\n";
  text += comment("Sizes: doubles of the structure and of the state, columns of a table.", 0) + "enum {\n";
  text += fmt::format("  {}_DOUBLES = {},\n", p, u.size);
  text += fmt::format("  {}_STATE_DOUBLES = {},\n", p, static_cast<std::int64_t>(u.problem().initialState.size()));
  text += fmt::format("  {}_COLUMNS = {}", p, u.problem().columnCount());
  if (u.problem().functions.trial >= 0) text += fmt::format(",\n  {}_ERROR_ORDER = {}", p, u.problem().control->order);
  return text + "\n};\n\n";
}

std::string prototypes(const unit::Exported& u) {
  const std::string& p = u.prefix;
  std::string text;
  const auto add = [&](const std::string& what, const std::string& prototype) {
    text += comment(what, 0) + prototype + "\n\n";
  };
  add("Default parameters, the initial state, and what follows from them. To be called first. Returns a status.",
      fmt::format("int {0}_init({0}* self);", p));
  add("To be called after parameters were changed, before anything else. Inputs may change at any time without it. The "
      "state is left as it is. Returns a status.",
      fmt::format("int {0}_setup({0}* self);", p));
  add(fmt::format("One step of {} from time t to t + h. If the status is not {}_OK, the state is as it was.",
                  u.problem().method, unit::upper(p)),
      fmt::format("int {0}_step({0}* self, double t, double h);", p));
  add("n steps, the first from *t; *t is afterwards the time of the state, n h later, or where a step failed.",
      fmt::format("int {0}_steps({0}* self, double* t, double h, long n);", p));
  if (u.problem().functions.field >= 0)
    add("The derivatives of velocities and states at the present state and time t, in `output`.",
        fmt::format("int {0}_f({0}* self, double t);", p));
  if (u.problem().functions.energy >= 0)
    add("The energy at the present state and time t, in `output`.",
        fmt::format("int {0}_energy({0}* self, double t);", p));
  if (u.problem().functions.observe >= 0)
    add("Energy, observables and defects at the present state and time t, in `output`.",
        fmt::format("int {0}_observables({0}* self, double t);", p));
  if (u.problem().functions.events >= 0)
    add("The expressions of the events at the present state and time t, in `output`. An event happens where its number "
        "changes its sign; the caller finds the time between two steps, for instance by steps of part of the length.",
        fmt::format("int {0}_events({0}* self, double t);", p));
  for (const unit::ExportedReset& r : u.resets)
    add(fmt::format("What {} does to the state, at time t.{}{}", r.what,
                    r.member ? " `member` is the one that has happened, from 1." : "",
                    " Manifolds and constraints are left as it leaves them."),
        fmt::format("int {0}{1}({0}* self, double t{2});", p, r.suffix, r.member ? ", double member" : ""));
  if (u.problem().functions.ticks >= 0)
    add("The intervals of samplings, and their first times where these are given, in `output`; else they begin with "
        "the "
        "motion.",
        fmt::format("int {0}_samplings({0}* self, double t);", p));
  if (u.problem().functions.trial >= 0) {
    add(fmt::format(
            "A step with an error estimate, for steps of variable length. The state is advanced like by {0}_step "
            "and the errors of its parts are in `output`, squared, in units of the tolerances in `parameters`. "
            "Good steps have {0}_error(self) <= 1, which one that fails has not; otherwise the caller puts the state "
            "back, which he copied before, and tries again with a smaller h. A good next length is "
            "h * min(5, max(0.2, 0.9 * pow({0}_error(self), -1.0 / ({1}_ERROR_ORDER + 1)))).",
            p, unit::upper(p)),
        fmt::format("int {0}_trial({0}* self, double t, double h);", p));
    add("The largest error of the last trial, in units of the tolerances; NaN if it failed, or if one is NaN.",
        fmt::format("double {0}_error(const {0}* self);", p));
  }
  add("The numbers of a table of the motion: their names, and where they stand, in doubles from the start of the "
      "structure. Energy and observables are those of the last call of the function above.",
      fmt::format(
          "extern const char* const {0}_column_names[{1}_COLUMNS];\nextern const int {0}_column_places[{1}_COLUMNS];",
          p, unit::upper(p)));
  return text;
}

} // namespace

std::string header(const unit::Exported& u) {
  const std::string guard = unit::upper(u.prefix) + "_H";
  std::string text = comment(fmt::format("{} of {}, stepped by {}. Written by lmc " LMC_VERSION ".", u.problem().model,
                                         u.file, u.problem().method),
                             0);
  std::string how =
      "All numbers are doubles, in the units of the model; matrices are stored by rows; indices of members begin at 0. "
      "The functions allocate nothing, have no global state, and may be called from any number of threads, each with "
      "structures of its own. They need the mathematical library only.";
  if (u.specialized)
    how +=
        " The code is for parameters that are zero where they are by default: entries of vectors and matrices marked "
        "below must stay zero.";
  text += comment(how, 0);
  text += fmt::format("#ifndef {0}\n#define {0}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n", guard);
  text += structure(u, Role::Params,
                    fmt::format("Parameters and inputs. {}_setup belongs to every change of a parameter.", u.prefix));
  text += structure(u, Role::State, "The state.");
  text += structure(u, Role::Output, "Results.");
  text += wholeStructure(u) + statuses(u) + prototypes(u);
  text += "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}

} // namespace lmc::backends
