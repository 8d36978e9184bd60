/* The host interface from C: every group of functions, with their failures. */
#include "lmc/lmc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int good, int line, const char* what) {
  if (good) return;
  ++failures;
  fprintf(stderr, "c_test.c:%d: %s (last error: %s)\n", line, what, lmc_last_error());
}
#define CHECK(condition) check(condition, __LINE__, #condition)
#define OK(call) check((call) == LMC_OK, __LINE__, #call)

static const char* const pendulum = "import \"gravity.lie\";\n"
                                    "model Pendulum {\n"
                                    "  param m = 2;  param l = 0.5;\n"
                                    "  config q : S^2 velocity w;\n"
                                    "  input u : real = 0;\n"
                                    "  lagrangian = 0.5*m*l^2*dot(q', q') - m*gravity()*l*dot(e3, q);\n"
                                    "  force on q = u*q[1]*e3;\n"
                                    "  initial q = [1, 0, 0];\n"
                                    "  initial w = [0, 0.5, 0];\n"
                                    "  observe height = l*dot(e3, q);\n"
                                    "  event low = q[3] + 0.9;\n"
                                    "  simulate { method = RKMK54; time = 0..1; step = 0.01; }\n"
                                    "}\n";

static const char* resolve(const char* path, void* user) {
  ++*(int*)user;
  return strcmp(path, "gravity.lie") == 0 ? "fn gravity() = 9.81;\n" : NULL;
}

static lmc_model* compile(void) {
  lmc_options* options = lmc_options_new();
  lmc_compilation* c = NULL;
  lmc_model* model;
  int asked = 0;
  OK(lmc_options_set_resolver(options, resolve, &asked));
  OK(lmc_options_add_value(options, "m", "3"));
  OK(lmc_options_set_seed(options, 7));
  OK(lmc_compile_text("pendulum.lie", pendulum, options, &c));
  CHECK(asked == 1);
  CHECK(lmc_compilation_diagnostics(c) == 0);
  model = lmc_compilation_model(c);
  if (model == NULL) {
    fprintf(stderr, "%s", lmc_compilation_format(c, 0));
    exit(1);
  }
  lmc_compilation_free(c);
  lmc_options_free(options);
  return model;
}

static void diagnostics(void) {
  lmc_compilation* c = NULL;
  const lmc_source sources[2] = {{"a.lie", "import \"b.lie\";\nmodel M { config R : SO(3) velocity w;\n"
                                           "lagrangian = dot(w, w)*speedd(); fn speed() = 1; }\n"},
                                 {"b.lie", "fn speed() = 2;\n"}};
  LMC_STRUCT(lmc_diagnostic, d);
  OK(lmc_compile_sources(sources, 2, NULL, &c));
  CHECK(lmc_compilation_model(c) == NULL);
  CHECK(lmc_compilation_diagnostics(c) >= 1);
  OK(lmc_compilation_diagnostic(c, 0, &d));
  CHECK(strncmp(d.code, "LIE", 3) == 0 && !d.warning && strcmp(d.source, "a.lie") == 0);
  CHECK(d.begin.line == 3 && d.end.offset > d.begin.offset && d.message[0] != 0 && d.text[0] != 0);
  CHECK(strstr(lmc_compilation_format(c, 1), "\033[") != NULL);
  CHECK(lmc_compilation_diagnostic(c, 99, &d) == LMC_MISUSE);
  {
    LMC_STRUCT(lmc_note, note);
    CHECK(lmc_compilation_note(c, 0, d.notes, &note) == LMC_MISUSE);
    if (d.notes > 0) OK(lmc_compilation_note(c, 0, 0, &note));
  }
  { /* A structure of an older program is filled as far as it goes. */
    struct {
      lmc_diagnostic d;
    } old;
    memset(&old, 0xAB, sizeof old);
    old.d.struct_size = offsetof(lmc_diagnostic, message);
    OK(lmc_compilation_diagnostic(c, 0, &old.d));
    CHECK(strncmp(old.d.code, "LIE", 3) == 0);
    CHECK(*(unsigned char*)&old.d.message == 0xAB);
  }
  lmc_compilation_free(c);
  CHECK(lmc_compile_text(NULL, "", NULL, &c) == LMC_MISUSE);
  CHECK(c == NULL);
  CHECK(lmc_compile_sources(NULL, 0, NULL, &c) == LMC_MISUSE);
  CHECK(lmc_compile_text("a", "", NULL, NULL) == LMC_MISUSE);
  CHECK(lmc_options_set_method(NULL, "CF4") == LMC_MISUSE);
}

