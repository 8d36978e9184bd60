/**
 * @file
 * The host interface for C and for languages that call C. It offers what lmc.hpp offers, of which the comments say
 * more.
 *
 * Objects are opaque and are freed by the function of their name; freeing NULL does nothing, and elsewhere an object is
 * never NULL. Functions that may fail
 * return an ::lmc_status; lmc_last_error() has the sentence that belongs to the last one that was not LMC_OK in the
 * calling thread. Pointers to texts and numbers belong to the object that they were asked of: they stay valid until it
 * is freed, those of computed quantities until the same is computed again. Structures that the library fills begin with
 * `struct_size`, which the caller sets (LMC_STRUCT does): so that later versions may append members.
 *
 * The binary interface of version LMC_API_VERSION stays as it is; functions may be added. C99.
 */
#ifndef LMC_LMC_H
#define LMC_LMC_H

#include <stddef.h>
#include <stdint.h>

/** Marks what the library offers. */
#if defined(__GNUC__)
#define LMC_C_API __attribute__((visibility("default")))
#else
#define LMC_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this interface. */
#define LMC_API_VERSION 1

/** Declares a structure for the library to fill: `LMC_STRUCT(lmc_settings, s);`. */
#define LMC_STRUCT(type, name) type name = {.struct_size = sizeof(type)}

/** What came of a call. Values below 100 tell how a step or an evaluation failed. */
typedef enum lmc_status {
  LMC_OK = 0,              /**< all is well */
  LMC_SINGULAR_MASS = 1,   /**< the mass matrix is singular at the state */
  LMC_SINGULAR_MATRIX = 2, /**< a matrix that has to be inverted is singular */
  LMC_NO_CONVERGENCE = 3,  /**< the iteration of an implicit equation does not converge */
  LMC_NON_FINITE = 4,      /**< the state is not finite any more */
  LMC_STEP_TOO_SMALL = 5,  /**< an adaptive step was rejected until it could not become shorter */
  LMC_LIMIT_REACHED = 6,   /**< the limit of steps or seconds of lmc_run_settings */
  LMC_RESET_FAILED = 7,    /**< events happen without time between them, or a reset leads to no state */
  LMC_MISUSE = 101,        /**< a name that there is not, a wrong number of values, settings that make no sense */
  LMC_UNAVAILABLE = 102,   /**< the model has no such thing: no method, no energy, no mass matrix */
  LMC_INSTALLATION = 104,  /**< a part of lmc is missing or does not fit */
  LMC_INTERNAL = 105       /**< a defect of lmc, or memory has run out */
} lmc_status;

/** The version of the library that is loaded, "0.1.0". */
LMC_C_API const char* lmc_version(void);
/** LMC_API_VERSION of the library that is loaded. */
LMC_C_API int lmc_api_version(void);
/** What went wrong last in this thread, a sentence without a full stop; valid until the next failure in it. */
LMC_C_API const char* lmc_last_error(void);
/** Frees a text that the caller owns. */
LMC_C_API void lmc_string_free(char* text);
/** The manifolds and groups of the library, a JSON array of {name, kind, dimension, storage, description}, for the
 * caller to free; see lmc::ManifoldInfo. `kind` is "group" or "manifold", `dimension` null for a family. `library_root`
 * is the folder of lmc_options_set_library_root; NULL: the usual one. */
LMC_C_API lmc_status lmc_manifolds(const char* library_root, char** json);

/** @name Options
 *  How a model is compiled; see lmc::Options. NULL stands for the default ones. */
/** @{ */
/** Options of a compilation. */
typedef struct lmc_options lmc_options;
/** Returns the text of an import, or NULL when there is none. The text is copied before the function is called again.
 */
