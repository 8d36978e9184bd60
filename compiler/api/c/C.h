// What the files of the C interface share. It is written on top of the C++ interface and knows nothing else of lmc.
#pragma once

#include "lmc/lmc.h"
#include "lmc/lmc.hpp"

#include <algorithm>
#include <cstring>
#include <new>

struct lmc_options {
  lmc::Options options;
};

struct lmc_compilation {
  lmc::Compilation compilation;
};

struct lmc_model {
  lmc::Model model;
};

struct lmc_workspace {
  lmc::Workspace workspace;
  lmc::RunResult last; ///< of the last run, for its texts
};

struct lmc_trajectory {
  lmc::Trajectory trajectory;
};

struct lmc_linearization {
  lmc::Linearization linearization;
};

struct lmc_table {
  std::vector<std::string> columns;
  std::vector<double> numbers;
};

struct lmc_ensemble {
  lmc_compilation compilation;
  lmc_table table;
  lmc::Ensemble ensemble; ///< without its numbers, which are in the table
};

namespace lmc::c {

/// Keeps the sentence for lmc_last_error; returns the status.
lmc_status refuse(lmc_status status, const char* message) noexcept;

inline lmc_status misuse(const char* message) noexcept {
  return refuse(LMC_MISUSE, message);
}

inline lmc_status statusOf(v1::Status s) noexcept {
  return static_cast<lmc_status>(s);
}

inline lmc_status statusOf(const v1::Error& e) noexcept {
  if (e.kind() == v1::Error::Kind::RunFailed) return statusOf(e.status());
  return static_cast<lmc_status>(100 + static_cast<int>(e.kind()));
}

/// Calls `body`; an exception becomes a status.
template <class Body> lmc_status guarded(Body body) noexcept {
  try {
    body();
    return LMC_OK;
  } catch (const v1::Error& e) {
    return refuse(statusOf(e), e.what());
  } catch (const std::bad_alloc&) {
    return refuse(LMC_INTERNAL, "memory has run out");
  } catch (const std::exception& e) {
    return refuse(LMC_INTERNAL, e.what());
  } catch (...) {
    return refuse(LMC_INTERNAL, "a callback has thrown");
  }
}

/// Fills a structure of the caller, as much of it as the caller knows.
template <class T> lmc_status give(T* out, T value) noexcept {
  if (out == nullptr || out->struct_size < sizeof(std::size_t)) return misuse("a structure without its struct_size");
  const std::size_t known = std::min(out->struct_size, sizeof(T));
  value.struct_size = out->struct_size;
  std::memcpy(out, &value, known);
  return LMC_OK;
}

/// Settings of a run as those of the C++ interface.
[[nodiscard]] v1::RunSettings settingsOf(const lmc_run_settings* s);
/// What came of a run, whose texts live as long as `r`; and its status.
[[nodiscard]] lmc_run_result resultOf(const v1::RunResult& r);
lmc_status failureOf(const v1::RunResult& r);

/// A copy of a text that the caller frees.
[[nodiscard]] char* ownText(const std::string& text);

/// Numbers that have to be given; NULL stands for none.
[[nodiscard]] inline v1::Span<const double> given(const double* values, std::size_t count) {
  if (values == nullptr && count > 0) throw v1::Error(v1::Error::Kind::Misuse, "the values are NULL");
  return {values, count};
}

/// A text that has to be given.
[[nodiscard]] inline const char* given(const char* text) {
  if (text == nullptr) throw v1::Error(v1::Error::Kind::Misuse, "a name or a text is NULL");
  return text;
}

} // namespace lmc::c
