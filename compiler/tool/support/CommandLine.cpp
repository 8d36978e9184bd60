#include "tool/support/CommandLine.h"

#include "base/BuildId.h"
#include "diagnostics/Diagnostics.h"
#include "runtime/output/Output.h"
#include "tool/support/SharedOptions.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <deque>
#include <sstream>

namespace lmc::tool {

namespace {

/// What was typed for one option.
struct Typed {
  const AnyOption* option;
  bool given = false;
  std::optional<std::string> text;
  std::vector<std::string> texts; ///< of an option that may be repeated
};

/// All that CLI11 fills; it keeps the addresses.
struct Raw {
  std::vector<std::string> arguments;
  std::deque<Typed> typed;
};

/// All options of a command.
std::vector<const AnyOption*> optionsOf(const Command& command) {
  std::vector<const AnyOption*> all(command.options.begin(), command.options.end());
  all.push_back(&options::color);
  return all;
}

std::string shownValue(const AnyOption& option) {
  std::string value(option.value());
  if (option.completion() == Completion::Output) value += runtime::outputEndings("|", "|");
  return value;
}

std::string shownHelp(const AnyOption& option) {
  std::string brackets = option.repeated() ? "repeatable" : "";
  if (*option.standard() != '\0') brackets += (brackets.empty() ? "" : "; ") + std::string(option.standard());
  return option.help() + (brackets.empty() ? std::string() : " (" + brackets + ")");
}

void addOption(CLI::App& app, const AnyOption& option, Raw& raw) {
  Typed& typed = raw.typed.emplace_back();
  typed.option = &option;
  const std::string names(option.names()), help = shownHelp(option), value = shownValue(option);
  if (option.flag())
    app.add_flag(names, typed.given, help);
  else if (option.repeated())
    app.add_option(names, typed.texts, help)->type_name(value)->allow_extra_args(false);
  else
    app.add_option(names, typed.text, help)->type_name(value);
}

std::string didYouMean(const std::string& typed, const std::vector<std::string>& candidates) {
  const std::string near = nearest(typed, candidates);
  return near.empty() ? std::string() : "; did you mean `" + near + "`?";
}

/// An option that the command does not have: names a near one.
[[noreturn]] void refuseOption(const Command& command, const std::string& typed) {
  const std::string name = typed.substr(0, typed.find('='));
  std::vector<std::string> names{"--help"};
  for (const AnyOption* option : optionsOf(command)) names.emplace_back(option->name());
  throw UsageError(std::string("`") + command.name + "` has no option `" + name + "`" + didYouMean(name, names) +
                   "\n`lmc " + command.name + " --help` lists them");
}

[[noreturn]] void refuseCommand(CommandTable commands, const std::vector<std::string>& rest) {
  if (rest.empty()) throw UsageError("a command is missing; `lmc --help` lists them");
  const std::string& word = rest.front();
  if (word.starts_with("-")) throw UsageError("options follow the command: lmc COMMAND " + word + " ...");
  std::vector<std::string> names;
  for (const Command* command : commands) names.emplace_back(command->name);
  std::string advice = didYouMean(word, names);
  // What comes first is what one mostly does with a model.
  if (word.ends_with(".lie")) advice = "; did you mean `lmc " + names.front() + " " + word + "`?";
  throw UsageError("there is no command `" + word + "`" + advice + "\n`lmc --help` lists them");
}

/// An option's value that looks like another option was most likely forgotten.
void refuseForgotten(const std::string& option, const std::string& value) {
  if (value.empty()) throw UsageError(option + " needs a value");
  if (value.starts_with("--")) throw UsageError(option + " needs a value; `" + value + "` is another option");
}

void readTyped(const Raw& raw, Invocation& call) {
  for (const Typed& typed : raw.typed)
    if (typed.text) refuseForgotten(std::string(typed.option->name()), *typed.text);
  for (const Typed& typed : raw.typed) {
    if (typed.given) call.put(*typed.option, {});
    if (typed.text) call.put(*typed.option, *typed.text);
    for (const std::string& text : typed.texts) call.put(*typed.option, text);
  }
}

/// An error of CLI11 in our words.
std::string messageOf(const CLI::ParseError& error, const std::string& command) {
  std::string text = error.what();
  const std::size_t colon = text.find(':');
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.starts_with("--") &&
      colon != std::string::npos)
    text = text.substr(0, colon) + (text.find("missing") != std::string::npos ? " needs a value" : " is given twice");
  return text + "\n`lmc " + (command.empty() ? "" : command + " ") + "--help` tells more";
}

/// The help of CLI11 with arguments as the table of commands names them.
class HelpFormatter : public CLI::Formatter {
public:
  std::string make_option_usage(const CLI::Option* option) const override { return option->get_name(true); }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? std::string() : " " + option->get_type_name();
  }
  std::string make_positionals(const CLI::App* /*app*/) const override { return {}; }
};