typedef const char* (*lmc_resolver)(const char* path, void* user);
/** The default options; NULL when memory has run out. */
LMC_C_API lmc_options* lmc_options_new(void);
/** Frees options. */
LMC_C_API void lmc_options_free(lmc_options* options);
/** The method of the steps, "NAME" or "NAME(theta = 0.5)". */
LMC_C_API lmc_status lmc_options_set_method(lmc_options* options, const char* method);
/** As `--set NAME=EXPR`; may be repeated. */
LMC_C_API lmc_status lmc_options_add_value(lmc_options* options, const char* name, const char* expression);
/** Of random numbers. */
LMC_C_API lmc_status lmc_options_set_seed(lmc_options* options, uint64_t seed);
/** The interval of runs. */
LMC_C_API lmc_status lmc_options_set_time(lmc_options* options, double from, double to);
/** The step. */
LMC_C_API lmc_status lmc_options_set_step(lmc_options* options, double step);
/** The tolerance of adaptive steps. */
LMC_C_API lmc_status lmc_options_set_tolerance(lmc_options* options, double tolerance);
/** The controller of adaptive steps. */
LMC_C_API lmc_status lmc_options_set_controller(lmc_options* options, const char* controller);
/** Whether steps are fixed whatever the model says. */
LMC_C_API lmc_status lmc_options_set_fixed_steps(lmc_options* options, int fixed);
/** A folder in which imports are looked for; may be repeated. */
LMC_C_API lmc_status lmc_options_add_import_path(lmc_options* options, const char* folder);
/** Who is asked for the texts of imports, instead of the disk. */
LMC_C_API lmc_status lmc_options_set_resolver(lmc_options* options, lmc_resolver resolve, void* user);
/** The folder of the standard library. */
LMC_C_API lmc_status lmc_options_set_library_root(lmc_options* options, const char* folder);
/** Whether machine code is kept on disk, and in which folder (NULL: the usual one). */
LMC_C_API lmc_status lmc_options_set_cache(lmc_options* options, int use, const char* folder);
/** 0 to 3. */
LMC_C_API lmc_status lmc_options_set_optimization(lmc_options* options, int level);
/** Whether zeros of vector and matrix parameters may be compiled in. */
LMC_C_API lmc_status lmc_options_set_keep_zeros(lmc_options* options, int keep);
/** Somebody else has written the model: it reads files below its own folder only, messages do not show what is in them,
 *  the cache is left alone, and compilation is limited. */
LMC_C_API lmc_status lmc_options_set_untrusted(lmc_options* options, int untrusted);
/** What compiling may take: seconds of processor time, operations in expressions and code, megabytes by which the
 * process grows. 0: no limit. */
LMC_C_API lmc_status lmc_options_set_limits(lmc_options* options, double seconds, int64_t nodes, int64_t megabytes);
/** Asked many times a second, on the thread that compiles; not 0 ends the compilation. */
typedef int (*lmc_cancel)(void* user);
/** Who is asked whether the compilation goes on; NULL: nobody. */
LMC_C_API lmc_status lmc_options_set_cancel(lmc_options* options, lmc_cancel cancel, void* user);
/** @} */

/** @name Compiling */
/** @{ */
/** What came of compiling: a model, or errors. */
typedef struct lmc_compilation lmc_compilation;
/** A compiled model. Any number of threads may use it. */
typedef struct lmc_model lmc_model;

/** One text of several. */
typedef struct lmc_source {
  const char* name; /**< by which others import it */
  const char* text; /**< UTF-8 */
} lmc_source;

/** A place in a text. */
typedef struct lmc_position {
  uint32_t line;   /**< from 1 */
  uint32_t column; /**< from 1, in characters */
  uint32_t offset; /**< from 0, in bytes */
} lmc_position;

/** A remark that belongs to a diagnostic. */
typedef struct lmc_note {
  size_t struct_size;  /**< set by the caller */
  const char* message; /**< a sentence without a full stop */
  const char* source;  /**< name of the text; NULL: it has no place of its own */
  lmc_position begin;  /**< where the place begins */
  lmc_position end;    /**< behind its last character */
} lmc_note;

/** One error or warning. */
typedef struct lmc_diagnostic {
  size_t struct_size;     /**< set by the caller */
  const char* code;       /**< "LIE0301" */
  int warning;            /**< 0: an error */
  const char* source;     /**< name of the text */
  lmc_position begin;     /**< where the place begins */
  lmc_position end;       /**< behind its last character */
  const char* message;    /**< a sentence without a full stop */
  const char* suggestion; /**< what would be right; may be empty */
  size_t notes;           /**< number of notes */
  const char* text;       /**< as the tool prints it, without colours */
} lmc_diagnostic;

/** Compiles the first model of a file. LMC_OK also when the text has errors: then there is no model. */
LMC_C_API lmc_status lmc_compile_file(const char* path, const lmc_options* options, lmc_compilation** result);
/** The same for a text in memory, named `name`. */
LMC_C_API lmc_status lmc_compile_text(const char* name, const char* text, const lmc_options* options,
                                      lmc_compilation** result);
/** The same for several texts, the main one first. */
LMC_C_API lmc_status lmc_compile_sources(const lmc_source* sources, size_t count, const lmc_options* options,
                                         lmc_compilation** result);