static void options(const char* examples) {
  lmc_options* o = lmc_options_new();
  lmc_compilation* c = NULL;
  lmc_model* m;
  char path[4096];
  LMC_STRUCT(lmc_settings, s);
  OK(lmc_options_set_method(o, "RKMK54"));
  OK(lmc_options_set_time(o, 1, 2));
  OK(lmc_options_set_step(o, 0.5));
  OK(lmc_options_set_tolerance(o, 1e-5));
  OK(lmc_options_set_controller(o, "elementary"));
  OK(lmc_options_add_import_path(o, "."));
  OK(lmc_options_set_optimization(o, 1));
  OK(lmc_options_set_keep_zeros(o, 1));
  OK(lmc_options_set_limits(o, 100, 1000000, 4096));
  OK(lmc_options_set_cancel(o, NULL, NULL));
  OK(lmc_options_set_fixed_steps(o, 1));
  snprintf(path, sizeof path, "%s/heavy_top.lie", examples);
  OK(lmc_compile_file(path, o, &c));
  m = lmc_compilation_model(c);
  CHECK(m != NULL);
  lmc_compilation_free(c);
  OK(lmc_model_settings(m, &s));
  CHECK(s.time_from == 1 && s.time_to == 2 && s.step == 0.5 && !s.adaptive);
  lmc_model_free(m);
  OK(lmc_options_set_library_root(o, "/nowhere"));
  CHECK(lmc_compile_file(path, o, &c) == LMC_INSTALLATION);
  CHECK(strstr(lmc_last_error(), "/nowhere") != NULL);
  lmc_options_free(o);
}

static int stop_at_once(double part, void* user) {
  ++*(int*)user;
  return part > 1;
}

static void tables(const lmc_model* m) {
  LMC_STRUCT(lmc_run_result, r);
  lmc_run_settings s;
  lmc_workspace* w = NULL;
  lmc_table* t = NULL;
  const double* numbers;
  OK(lmc_workspace_new(m, &w));
  lmc_run_settings_init(&s);
  s.to = 0.1;
  s.every = 0.05;
  OK(lmc_workspace_tabulate(w, &s, &t, &r));
  CHECK(lmc_table_rows(t) == 3 && lmc_table_columns(t) == 1 + lmc_model_columns(m) && r.samples == 3);
  CHECK(strcmp(lmc_table_column(t, 0), "t") == 0 && strcmp(lmc_table_column(t, 1), lmc_model_column(m, 0)) == 0);
  CHECK(lmc_table_column(t, 99) == NULL);
  numbers = lmc_table_numbers(t) + 2 * lmc_table_columns(t);
  CHECK(fabs(numbers[0] - 0.1) < 1e-12);
  CHECK(memcmp(numbers + 1, lmc_workspace_state(w), lmc_model_state_size(m) * sizeof(double)) == 0);
  lmc_table_free(t);
  s.to = 1e9;
  s.every = 0;
  s.max_steps = 2;
  CHECK(lmc_workspace_tabulate(w, &s, &t, NULL) == LMC_LIMIT_REACHED && t != NULL && lmc_table_rows(t) >= 3);
  lmc_table_free(t);
  s.to = -1;
  CHECK(lmc_workspace_tabulate(w, &s, &t, NULL) == LMC_MISUSE && t == NULL);
  CHECK(lmc_workspace_tabulate(w, &s, NULL, NULL) == LMC_MISUSE);
  lmc_table_free(NULL);
  lmc_workspace_free(w);
}

