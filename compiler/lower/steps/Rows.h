// Sums of rows of numbers, number by number, with constant coefficients: what stands between the stages of a method.
#pragma once

#include "tape/Tape.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lmc::lower {

/// Numbers behind the base of a role.
struct RowPlace {
  runtime::Role role = runtime::Role::Output;
  std::int64_t offset = 0;
};

/// In one pass over e: to[e] = begin[e] + h sum_j coefficients[j] rows[j][e] for each sum, terms in the order of the
/// rows, zeros left out; and copies of rows. Places are `size` numbers each, and do not overlap; none that is read is
/// written.
struct RowSums {
  struct Sum {
    std::vector<double> coefficients; ///< one for each row
    RowPlace to;
  };
  std::int64_t size = 0;
  RowPlace begin;
  std::vector<RowPlace> rows;
  std::vector<Sum> sums;
  std::vector<std::pair<std::size_t, RowPlace>> copies; ///< of a row, and where it goes
};

/// The function with the arguments t and h that does it. Places without a buffer get one.
[[nodiscard]] tape::Function rowSums(tape::Module& module, const std::string& name, const RowSums& sums);

} // namespace lmc::lower