/** Frees a compilation; models that were taken from it stay. */
LMC_C_API void lmc_compilation_free(lmc_compilation* compilation);
/** The model, to be freed by the caller; NULL when there are errors. */
LMC_C_API lmc_model* lmc_compilation_model(const lmc_compilation* compilation);
/** The number of diagnostics. */
LMC_C_API size_t lmc_compilation_diagnostics(const lmc_compilation* compilation);
/** The i-th diagnostic, from 0. */
LMC_C_API lmc_status lmc_compilation_diagnostic(const lmc_compilation* compilation, size_t i, lmc_diagnostic* out);
/** The k-th note of the i-th diagnostic. */
LMC_C_API lmc_status lmc_compilation_note(const lmc_compilation* compilation, size_t i, size_t k, lmc_note* out);
/** All diagnostics as the tool prints them. */
LMC_C_API const char* lmc_compilation_format(const lmc_compilation* compilation, int color);
/** @} */

/** @name What is known about a model */
/** @{ */
/** What a variable is; see lmc::VariableKind. */
typedef enum lmc_variable_kind {
  LMC_VELOCITY = 0, /**< a configuration and its velocity */
  LMC_MOMENTUM = 1, /**< a configuration and its momentum */
  LMC_STATE = 2,    /**< a point that a flow moves */
  LMC_DUAL = 3      /**< an element of the dual of a Lie algebra */
} lmc_variable_kind;

/** Kinds of quantities. */
typedef enum lmc_quantity_kind {
  LMC_PARAMETER = 0,  /**< real parameters */
  LMC_INPUT = 1,      /**< inputs */
  LMC_OBSERVABLE = 2, /**< observables */
  LMC_DISCRETE = 3    /**< discrete variables, or their parts; they stand in the state */
} lmc_quantity_kind;

/** Forms of equations. */
typedef enum lmc_format {
  LMC_TEXT = 0,  /**< as a person writes them */
  LMC_LATEX = 1, /**< for a paper */
  LMC_JSON = 2   /**< for a program */
} lmc_format;

/** Shape and place of numbers; see lmc::Storage. */
typedef struct lmc_storage {
  size_t struct_size;     /**< set by the caller */
  const char* name;       /**< of the part */
  int64_t offset;         /**< of the first number */
  int64_t members;        /**< of a family; 1 for what is none */
  size_t extent_count;    /**< number of indices of a family; 0: no family */
  const int64_t* extents; /**< members per index */
  const int64_t* first;   /**< number of the first member per index; NULL: 1 */
  int rank;               /**< 0: scalars, 1: vectors, 2: matrices */
  int rows;               /**< length of a vector, rows of a matrix */
  int columns;            /**< of a matrix */
} lmc_storage;

/** One variable of the phase manifold; see lmc::Variable. */
typedef struct lmc_variable {
  size_t struct_size;     /**< set by the caller */
  const char* name;       /**< its name */
  const char* fiber;      /**< name of the velocity or momentum; empty for a state */
  const char* manifold;   /**< as written */
  lmc_variable_kind kind; /**< what it is */
  int is_group;           /**< whether the manifold is a Lie group */
  int space_frame;        /**< 0: body frame, 1: space frame */
  int64_t members;        /**< of a family; 0: a single one */
  int dimension;          /**< of the manifold; -1: not known */
  int algebra_dimension;  /**< of the Lie algebra */
  size_t point_parts;     /**< number of parts of the point */
  size_t fiber_parts;     /**< number of parts of the velocity or momentum */
  int64_t algebra_offset; /**< in velocities, momenta, accelerations */
  int64_t tangent_offset; /**< in the field */
  int64_t tangent_size;   /**< numbers there */
} lmc_variable;

/** A parameter, an input or an observable; see lmc::Quantity. */
typedef struct lmc_quantity {
  size_t struct_size;  /**< set by the caller */
  const char* name;    /**< as in the model */
  const double* value; /**< as compiled; NULL for an observable */
  int has_default;     /**< of an input: whether it has a law */
  int is_set;          /**< of an input: whether it is held at the begin */
} lmc_quantity;

/** The settings of `simulate`; see lmc::Settings. */
typedef struct lmc_settings {
  size_t struct_size;  /**< set by the caller */
  double time_from;    /**< begin */
  double time_to;      /**< end */
  double step;         /**< length of a step */
  double every;        /**< time between samples */
  int64_t every_steps; /**< steps between samples */
  int adaptive;        /**< whether steps are chosen by an error estimate */
  uint64_t seed;       /**< of random numbers */
} lmc_settings;

