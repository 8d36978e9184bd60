/**
 * @file
 * The part of the host interface for C that makes ensembles; lmc/lmc.h includes it.
 */
#ifndef LMC_ENSEMBLE_H
#define LMC_ENSEMBLE_H

#include "lmc/lmc.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Ensembles
 *  Many trajectories of one model, which differ in parameters, inputs and initial values; see lmc::EnsembleSettings. */
/** @{ */
/** What is kept of the trajectories. */
typedef enum lmc_keep {
  LMC_KEEP_FINAL = 0,      /**< a row per sample: its end */
  LMC_KEEP_STATISTICS = 1, /**< a row per time: mean, deviation and extremes of all samples */
  LMC_KEEP_ALL = 2         /**< a row per sample and time, all times of the first sample first */
} lmc_keep;

/** Told some ten times a second which part of the work is done; 0 stops. Calls come from a thread of the library. */
typedef int (*lmc_progress)(double part, void* user);

/** How an ensemble is made. Members that are not given are as lmc_ensemble_settings_init leaves them. */
typedef struct lmc_ensemble_settings {
  size_t struct_size;      /**< set by lmc_ensemble_settings_init */
  const char* const* vary; /**< what differs: "m ~ normal(15, 1)", as `lmc ensemble --vary` */
  size_t vary_count;       /**< how many */
  int64_t samples;         /**< how many trajectories; 0: as many as the shortest table of `read` has rows */
  lmc_keep keep;           /**< what is kept; LMC_KEEP_FINAL */
  double every;            /**< time between the rows of a sample; 0: the model's, else a hundredth of the run */
  int threads;             /**< 0: one per core that the process may use */
  int lanes;               /**< trajectories that a thread makes at once, a power of two to 32; 0: as the machine has */
  double max_seconds;      /**< it stops after so many seconds; 0: no limit */
  lmc_progress progress;   /**< NULL: nobody is told */
  void* user;              /**< for `progress` */
  int has_seed;            /**< whether `seed` counts; 0: that of the model */
  uint64_t seed;           /**< of the numbers that are drawn */
} lmc_ensemble_settings;

/** What came of an ensemble: a table, or errors. */
typedef struct lmc_ensemble lmc_ensemble;

/** Sums over the samples of an ensemble. */
typedef struct lmc_ensemble_totals {
  size_t struct_size;    /**< set by the caller */
  int64_t samples;       /**< finished, failed ones included */
  int64_t failed;        /**< those that could not be finished; the table has their statuses */
  int64_t stopped;       /**< by events */
  int64_t first_failure; /**< the first sample that failed; -1: none did */
  int64_t steps;         /**< of all samples */
  int64_t rejected;      /**< of adaptive steps */
  int interrupted;       /**< whether `progress` or `max_seconds` has stopped it */
  double seconds;        /**< of the clock, without compiling */
  int64_t doubtful;      /**< with impulses of contacts that are not those of the laws (status 105) */
} lmc_ensemble_totals;

/** Settings that leave all to the model. */
LMC_C_API void lmc_ensemble_settings_init(lmc_ensemble_settings* settings);
/** Compiles the first model of a file for many samples, and makes them. LMC_OK also when the text, or what is to be
 *  varied, has errors: then there is no table. */
LMC_C_API lmc_status lmc_ensemble_file(const char* path, const lmc_options* options,
                                       const lmc_ensemble_settings* settings, lmc_ensemble** out);
/** The same for a model: of the texts that it was compiled from, whatever has become of its files since, with the
 *  options that it was compiled with. */
LMC_C_API lmc_status lmc_ensemble_model(const lmc_model* model, const lmc_ensemble_settings* settings,
                                        lmc_ensemble** out);
/** The same for texts in memory, the main one first. */
LMC_C_API lmc_status lmc_ensemble_sources(const lmc_source* sources, size_t count, const lmc_options* options,
                                          const lmc_ensemble_settings* settings, lmc_ensemble** out);
/** Frees an ensemble with its table. */
LMC_C_API void lmc_ensemble_free(lmc_ensemble* e);
/** Its diagnostics; it has no model. It belongs to the ensemble. */
LMC_C_API const lmc_compilation* lmc_ensemble_compilation(const lmc_ensemble* e);
/** Its table, which belongs to the ensemble; NULL when there are errors. Columns: docs/ensembles.md. */
LMC_C_API const lmc_table* lmc_ensemble_table(const lmc_ensemble* e);
/** Its sums. */
LMC_C_API lmc_status lmc_ensemble_get_totals(const lmc_ensemble* e, lmc_ensemble_totals* out);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