static void ensembles(const char* examples) {
  const char* vary[1] = {"m ~ linspace(14, 16)"};
  const char* wrong[1] = {"mm ~ linspace(14, 16)"};
  const lmc_source source = {"free.lie", "model Free { param k = 1; config x : R velocity v; lagrangian = 0.5*v^2; "
                                         "force on x = k; initial x = 0; initial v = 0; "
                                         "simulate { method = RKMK4; time = 0..2; step = 0.01; } }"};
  const char* forces[1] = {"k ~ linspace(1, 3)"};
  lmc_ensemble_settings s;
  lmc_ensemble* e = NULL;
  const lmc_table* t;
  char path[4096];
  int k, told = 0;
  LMC_STRUCT(lmc_ensemble_totals, sums);
  lmc_ensemble_settings_init(&s);
  lmc_ensemble_settings_init(NULL);
  CHECK(s.struct_size == sizeof s && s.samples == 0 && s.keep == LMC_KEEP_FINAL);
  s.samples = 5;
  s.vary = forces;
  s.vary_count = 1;
  OK(lmc_ensemble_sources(&source, 1, NULL, &s, &e));
  t = lmc_ensemble_table(e);
  CHECK(t != NULL && lmc_table_rows(t) == 5 && strcmp(lmc_table_column(t, 3), "vary_k") == 0);
  for (k = 0; k < 5; ++k) { /* x = k t^2/2 */
    const double* row = lmc_table_numbers(t) + (size_t)k * lmc_table_columns(t);
    CHECK(fabs(row[3] - (1 + 0.5 * k)) < 1e-12 && fabs(row[4] - 2 * row[3]) < 1e-12 && row[1] == k && row[2] == 0);
  }
  OK(lmc_ensemble_get_totals(e, &sums));
  CHECK(sums.samples == 5 && sums.failed == 0 && sums.steps == 1000 && sums.first_failure == -1 && !sums.interrupted);
  CHECK(lmc_compilation_diagnostics(lmc_ensemble_compilation(e)) == 0);
  lmc_ensemble_free(e);

  snprintf(path, sizeof path, "%s/heavy_top.lie", examples);
  s.vary = vary;
  s.keep = LMC_KEEP_STATISTICS;
  s.every = 0.25;
  OK(lmc_ensemble_file(path, NULL, &s, &e));
  CHECK(lmc_table_rows(lmc_ensemble_table(e)) == 5 && strcmp(lmc_table_column(lmc_ensemble_table(e), 1), "count") == 0);
  lmc_ensemble_free(e);
  s.progress = stop_at_once;
  s.user = &told;
  s.samples = 20000;
  s.threads = 1;
  OK(lmc_ensemble_file(path, NULL, &s, &e));
  OK(lmc_ensemble_get_totals(e, &sums));
  CHECK(told > 0 && sums.interrupted && sums.samples < 20000);
  lmc_ensemble_free(e);
  s.vary = wrong;
  OK(lmc_ensemble_file(path, NULL, &s, &e));
  CHECK(lmc_ensemble_table(e) == NULL && lmc_compilation_diagnostics(lmc_ensemble_compilation(e)) == 1);
  CHECK(strstr(lmc_compilation_format(lmc_ensemble_compilation(e), 0), "LIE0650") != NULL);
  lmc_ensemble_free(e);
  s.vary = NULL;
  CHECK(lmc_ensemble_file(path, NULL, &s, &e) == LMC_MISUSE && e == NULL);
  s.vary_count = 0;
  s.lanes = 3;
  CHECK(lmc_ensemble_file(path, NULL, &s, &e) == LMC_MISUSE);
  s.lanes = 0;
  s.keep = (lmc_keep)7;
  CHECK(lmc_ensemble_file(path, NULL, &s, &e) == LMC_MISUSE);
  CHECK(lmc_ensemble_file(NULL, NULL, NULL, &e) == LMC_MISUSE &&
        lmc_ensemble_file(path, NULL, NULL, NULL) == LMC_MISUSE);
  CHECK(lmc_ensemble_sources(NULL, 0, NULL, NULL, &e) == LMC_MISUSE);
  lmc_ensemble_free(NULL);
}

static int ask(void* user) {
  return ++*(int*)user > 2;
}

/* Resets are told, a run is cancelled, an ensemble is that of a model. */
static int brake(lmc_workspace* w, void* user) {
  LMC_STRUCT(lmc_view, v);
  double u;
  OK(lmc_workspace_view(w, "v", &v));
  u = -0.5 * v.data[0];
  OK(lmc_workspace_set_input(w, "u", &u, 1));
  CHECK(lmc_workspace_step(w, 0.1) == LMC_MISUSE);
  CHECK(lmc_workspace_set(w, "m", &u, 1) == LMC_MISUSE);
  return ++*(int*)user > 11 ? 1 : 0;
}