/** Frees a handle of a model; workspaces keep what they need. */
LMC_C_API void lmc_model_free(lmc_model* model);
/** Its name. */
LMC_C_API const char* lmc_model_name(const lmc_model* model);
/** Its method; empty when none was chosen. */
LMC_C_API const char* lmc_model_method(const lmc_model* model);
/** The order of the method. */
LMC_C_API int lmc_model_order(const lmc_model* model);
/** Whether it has an energy. */
LMC_C_API int lmc_model_has_energy(const lmc_model* model);
/** Whether it has a mass matrix. */
LMC_C_API int lmc_model_has_mass(const lmc_model* model);
/** Whether the method estimates its error. */
LMC_C_API int lmc_model_estimates_error(const lmc_model* model);
/** Whether its machine code came from the cache. */
LMC_C_API int lmc_model_from_cache(const lmc_model* model);
/** The settings of `simulate`. */
LMC_C_API lmc_status lmc_model_settings(const lmc_model* model, lmc_settings* out);
/** The number of variables. */
LMC_C_API size_t lmc_model_variables(const lmc_model* model);
/** The i-th variable. */
LMC_C_API lmc_status lmc_model_variable(const lmc_model* model, size_t i, lmc_variable* out);
/** The k-th part of the point (`fiber` 0) or of the velocity or momentum (1) of the i-th variable. */
LMC_C_API lmc_status lmc_model_part(const lmc_model* model, size_t i, int fiber, size_t k, lmc_storage* out);
/** The number of quantities of a kind. */
LMC_C_API size_t lmc_model_quantities(const lmc_model* model, lmc_quantity_kind kind);
/** The i-th quantity of a kind, and where it stands (`storage` may be NULL). */
LMC_C_API lmc_status lmc_model_quantity(const lmc_model* model, lmc_quantity_kind kind, size_t i, lmc_quantity* out,
                                        lmc_storage* storage);
/** The number of events. */
LMC_C_API size_t lmc_model_events(const lmc_model* model);
/** The name and the direction (1: rising, -1: falling, 0: both) of the i-th event. */
LMC_C_API lmc_status lmc_model_event(const lmc_model* model, size_t i, const char** name, int* direction);
/** The number of blocks of `every`. */
LMC_C_API size_t lmc_model_samplings(const lmc_model* model);
/** The name of the i-th of them in the order of declaration, "every 0.01"; NULL when there is none. */
LMC_C_API const char* lmc_model_sampling(const lmc_model* model, size_t i);
/** The number of fixed parameters of type `int` and `bool`. */
LMC_C_API size_t lmc_model_constants(const lmc_model* model);
/** The i-th of them. */
LMC_C_API lmc_status lmc_model_constant(const lmc_model* model, size_t i, const char** name, int64_t* value);
/** Numbers of a state. */
LMC_C_API size_t lmc_model_state_size(const lmc_model* model);
/** Numbers of velocities, momenta and accelerations. */
LMC_C_API size_t lmc_model_algebra_size(const lmc_model* model);
/** Numbers of the field. */
LMC_C_API size_t lmc_model_tangent_size(const lmc_model* model);
/** Numbers of all observables. */
LMC_C_API size_t lmc_model_observables_size(const lmc_model* model);
/** The number of columns of a sample. */
LMC_C_API size_t lmc_model_columns(const lmc_model* model);
/** The name of the i-th column; NULL when there is none. */
LMC_C_API const char* lmc_model_column(const lmc_model* model, size_t i);
/** The initial state as compiled. */
LMC_C_API const double* lmc_model_initial_state(const lmc_model* model);
/** The equations of motion, a text for the caller to free (lmc_string_free). */
LMC_C_API lmc_status lmc_model_equations(const lmc_model* model, lmc_format format, char** text);
/** The methods that can step the model, a JSON array of {name, kind, order, description}, for the caller to free. */
LMC_C_API lmc_status lmc_model_methods(const lmc_model* model, char** json);
/** Compiles now what is otherwise compiled when it is first used. */
LMC_C_API lmc_status lmc_model_prepare(const lmc_model* model);
/** Frees the equations that machine code is made from. */
LMC_C_API void lmc_model_release(const lmc_model* model);
/** @} */

/** @name Workspaces
 *  A state with its time, parameters and inputs, for one thread; see lmc::Workspace. */
/** @{ */
/** A workspace. */
typedef struct lmc_workspace lmc_workspace;

/** Numbers in memory: members one after the other, matrices by rows. */
typedef struct lmc_view {
  size_t struct_size; /**< set by the caller */
  double* data;       /**< the first number; only to be written where a function says so */
  int64_t members;    /**< of a family; otherwise 1 */
  int rows;           /**< length of a vector, rows of a matrix */
  int columns;        /**< of a matrix */
} lmc_view;

