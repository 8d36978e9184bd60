// A model in its three forms: compiled in memory, as an object of `lmc build`, as the source of `lmc export --c`.
#pragma once

#include "backends/c/Source.h"
#include "products/Pipeline.h"
#include "runtime/contract/Problem.h"
#include "unit/Unit.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace lmc::test {

/// A model of examples/ or with a full path, a method (empty: the model's), parameters, a step (0: the model's).
struct Case {
  std::string file, method;
  std::vector<sema::Override> set;
  double step = 0;
  std::string text; ///< instead of a file
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.file << " " << c.method; }
};

/// A folder of its own, removed at the end.
class Folder {
public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path write(const std::string& name, const std::string& text) const;

private:
  std::filesystem::path path_;
};

struct Finished {
  int status = -1;
  std::string output; ///< standard output and standard error
};
/// Runs a command of the shell.
[[nodiscard]] Finished shell(const std::string& command);
[[nodiscard]] bool installed(const std::string& program);

/// The functions of a header, loaded from a shared library.
class Loaded {
public:
  Loaded(const std::filesystem::path& library, const unit::Exported& unit);
  ~Loaded();
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  [[nodiscard]] int init() { return call("_init"); }
  [[nodiscard]] int setup() { return call("_setup"); }
  [[nodiscard]] int at(const std::string& function, double t);
  [[nodiscard]] int step(const std::string& function, double t, double h);
  [[nodiscard]] int steps(double& t, double h, long n);
  [[nodiscard]] double error();
  [[nodiscard]] double* part(runtime::Role role) { return memory.data() + unit_.base[static_cast<std::size_t>(role)]; }
  [[nodiscard]] bool has(const std::string& function) const;

  std::vector<double> memory;

private:
  template <typename F> F find(const std::string& suffix) const;
  int call(const std::string& suffix);
  const unit::Exported& unit_;
  void* handle_ = nullptr;
};

/// One case in its three forms. Errors are failures of the test.
class Forms {
public:
  enum class IfWrong : std::uint8_t { Fail, Leave }; ///< of a method that does not fit: the forms stay empty
  explicit Forms(const Case& c, bool specialize = false, IfWrong wrong = IfWrong::Fail);

  std::unique_ptr<runtime::Problem> problem; ///< in memory; null on errors
  std::optional<unit::Exported> unit;
  double h = 0;

  /// The libraries made of the object and, by a C compiler, of the source; null if that fails.
  std::unique_ptr<Loaded> object(const std::string& cpu = "");
  std::unique_ptr<Loaded> source(const std::string& compiler);
  /// What object files refer to outside, of `object` or `source`.
  [[nodiscard]] std::vector<std::string> undefined(const std::string& name) const;

  Folder folder;
};

} // namespace lmc::test