/* The controller of the host against the same one in the model. */
static void samplings(void) {
  const char* const text = "model Cart {\n  param m = 1;\n  config x : R velocity v;\n%s"
                           "  lagrangian = 0.5*m*v^2;\n  force on x = u;\n  initial v = 1;\n"
                           "  simulate { method = RKMK4; time = 0..1; step = 0.03; }\n}\n";
  const char* const controls[2] = {"  discrete u = 0;\n  every 0.1 { reset u = -0.5*v; }\n", "  input u = 0;\n"};
  double ends[2] = {0, 1};
  int k, calls = 0;
  for (k = 0; k < 2; ++k) {
    char model[512];
    lmc_compilation* c;
    lmc_model* m;
    lmc_workspace* w;
    LMC_STRUCT(lmc_view, x);
    snprintf(model, sizeof model, text, controls[k]);
    OK(lmc_compile_text("cart.lie", model, NULL, &c));
    m = lmc_compilation_model(c);
    if (m == NULL) {
      fprintf(stderr, "%s", lmc_compilation_format(c, 0));
      exit(1);
    }
    CHECK(lmc_model_samplings(m) == (k == 0 ? 1 : 0));
    CHECK(k == 1 || strcmp(lmc_model_sampling(m, 0), "every 0.1") == 0);
    CHECK(lmc_model_sampling(m, 1) == NULL);
    OK(lmc_workspace_new(m, &w));
    if (k == 1) OK(lmc_workspace_every(w, 0.1, NAN, brake, &calls));
    CHECK(lmc_workspace_every(w, 0, NAN, brake, &calls) == LMC_MISUSE);
    CHECK(lmc_workspace_every(w, 1, NAN, NULL, NULL) == LMC_MISUSE);
    CHECK(lmc_workspace_at_every(w, 1, brake, &calls) == LMC_MISUSE);
    OK(lmc_workspace_run(w, NULL, NULL, NULL, NULL));
    OK(lmc_workspace_view(w, "x", &x));
    ends[k] = x.data[0];
    if (k == 1) {
      CHECK(calls == 11);
      CHECK(lmc_workspace_steps(w, 0.1, 3) == LMC_MISUSE); /* the host gives up */
      CHECK(strstr(lmc_last_error(), "gave up") != NULL);
      OK(lmc_workspace_clear_samplings(w));
      OK(lmc_workspace_steps(w, 0.1, 3));
    }
    lmc_workspace_free(w);
    lmc_model_free(m);
    lmc_compilation_free(c);
  }
  CHECK(ends[0] == ends[1]);
}

static void jumps(void) {
  const lmc_source source = {"ball.lie",
                             "model Ball { param g = 10; config x : R velocity v; lagrangian = 0.5*v^2 - g*x; "
                             "initial x = 5; initial v = 0; discrete n : int = 0; event ground = falling(x) { reset v "
                             "= -v; reset n = n + 1; } "
                             "simulate { method = RKMK4; time = 0..4; step = 0.01; } }"};
  const char* vary[1] = {"g ~ linspace(10, 20)"};
  lmc_compilation* c = NULL;
  lmc_model* m;
  lmc_workspace* w = NULL;
  lmc_run_settings s;
  lmc_ensemble_settings es;
  lmc_ensemble* e = NULL;
  int asked = 0;
  LMC_STRUCT(lmc_run_result, r);
  LMC_STRUCT(lmc_event_hit, hit);
  LMC_STRUCT(lmc_quantity, q);
  LMC_STRUCT(lmc_view, v);
  LMC_STRUCT(lmc_jump_count, jump);
  OK(lmc_compile_sources(&source, 1, NULL, &c));
  m = lmc_compilation_model(c);
  OK(lmc_workspace_new(m, &w));
  OK(lmc_workspace_run(w, NULL, NULL, NULL, &r));
  CHECK(r.events == 2 && r.jumps == 1 && !r.stopped);
  CHECK(lmc_model_quantities(m, LMC_DISCRETE) == 1);
  CHECK(lmc_model_quantities(m, (lmc_quantity_kind)44) == 0);
  OK(lmc_model_quantity(m, LMC_DISCRETE, 0, &q, NULL));
  CHECK(strcmp(q.name, "n") == 0 && q.value[0] == 0);
  OK(lmc_workspace_view(w, "n", &v));
  CHECK(v.data[0] == 2);
  OK(lmc_workspace_run_event(w, 1, &hit));
  CHECK(strcmp(hit.name, "ground") == 0 && fabs(hit.time - 3) < 1e-12);
  OK(lmc_workspace_run_jump(w, 0, &jump));
  CHECK(strcmp(jump.name, "ground") == 0 && jump.count == 2 && fabs(jump.first - 1) < 1e-12 && jump.last == hit.time);
  CHECK(lmc_workspace_run_event(w, 2, &hit) == LMC_MISUSE && lmc_workspace_run_jump(w, 1, &jump) == LMC_MISUSE);
  hit.struct_size = 0;
  CHECK(lmc_workspace_run_event(w, 0, &hit) == LMC_MISUSE);
  hit.struct_size = sizeof hit;
  /* Single steps carry out the same. */
  lmc_workspace_reset(w);
  OK(lmc_workspace_steps(w, 0.01, 200));
  CHECK(lmc_workspace_happened(w) == 1);
  OK(lmc_workspace_happened_at(w, 0, &hit));
  CHECK(strcmp(hit.name, "ground") == 0 && fabs(hit.time - 1) < 1e-12);
  CHECK(lmc_workspace_happened_at(w, 1, &hit) == LMC_MISUSE);
  OK(lmc_workspace_steps(w, 0.01, 200));
  lmc_run_settings_init(&s);
  s.to = 1e7;
  s.cancel = ask;
  s.cancel_user = &asked;
  OK(lmc_workspace_run(w, &s, NULL, NULL, &r));
  CHECK(r.stopped && asked == 3 && r.time > 4 && r.time < 1e7);
  lmc_ensemble_settings_init(&es);
  es.samples = 2;
  es.vary = vary;
  es.vary_count = 1;
  es.has_seed = 1;
  es.seed = 5;
  OK(lmc_ensemble_model(m, &es, &e));
  CHECK(lmc_ensemble_table(e) != NULL && lmc_table_rows(lmc_ensemble_table(e)) == 2);
  lmc_ensemble_free(e);
  CHECK(lmc_ensemble_model(NULL, &es, &e) == LMC_MISUSE && lmc_ensemble_model(m, &es, NULL) == LMC_MISUSE);
  lmc_workspace_free(w);
  lmc_model_free(m);
  lmc_compilation_free(c);
}