/** A workspace at the initial state. */
LMC_C_API lmc_status lmc_workspace_new(const lmc_model* model, lmc_workspace** out);
/** Frees a workspace. */
LMC_C_API void lmc_workspace_free(lmc_workspace* w);
/** The time. */
LMC_C_API double lmc_workspace_time(const lmc_workspace* w);
/** Sets the time. */
LMC_C_API void lmc_workspace_set_time(lmc_workspace* w, double t);
/** All numbers of the state (lmc_model_state_size), to read and to write. */
LMC_C_API double* lmc_workspace_state(lmc_workspace* w);
/** A part of the state by its name, to read and to write. */
LMC_C_API lmc_status lmc_workspace_view(lmc_workspace* w, const char* name, lmc_view* out);
/** The initial state and time. */
LMC_C_API void lmc_workspace_reset(lmc_workspace* w);
/** The same, with initial values computed again from the present parameters. */
LMC_C_API lmc_status lmc_workspace_reset_initial(lmc_workspace* w);
/** Sets a parameter, or a member of it: `count` numbers. */
LMC_C_API lmc_status lmc_workspace_set(lmc_workspace* w, const char* name, const double* values, size_t count);
/** The value of a parameter, to read. */
LMC_C_API lmc_status lmc_workspace_parameter(lmc_workspace* w, const char* name, lmc_view* out);
/** All parameters as compiled. */
LMC_C_API void lmc_workspace_reset_parameters(lmc_workspace* w);
/** Holds an input, or a member of it, at values. */
LMC_C_API lmc_status lmc_workspace_set_input(lmc_workspace* w, const char* name, const double* values, size_t count);
/** The same by its index among the inputs. */
LMC_C_API lmc_status lmc_workspace_set_input_at(lmc_workspace* w, size_t index, const double* values, size_t count);
/** Goes back to the law of an input. */
LMC_C_API lmc_status lmc_workspace_release_input(lmc_workspace* w, const char* name);
/** Whether an input is held. */
LMC_C_API lmc_status lmc_workspace_input_is_set(lmc_workspace* w, const char* name, int* is_set);
/** All inputs as compiled. */
LMC_C_API void lmc_workspace_reset_inputs(lmc_workspace* w);

/** An event that has happened. */
typedef struct lmc_event_hit {
  size_t struct_size; /**< set by the caller */
  const char* name;   /**< "hit[2]"; valid until the next run or step */
  double time;        /**< to round-off */
} lmc_event_hit;

/** What a host program does at a sample time; see lmc::Sampling. The workspace shows the state and the time there: it
 * may be read and evaluated, inputs set and released, the state (discrete variables among it) written; all else that
 * changes a workspace is LMC_MISUSE. Returns 0 when all is well; else it gives up, and so does the call that steps or
 * runs, with LMC_MISUSE. */
typedef int (*lmc_sampling)(lmc_workspace* w, void* user);
/** From now on steps and runs of the workspace call `sampling` at first + k interval, k = 0, 1, …, as a block of
 * `every` is carried out, with the same bits; see lmc::Workspace::every. `first` not a number: from the begin of each
 * run on, of steps from the time of the first one. */
LMC_C_API lmc_status lmc_workspace_every(lmc_workspace* w, double interval, double first, lmc_sampling sampling,
                                         void* user);
/** The same at the times of the model's block of `every` with that index (lmc_model_sampling), behind the block. */
LMC_C_API lmc_status lmc_workspace_at_every(lmc_workspace* w, size_t block, lmc_sampling sampling, void* user);
/** From now on nothing is called. */
LMC_C_API lmc_status lmc_workspace_clear_samplings(lmc_workspace* w);

/** One step of length h. When it fails, the state is the one before. Events, resets, samplings and contacts are carried
 * out as lmc_workspace_run does, with the same bits where the steps are those of the run; events without a block end
 * no step. */
LMC_C_API lmc_status lmc_workspace_step(lmc_workspace* w, double h);
/** n steps of length h. */
LMC_C_API lmc_status lmc_workspace_steps(lmc_workspace* w, double h, int64_t n);
/** How many events there were in the last call of these two, the first thousand. Samplings are not among them. */
LMC_C_API size_t lmc_workspace_happened(const lmc_workspace* w);
/** The i-th of them, from 0, by time. The name is valid until the next step. */
LMC_C_API lmc_status lmc_workspace_happened_at(const lmc_workspace* w, size_t i, lmc_event_hit* out);

