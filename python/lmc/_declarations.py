"""The C interface (lmc/lmc.h) in ctypes. Written by tools/python_declarations.py: do not edit."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32,
                    c_uint64, c_void_p)
from typing import Any, Dict, List, Tuple

LMC_API_VERSION = 1

LMC_OK = 0
LMC_SINGULAR_MASS = 1
LMC_SINGULAR_MATRIX = 2
LMC_NO_CONVERGENCE = 3
LMC_NON_FINITE = 4
LMC_STEP_TOO_SMALL = 5
LMC_LIMIT_REACHED = 6
LMC_RESET_FAILED = 7
LMC_MISUSE = 101
LMC_UNAVAILABLE = 102
LMC_INSTALLATION = 104
LMC_INTERNAL = 105

LMC_VELOCITY = 0
LMC_MOMENTUM = 1
LMC_STATE = 2
LMC_DUAL = 3

LMC_PARAMETER = 0
LMC_INPUT = 1
LMC_OBSERVABLE = 2
LMC_DISCRETE = 3

LMC_TEXT = 0
LMC_LATEX = 1
LMC_JSON = 2

LMC_MOTION = 0
LMC_STEP = 1
LMC_OUTPUTS = 2

LMC_COORDINATES = 0
LMC_INPUT_NUMBERS = 1
LMC_PARAMETER_NUMBERS = 2
LMC_OUTPUT_NUMBERS = 3

LMC_KEEP_FINAL = 0
LMC_KEEP_STATISTICS = 1
LMC_KEEP_ALL = 2


class lmc_source(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("text", c_char_p),
    ]


class lmc_position(Structure):
    _fields_ = [
        ("line", c_uint32),
        ("column", c_uint32),
        ("offset", c_uint32),
    ]


class lmc_note(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("message", c_char_p),
        ("source", c_char_p),
        ("begin", lmc_position),
        ("end", lmc_position),
    ]


class lmc_diagnostic(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("code", c_char_p),
        ("warning", c_int),
        ("source", c_char_p),
        ("begin", lmc_position),
        ("end", lmc_position),
        ("message", c_char_p),
        ("suggestion", c_char_p),
        ("notes", c_size_t),
        ("text", c_char_p),
    ]


class lmc_storage(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("offset", c_int64),
        ("members", c_int64),
        ("extent_count", c_size_t),
        ("extents", POINTER(c_int64)),
        ("first", POINTER(c_int64)),
        ("rank", c_int),
        ("rows", c_int),
        ("columns", c_int),
    ]


class lmc_variable(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("fiber", c_char_p),
        ("manifold", c_char_p),
        ("kind", c_int),
        ("is_group", c_int),
        ("space_frame", c_int),
        ("members", c_int64),
        ("dimension", c_int),
        ("algebra_dimension", c_int),
        ("point_parts", c_size_t),
        ("fiber_parts", c_size_t),
        ("algebra_offset", c_int64),
        ("tangent_offset", c_int64),
        ("tangent_size", c_int64),
    ]


class lmc_quantity(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("value", POINTER(c_double)),
        ("has_default", c_int),
        ("is_set", c_int),
    ]


class lmc_settings(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("time_from", c_double),
        ("time_to", c_double),
        ("step", c_double),
        ("every", c_double),
        ("every_steps", c_int64),
        ("adaptive", c_int),
        ("seed", c_uint64),
    ]


class lmc_view(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("data", POINTER(c_double)),
        ("members", c_int64),
        ("rows", c_int),
        ("columns", c_int),
    ]


class lmc_event_hit(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("time", c_double),
    ]

lmc_cancel = CFUNCTYPE(c_int, c_void_p)


class lmc_run_settings(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("to", c_double),
        ("step", c_double),
        ("tolerance", c_double),
        ("fixed_steps", c_int),
        ("every", c_double),
        ("every_steps", c_int64),
        ("times", POINTER(c_double)),
        ("time_count", c_size_t),
        ("max_steps", c_int64),
        ("max_seconds", c_double),
        ("cancel", lmc_cancel),
        ("cancel_user", c_void_p),
    ]


class lmc_sample(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("time", c_double),
        ("values", POINTER(c_double)),
        ("value_count", c_size_t),
        ("state_size", c_size_t),
    ]


class lmc_run_result(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("time", c_double),
        ("steps", c_int64),
        ("rejected", c_int64),
        ("evaluations", c_int64),
        ("samples", c_int64),
        ("stopped", c_int),
        ("failure", c_int),
        ("failure_message", c_char_p),
        ("event", c_char_p),
        ("energy_error", c_double),
        ("largest_defect", c_double),
        ("seconds", c_double),
        ("iterations", c_int64),
        ("events", c_size_t),
        ("jumps", c_size_t),
    ]


class lmc_jump_count(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("count", c_int64),
        ("first", c_double),
        ("last", c_double),
    ]


class lmc_jacobians(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_size_t),
        ("state", POINTER(c_double)),
        ("inputs", POINTER(c_double)),
        ("parameters", POINTER(c_double)),
        ("field", POINTER(c_double)),
        ("value", POINTER(c_double)),
    ]


class lmc_covectors(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("state", POINTER(c_double)),
        ("inputs", POINTER(c_double)),
        ("parameters", POINTER(c_double)),
    ]

lmc_progress = CFUNCTYPE(c_int, c_double, c_void_p)


class lmc_ensemble_settings(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("vary", POINTER(c_void_p)),
        ("vary_count", c_size_t),
        ("samples", c_int64),
        ("keep", c_int),
        ("every", c_double),
        ("threads", c_int),
        ("lanes", c_int),
        ("max_seconds", c_double),
        ("progress", lmc_progress),
        ("user", c_void_p),
        ("has_seed", c_int),
        ("seed", c_uint64),
    ]


class lmc_ensemble_totals(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("samples", c_int64),
        ("failed", c_int64),
        ("stopped", c_int64),
        ("first_failure", c_int64),
        ("steps", c_int64),
        ("rejected", c_int64),
        ("interrupted", c_int),
        ("seconds", c_double),
        ("doubtful", c_int64),
    ]

lmc_resolver = CFUNCTYPE(c_void_p, c_char_p, c_void_p)

lmc_sampling = CFUNCTYPE(c_int, c_void_p, c_void_p)

lmc_sample_callback = CFUNCTYPE(c_int, POINTER(lmc_sample), c_void_p)

lmc_output_weights = CFUNCTYPE(c_int, c_int64, POINTER(c_double), POINTER(c_double), c_size_t, c_void_p)


#: The result and the arguments of every function.
FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "lmc_version": (c_char_p, []),
    "lmc_api_version": (c_int, []),
    "lmc_last_error": (c_char_p, []),
    "lmc_string_free": (None, [c_char_p]),
    "lmc_manifolds": (c_int, [c_char_p, POINTER(c_void_p)]),
    "lmc_options_new": (c_void_p, []),
    "lmc_options_free": (None, [c_void_p]),
    "lmc_options_set_method": (c_int, [c_void_p, c_char_p]),
    "lmc_options_add_value": (c_int, [c_void_p, c_char_p, c_char_p]),
    "lmc_options_set_seed": (c_int, [c_void_p, c_uint64]),
    "lmc_options_set_time": (c_int, [c_void_p, c_double, c_double]),
    "lmc_options_set_step": (c_int, [c_void_p, c_double]),
    "lmc_options_set_tolerance": (c_int, [c_void_p, c_double]),
    "lmc_options_set_controller": (c_int, [c_void_p, c_char_p]),
    "lmc_options_set_fixed_steps": (c_int, [c_void_p, c_int]),
    "lmc_options_add_import_path": (c_int, [c_void_p, c_char_p]),
    "lmc_options_set_resolver": (c_int, [c_void_p, lmc_resolver, c_void_p]),
    "lmc_options_set_library_root": (c_int, [c_void_p, c_char_p]),
    "lmc_options_set_cache": (c_int, [c_void_p, c_int, c_char_p]),
    "lmc_options_set_optimization": (c_int, [c_void_p, c_int]),
    "lmc_options_set_keep_zeros": (c_int, [c_void_p, c_int]),
    "lmc_options_set_untrusted": (c_int, [c_void_p, c_int]),
    "lmc_options_set_limits": (c_int, [c_void_p, c_double, c_int64, c_int64]),
    "lmc_options_set_cancel": (c_int, [c_void_p, lmc_cancel, c_void_p]),
    "lmc_compile_file": (c_int, [c_char_p, c_void_p, POINTER(c_void_p)]),
    "lmc_compile_text": (c_int, [c_char_p, c_char_p, c_void_p, POINTER(c_void_p)]),
    "lmc_compile_sources": (c_int, [POINTER(lmc_source), c_size_t, c_void_p, POINTER(c_void_p)]),
    "lmc_compilation_free": (None, [c_void_p]),
    "lmc_compilation_model": (c_void_p, [c_void_p]),
    "lmc_compilation_diagnostics": (c_size_t, [c_void_p]),
    "lmc_compilation_diagnostic": (c_int, [c_void_p, c_size_t, POINTER(lmc_diagnostic)]),
    "lmc_compilation_note": (c_int, [c_void_p, c_size_t, c_size_t, POINTER(lmc_note)]),
    "lmc_compilation_format": (c_char_p, [c_void_p, c_int]),
    "lmc_model_free": (None, [c_void_p]),
    "lmc_model_name": (c_char_p, [c_void_p]),
    "lmc_model_method": (c_char_p, [c_void_p]),
    "lmc_model_order": (c_int, [c_void_p]),
    "lmc_model_has_energy": (c_int, [c_void_p]),
    "lmc_model_has_mass": (c_int, [c_void_p]),
    "lmc_model_estimates_error": (c_int, [c_void_p]),
    "lmc_model_from_cache": (c_int, [c_void_p]),
    "lmc_model_settings": (c_int, [c_void_p, POINTER(lmc_settings)]),
    "lmc_model_variables": (c_size_t, [c_void_p]),
    "lmc_model_variable": (c_int, [c_void_p, c_size_t, POINTER(lmc_variable)]),
    "lmc_model_part": (c_int, [c_void_p, c_size_t, c_int, c_size_t, POINTER(lmc_storage)]),
    "lmc_model_quantities": (c_size_t, [c_void_p, c_int]),
    "lmc_model_quantity": (c_int, [c_void_p, c_int, c_size_t, POINTER(lmc_quantity), POINTER(lmc_storage)]),
    "lmc_model_events": (c_size_t, [c_void_p]),
    "lmc_model_event": (c_int, [c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_int)]),
    "lmc_model_samplings": (c_size_t, [c_void_p]),
    "lmc_model_sampling": (c_char_p, [c_void_p, c_size_t]),
    "lmc_model_constants": (c_size_t, [c_void_p]),
    "lmc_model_constant": (c_int, [c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_int64)]),
    "lmc_model_state_size": (c_size_t, [c_void_p]),
    "lmc_model_algebra_size": (c_size_t, [c_void_p]),
    "lmc_model_tangent_size": (c_size_t, [c_void_p]),
    "lmc_model_observables_size": (c_size_t, [c_void_p]),
    "lmc_model_columns": (c_size_t, [c_void_p]),
    "lmc_model_column": (c_char_p, [c_void_p, c_size_t]),
    "lmc_model_initial_state": (c_void_p, [c_void_p]),
    "lmc_model_equations": (c_int, [c_void_p, c_int, POINTER(c_void_p)]),
    "lmc_model_methods": (c_int, [c_void_p, POINTER(c_void_p)]),
    "lmc_model_prepare": (c_int, [c_void_p]),
    "lmc_model_release": (None, [c_void_p]),
    "lmc_workspace_new": (c_int, [c_void_p, POINTER(c_void_p)]),
    "lmc_workspace_free": (None, [c_void_p]),
    "lmc_workspace_time": (c_double, [c_void_p]),
    "lmc_workspace_set_time": (None, [c_void_p, c_double]),
    "lmc_workspace_state": (c_void_p, [c_void_p]),
    "lmc_workspace_view": (c_int, [c_void_p, c_char_p, POINTER(lmc_view)]),
    "lmc_workspace_reset": (None, [c_void_p]),
    "lmc_workspace_reset_initial": (c_int, [c_void_p]),
    "lmc_workspace_set": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t]),
    "lmc_workspace_parameter": (c_int, [c_void_p, c_char_p, POINTER(lmc_view)]),
    "lmc_workspace_reset_parameters": (None, [c_void_p]),
    "lmc_workspace_set_input": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t]),
    "lmc_workspace_set_input_at": (c_int, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "lmc_workspace_release_input": (c_int, [c_void_p, c_char_p]),
    "lmc_workspace_input_is_set": (c_int, [c_void_p, c_char_p, POINTER(c_int)]),
    "lmc_workspace_reset_inputs": (None, [c_void_p]),
    "lmc_workspace_every": (c_int, [c_void_p, c_double, c_double, lmc_sampling, c_void_p]),
    "lmc_workspace_at_every": (c_int, [c_void_p, c_size_t, lmc_sampling, c_void_p]),
    "lmc_workspace_clear_samplings": (c_int, [c_void_p]),
    "lmc_workspace_step": (c_int, [c_void_p, c_double]),
    "lmc_workspace_steps": (c_int, [c_void_p, c_double, c_int64]),
    "lmc_workspace_happened": (c_size_t, [c_void_p]),
    "lmc_workspace_happened_at": (c_int, [c_void_p, c_size_t, POINTER(lmc_event_hit)]),
    "lmc_workspace_energy": (c_int, [c_void_p, c_void_p]),
    "lmc_workspace_observables": (c_int, [c_void_p, POINTER(c_void_p)]),
    "lmc_workspace_observable": (c_int, [c_void_p, c_char_p, POINTER(lmc_view)]),
    "lmc_workspace_events": (c_int, [c_void_p, POINTER(c_void_p)]),
    "lmc_workspace_field": (c_int, [c_void_p, POINTER(c_void_p)]),
    "lmc_workspace_velocities": (c_int, [c_void_p, POINTER(c_void_p)]),
    "lmc_workspace_momenta": (c_int, [c_void_p, POINTER(c_void_p)]),
    "lmc_workspace_accelerations": (c_int, [c_void_p, POINTER(c_void_p)]),
    "lmc_workspace_mass_times": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_void_p)]),
    "lmc_workspace_mass_matrix": (c_int, [c_void_p, c_void_p, c_size_t]),
    "lmc_workspace_mass_defect": (c_int, [c_void_p, c_void_p]),
    "lmc_run_settings_init": (None, [POINTER(lmc_run_settings)]),
    "lmc_workspace_run": (c_int, [c_void_p, POINTER(lmc_run_settings), lmc_sample_callback, c_void_p, POINTER(lmc_run_result)]),
    "lmc_workspace_run_event": (c_int, [c_void_p, c_size_t, POINTER(lmc_event_hit)]),
    "lmc_workspace_run_jump": (c_int, [c_void_p, c_size_t, POINTER(lmc_jump_count)]),
    "lmc_table_free": (None, [c_void_p]),
    "lmc_table_rows": (c_size_t, [c_void_p]),
    "lmc_table_columns": (c_size_t, [c_void_p]),
    "lmc_table_column": (c_char_p, [c_void_p, c_size_t]),
    "lmc_table_numbers": (c_void_p, [c_void_p]),
    "lmc_workspace_tabulate": (c_int, [c_void_p, POINTER(lmc_run_settings), POINTER(c_void_p), POINTER(lmc_run_result)]),
    "lmc_workspace_record": (c_int, [c_void_p, POINTER(lmc_run_settings), POINTER(c_void_p)]),
    "lmc_trajectory_free": (None, [c_void_p]),
    "lmc_trajectory_size": (c_size_t, [c_void_p]),
    "lmc_trajectory_times": (c_void_p, [c_void_p]),
    "lmc_trajectory_state_at_step": (c_void_p, [c_void_p, c_size_t]),
    "lmc_trajectory_state": (c_int, [c_void_p, c_double, POINTER(c_void_p)]),
    "lmc_trajectory_sample": (c_int, [c_void_p, c_double, POINTER(c_void_p)]),
    "lmc_linearization_new": (c_int, [c_void_p, POINTER(c_void_p)]),
    "lmc_linearization_free": (None, [c_void_p]),
    "lmc_linearization_size": (c_size_t, [c_void_p, c_int]),
    "lmc_linearization_name": (c_char_p, [c_void_p, c_int, c_size_t]),
    "lmc_linearization_at": (c_int, [c_void_p, c_void_p]),
    "lmc_linearization_state": (c_void_p, [c_void_p]),
    "lmc_linearization_time": (c_double, [c_void_p]),
    "lmc_linearization_set_time": (None, [c_void_p, c_double]),
    "lmc_linearization_set_inputs": (c_int, [c_void_p, c_void_p, c_size_t]),
    "lmc_linearization_set_parameters": (c_int, [c_void_p, c_void_p, c_size_t]),
    "lmc_linearization_jacobians": (c_int, [c_void_p, c_int, c_double, POINTER(lmc_jacobians)]),
    "lmc_linearization_forward": (c_int, [c_void_p, c_int, c_double, c_void_p, c_void_p, c_void_p, POINTER(c_void_p)]),
    "lmc_linearization_adjoint": (c_int, [c_void_p, c_int, c_double, c_void_p, POINTER(lmc_covectors)]),
    "lmc_linearization_basis": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t)]),
    "lmc_linearization_move": (c_int, [c_void_p, c_void_p]),
    "lmc_linearization_difference": (c_int, [c_void_p, c_void_p, c_void_p]),
    "lmc_linearization_propagate": (c_int, [c_void_p, c_double, c_int64, c_void_p, c_size_t, c_void_p, c_void_p]),
    "lmc_linearization_gradient": (c_int, [c_void_p, c_double, c_int64, c_void_p, lmc_output_weights, c_void_p, c_void_p, c_void_p, c_void_p]),
    "lmc_ensemble_settings_init": (None, [POINTER(lmc_ensemble_settings)]),
    "lmc_ensemble_file": (c_int, [c_char_p, c_void_p, POINTER(lmc_ensemble_settings), POINTER(c_void_p)]),
    "lmc_ensemble_model": (c_int, [c_void_p, POINTER(lmc_ensemble_settings), POINTER(c_void_p)]),
    "lmc_ensemble_sources": (c_int, [POINTER(lmc_source), c_size_t, c_void_p, POINTER(lmc_ensemble_settings), POINTER(c_void_p)]),
    "lmc_ensemble_free": (None, [c_void_p]),
    "lmc_ensemble_compilation": (c_void_p, [c_void_p]),
    "lmc_ensemble_table": (c_void_p, [c_void_p]),
    "lmc_ensemble_get_totals": (c_int, [c_void_p, POINTER(lmc_ensemble_totals)]),
}
