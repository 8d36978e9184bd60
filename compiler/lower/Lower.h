// From array programs to the tape: shapes become scalars, equations become straight-line code and loops, and what
// depends on parameters only is computed once per run by the function `setup`.
#pragma once

#include "lower/steps/Calls.h"
#include "lower/steps/Rows.h"
#include "sym/Program.h"
#include "tape/Tape.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lmc::lower {

/// Writes all elements of an array to memory, entry by entry, behind the base of a role.
struct OutputBinding {
  const sym::Array* array = nullptr;
  runtime::Role role = runtime::Role::Output;
  std::int64_t offset = 0;
};

/// Lowers several functions of one program into one tape module.
class Lowering {
public:
  /// With `hoist`, function 0 of the module is `setup`, which computes Constants from Params; without, every function
  /// computes everything it needs.
  Lowering(const sym::Program& program, bool hoist);
  ~Lowering();
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;

  /// An array that is read from memory (parameters, state, random numbers, data), from here on also one that equations
  /// give. Entries of its elements whose `zeros` is set are taken to be zero (empty: none): the code is then for such
  /// values only.
  void bindInput(const sym::Array* array, runtime::Role role, std::int64_t offset, std::vector<bool> zeros = {});
  /// An array in Params that a host program sets at any time: nothing that depends on it is computed by `setup`.
  void bindLiveInput(const sym::Array* array, std::int64_t offset);
  /// A single real array that is a scalar argument of the functions.
  void bindArgument(const sym::Array* array, int position);

  /// Where functions leave what became of their iterations: two numbers, the residual of an iteration that did not
  /// converge (sum of absolute values) and the number of evaluations of f in all turns, which is added up.
  void bindReport(runtime::Role role, std::int64_t offset);

  /// Which symmetric matrices of linear systems may be indefinite at the data that the code is for: all of them, or
  /// those of routines. They are factored with pivots; code for another matrix is shorter, and fails with SingularMass
  /// where it is not positive definite. None at first.
  enum class Pivots : std::uint8_t { None, Routines, All };
  /// Linear systems of Definite::Semi may be singular, too, where their rank may be any: of their solutions the
  /// shortest.
  enum class Rank : std::uint8_t { Full, Any };
  /// Of such a system with so many rows (first) the rank is never larger than without so many of them (second),
  /// whatever errors of the data make of its smallest pivots.
  using Dependent = std::map<std::int64_t, std::int64_t>;
  void usePivots(Pivots which, Rank rank = Rank::Full, const Dependent& dependent = {});

  /// Sums over pairs with a bounded distance keep lists of near pairs in Work (runtime/kernels/near.c). They have the
  /// bits of sums without lists.
  void useLists();

  /// Functions keep the names and equations of their values (tape::Function::notes), for a reader.
  void keepNotes();

  /// A function that computes the outputs' arrays; returns its index. Outputs are written after all inputs were read.
  /// In steps, which write to State or are `Use::InStep` of one that does, lengths and small inverses have short forms.
  enum class Use : std::uint8_t { Alone, InStep };
  int addFunction(const std::string& name, int arguments, const std::vector<OutputBinding>& outputs,
                  Use use = Use::Alone);
  /// A function that is no part of the program, over the functions and buffers so far; returns its index. Of calls and
  /// of sums of rows and of stages (steps/Calls.h, Rows.h, Iterated.h).
  int add(const std::function<tape::Function(tape::Module&)>& make);

  /// The finished module; call once. `step` is the index of the step function or -1.
  [[nodiscard]] tape::Module finish(int step = -1);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace lmc::lower