/** The energy. */
LMC_C_API lmc_status lmc_workspace_energy(lmc_workspace* w, double* out);
/** All observables. */
LMC_C_API lmc_status lmc_workspace_observables(lmc_workspace* w, const double** out);
/** One observable, or a member of it. */
LMC_C_API lmc_status lmc_workspace_observable(lmc_workspace* w, const char* name, lmc_view* out);
/** The values of all events. */
LMC_C_API lmc_status lmc_workspace_events(lmc_workspace* w, const double** out);
/** The map f: lmc_model_tangent_size numbers; see lmc::Workspace::field. */
LMC_C_API lmc_status lmc_workspace_field(lmc_workspace* w, const double** out);
/** Velocities in the Lie algebras: lmc_model_algebra_size numbers. */
LMC_C_API lmc_status lmc_workspace_velocities(lmc_workspace* w, const double** out);
/** Momenta. */
LMC_C_API lmc_status lmc_workspace_momenta(lmc_workspace* w, const double** out);
/** Derivatives of velocities or momenta. */
LMC_C_API lmc_status lmc_workspace_accelerations(lmc_workspace* w, const double** out);
/** M v. */
LMC_C_API lmc_status lmc_workspace_mass_times(lmc_workspace* w, const double* v, size_t count, const double** out);
/** The mass matrix by rows, into memory of the caller for algebra_size times algebra_size numbers. */
LMC_C_API lmc_status lmc_workspace_mass_matrix(lmc_workspace* w, double* out, size_t count);
/** The part of its terms by which M xi' = r is missed; see lmc::Workspace::massDefect. */
LMC_C_API lmc_status lmc_workspace_mass_defect(lmc_workspace* w, double* out);
/** @} */

/** @name Runs */
/** @{ */
/** How a run is made; see lmc::RunSettings. Members that are not given are as lmc_run_settings_init leaves them. */
typedef struct lmc_run_settings {
  size_t struct_size;  /**< set by lmc_run_settings_init */
  double to;           /**< where it ends; not a number: the model's */
  double step;         /**< not a number: the model's */
  double tolerance;    /**< not a number: the model's */
  int fixed_steps;     /**< fixed steps although there is a tolerance */
  double every;        /**< time between samples; 0: not given */
  int64_t every_steps; /**< steps between samples; 0: not given */
  const double* times; /**< times of samples; NULL: not given */
  size_t time_count;   /**< how many */
  int64_t max_steps;   /**< the run fails with LMC_LIMIT_REACHED after so many steps; 0: no limit */
  double max_seconds;  /**< or so many seconds; 0: no limit */
  lmc_cancel cancel; /**< asked some hundred times a second; not 0 ends the run, which is `stopped`; NULL: not given */
  void* cancel_user; /**< for `cancel` */
} lmc_run_settings;

/** The state of a run at one time; valid during the call of the callback. */
typedef struct lmc_sample {
  size_t struct_size;   /**< of the library that calls */
  double time;          /**< its time */
  const double* values; /**< a number per column; first the state */
  size_t value_count;   /**< how many */
  size_t state_size;    /**< how many of them are the state */
} lmc_sample;

/** Told about every sample; 0 ends the run. */
typedef int (*lmc_sample_callback)(const lmc_sample* sample, void* user);

/** What came of a run; see lmc::RunResult. Texts are valid until the next run of the workspace. */
typedef struct lmc_run_result {
  size_t struct_size;          /**< set by the caller */
  double time;                 /**< that was reached */
  int64_t steps;               /**< taken */
  int64_t rejected;            /**< of adaptive steps */
  int64_t evaluations;         /**< of f */
  int64_t samples;             /**< taken */
  int stopped;                 /**< the callback, or `cancel`, ended it */
  lmc_status failure;          /**< LMC_OK: it did not fail */
  const char* failure_message; /**< NULL: it did not fail */
  const char* event;           /**< that ended it; NULL: none did */
  double energy_error;         /**< not a number when there is no energy */
  double largest_defect;       /**< of all conditions of manifolds */
  double seconds;              /**< of the clock */
  int64_t iterations;          /**< turns of Newton's method */
  size_t events;               /**< that have reset the state, the first thousand: lmc_workspace_run_event */
  size_t jumps;                /**< reasons for which it has jumped: lmc_workspace_run_jump */
} lmc_run_result;