static void metadata(const lmc_model* m) {
  LMC_STRUCT(lmc_variable, v);
  LMC_STRUCT(lmc_storage, s);
  LMC_STRUCT(lmc_quantity, q);
  const char* name = NULL;
  char* text = NULL;
  int direction = 5;
  CHECK(strcmp(lmc_model_name(m), "Pendulum") == 0 && strcmp(lmc_model_method(m), "RKMK54") == 0);
  CHECK(lmc_model_order(m) == 5 && lmc_model_has_energy(m) && lmc_model_has_mass(m) && lmc_model_estimates_error(m));
  CHECK(lmc_model_variables(m) == 1 && lmc_model_state_size(m) == 6 && lmc_model_algebra_size(m) == 3);
  CHECK(lmc_model_tangent_size(m) == 6 && lmc_model_observables_size(m) == 1 && lmc_model_columns(m) == 8);
  CHECK(strcmp(lmc_model_column(m, 6), "energy") == 0 && lmc_model_column(m, 8) == NULL);
  OK(lmc_model_variable(m, 0, &v));
  CHECK(strcmp(v.name, "q") == 0 && strcmp(v.fiber, "w") == 0 && strcmp(v.manifold, "S^2") == 0);
  CHECK(v.kind == LMC_VELOCITY && !v.is_group && v.dimension == 2 && v.members == 0);
  OK(lmc_model_part(m, 0, 1, 0, &s));
  CHECK(s.offset == 3 && s.rank == 1 && s.rows == 3 && s.members == 1 && s.extent_count == 0);
  CHECK(lmc_model_part(m, 0, 0, 1, &s) == LMC_MISUSE && lmc_model_variable(m, 1, &v) == LMC_MISUSE);
  CHECK(lmc_model_quantities(m, LMC_PARAMETER) == 2 && lmc_model_quantities(m, LMC_INPUT) == 1);
  OK(lmc_model_quantity(m, LMC_PARAMETER, 0, &q, &s));
  CHECK(strcmp(q.name, "m") == 0 && q.value[0] == 3 && s.rank == 0);
  OK(lmc_model_quantity(m, LMC_INPUT, 0, &q, NULL));
  CHECK(q.has_default && !q.is_set);
  OK(lmc_model_quantity(m, LMC_OBSERVABLE, 0, &q, NULL));
  CHECK(strcmp(q.name, "height") == 0 && q.value == NULL);
  CHECK(lmc_model_quantity(m, LMC_OBSERVABLE, 1, &q, NULL) == LMC_MISUSE);
  CHECK(lmc_model_events(m) == 1);
  OK(lmc_model_event(m, 0, &name, &direction));
  CHECK(strcmp(name, "low") == 0 && direction == 0);
  CHECK(lmc_model_constants(m) == 0 && lmc_model_constant(m, 0, NULL, NULL) == LMC_MISUSE);
  CHECK(lmc_model_initial_state(m)[0] == 1);
  OK(lmc_model_equations(m, LMC_LATEX, &text));
  CHECK(strchr(text, '\\') != NULL);
  lmc_string_free(text);
  OK(lmc_model_methods(m, &text));
  CHECK(strstr(text, "\"RKMK4\"") != NULL);
  lmc_string_free(text);
  (void)lmc_model_from_cache(m);
}

