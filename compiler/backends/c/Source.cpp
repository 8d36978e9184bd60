// A whole C file: routines, functions of the model, the interface.
#include "backends/c/Source.h"

#include "backends/c/Function.h"
#include "backends/c/Text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace lmc::backends {

using runtime::Role;

namespace {

struct Helper {
  const char* name;
  const char* text;
};

constexpr std::array<Helper, 9> helpers = {{
    {"lmc_min", "static double lmc_min(double a, double b) { return a < b || a != a ? a : b; }\n"},
    {"lmc_max", "static double lmc_max(double a, double b) { return a > b || a != a ? a : b; }\n"},
    {"lmc_power", R"(/* x^n by repeated squaring. */
static double lmc_power(double x, int n) {
  double result = 1.0;
  double square = x;
  for (int bits = n < 0 ? -n : n; bits != 0; bits >>= 1) {
    if ((bits & 1) != 0) result *= square;
    if (bits > 1) square *= square;
  }
  return n < 0 ? 1.0 / result : result;
}
)"},
    {"lmc_floor_div", R"(/* a/b rounded down. */
static long lmc_floor_div(long a, long b) {
  if (b == 0) return 0;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
)"},
    {"lmc_floor_mod", R"(/* What a/b rounded down leaves. */
static long lmc_floor_mod(long a, long b) {
  if (b == 0) return 0;
  return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}
)"},
    {"lmc_imin", "static long lmc_imin(long a, long b) { return a < b ? a : b; }\n"},
    {"lmc_imax", "static long lmc_imax(long a, long b) { return a > b ? a : b; }\n"},
    {"lmc_iabs", "static long lmc_iabs(long a) { return a < 0 ? -a : a; }\n"},
    {"lmc_floor_to_int", R"(/* The largest whole number that is not above x; 0 if x is not finite. */
static long lmc_floor_to_int(double x) { return x > -9e15 && x < 9e15 ? (long)floor(x) : 0; }
)"},
}};

/// Files of runtime/kernels with those that they call, callees first.
std::vector<std::string> kernelFiles(const std::set<std::string>& wanted) {
  const auto needs = [&](const char* name) { return wanted.contains(name); };
  std::vector<std::string> files;
  if (needs("stumpff")) files.emplace_back("stumpff");
  if (needs("lu") || needs("cholesky") || needs("newton_change") || needs("matrix_exponential"))
    files.emplace_back("lu");
  for (const char* name : {"cholesky", "newton_change", "matrix_exponential", "gmres", "sparse"})
    if (needs(name)) files.emplace_back(name);
  return files;
}

/// Functions of the file that nothing calls would be warned about.
std::string withoutUnused(std::string text, const std::string& rest) {
  for (;;) {
    bool removed = false;
    for (std::size_t at = text.find("\nstatic "); at != std::string::npos; at = text.find("\nstatic ", at + 1)) {
      const std::size_t open = text.find('(', at);
      const std::size_t line = text.find('\n', at + 1);
      if (open == std::string::npos || open > line) continue; // data
      const std::size_t start = text.find_last_of(" *", open) + 1;
      const std::string name = text.substr(start, open - start);
      const std::size_t close = text.find("\n}\n", at);
      if (close == std::string::npos) continue;
      const std::string others = text.substr(0, at) + text.substr(close) + rest;
      if (others.find(name + "(") != std::string::npos) continue;
      std::size_t begin = at + 1; // with the comment before
      if (const std::size_t c = text.rfind("/*", at); c != std::string::npos && text.compare(at - 2, 2, "*/") == 0)
        begin = c;
      text.erase(begin, close + 3 - begin);
      removed = true;
      break;
    }
    if (!removed) return text;
  }
}

std::string numbers(const std::vector<double>& values) {
  std::string text;
  std::string line = "   ";
  for (const double x : values) {
    const std::string next = " " + literal(x) + ",";
    if (line.size() + next.size() > 116) {
      text += line + "\n";
      line = "   ";
    }
    line += next;
  }
  return text + line + "\n";
}

std::string trimmed(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

class Source {
public:
  Source(const unit::Exported& u, std::string headerName) : u_(u), header_(std::move(headerName)) {}

  std::string run(bool withMain) {
    const std::string bodies = functions();
    std::string text = top(withMain);
    for (const Helper& h : helpers)
      if (needs_.helpers.contains(h.name)) text += h.text + std::string("\n");
    std::string routines = "\n";
    const std::vector<std::string> files = kernelFiles(needs_.kernels);
    if (!files.empty()) {
      text += "/* ---- Routines of lmc that the model needs --------------------------------------------------------- "
              "*/\n\n";
      text += "enum { LMC_OK = 0, LMC_SINGULAR_MASS = 1, LMC_SINGULAR_MATRIX = 2, LMC_NO_CONVERGENCE = 3, "
              "LMC_NON_FINITE = 4 };\n";
    }
    for (const std::string& f : files) routines += kernelSource(f) + "\n";
    text += withoutUnused(routines, bodies);
    text += "/* ---- The model ------------------------------------------------------------------------------------- "
            "*/\n\n";
    text += bodies + interface();
    if (withMain) text += mainFunction();
    while (text.find("\n\n\n") != std::string::npos) text.replace(text.find("\n\n\n"), 3, "\n\n");
    return text;
  }

private:
  std::string top(bool withMain) const {
    std::string text =
        comment(fmt::format("{} of {}, stepped by {}. Written by lmc " LMC_VERSION "; see {} for the interface.",
                            u_.problem().model, u_.file, u_.problem().method, header_),
                0);
    text += "/*\n   The equations:\n\n";
    std::string line;
    for (const char c : safe(trimmed(u_.equations)) + "\n") {
      if (c != '\n') {
        line += c;
        continue;
      }
      text += line.empty() ? "\n" : "   " + line + "\n";
      line.clear();
    }
    text += "*/\n";
    text += "#include \"" + header_ + "\"\n\n#include <math.h>\n#include <stdint.h>\n";
    if (!needs_.kernels.empty())
      text += "#ifdef __cplusplus /* for who compiles C files as C++ */\n#define restrict __restrict\n#endif\n";
    if (withMain) text += "#include <stdio.h>\n#include <stdlib.h>\n";
    return text + "\n";
  }

  std::string functions() {
    std::string text;
    const auto add = [&](int index, const char* suffix, const std::string& what) {
      if (index < 0) return;
      text += withParts(index, u_.prefix + suffix, comment(what, 0));
    };
    const runtime::Functions& f = u_.problem().functions;
    add(f.setup, "_make_constants", "What follows from the parameters alone.");
    add(f.field, "_derivatives", "The derivatives of velocities and states at the state y and time t.");
    add(f.energy, "_make_energy", "The energy of the state y at time t.");
    add(f.observe, "_observe", "Energy, observables and defects of the state y at time t.");
    add(f.events, "_make_events", "The expressions of the events.");
    add(f.ticks, "_make_samplings", "The times of samplings.");
    for (const unit::ExportedReset& r : u_.resets)
      add(r.function, ("_make" + r.suffix).c_str(), "What " + r.what + " does to the state.");
    add(f.step, "_make_step", fmt::format("One step of {}, from y at time t over h.", u_.problem().method));
    add(f.trial, "_make_trial", fmt::format("One step of {} with the squares of its errors.", u_.problem().method));
    return text;
  }

  /// A function behind those that it calls.
  std::string withParts(std::int64_t index, const std::string& name, const std::string& before) {
    std::string text;
    for (const tape::Block& b : u_.unit.module.functions[static_cast<std::size_t>(index)].blocks)
      for (const tape::Instr& i : b.code) {
        if (i.op != tape::Op::Call || needs_.called.contains(i.imm)) continue;
        const std::string part = fmt::format("{}_part{}", name, ++parts_);
        needs_.called[i.imm] = part;
        text += withParts(i.imm, part, "");
      }
    return text + before + function(u_, static_cast<int>(index), name, needs_) + "\n";
  }

  std::string interface() const {
    const std::string& p = u_.prefix;
    const std::string ok = unit::upper(p) + "_OK";
    std::string text =
        "/* ---- The interface ------------------------------------------------------------------------------ */\n\n";
    text += initFunction();
    text += fmt::format("int {0}_setup({0}* self) {{ return {0}_make_constants(self); }}\n\n", p);
    text += fmt::format(R"(static int {0}_finite(const {0}_state* y) {{
  const double* const numbers = (const double*)y;
  double sum = 0.0;
  for (long k = 0; k < {1}_STATE_DOUBLES; ++k) sum += numbers[k] - numbers[k];
  return sum == 0.0;
}}

int {0}_step({0}* self, double t, double h) {{
  self->before = self->state;
  int status = {0}_make_step(self, t, h);
  if (status == {1}_OK && !{0}_finite(&self->state)) status = {1}_NON_FINITE;
  if (status != {1}_OK) self->state = self->before;
  return status;
}}

int {0}_steps({0}* self, double* t, double h, long n) {{
  const double start = *t;
  for (long k = 0; k < n; ++k) {{
    const int status = {0}_step(self, start + (double)k * h, h);
    if (status != {1}_OK) return status;
    *t = start + (double)(k + 1) * h;
  }}
  return {1}_OK;
}}

)",
                        p, unit::upper(p));
    const runtime::Functions& f = u_.problem().functions;
    const auto pass = [&](int index, const char* suffix, const char* body) {
      if (index >= 0)
        text += fmt::format("int {0}{1}({0}* self, double t) {{ return {0}{2}(self, t); }}\n\n", p, suffix, body);
    };
    pass(f.field, "_f", "_derivatives");
    pass(f.energy, "_energy", "_make_energy");
    pass(f.observe, "_observables", "_observe");
    pass(f.events, "_events", "_make_events");
    pass(f.ticks, "_samplings", "_make_samplings");
    for (const unit::ExportedReset& r : u_.resets)
      text += fmt::format("int {0}{1}({0}* self, double t{2}) {{ return {0}_make{1}(self, t{3}); }}\n\n", p, r.suffix,
                          r.member ? ", double member" : "", r.member ? ", member" : "");
    if (f.trial >= 0) text += trialFunctions();
    return text + columnTables();
  }