/** How often the state has jumped for one reason in the last run of a workspace. */
typedef struct lmc_jump_count {
  size_t struct_size; /**< set by the caller */
  const char* name;   /**< of the event, "hit[2]", or of the sampling, "every 0.01"; valid until the next run */
  int64_t count;      /**< how often, at least once */
  double first;       /**< the time of the first one */
  double last;        /**< the time of the last one */
} lmc_jump_count;

/** Settings that leave all to the model. */
LMC_C_API void lmc_run_settings_init(lmc_run_settings* settings);
/** Integrates from the present state and time on. A run that fails returns its status, and the result all the same.
 *  `settings`, `callback` and `out` may be NULL. */
LMC_C_API lmc_status lmc_workspace_run(lmc_workspace* w, const lmc_run_settings* settings, lmc_sample_callback callback,
                                       void* user, lmc_run_result* out);

/** The i-th event that has reset the state in the last run, from 0, by time. */
LMC_C_API lmc_status lmc_workspace_run_event(const lmc_workspace* w, size_t i, lmc_event_hit* out);
/** The i-th reason for which the state has jumped in the last run, from 0, in the order of declaration. */
LMC_C_API lmc_status lmc_workspace_run_jump(const lmc_workspace* w, size_t i, lmc_jump_count* out);

/** Numbers by rows, with a name for each column. */
typedef struct lmc_table lmc_table;
/** Frees a table. */
LMC_C_API void lmc_table_free(lmc_table* table);
/** The number of its rows. */
LMC_C_API size_t lmc_table_rows(const lmc_table* table);
/** The number of its columns. */
LMC_C_API size_t lmc_table_columns(const lmc_table* table);
/** The name of the i-th column; NULL when there is none. */
LMC_C_API const char* lmc_table_column(const lmc_table* table, size_t i);
/** All numbers, one row after the other; valid until the table is freed. */
LMC_C_API const double* lmc_table_numbers(const lmc_table* table);
/** As lmc_workspace_run, with all samples kept: a row for each, of its time (column "t") and its values. Of a run that
 *  fails, the status is returned and there is a table. */
LMC_C_API lmc_status lmc_workspace_tabulate(lmc_workspace* w, const lmc_run_settings* settings, lmc_table** out,
                                            lmc_run_result* result);

/** The steps of a run, for dense output; see lmc::Trajectory. */
typedef struct lmc_trajectory lmc_trajectory;
/** Integrates and keeps all steps. Of a run that fails, the status is returned and there is a trajectory. */
LMC_C_API lmc_status lmc_workspace_record(lmc_workspace* w, const lmc_run_settings* settings, lmc_trajectory** out);
/** Frees a trajectory. */
LMC_C_API void lmc_trajectory_free(lmc_trajectory* t);
/** The number of states, begin and end included. */
LMC_C_API size_t lmc_trajectory_size(const lmc_trajectory* t);
/** Their times. */
LMC_C_API const double* lmc_trajectory_times(const lmc_trajectory* t);
/** The state at the k-th of them; NULL when there is none. */
LMC_C_API const double* lmc_trajectory_state_at_step(const lmc_trajectory* t, size_t k);
/** The state at a time, valid until the next call. */
LMC_C_API lmc_status lmc_trajectory_state(lmc_trajectory* t, double time, const double** out);
/** A number per column at a time, valid until the next call. */
LMC_C_API lmc_status lmc_trajectory_sample(lmc_trajectory* t, double time, const double** out);
/** @} */

/** @name Derivatives
 *  Linearization, sensitivities, gradients of trajectories; see lmc::Linearization. */
/** @{ */
/** Derivatives of a model at a state of their own, for one thread. */
typedef struct lmc_linearization lmc_linearization;

/** What is differentiated. */
typedef enum lmc_linearized {
  LMC_MOTION = 0, /**< the equations of motion */
  LMC_STEP = 1,   /**< one step of the method */
  LMC_OUTPUTS = 2 /**< energy (if there is one) and observables */
} lmc_linearized;

/** Kinds of numbers with names. */
typedef enum lmc_coordinate_kind {
  LMC_COORDINATES = 0,       /**< of tangent vectors */
  LMC_INPUT_NUMBERS = 1,     /**< of the inputs */
  LMC_PARAMETER_NUMBERS = 2, /**< of the parameters */
  LMC_OUTPUT_NUMBERS = 3     /**< of the outputs */
} lmc_coordinate_kind;

/** All derivatives of a map; a matrix has its columns one after the other. */
typedef struct lmc_jacobians {
  size_t struct_size;       /**< set by the caller */
  size_t rows;              /**< coordinates, or outputs */
  const double* state;      /**< a column per coordinate */
  const double* inputs;     /**< a column per number of the inputs */
  const double* parameters; /**< a column per number of the parameters */
  const double* field;      /**< of the motion: the change of f itself; otherwise NULL */
  const double* value;      /**< of the map */
} lmc_jacobians;

