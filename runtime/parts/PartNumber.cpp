#include "runtime/parts/PartNumber.h"

#include <array>
#include <charconv>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {

/// The variables by which a scheduler tells a task of an array what it is. An empty name: it does not tell.
struct Scheduler {
  const char* name;
  const char *task, *first, *last, *step, *count;
  std::int64_t from; ///< of the numbers where `first` is not told; below 0: not known
};

// SLURM: sbatch(1); Grid Engine: submit(1); LSF: bsub(1), whose arrays begin where they like; PBS Professional:
// qsub(1); TORQUE: qsub(1); those of the clouds count from 0 by their definition.
constexpr std::array schedulers = {
    Scheduler{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
              "SLURM_ARRAY_TASK_COUNT", -1},
    Scheduler{"Grid Engine", "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", "", -1},
    Scheduler{"LSF", "LSB_JOBINDEX", "", "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", "", 1},
    Scheduler{"PBS", "PBS_ARRAY_INDEX", "", "", "", "", -1},
    Scheduler{"TORQUE", "PBS_ARRAYID", "", "", "", "", -1},
    Scheduler{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "", "", "", "AWS_BATCH_JOB_ARRAY_SIZE", 0},
    Scheduler{"Kubernetes", "JOB_COMPLETION_INDEX", "", "", "", "", 0},
};

std::optional<std::int64_t> wholeNumber(std::string_view text) {
  std::int64_t x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return x;
}

/// A variable as a number; nothing where it is not set, or is not for this job: Grid Engine says `undefined` and LSF 0
/// outside of arrays. Throws PartError for all else that is no number: it is not as if the variable were not there.
std::optional<std::int64_t> variable(const Environment& environment, const char* name) {
  constexpr std::int64_t most = 1'000'000'000'000; // differences and products with counts stay whole
  if (*name == '\0') return std::nullopt;
  const std::optional<std::string> text = environment(name);
  if (!text || text->empty() || *text == "undefined") return std::nullopt;
  const auto number = wholeNumber(*text);
  if (!number || *number < -most || *number > most)
    throw PartError(fmt::format("{} is `{}`, which is no number of a task", name, *text),
                    "submit it as an array, or give --part k/n");
  return number;
}

/// What a scheduler says of the task that this process is.
struct Task {
  const Scheduler* scheduler;
  std::int64_t number;
  std::optional<std::int64_t> first, last, step, count;
  /// "SLURM_ARRAY_TASK_ID is 5"
  [[nodiscard]] std::string told() const { return fmt::format("{} is {}", scheduler->task, number); }
};

Task taskOf(const Environment& environment) {
  std::string names;
  for (const Scheduler& s : schedulers) {
    names += (names.empty() ? "" : ", ") + std::string(s.task);
    const auto number = variable(environment, s.task);
    if (!number || (s.from == 1 && *number == 0)) continue;
    Task t{&s,
           *number,
           variable(environment, s.first),
           variable(environment, s.last),
           variable(environment, s.step),
           variable(environment, s.count)};
    if (!t.first && s.from >= 0) t.first = s.from;
    return t;
  }
  throw PartError("this process is no task of an array: none of " + names + " is set",
                  "submit it as an array, or give --part k/n");
}

/// k from the task alone: the tasks are counted from 1, but where the scheduler always counts from 0.
PartNumber partOf(const Task& task, std::int64_t count) {
  const std::int64_t number = task.number + (task.scheduler->from == 0 ? 1 : 0);
  if (number < 1 || number > count)
    throw PartError(fmt::format("{}, which is no part from 1 to {}", task.told(), count),
                    fmt::format("number the tasks of the array from 1 to {}", count));
  return {number, count};
}

PartNumber partOf(const Task& task) {
  const std::int64_t step = task.step.value_or(1);
  const std::string cure = fmt::format("give the number of parts of the whole study: --part auto/n, where {} is k, or "
                                       "--part k/n",
                                       task.scheduler->task);
  if (!task.first || (!task.last && !task.count))
    throw PartError(fmt::format("{} does not tell how many tasks the array has", task.scheduler->name), cure);
  const std::int64_t last = task.last ? *task.last : *task.first + *task.count - 1;
  if (step < 1 || last < *task.first || task.number < *task.first || task.number > last ||
      (task.number - *task.first) % step != 0)
    throw PartError(fmt::format("{}, which is not in {}..{} with step {}", task.told(), *task.first, last, step), cure);
  const PartNumber part{(task.number - *task.first) / step + 1, (last - *task.first) / step + 1};
  // Some tasks alone that were submitted again have other numbers than they had in the whole array.
  if (task.count && *task.count != part.count)
    throw PartError(fmt::format("the array has {} tasks between {} and {}: which parts of the study they are is not "
                                "known",
                                *task.count, *task.first, last),
                    cure);
  return part;
}

} // namespace

PartNumber readPartNumber(const std::string& text, const Environment& environment) {
  constexpr std::int64_t most = 1'000'000'000;
  const char* const forms = "--part is k/n with 1 <= k <= n (3/64), auto, or auto/n";
  const std::size_t bar = text.find('/');
  const std::string first = text.substr(0, bar);
  if (text == "auto") return partOf(taskOf(environment));
  const auto count = bar == std::string::npos ? std::nullopt : wholeNumber(std::string_view(text).substr(bar + 1));
  if (!count || *count < 1 || *count > most) throw PartError("`" + text + "` is no part", forms);
  if (first == "auto") return partOf(taskOf(environment), *count);
  const auto number = wholeNumber(first);
  if (!number) throw PartError("`" + text + "` is no part", forms);
  if (*number < 1 || *number > *count)
    throw PartError(fmt::format("there is no part {} of {}: parts are counted from 1 to {}", *number, *count, *count),
                    forms);
  return {*number, *count};
}

} // namespace lmc::runtime