static void library(void) {
  char* text = NULL;
  OK(lmc_manifolds(NULL, &text));
  CHECK(strstr(text, "\"SO(3)\"") != NULL && strstr(text, "\"dimension\": 3") != NULL && strstr(text, "null") != NULL);
  lmc_string_free(text);
  CHECK(lmc_manifolds("/nowhere", &text) == LMC_INSTALLATION && strstr(lmc_last_error(), "/nowhere") != NULL);
  CHECK(lmc_manifolds(NULL, NULL) == LMC_MISUSE);
}

static void values(const lmc_model* m) {
  lmc_workspace* w = NULL;
  LMC_STRUCT(lmc_view, view);
  const double* a = NULL;
  const double* mu = NULL;
  double x = 0, M[9];
  int is_set = 5;
  OK(lmc_workspace_new(m, &w));
  OK(lmc_workspace_view(w, "w", &view));
  CHECK(view.rows == 3 && view.columns == 1 && view.members == 1 && view.data[1] == 0.5);
  CHECK(view.data == lmc_workspace_state(w) + 3);
  OK(lmc_workspace_energy(w, &x));
  CHECK(fabs(x - 0.5 * 3 * 0.25 * 0.25) < 1e-14);
  OK(lmc_workspace_momenta(w, &mu));
  CHECK(fabs(mu[1] - 3 * 0.25 * 0.5) < 1e-14);
  OK(lmc_workspace_mass_matrix(w, M, 9));
  CHECK(fabs(M[4] - 0.75) < 1e-14 && fabs(M[0]) < 1e-14 && M[3] == M[1]);
  CHECK(lmc_workspace_mass_matrix(w, M, 8) == LMC_MISUSE);
  OK(lmc_workspace_mass_defect(w, &x));
  CHECK(x >= 0 && x < 1e-14);
  CHECK(lmc_workspace_mass_defect(w, NULL) == LMC_MISUSE);
  OK(lmc_workspace_velocities(w, &a));
  OK(lmc_workspace_mass_times(w, a, 3, &mu));
  CHECK(fabs(mu[1] - 3 * 0.25 * 0.5) < 1e-14);
  OK(lmc_workspace_accelerations(w, &a));
  x = a[2];
  OK(lmc_workspace_set_input(w, "u", (const double[]){2}, 1));
  OK(lmc_workspace_accelerations(w, &a));
  CHECK(fabs(a[2] - (x + 2 / 0.75)) < 1e-12); /* a torque about e3 */
  OK(lmc_workspace_input_is_set(w, "u", &is_set));
  CHECK(is_set == 1);
  OK(lmc_workspace_set_input_at(w, 0, (const double[]){0}, 1));
  OK(lmc_workspace_release_input(w, "u"));
  OK(lmc_workspace_input_is_set(w, "u", &is_set));
  CHECK(is_set == 0);
  lmc_workspace_reset_inputs(w);
  OK(lmc_workspace_field(w, &a));
  CHECK(a[1] == 0.5 && fabs(a[5] - x) < 1e-14);
  OK(lmc_workspace_observables(w, &a));
  OK(lmc_workspace_observable(w, "height", &view));
  CHECK(view.data[0] == a[0]);
  OK(lmc_workspace_events(w, &a));
  CHECK(a[0] == 0.9);
  OK(lmc_workspace_set(w, "l", (const double[]){1}, 1));
  OK(lmc_workspace_parameter(w, "l", &view));
  CHECK(view.data[0] == 1);
  OK(lmc_workspace_energy(w, &x));
  CHECK(fabs(x - 0.5 * 3 * 0.25) < 1e-14);
  lmc_workspace_reset_parameters(w);
  OK(lmc_workspace_reset_initial(w));
  CHECK(lmc_workspace_view(w, "nothing", &view) == LMC_MISUSE);
  CHECK(strstr(lmc_last_error(), "nothing") != NULL);
  CHECK(lmc_workspace_view(w, NULL, &view) == LMC_MISUSE);
  CHECK(lmc_workspace_set(w, "l", NULL, 1) == LMC_MISUSE);
  CHECK(lmc_workspace_set(w, "l", &x, 2) == LMC_MISUSE);
  lmc_workspace_free(w);
}