  std::string trialFunctions() const {
    const auto errors = std::find_if(u_.fields().begin(), u_.fields().end(),
                                     [](const runtime::Field& f) { return f.kind == runtime::FieldKind::Error; });
    const std::string& member = u_.members[static_cast<std::size_t>(errors - u_.fields().begin())];
    return fmt::format(R"(int {0}_trial({0}* self, double t, double h) {{
  const int status = {0}_make_trial(self, t, h);
  if (status != {3}_OK) self->output.{2}[0] = NAN; /* no step to go on from */
  return status;
}}

double {0}_error(const {0}* self) {{
  double most = 0.0;
  for (long k = 0; k < {1}; ++k) {{
    const double square = self->output.{2}[k];
    if (square > most || square != square) most = square; /* NaN stays */
  }}
  return sqrt(most);
}}

)",
                       u_.prefix, errors->count(), member, unit::upper(u_.prefix));
  }

  std::string initFunction() const {
    const std::string& p = u_.prefix;
    std::string text;
    std::string body = fmt::format("int {0}_init({0}* self) {{\n", p);
    const auto fill = [&](Role role, const char* part, const std::vector<double>& values) {
      if (values.empty()) return;
      text +=
          fmt::format("static const double {}_default_{}[{}] = {{\n{}}};\n\n", p, part, values.size(), numbers(values));
      body += fmt::format("  for (long k = 0; k < {1}; ++k) ((double*)&self->{2})[k] = {0}_default_{2}[k];\n", p,
                          values.size(), part);
      (void)role;
    };
    fill(Role::Params, "parameters", u_.parameters);
    std::vector<double> state = u_.problem().initialState;
    state.resize(
        static_cast<std::size_t>(u_.problem().sizes[static_cast<std::size_t>(Role::State)])); // nothing is kept
    fill(Role::State, "state", state);
    const std::int64_t output = u_.base[static_cast<int>(Role::Constants)] - u_.base[static_cast<int>(Role::Output)];
    if (output > 0) body += fmt::format("  for (long k = 0; k < {}; ++k) ((double*)&self->output)[k] = 0.0;\n", output);
    return text + body + fmt::format("  return {}_setup(self);\n}}\n\n", p);
  }

  std::string columnTables() const {
    const std::string size = unit::upper(u_.prefix) + "_COLUMNS";
    std::string names = fmt::format("const char* const {}_column_names[{}] = {{\n", u_.prefix, size);
    std::string places = fmt::format("const int {}_column_places[{}] = {{\n", u_.prefix, size);
    std::string nameLine = "   ", placeLine = "   ";
    const auto add = [](std::string& text, std::string& line, const std::string& next) {
      if (line.size() + next.size() > 114) {
        text += line + "\n";
        line = "   ";
      }
      line += " " + next + ",";
    };
    for (const runtime::Column& c : u_.problem().columns()) {
      add(names, nameLine, "\"" + c.entry.name() + "\"");
      add(places, placeLine, std::to_string(u_.place(c.role, c.offset)));
    }
    return names + nameLine + "\n};\n\n" + places + placeLine + "\n};\n";
  }

  std::string mainFunction() const {
    const auto value = [](double x, double otherwise) { return literal(std::isnan(x) ? otherwise : x); };
    const double step = std::isnan(u_.problem().step) ? 1e-3 : u_.problem().step;
    const double from = std::isnan(u_.problem().timeFrom) ? 0 : u_.problem().timeFrom;
    const double to = std::isnan(u_.problem().timeTo) ? from + 1000 * step : u_.problem().timeTo;
    return fmt::format(R"(
static void print_sample(const {0}* self, double t) {{
  printf("%.17g", t);
  for (int k = 0; k < {1}_COLUMNS; ++k) printf(",%.17g", ((const double*)self)[{0}_column_places[k]]);
  printf("\n");
}}

/* The number that a text is, or NAN. */
static double number(const char* text) {{
  char* rest;
  const double x = strtod(text, &rest);
  return rest == text || *rest != '\0' ? NAN : x;
}}

/* A trajectory as CSV; of every so many steps one is printed. */
int main(int argc, char** argv) {{
  static {0} self;
  const double start = {2};
  const double end = argc > 1 ? number(argv[1]) : {3};
  const double h = argc > 2 ? number(argv[2]) : {4};
  const double count = argc > 3 ? number(argv[3]) : 1.0;
  const double ratio = (end - start) / h;
  const double wanted = ceil(ratio - 1e-6);
  const long every = count >= 1.0 && count < 1e9 ? (long)count : 0;
  const long steps = h > 0.0 && wanted >= 1.0 && wanted < 1e9 ? (long)wanted : 0;
  /* Steps that fill the time to rounding all have the length h, as in runs of lmc; otherwise the last one is cut. */
  const double most = fabs(start) > fabs(end) ? fabs(start) : fabs(end);
  const int whole = fabs(ratio - round(ratio)) <= 1.8e-15 * (fabs(ratio) + most / h);
  int status;
  if (argc > 4 || steps == 0 || every == 0 || (double)every != count) {{
    fprintf(stderr, "usage: %s [END [STEP [EVERY]]]\n", argv[0]);
    fprintf(stderr, "  END    time at which it ends, after %g\n", start);
    fprintf(stderr, "  STEP   length of a step, more than 0\n");
    fprintf(stderr, "  EVERY  of so many steps one is printed, a whole number\n");
    return 2;
  }}
  status = {0}_init(&self);
  printf("t");
  for (int k = 0; k < {1}_COLUMNS; ++k) printf(",%s", {0}_column_names[k]);
  printf("\n");
  for (long k = 0; status == {1}_OK; ++k) {{
    const double t = k < steps ? start + (double)k * h : end;
{5}    if (k % every == 0 || k == steps) print_sample(&self, t);
    if (k >= steps) break;
    status = {0}_step(&self, t, k + 1 < steps || whole ? h : end - t);
  }}
  if (status != {1}_OK) fprintf(stderr, "status %d\n", status);
  return status == {1}_OK ? 0 : 3;
}}
)",
                       u_.prefix, unit::upper(u_.prefix), value(u_.problem().timeFrom, 0), literal(to), literal(step),
                       u_.problem().functions.observe >= 0 ? fmt::format("    {0}_observables(&self, t);\n", u_.prefix)
                                                           : "");
  }

  const unit::Exported& u_;
  std::string header_;
  Needs needs_;
  int parts_ = 0;
};

} // namespace

std::string source(const unit::Exported& unit, const std::string& headerName, bool withMain) {
  return Source(unit, headerName).run(withMain);
}

} // namespace lmc::backends
