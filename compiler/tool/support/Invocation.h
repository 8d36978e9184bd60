// What was typed: the command line as a value.
#pragma once

#include "tool/support/Option.h"

#include <any>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lmc::tool {

/// Exit statuses of the tool.
enum Exit : int {
  Done = 0,
  InputWrong = 1, ///< diagnostics were printed
  UsageWrong = 2,
  RunFailed = 3,     ///< what was written is kept
  Defect = 70,       ///< of the tool itself
  Interrupted = 128, ///< plus the number of the signal
};

/// One call of the tool.
class Invocation {
public:
  std::string command;
  std::vector<std::string> arguments; ///< FILE…, NAME or CODE

  /// Whether a flag was given.
  [[nodiscard]] bool operator[](const Flag& flag) const { return values_.contains(flag.name()); }
  /// The value of an option; empty if it was not given, or the command does not have it: perhaps another one of that
  /// name, with values of another type (`--accuracy` of `orbit` and of `run`).
  template <typename T> [[nodiscard]] const std::optional<T>& operator[](const Option<T>& option) const {
    static const std::optional<T> none;
    const auto found = values_.find(option.name());
    const auto* const value = found == values_.end() ? nullptr : std::any_cast<std::optional<T>>(&found->second);
    return value == nullptr ? none : *value;
  }
  /// The same, or what the option says that holds without it.
  template <typename T> [[nodiscard]] T orStandard(const Option<T>& option) const {
    const std::optional<T>& given = (*this)[option];
    return given ? *given : option.standardValue();
  }
  /// All values of an option that may be repeated.
  template <typename T> [[nodiscard]] const std::vector<T>& operator[](const List<T>& option) const {
    static const std::vector<T> none;
    const auto found = values_.find(option.name());
    return found == values_.end() ? none : std::any_cast<const std::vector<T>&>(found->second);
  }

  /// What stands behind an option. Throws UsageError.
  void put(const AnyOption& option, const std::string& typed) {
    option.put(values_[std::string(option.name())], typed);
    typed_.emplace_back(&option, typed);
  }
  /// The options in the order of the help, with what stands behind them.
  [[nodiscard]] const std::vector<std::pair<const AnyOption*, std::string>>& typed() const { return typed_; }

private:
  std::vector<std::pair<const AnyOption*, std::string>> typed_;
  std::map<std::string, std::any, std::less<>> values_; ///< by the long names of the options
};

} // namespace lmc::tool