/** Covectors of what a map depends on. */
typedef struct lmc_covectors {
  size_t struct_size;       /**< set by the caller */
  const double* state;      /**< of the coordinates */
  const double* inputs;     /**< of the inputs */
  const double* parameters; /**< of the parameters */
} lmc_covectors;

/** Writes the derivative of the cost of time k (0 to the number of steps) by each of the `count` outputs into
 * `weights`, which are zero at first. Not 0: give up. */
typedef int (*lmc_output_weights)(int64_t k, const double* outputs, double* weights, size_t count, void* user);

/** Derivatives at the initial state; compiled when they are first asked for. */
LMC_C_API lmc_status lmc_linearization_new(const lmc_model* model, lmc_linearization** out);
/** Frees derivatives. */
LMC_C_API void lmc_linearization_free(lmc_linearization* l);
/** How many numbers of a kind there are. */
LMC_C_API size_t lmc_linearization_size(const lmc_linearization* l, lmc_coordinate_kind kind);
/** The name of the i-th number of a kind, "dR[1]"; NULL when there is none. */
LMC_C_API const char* lmc_linearization_name(const lmc_linearization* l, lmc_coordinate_kind kind, size_t i);
/** Takes over state, time, parameters and inputs of a workspace of the same model. */
LMC_C_API lmc_status lmc_linearization_at(lmc_linearization* l, const lmc_workspace* w);
/** The storage of the state (lmc_model_state_size), to read and to write. */
LMC_C_API double* lmc_linearization_state(lmc_linearization* l);
/** The time. */
LMC_C_API double lmc_linearization_time(const lmc_linearization* l);
/** Sets the time. */
LMC_C_API void lmc_linearization_set_time(lmc_linearization* l, double t);
/** Holds all inputs at values. */
LMC_C_API lmc_status lmc_linearization_set_inputs(lmc_linearization* l, const double* values, size_t count);
/** Sets all parameters. */
LMC_C_API lmc_status lmc_linearization_set_parameters(lmc_linearization* l, const double* values, size_t count);
/** All matrices; h is the length of a step. */
LMC_C_API lmc_status lmc_linearization_jacobians(lmc_linearization* l, lmc_linearized map, double h,
                                                 lmc_jacobians* out);
/** The image of a direction; each of the three may be NULL: zero. */
LMC_C_API lmc_status lmc_linearization_forward(lmc_linearization* l, lmc_linearized map, double h,
                                               const double* direction, const double* inputs, const double* parameters,
                                               const double** out);
/** The covectors that a covector of the image (as many numbers as rows) is pulled back to. */
LMC_C_API lmc_status lmc_linearization_adjoint(lmc_linearization* l, lmc_linearized map, double h,
                                               const double* covector, lmc_covectors* out);
/** An orthonormal basis of the tangent space into memory of the caller for `capacity` numbers; `vectors` gets their
 *  number, each of which has as many numbers as there are coordinates. At most coordinates times coordinates numbers.
 */
LMC_C_API lmc_status lmc_linearization_basis(lmc_linearization* l, double* out, size_t capacity, size_t* vectors);
/** Moves the state along a tangent vector. */
LMC_C_API lmc_status lmc_linearization_move(lmc_linearization* l, const double* direction);
/** The tangent vector that leads to another state nearby, into memory of the caller for all coordinates. */
LMC_C_API lmc_status lmc_linearization_difference(lmc_linearization* l, const double* state, double* out);
/** Takes n steps and carries `count` tangent vectors along, in place. `inputs` and `parameters`: their changes for each
 *  vector, or NULL. */
LMC_C_API lmc_status lmc_linearization_propagate(lmc_linearization* l, double h, int64_t n, double* directions,
                                                 size_t count, const double* inputs, const double* parameters);
/** The gradient of a cost of the outputs along n steps, into memory of the caller: by coordinates of the first state,
 * by the inputs of each step, by parameters; each may be NULL. `inputs`: those of each step, or NULL. */
LMC_C_API lmc_status lmc_linearization_gradient(lmc_linearization* l, double h, int64_t n, const double* inputs,
                                                lmc_output_weights cost, void* user, double* by_state,
                                                double* by_inputs, double* by_parameters);
/** @} */

#ifdef __cplusplus
}
#endif

#include "lmc/ensemble.h"

#endif
