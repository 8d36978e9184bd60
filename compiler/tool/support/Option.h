// An option of a command, declared once: how it is written, what it means, what holds without it, what a shell offers
// for its value, and how text becomes the value. What was typed is asked by the same object: `call[options::step]`.
#pragma once

#include <any>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lmc::tool {

/// Wrong usage; `what()` tells what is wrong and what would be right.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What a shell offers for a value.
enum class Completion : std::uint8_t {
  Anything, ///< nothing
  Words,    ///< the parts of the form of the value: `text|latex|json`
  File,
  Output, ///< a file of one of the output formats, whose endings are shown behind the form of the value
  Folder,
  Method, ///< of the library
};

/// What most options do not need to say.
struct OptionTraits {
  Completion completion = Completion::Anything;
  const char* standard = ""; ///< what holds without the option, as the help shows it in brackets; empty: nothing to say
};

/// An option without the type of its value.
class AnyOption {
public:
  constexpr AnyOption(const char* names, const char* value, const char* help, OptionTraits traits)
      : names_(names), value_(value), help_(help), traits_(traits) {}
  AnyOption& operator=(const AnyOption&) = delete;

  /// As it is declared: `--step`, `-o,--output`.
  [[nodiscard]] constexpr std::string_view names() const { return names_; }
  /// The long name: `--output`. What was typed is kept under it: two commands may explain one option differently.
  [[nodiscard]] constexpr std::string_view name() const { return names().substr(names().find("--")); }
  /// The form of the value: `A..B`; empty for a flag.
  [[nodiscard]] constexpr std::string_view value() const { return value_; }
  [[nodiscard]] constexpr const char* help() const { return help_; }
  [[nodiscard]] constexpr const char* standard() const { return traits_.standard; }
  [[nodiscard]] constexpr Completion completion() const { return traits_.completion; }
  [[nodiscard]] constexpr bool flag() const { return value().empty(); }

  /// True when each time that it is given counts.
  [[nodiscard]] virtual bool repeated() const { return false; }
  /// Puts what was typed to what is kept already. Throws UsageError.
  virtual void put(std::any& kept, const std::string& typed) const = 0;

protected:
  AnyOption(const AnyOption&) = default;
  ~AnyOption() = default; // options are never destroyed by their base

private:
  const char *names_, *value_, *help_;
  OptionTraits traits_;
};

/// From text to a value; `option` is for the message of the UsageError that it throws.
template <typename T> using ReadValue = T (*)(const std::string& option, const std::string& text);

inline std::string readText(const std::string& /*option*/, const std::string& text) {
  return text;
}

/// Given or not.
class Flag final : public AnyOption {
public:
  constexpr Flag(const char* names, const char* help) : AnyOption(names, "", help, {}) {}
  void put(std::any& kept, const std::string& /*typed*/) const override { kept = true; }
};

/// One value, or none. Numbers stay text where they may be expressions.
template <typename T = std::string> class Option final : public AnyOption {
public:
  constexpr Option(const char* names, const char* value, const char* help, ReadValue<T> read, OptionTraits traits = {})
      : AnyOption(names, value, help, traits), read_(read) {}
  constexpr Option(const char* names, const char* value, const char* help, OptionTraits traits = {})
      : Option(names, value, help, readText, traits) {}
  /// The same option, as another command explains it.
  [[nodiscard]] constexpr Option as(const char* value, const char* help, OptionTraits traits = {}) const {
    return Option(names().data(), value, help, read_, traits);
  }
  void put(std::any& kept, const std::string& typed) const override {
    kept = std::optional<T>(read_(std::string(name()), typed));
  }
  /// What holds without the option, where that is a value.
  [[nodiscard]] T standardValue() const { return read_(std::string(name()), standard()); }

private:
  ReadValue<T> read_;
};

/// Values in the order in which they were typed.
template <typename T = std::string> class List final : public AnyOption {
public:
  constexpr List(const char* names, const char* value, const char* help, ReadValue<T> read, OptionTraits traits = {})
      : AnyOption(names, value, help, traits), read_(read) {}
  constexpr List(const char* names, const char* value, const char* help, OptionTraits traits = {})
      : List(names, value, help, readText, traits) {}
  [[nodiscard]] bool repeated() const override { return true; }
  void put(std::any& kept, const std::string& typed) const override {
    if (!kept.has_value()) kept = std::vector<T>();
    std::any_cast<std::vector<T>&>(kept).push_back(read_(std::string(name()), typed));
  }

private:
  ReadValue<T> read_;
};

/// Options in the order of the help; groups of options that several commands have are lists, too.
class OptionList {
public:
  template <typename... Parts> constexpr explicit OptionList(const Parts&... parts) { (add(parts), ...); }
  [[nodiscard]] constexpr const AnyOption* const* begin() const { return options_.data(); }
  [[nodiscard]] constexpr const AnyOption* const* end() const { return options_.data() + size_; }

private:
  constexpr void add(const AnyOption& option) { options_.at(size_++) = &option; }
  constexpr void add(const OptionList& list) {
    for (const AnyOption* option : list) add(*option);
  }
  std::array<const AnyOption*, 48> options_{};
  std::size_t size_ = 0;
};

} // namespace lmc::tool