static int count(const lmc_sample* s, void* user) {
  CHECK(s->value_count == 8 && s->state_size == 6);
  return ++*(int*)user < 6;
}

static void runs(const lmc_model* m) {
  lmc_workspace* w = NULL;
  lmc_run_settings settings;
  lmc_trajectory* t = NULL;
  const double* y = NULL;
  double x = 0;
  int samples = 0;
  LMC_STRUCT(lmc_run_result, r);
  OK(lmc_workspace_new(m, &w));
  OK(lmc_workspace_step(w, 0.01));
  OK(lmc_workspace_steps(w, 0.01, 9));
  CHECK(fabs(lmc_workspace_time(w) - 0.1) < 1e-15);
  x = lmc_workspace_state(w)[0];
  lmc_workspace_reset(w);
  lmc_run_settings_init(&settings);
  settings.to = 0.1;
  OK(lmc_workspace_run(w, &settings, NULL, NULL, &r));
  CHECK(r.steps == 10 && r.time == 0.1 && lmc_workspace_state(w)[0] == x && r.failure == LMC_OK && r.event == NULL);
  CHECK(r.energy_error < 1e-8 && r.largest_defect < 1e-14);
  lmc_workspace_reset(w);
  settings.max_steps = 3;
  CHECK(lmc_workspace_run(w, &settings, NULL, NULL, &r) == LMC_LIMIT_REACHED);
  CHECK(r.steps == 3 && r.failure == LMC_LIMIT_REACHED && r.iterations == 0);
  settings.max_steps = 0;
  lmc_workspace_reset(w);
  settings.to = 1;
  settings.every = 0.025;
  OK(lmc_workspace_run(w, &settings, count, &samples, &r));
  CHECK(samples == 6 && r.stopped && fabs(lmc_workspace_time(w) - 0.125) < 1e-15);
  lmc_workspace_reset(w);
  settings.tolerance = 1e-8;
  OK(lmc_workspace_run(w, &settings, NULL, NULL, &r));
  CHECK(r.event != NULL && strcmp(r.event, "low") == 0 && r.time < 1 && r.steps < 100);
  lmc_workspace_reset(w);
  OK(lmc_workspace_record(w, &settings, &t));
  CHECK(lmc_trajectory_size(t) > 3 && lmc_trajectory_times(t)[0] == 0);
  CHECK(lmc_trajectory_state_at_step(t, 0)[0] == 1 && lmc_trajectory_state_at_step(t, 9999) == NULL);
  OK(lmc_trajectory_state(t, 0.1, &y));
  CHECK(fabs(y[0] - x) < 1e-6 && fabs(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1) < 1e-14);
  OK(lmc_trajectory_sample(t, 0.1, &y));
  CHECK(fabs(y[6] - 0.5 * 3 * 0.25 * 0.25) < 1e-7);
  CHECK(lmc_trajectory_state(t, 7, &y) == LMC_MISUSE);
  lmc_trajectory_free(t);
  settings.to = -1;
  CHECK(lmc_workspace_run(w, &settings, NULL, NULL, NULL) == LMC_MISUSE);
  lmc_workspace_state(w)[3] = NAN;
  CHECK(lmc_workspace_step(w, 0.01) == LMC_NON_FINITE && lmc_last_error()[0] != 0);
  lmc_workspace_set_time(w, 0);
  settings.to = 1;
  CHECK(lmc_workspace_run(w, &settings, NULL, NULL, &r) == LMC_NON_FINITE);
  CHECK(r.failure == LMC_NON_FINITE && r.failure_message != NULL);
  lmc_workspace_free(w);
}

static int last_height(int64_t k, const double* outputs, double* weights, size_t count, void* user) {
  (void)outputs;
  if (user == NULL) return 1;
  if (k == *(int64_t*)user) weights[count - 1] = 1; /* energy, height */
  return 0;
}

