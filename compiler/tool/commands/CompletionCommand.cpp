// `lmc completion SHELL`: scripts that complete commands, options and their values, made of the tool's own tables.
#include "tool/support/Commands.h"
#include "tool/support/Options.h"
#include "tool/support/Report.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace lmc::tool {

namespace {

/// What may stand for a value: some words, a file, a method, or anything.
enum class ValueKind : std::uint8_t { Words, File, Folder, Method, Methods, Anything };

bool isWord(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

ValueKind kindOf(const OptionDescription& o) {
  if (o.name == "--method") return ValueKind::Method;
  if (o.name == "--methods") return ValueKind::Methods;
  if (o.value == "TOL|none") return ValueKind::Anything;
  const std::vector<std::string> words = split(o.value, '|');
  if (words.size() > 1 && std::all_of(words.begin(), words.end(), isWord)) return ValueKind::Words;
  if (o.value == "DIR") return ValueKind::Folder;
  if (o.value.starts_with("FILE") || o.value.ends_with(".csv")) return ValueKind::File;
  return ValueKind::Anything;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> commandNames() {
  std::vector<std::string> names;
  for (const CommandDescription& c : describeCommands()) names.push_back(c.name);
  return names;
}

/// Words for the argument of a command, as a command of the shell that prints them; empty: files.
std::string argumentWords(const CommandDescription& c) {
  if (c.name == "methods") return "lmc methods 2>/dev/null | awk 'NR > 1 { print $1 }'";
  if (c.name == "manifolds") return "lmc manifolds 2>/dev/null | awk 'NR > 1 { print $1 }'";
  if (c.name == "explain") return "lmc explain 2>/dev/null | awk '{ print $1 }'";
  if (c.name == "completion") return "echo bash zsh";
  return {};
}

constexpr const char* methodWords = "lmc methods 2>/dev/null | awk 'NR > 1 { print $1 }'";

std::string bashValues(const CommandDescription& c) {
  std::string text;
  for (const OptionDescription& o : c.options) {
    if (o.value.empty()) continue;
    const std::string match = fmt::format("    {}:{}) ", c.name, o.name);
    switch (kindOf(o)) {
    case ValueKind::Words:
      text += match + fmt::format("words=\"{}\" ;;\n", joined(split(o.value, '|')));
      break;
    case ValueKind::Method:
    case ValueKind::Methods:
      text += match + fmt::format("words=\"$({})\" ;;\n", methodWords);
      break;
    case ValueKind::File:
      text += match + "_lmc_files; return ;;\n";
      break;
    case ValueKind::Folder:
      text += match + "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$current\")); return ;;\n";
      break;
    case ValueKind::Anything:
      text += match + "return ;;\n";
      break;
    }
  }
  return text;
}

std::string bash() {
  std::string values, options, arguments;
  for (const CommandDescription& c : describeCommands()) {
    values += bashValues(c);
    std::vector<std::string> names;
    for (const OptionDescription& o : c.options) names.push_back(o.name);
    names.emplace_back("--help");
    options += fmt::format("      {}) words=\"{}\" ;;\n", c.name, joined(names));
    if (const std::string words = argumentWords(c); !words.empty())
      arguments += fmt::format("      {}) words=\"$({})\" ;;\n", c.name, words);
  }
  return fmt::format(R"(# Completion of lmc for bash; printed by `lmc completion bash`.

_lmc_files() {{
  compopt -o filenames
  COMPREPLY=($(compgen -f -- "$current"))
}}

_lmc() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case $command:$previous in
{}  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case $current in
  -*)
    case $command in
{}    esac
    ;;
  *)
    case $command in
{}      *) compopt -o filenames; COMPREPLY=($(compgen -f -X '!*.lie' -- "$current") $(compgen -d -- "$current")); return ;;
    esac
    ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}

complete -F _lmc lmc
)",
                     joined(commandNames()), values, options, arguments);
}

/// Text within single quotes of an `_arguments` specification.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == ':' || c == '[' || c == ']')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string zshAction(const OptionDescription& o) {
  switch (kindOf(o)) {
  case ValueKind::Words:
    return fmt::format("({})", joined(split(o.value, '|')));
  case ValueKind::Method:
  case ValueKind::Methods:
    return "_lmc_methods";
  case ValueKind::File:
    return "_files";
  case ValueKind::Folder:
    return "_files -/";
  case ValueKind::Anything:
    break;
  }
  return " ";
}

std::string zshOption(const OptionDescription& o) {
  // An option that may be repeated is offered again.
  const bool repeated = o.help.find("repeatable") != std::string::npos;
  std::string text = fmt::format("'{}{}[{}]", repeated ? "*" : "", o.name, quoted(o.help));
  if (!o.value.empty()) text += fmt::format(":{}:{}", quoted(o.value), zshAction(o));
  return text + "'";
}

std::string zsh() {
  std::string commands, options;
  for (const CommandDescription& c : describeCommands()) {
    commands += fmt::format("    '{}:{}'\n", c.name, quoted(c.help));
    options += fmt::format("    {})\n      _arguments", c.name);
    for (const OptionDescription& o : c.options) options += " \\\n        " + zshOption(o);
    if (const std::string words = argumentWords(c); !words.empty())
      options += fmt::format(" \\\n        '1:{}:($({}))'", c.argument, quoted(words));
    else if (!c.argument.empty())
      options += fmt::format(" \\\n        '*:{}:_files -g \"*.lie\"'", c.argument);
    options += "\n      ;;\n";
  }
  return fmt::format(R"(#compdef lmc
# Completion of lmc for zsh; printed by `lmc completion zsh`.

_lmc_methods() {{
  local -a names
  names=($({}))
  _describe method names
}}

_lmc() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}

if [ "$funcstack[1]" = _lmc ]; then
  _lmc "$@"
else
  compdef _lmc lmc
fi
)",
                     methodWords, commands, options);
}

} // namespace

int printCompletion(Context& context) {
  context.stage = "printing a completion";
  const std::string shell = oneName(context.call);
  if (shell == "bash")
    print(bash());
  else if (shell == "zsh")
    print(zsh());
  else
    throw UsageError(shell.empty() ? "the shell is missing: lmc completion bash|zsh"
                                   : "there is no completion for '" + shell + "'; there is one for bash and for zsh");
  return Done;
}

} // namespace lmc::tool
