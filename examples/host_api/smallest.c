/* The smallest program in C: a model in a text, compiled and stepped. */
#include <lmc/lmc.h>

#include <stdio.h>

static const char* const text = "model Top {\n"
                                "  param J : mat(3,3) = diag(0.234375, 0.46875, 0.234375);\n"
                                "  config R : SO(3) velocity Omega;\n"
                                "  lagrangian = 0.5*dot(Omega, J*Omega) + 30*dot([0, 0, -9.81], R*[0, 1, 0]);\n"
                                "  initial Omega = [0, 150, -4.61538];\n"
                                "  simulate { method = RKMK4; }\n"
                                "}\n";

int main(void) {
  lmc_compilation* compilation = NULL;
  lmc_model* model = NULL;
  lmc_workspace* top = NULL;
  double before = 0, after = 0;
  LMC_STRUCT(lmc_view, R);
  int status = 1;

  if (lmc_compile_text("top.lie", text, NULL, &compilation) != LMC_OK) {
    fprintf(stderr, "%s\n", lmc_last_error());
    return 1;
  }
  model = lmc_compilation_model(compilation);
  if (model == NULL) {
    fprintf(stderr, "%s", lmc_compilation_format(compilation, 0)); /* what is wrong with the model */
  } else if (lmc_workspace_new(model, &top) != LMC_OK || lmc_workspace_energy(top, &before) != LMC_OK ||
             lmc_workspace_steps(top, 1e-3, 1000) != LMC_OK || lmc_workspace_energy(top, &after) != LMC_OK ||
             lmc_workspace_view(top, "R", &R) != LMC_OK) {
    fprintf(stderr, "%s\n", lmc_last_error());
  } else {
    printf("axis at t = %g: %g %g %g\n", lmc_workspace_time(top), R.data[1], R.data[4], R.data[7]);
    printf("relative energy error: %g\n", (after - before) / before);
    status = 0;
  }
  lmc_workspace_free(top);
  lmc_model_free(model);
  lmc_compilation_free(compilation);
  return status;
}