/// The examples of a command, under their title.
std::string shownExamples(const Command& command) {
  std::string text;
  std::istringstream lines(command.examples);
  for (std::string line; std::getline(lines, line);) text += (text.empty() ? "Examples:\n  " : "\n  ") + line;
  return text;
}

void addCommands(CLI::App& app, CommandTable commands, Raw& raw) {
  for (const Command* command : commands) {
    CLI::App* sub = app.add_subcommand(command->name, command->summary);
    sub->allow_extras();
    if (*command->examples != '\0') sub->footer(shownExamples(*command));
    if (*command->argument != '\0') sub->add_option(command->argument, raw.arguments)->type_name("");
    for (const AnyOption* option : optionsOf(*command)) addOption(*sub, *option, raw);
  }
}

std::string chosenName(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? std::string() : chosen.front()->get_name();
}

/// Parses; false when help or the version was asked for and printed.
bool parse(CLI::App& app, int argc, const char* const* argv) {
  if (argc > 1 && std::string(argv[1]) == "help") {
    if (argc > 2) {
      const char* const asked[] = {argv[0], argv[2], "--help"};
      return parse(app, 3, asked);
    }
    std::fputs(app.help().c_str(), stdout);
    return false;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return false;
  } catch (const CLI::CallForVersion&) {
    std::fputs(("lmc " LMC_VERSION "\nbuild " + buildIdText() + "\n").c_str(), stdout);
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError(messageOf(error, chosenName(app)));
  }
  return true;
}

} // namespace

std::vector<OptionDescription> describeOptions(const Command& command) {
  std::vector<OptionDescription> all;
  for (const AnyOption* option : optionsOf(command))
    all.push_back({std::string(option->name()), shownValue(*option), shownHelp(*option), option->completion(),
                   option->repeated()});
  return all;
}

CommandLine readCommandLine(CommandTable commands, int argc, const char* const* argv) {
  Raw raw;
  CLI::App app("lmc: a modelling language for mechanical systems on manifolds", "lmc");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", "lmc " LMC_VERSION, "print the version and the build");
  app.set_help_flag("-h,--help", "print this help");
  app.allow_extras();
  app.require_subcommand(0, 1);
  app.footer("`lmc COMMAND --help` lists the options of a command.");
  addCommands(app, commands, raw);
  if (!parse(app, argc, argv)) return {};
  const std::string chosen = chosenName(app);
  if (chosen.empty()) refuseCommand(commands, app.remaining());
  const Command& command =
      **std::find_if(commands.begin(), commands.end(), [&](const Command* c) { return c->name == chosen; });
  if (const std::vector<std::string> extra = app.remaining(); !extra.empty())
    throw UsageError("options follow the command: lmc " + chosen + " " + extra.front() + " ...");
  for (const std::string& extra : app.get_subcommands().front()->remaining()) refuseOption(command, extra);
  Invocation call;
  call.command = chosen;
  call.arguments = raw.arguments;
  readTyped(raw, call);
  return {std::move(call), &command, Done};
}

} // namespace lmc::tool
