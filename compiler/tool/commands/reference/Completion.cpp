// `lmc completion SHELL`: scripts that complete commands, options and their values, made of the tool's own tables.
#include "tool/support/Arguments.h"
#include "tool/support/CommandLine.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <fmt/format.h>

namespace lmc::tool {

namespace {

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

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> namesOf(CommandTable commands) {
  std::vector<std::string> names;
  for (const Command* c : commands) names.emplace_back(c->name);
  return names;
}

/// Of options whose value is a method.
constexpr const char* methodWords = "lmc methods 2>/dev/null | awk 'NR > 1 { print $1 }'";

std::string bashValues(const Command& c) {
  std::string text;
  for (const OptionDescription& o : describeOptions(c)) {
    if (o.value.empty()) continue;
    const std::string match = fmt::format("    {}:{}) ", c.name, o.name);
    switch (o.completion) {
    case Completion::Words:
      text += match + fmt::format("words=\"{}\" ;;\n", joined(split(o.value, '|')));
      break;
    case Completion::Method:
      text += match + fmt::format("words=\"$({})\" ;;\n", methodWords);
      break;
    case Completion::File:
    case Completion::Output:
      text += match + "_lmc_files; return ;;\n";
      break;
    case Completion::Folder:
      text += match + "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$current\")); return ;;\n";
      break;
    case Completion::Anything:
      text += match + "return ;;\n";
      break;
    }
  }
  return text;
}

std::string bash(CommandTable commands) {
  std::string values, options, arguments;
  for (const Command* c : commands) {
    values += bashValues(*c);
    std::vector<std::string> names;
    for (const OptionDescription& o : describeOptions(*c)) names.push_back(o.name);
    names.emplace_back("--help");
    options += fmt::format("      {}) words=\"{}\" ;;\n", c->name, joined(names));
    if (*c->argumentWords != '\0')
      arguments += fmt::format("      {}) words=\"$({})\" ;;\n", c->name, c->argumentWords);
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
                     joined(namesOf(commands)), values, options, arguments);
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
  switch (o.completion) {
  case Completion::Words:
    return fmt::format("({})", joined(split(o.value, '|')));
  case Completion::Method:
    return "_lmc_methods";
  case Completion::File:
  case Completion::Output:
    return "_files";
  case Completion::Folder:
    return "_files -/";
  case Completion::Anything:
    break;
  }
  return " ";
}

std::string zshOption(const OptionDescription& o) {
  // An option that may be repeated is offered again.
  std::string text = fmt::format("'{}{}[{}]", o.repeated ? "*" : "", o.name, quoted(o.help));
  if (!o.value.empty()) text += fmt::format(":{}:{}", quoted(o.value), zshAction(o));
  return text + "'";
}

std::string zsh(CommandTable commands) {
  std::string names, choices;
  for (const Command* c : commands) {
    names += fmt::format("    '{}:{}'\n", c->name, quoted(c->summary));
    choices += fmt::format("    {})\n      _arguments", c->name);
    for (const OptionDescription& o : describeOptions(*c)) choices += " \\\n        " + zshOption(o);
    if (*c->argumentWords != '\0')
      choices += fmt::format(" \\\n        '1:{}:($({}))'", c->argument, quoted(c->argumentWords));
    else if (*c->argument != '\0')
      choices += fmt::format(" \\\n        '*:{}:_files -g \"*.lie\"'", c->argument);
    choices += "\n      ;;\n";
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
                     methodWords, names, choices);
}

/// Text within single quotes of fish.
std::string fishQuoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

/// What a command prints as words to choose from: in fish one a line.
std::string fishWords(const std::string& command) {
  return fishQuoted("(" + command + " | string split -n ' ')");
}

std::string fishOption(const Command& c, const OptionDescription& o) {
  std::string text =
      fmt::format("complete -c lmc -n '__lmc_is {}' -l {} -d {}", c.name, o.name.substr(2), fishQuoted(o.help));
  if (o.value.empty()) return text + "\n";
  switch (o.completion) {
  case Completion::Words:
    return text + " -x -a " + fishQuoted(joined(split(o.value, '|'))) + "\n";
  case Completion::Method:
    return text + " -x -a " + fishWords(methodWords) + "\n";
  case Completion::File:
  case Completion::Output:
    return text + " -r -F\n";
  case Completion::Folder:
    return text + " -x -a '(__fish_complete_directories)'\n";
  case Completion::Anything:
    break;
  }
  return text + " -x\n";
}

std::string fish(CommandTable commands) {
  std::string text = R"(# Completion of lmc for fish; printed by `lmc completion fish`.

function __lmc_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end

complete -c lmc -f
complete -c lmc -n 'test (count (commandline -opc)) -eq 1' -l help -d 'what there is'
complete -c lmc -n 'test (count (commandline -opc)) -eq 1' -l version -d 'the version'
)";
  for (const Command* c : commands) {
    text += fmt::format("complete -c lmc -n 'test (count (commandline -opc)) -eq 1' -a {} -d {}\n", c->name,
                        fishQuoted(c->summary));
    for (const OptionDescription& o : describeOptions(*c)) text += fishOption(*c, o);
    text += fmt::format("complete -c lmc -n '__lmc_is {}' -l help -d 'its arguments and options'\n", c->name);
    if (*c->argumentWords != '\0')
      text += fmt::format("complete -c lmc -n '__lmc_is {}' -a {}\n", c->name, fishWords(c->argumentWords));
    else if (*c->argument != '\0')
      text += fmt::format("complete -c lmc -n '__lmc_is {}' -k -a '(__fish_complete_suffix .lie)'\n", c->name);
  }
  return text;
}

int printCompletion(Context& context) {
  context.stage = "printing a completion";
  const std::string shell = oneName(context.call);
  if (shell == "bash")
    print(bash(context.commands));
  else if (shell == "zsh")
    print(zsh(context.commands));
  else if (shell == "fish")
    print(fish(context.commands));
  else
    throw UsageError(shell.empty()
                         ? "the shell is missing: lmc " + context.call.command + " bash|zsh|fish"
                         : "there is no completion for `" + shell + "`; there are those for bash, zsh and fish");
  return Done;
}

} // namespace

extern const Command completionCommand = {
    .name = "completion",
    .place = 12,
    .argument = "SHELL",
    .argumentWords = "echo bash zsh fish",
    .summary = "completion of commands and options for a shell: bash, zsh or fish",
    .examples = "source <(lmc completion bash)",
    .run = printCompletion,
};

} // namespace lmc::tool