static void derivatives(const lmc_model* m) {
  lmc_linearization* l = NULL;
  lmc_workspace* w = NULL;
  LMC_STRUCT(lmc_jacobians, a);
  LMC_STRUCT(lmc_covectors, c);
  const double begin[6] = {0.1, 0.2, 0.3, -0.1, 0.4, 0.2};
  double z[6] = {0.1, 0.2, 0.3, -0.1, 0.4, 0.2}, basis[36], by_state[6], by_inputs[20], by_parameters[2], other[6];
  const double lambda[6] = {1, -1, 2, 0.5, 0.3, -0.7};
  const double* image;
  double left = 0, right = 0;
  size_t i, vectors;
  int64_t steps = 20;
  OK(lmc_linearization_new(m, &l));
  CHECK(lmc_linearization_size(l, LMC_COORDINATES) == 6 && lmc_linearization_size(l, LMC_INPUT_NUMBERS) == 1);
  CHECK(strcmp(lmc_linearization_name(l, LMC_COORDINATES, 0), "dq[1]") == 0);
  CHECK(lmc_linearization_name(l, LMC_PARAMETER_NUMBERS, 2) == NULL);
  OK(lmc_workspace_new(m, &w));
  lmc_workspace_state(w)[5] = 0.3;
  OK(lmc_workspace_steps(w, 0.01, 5));
  OK(lmc_linearization_at(l, w));
  CHECK(fabs(lmc_linearization_time(l) - 0.05) < 1e-15);
  OK(lmc_linearization_jacobians(l, LMC_STEP, 0.01, &a));
  OK(lmc_linearization_forward(l, LMC_STEP, 0.01, z, NULL, NULL, &image));
  for (i = 0; i < 6; ++i) left += lambda[i] * image[i];
  OK(lmc_linearization_adjoint(l, LMC_STEP, 0.01, lambda, &c));
  for (i = 0; i < 6; ++i) right += c.state[i] * z[i];
  CHECK(a.rows == 6 && a.field == NULL && fabs(left - right) < 1e-14);
  OK(lmc_linearization_basis(l, basis, 36, &vectors));
  CHECK(vectors == 4);
  CHECK(lmc_linearization_basis(l, basis, 5, &vectors) == LMC_MISUSE);
  OK(lmc_workspace_step(w, 0.01));
  OK(lmc_linearization_difference(l, lmc_workspace_state(w), other));
  OK(lmc_linearization_move(l, other));
  CHECK(fabs(lmc_linearization_state(l)[0] - lmc_workspace_state(w)[0]) < 1e-12);
  OK(lmc_linearization_gradient(l, 0.01, steps, NULL, last_height, &steps, by_state, by_inputs, by_parameters));
  CHECK(by_inputs[0] != 0 && by_inputs[19] != by_inputs[0]);
  CHECK(lmc_linearization_gradient(l, 0.01, steps, NULL, last_height, NULL, NULL, NULL, NULL) == LMC_MISUSE);
  OK(lmc_linearization_propagate(l, 0.01, steps, z, 1, NULL, NULL));
  OK(lmc_linearization_jacobians(l, LMC_OUTPUTS, 0, &a));
  left = right = 0;
  for (i = 0; i < 6; ++i) left += a.state[1 + a.rows * i] * z[i];
  for (i = 0; i < 6; ++i) right += by_state[i] * begin[i];
  CHECK(fabs(left - right) < 1e-13);
  lmc_workspace_free(w);
  lmc_linearization_free(l);
  lmc_linearization_free(NULL);
}

int main(int argc, char** argv) {
  lmc_model* m;
  CHECK(strcmp(lmc_version(), "0.1.0") == 0 && lmc_api_version() == LMC_API_VERSION);
  if (argc < 2) return 2;
  diagnostics();
  library();
  options(argv[1]);
  m = compile();
  metadata(m);
  OK(lmc_model_prepare(m));
  values(m);
  runs(m);
  derivatives(m);
  tables(m);
  ensembles(argv[1]);
  jumps();
  samplings();
  lmc_model_release(m);
  {
    char* text = NULL;
    lmc_workspace* w = NULL;
    CHECK(lmc_model_equations(m, LMC_TEXT, &text) == LMC_UNAVAILABLE && text == NULL);
    OK(lmc_workspace_new(m, &w));
    lmc_model_free(m); /* the workspace keeps what it needs */
    OK(lmc_workspace_step(w, 0.01));
    lmc_workspace_free(w);
  }
  lmc_model_free(NULL);
  lmc_workspace_free(NULL);
  lmc_trajectory_free(NULL);
  lmc_compilation_free(NULL);
  lmc_options_free(NULL);
  if (failures == 0) puts("all is well");
  return failures == 0 ? 0 : 1;
}
