#include "tool/support/CommandLine.h"

#include "diagnostics/Diagnostics.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace lmc::tool {

namespace {

/// Options as CLI11 fills them; some are taken apart afterwards.
struct Raw {
  Invocation call;
  std::optional<std::string> time, seed, methods, steps, samples, threads, lanes, maxSteps, maxSeconds;
  std::optional<std::string> limitSeconds, limitNodes, limitMemory;
  std::vector<std::string> sets;
};

/// Groups of options, as bits.
enum Group : unsigned {
  Model = 1U,    ///< --set --import-path --seed
  Simulate = 2U, ///< --method --step --tolerance --time
  Output = 4U,   ///< --output --every --quiet --progress
  Derive = 8U,   ///< --format --at --output
  Stage = 16U,
  Compile = 32U, ///< --timings --no-cache
  Json = 64U,
  Study = 256U,      ///< --methods --steps --time
  Measure = 512U,    ///< --measure --format
  Energy = 1024U,    ///< --expect --output --progress
  Linearize = 2048U, ///< --at --discrete
  Samples = 4096U,   ///< --samples --vary --keep --threads --lanes, and most options of Output
  Ahead = 8192U,     ///< --output --prefix --specialize
  Objects = 16384U,  ///< --cpu
  CSource = 32768U,  ///< --c --main
};

struct Command {
  const char* name;
  const char* argument; ///< what stands behind the options, for the help
  const char* help;
  unsigned groups;
};

constexpr Command commands[] = {
    {"run", "FILE", "check, derive, compile, integrate, write the trajectory, print a summary",
     Model | Simulate | Output | Compile | Json},
    {"check", "FILE...", "all errors and warnings, nothing run", Model | Simulate | Json},
    {"derive", "FILE", "the equations of motion, or their values at given states", Model | Derive | Compile | Json},
    {"linearize", "FILE", "A, B, C, D at a state, in coordinates of the tangent space; or of one step of the method",
     Model | Simulate | Linearize | Compile | Json},
    {"dump", "FILE", "any intermediate of the compiler", Model | Simulate | Stage | Json},
    {"methods", "NAME", "the time steppers of the library; with a name, its source", Measure | Json},
    {"manifolds", "NAME", "the manifolds and groups of the library; with a name, its source", Json},
    {"explain", "CODE", "what a diagnostic means, with a bad and a good example", Json},
    {"verify", "FILE",
     "laws of the groups and manifolds in a file; orders of methods; of a model: equations, invariants, reversibility",
     Model | Simulate | Compile | Json},
    {"order", "FILE", "global error against step size, per method", Model | Study | Compile | Json},
    {"stability", "FILE", "long-time energy test: does the energy error drift, per method",
     Model | Study | Energy | Compile | Json},
    {"symplecticity", "FILE", "defect of the tangent map of one step with respect to the symplectic form, per method",
     Model | Study | Compile | Json},
    {"completion", "SHELL", "completion of commands and options for a shell: bash or zsh", 0},
    {"manual", "", "the manual page, for man: lmc manual | man -l -", 0},
    {"ensemble", "FILE",
     "many trajectories at once, with varied parameters and initial values: one per SIMD lane, in threads",
     Model | Simulate | Samples | Compile | Json},
    {"build", "FILE", "an object, an archive or a shared library with a C header, for programs without the compiler",
     Model | Simulate | Ahead | Objects | Json},
    {"export", "FILE", "C99 source of the model and its step, for programs without the compiler",
     Model | Simulate | Ahead | CSource | Json},
};

void addWhen(CLI::App& app, const std::string& name, When& value, bool always, const std::string& help) {
  std::map<std::string, When> words = {{"auto", When::Auto}, {"never", When::Never}};
  if (always) words.emplace("always", When::Always);
  app.add_option_function<std::string>(
         name,
         [words, name, always, &value](const std::string& word) {
           const auto found = words.find(word);
           if (found == words.end())
             throw UsageError(name + " is " + (always ? "auto, always or never" : "auto or never") + ", not '" + word +
                              "'");
           value = found->second;
         },
         help)
      ->type_name(always ? "auto|always|never" : "auto|never");
}

void addModelOptions(CLI::App& app, Raw& raw) {
  app.add_option("--set", raw.sets, "a parameter, an input or an initial value (repeatable)")
      ->type_name("NAME=EXPR")
      ->allow_extra_args(false);
  app.add_option("--import-path", raw.call.importPath,
                 "folder that imports are looked for in (repeatable; before those of LMC_PATH)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--limit-seconds", raw.limitSeconds,
                 "the processor time that compiling may take (300; none: no limit)")
      ->type_name("S|none");
  app.add_option("--limit-nodes", raw.limitNodes, "the operations that it may make (40000000; none: no limit)")
      ->type_name("N|none");
  app.add_option("--limit-memory", raw.limitMemory, "the memory that it may take, in MB (8192; none: no limit)")
      ->type_name("MB|none");
  app.add_option("--seed", raw.seed, "seed of normal, uniform, random")->type_name("N");
  app.add_flag("--untrusted", raw.call.untrusted,
               "the model is somebody else's: it reads files of its own folder only, messages do not show what is in "
               "them, nothing is taken from the cache or put into it, compilation is limited");
}

void addLimitOptions(CLI::App& app, unsigned groups, Raw& raw) {
  if ((groups & Output) != 0)
    app.add_option("--max-steps", raw.maxSteps,
                   "steps after which a run is stopped and kept, rejected ones included (1e12)")
        ->type_name("N");
  app.add_option("--max-seconds", raw.maxSeconds, "seconds after which a run is stopped and kept (no limit)")
      ->type_name("S");
}

void addSimulateOptions(CLI::App& app, Raw& raw) {
  app.add_option("--method", raw.call.method, "the time stepper")->type_name("NAME[(arg=value)]");
  app.add_option("--step", raw.call.step, "step size")->type_name("H");
  app.add_option("--tolerance", raw.call.tolerance, "tolerance of methods that estimate their error")
      ->type_name("TOL|none");
  app.add_option("--controller", raw.call.controller, "how adaptive steps are chosen")
      ->type_name("PI|elementary|clamped");
  app.add_option("--safety", raw.call.safety, "part of the step that the error permits, in (0, 1]")->type_name("S");
  app.add_option("--norm", raw.call.norm, "where the error of a step is measured")->type_name("algebra|embedding");
  app.add_option("--time", raw.time, "begin and end")->type_name("A..B");
}

void addStudyOptions(CLI::App& app, Raw& raw) {
  app.add_option("--methods", raw.methods, "the time steppers, with commas (the model's)")->type_name("A,B,...");
  app.add_option("--steps", raw.steps, "step sizes, with commas (chosen by the study)")->type_name("H1,H2,...");
  app.add_option("--time", raw.time, "begin and end")->type_name("A..B");
}

void addEnergyOptions(CLI::App& app, Raw& raw) {
  app.add_option("--expect", raw.call.expect, "exit status 1 unless this is the outcome of every method")
      ->type_name("PASS|FAIL|INCONCLUSIVE");
  app.add_option("--output", raw.call.output, "where the energy errors over time go, about 4000 of each run")
      ->type_name("FILE.csv|.npz|.h5");
  addWhen(app, "--progress", raw.call.progress, false, "progress bar of long runs");
}

void addOutputOptions(CLI::App& app, Raw& raw) {
  app.add_option("--output", raw.call.output, "where the trajectory goes")->type_name("FILE.csv|.npz|.h5");
  app.add_option("--checkpoint", raw.call.checkpoint,
                 "where the run is kept for --resume: at its end, on an interrupt, "
                 "every minute")
      ->type_name("FILE");
  app.add_option("--checkpoint-every", raw.call.checkpointEvery, "seconds between two checkpoints (60)")
      ->type_name("S");
  app.add_option("--resume", raw.call.resume, "goes on with the run of a checkpoint")->type_name("FILE");
  app.add_option("--steps-output", raw.call.stepsOutput, "table of the steps of an adaptive run: t, h, error, accepted")
      ->type_name("FILE.csv");
  app.add_option("--every", raw.call.every, "time between two samples")->type_name("DT");
  app.add_flag("--quiet", raw.call.quiet, "no summary, no progress bar");
  addWhen(app, "--progress", raw.call.progress, false, "progress bar of long runs");
}

void addSampleOptions(CLI::App& app, Raw& raw) {
  app.add_option("--samples", raw.samples, "how many trajectories")->type_name("N");
  app.add_option("--vary", raw.call.vary,
                 "what differs between them: normal(...), uniform(...), linspace(...), read(FILE) (repeatable)")
      ->type_name("NAME~DISTRIBUTION")
      ->allow_extra_args(false);
  app.add_option("--keep", raw.call.keep,
                 "what is written: the ends, mean and extremes at the sample times, or whole trajectories")
      ->type_name("final|statistics|all");
  app.add_option("--threads", raw.threads, "threads (one per core)")->type_name("N");
  app.add_option("--lanes", raw.lanes, "trajectories that a thread makes at once (as the vectors of the machine have)")
      ->type_name("1|2|4|8|16|32");
  app.add_option("--output", raw.call.output, "where the results go")->type_name("FILE.csv|.npz|.h5");
  app.add_option("--checkpoint", raw.call.checkpoint, "where finished samples are kept for --resume")
      ->type_name("FILE");
  app.add_option("--resume", raw.call.resume, "takes the finished samples of a checkpoint")->type_name("FILE");
  app.add_option("--every", raw.call.every, "time between two rows (a hundredth of the run)")->type_name("DT");
  app.add_flag("--quiet", raw.call.quiet, "no summary, no progress bar");
  addWhen(app, "--progress", raw.call.progress, false, "progress bar of long runs");
}

void addDeriveOptions(CLI::App& app, Raw& raw) {
  app.add_option("--format", raw.call.format, "form of the equations")->type_name("text|latex|json");
  app.add_option("--at", raw.call.at, "evaluate at the states of a table with the columns of a run")
      ->type_name("STATES.csv");
  app.add_option("--output", raw.call.output, "where the values go (standard output)")->type_name("FILE.csv");
}

void addLinearizeOptions(CLI::App& app, Raw& raw) {
  app.add_option("--at", raw.call.at, "at the states of a table with the columns of a run (the initial state)")
      ->type_name("STATES.csv");
  app.add_flag("--discrete", raw.call.discrete, "the derivatives of one step of the method");
}

void addAheadOptions(CLI::App& app, unsigned groups, Raw& raw) {
  const bool objects = (groups & Objects) != 0;
  app.add_option("-o,--output", raw.call.output,
                 objects ? "what is written, beside NAME.h" : "the source file; its header NAME.h is written beside it")
      ->type_name(objects ? "NAME.o|.a|.so" : "NAME.c");
  app.add_option("--prefix", raw.call.prefix, "of the names in C (the name of the file that is written)")
      ->type_name("NAME");
  app.add_flag("--specialize", raw.call.specialize,
               "code for parameters whose vectors and matrices are zero where they are now: smaller and faster");
  if (objects)
    app.add_option("--cpu", raw.call.cpu, "processor that the code is for (any of this machine's architecture)")
        ->type_name("native|x86-64|x86-64-v3|...");
  if ((groups & CSource) != 0) {
    app.add_flag("--c", raw.call.exportC, "C99 source, the only form so far");
    app.add_flag("--main", raw.call.withMain, "with a program that prints a trajectory as CSV");
  }
}

void addOptions(CLI::App& app, unsigned groups, Raw& raw) {
  if ((groups & Ahead) != 0) addAheadOptions(app, groups, raw);
  if ((groups & Model) != 0) addModelOptions(app, raw);
  if ((groups & Simulate) != 0) addSimulateOptions(app, raw);
  if ((groups & Study) != 0) addStudyOptions(app, raw);
  if ((groups & Output) != 0) addOutputOptions(app, raw);
  if ((groups & Samples) != 0) addSampleOptions(app, raw);
  if ((groups & (Output | Samples)) != 0) addLimitOptions(app, groups, raw);
  if ((groups & Energy) != 0) addEnergyOptions(app, raw);
  if ((groups & Derive) != 0) addDeriveOptions(app, raw);
  if ((groups & Linearize) != 0) addLinearizeOptions(app, raw);
  if ((groups & Measure) != 0) {
    app.add_flag("--measure", raw.call.measure, "prove and measure the orders of all, for the file that is kept");
    app.add_option("--format", raw.call.format, "form of the list")->type_name("text|markdown");
  }
  if ((groups & Stage) != 0)
    app.add_option("--stage", raw.call.stage, "which one: ast program model system step tape ir assembly nvptx")
        ->type_name("STAGE");
  if ((groups & Compile) != 0) {
    app.add_flag("--timings", raw.call.timings, "seconds per stage, on standard error");
    app.add_flag("--no-cache", raw.call.noCache,
                 "neither read nor write the cache of compiled code and of prepared runs");
  }
  if ((groups & Json) != 0) app.add_flag("--json", raw.call.json, "one JSON object on standard output");
  addWhen(app, "--color", raw.call.color, true, "colours of diagnostics");
}

std::string didYouMean(const std::string& typed, const std::vector<std::string>& candidates) {
  const std::string near = nearest(typed, candidates);
  return near.empty() ? std::string() : "; did you mean '" + near + "'?";
}

/// An option that the command does not have: names a near one, or the commands that have it.
[[noreturn]] void refuseOption(const CLI::App& app, const std::string& typed) {
  const std::string name = typed.substr(0, typed.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& word : option->get_lnames()) names.push_back("--" + word);
  throw UsageError("'" + app.get_name() + "' has no option '" + name + "'" + didYouMean(name, names) + "\n`lmc " +
                   app.get_name() + " --help` lists them");
}

[[noreturn]] void refuseCommand(const std::vector<std::string>& rest) {
  if (rest.empty()) throw UsageError("a command is missing; `lmc --help` lists them");
  const std::string& word = rest.front();
  if (word.starts_with("-")) throw UsageError("options follow the command: lmc COMMAND " + word + " ...");
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  std::string advice = didYouMean(word, names);
  if (word.ends_with(".lie")) advice = "; did you mean 'lmc run " + word + "'?";
  throw UsageError("there is no command '" + word + "'" + advice + "\n`lmc --help` lists them");
}

/// True for a single '=' (not ==, <=, >=, !=) outside all parentheses.
bool hasAssignment(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != '=' || depth > 0) continue;
    const bool doubled = i + 1 < text.size() && text[i + 1] == '=';
    if (doubled)
      ++i;
    else if (i == 0 || std::string("<>!").find(text[i - 1]) == std::string::npos)
      return true;
  }
  return false;
}

Override readOverride(const std::string& text) {
  const auto trim = [](const std::string& s) {
    const std::size_t begin = s.find_first_not_of(" \t");
    return begin == std::string::npos ? std::string() : s.substr(begin, s.find_last_not_of(" \t") - begin + 1);
  };
  const std::string form = "--set wants NAME=EXPR, as in --set m=3";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw UsageError(form + "; there is no '=' in '" + text + "'");
  Override result{trim(text.substr(0, equals)), trim(text.substr(equals + 1))};
  if (result.name.empty()) throw UsageError(form + "; the name is missing in '" + text + "'");
  if (result.expression.empty()) throw UsageError(form + "; the value is missing in '" + text + "'");
  if (hasAssignment(result.expression))
    throw UsageError(form + "; there is more than one '=' in '" + text + "' (give --set once for each name)");
  return result;
}

void readTime(const std::string& text, Invocation& call) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos || dots == 0 || dots + 2 == text.size())
    throw UsageError("--time wants A..B, as in --time 0..10, not '" + text + "'");
  call.timeFrom = text.substr(0, dots);
  call.timeTo = text.substr(dots + 2);
}

std::uint64_t readSeed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc() || stop != end) throw UsageError("--seed wants a whole number from 0, not '" + text + "'");
  return seed;
}

/// The parts between commas outside of parentheses.
std::vector<std::string> splitList(const std::string& text) {
  std::vector<std::string> parts = {""};
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

/// A whole number of an option.
std::int64_t readCount(const std::string& option, const std::string& text, std::int64_t most) {
  std::int64_t n = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  if (error != std::errc() || stop != end || n < 1 || n > most)
    throw UsageError(option + " wants a whole number from 1 to " + std::to_string(most) + ", not '" + text + "'");
  return n;
}

void readSamples(const Raw& raw, Invocation& call) {
  constexpr std::int64_t mostSamples = 1'000'000'000'000, mostThreads = 4096, mostLanes = 32;
  if (raw.samples) call.samples = readCount("--samples", *raw.samples, mostSamples);
  if (raw.threads) call.threads = static_cast<int>(readCount("--threads", *raw.threads, mostThreads));
  if (!raw.lanes) return;
  call.lanes = static_cast<int>(readCount("--lanes", *raw.lanes, mostLanes));
  if ((call.lanes & (call.lanes - 1)) != 0) throw UsageError("--lanes wants a power of two, not '" + *raw.lanes + "'");
}

void readLimits(const Raw& raw, Invocation& call) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (raw.maxSteps) call.maxSteps = readCount("--max-steps", *raw.maxSteps, most);
  if (!raw.maxSeconds) return;
  double seconds = 0;
  const char* const end = raw.maxSeconds->data() + raw.maxSeconds->size();
  const auto [stop, error] = std::from_chars(raw.maxSeconds->data(), end, seconds);
  if (error != std::errc() || stop != end || !(seconds > 0))
    throw UsageError("--max-seconds wants a positive number of seconds, not '" + *raw.maxSeconds + "'");
  call.maxSeconds = seconds;
}

std::vector<std::string> readMethods(const std::string& text) {
  std::vector<std::string> methods = splitList(text);
  for (const std::string& name : methods)
    if (name.empty()) throw UsageError("--methods wants names with commas between them, not '" + text + "'");
  return methods;
}

/// Step sizes: numbers, or fractions of two numbers.
std::vector<double> readSteps(const std::string& text) {
  const auto number = [](std::string_view part, double& value) {
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && stop == part.data() + part.size();
  };
  std::vector<double> steps;
  for (const std::string& part : splitList(text)) {
    const std::size_t slash = part.find('/');
    double value = 0, divisor = 1;
    const bool good = number(std::string_view(part).substr(0, slash), value) &&
                      (slash == std::string::npos || number(std::string_view(part).substr(slash + 1), divisor));
    if (!good || !(value / divisor > 0) || value / divisor > 1e300)
      throw UsageError("--steps wants positive numbers with commas between them, as in --steps 0.1,0.05,1/40; '" +
                       part + "' is none");
    steps.push_back(value / divisor);
  }
  return steps;
}

/// An option's value that looks like another option was most likely forgotten.
void refuseForgotten(const std::string& option, const std::optional<std::string>& value) {
  if (!value) return;
  if (value->empty()) throw UsageError(option + " needs a value");
  if (value->starts_with("--")) throw UsageError(option + " needs a value; '" + *value + "' is another option");
}

/// The number of a limit; 0 for none.
double readLimit(const std::string& option, const std::string& text) {
  double value = 0;
  if (text == "none") return 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !(value > 0) || value > 1e15)
    throw UsageError(option + " wants a positive number, or none, not '" + text + "'");
  return value;
}

void readLimits(const Raw& raw, Limits& limits) {
  const auto whole = [](double x) { return static_cast<std::int64_t>(std::ceil(x)); };
  if (raw.limitSeconds) limits.seconds = readLimit("--limit-seconds", *raw.limitSeconds);
  if (raw.limitNodes) limits.nodes = whole(readLimit("--limit-nodes", *raw.limitNodes));
  if (raw.limitMemory) limits.megabytes = whole(readLimit("--limit-memory", *raw.limitMemory));
}

void finish(Raw& raw) {
  Invocation& call = raw.call;
  for (const auto& [name, value] : {std::pair{"--method", &call.method},
                                    {"--step", &call.step},
                                    {"--tolerance", &call.tolerance},
                                    {"--controller", &call.controller},
                                    {"--safety", &call.safety},
                                    {"--norm", &call.norm},
                                    {"--steps-output", &call.stepsOutput},
                                    {"--checkpoint", &call.checkpoint},
                                    {"--checkpoint-every", &call.checkpointEvery},
                                    {"--resume", &call.resume},
                                    {"--time", &raw.time},
                                    {"--seed", &raw.seed},
                                    {"--output", &call.output},
                                    {"--every", &call.every},
                                    {"--prefix", &call.prefix},
                                    {"--cpu", &call.cpu},
                                    {"--methods", &raw.methods},
                                    {"--steps", &raw.steps},
                                    {"--expect", &call.expect},
                                    {"--samples", &raw.samples},
                                    {"--keep", &call.keep},
                                    {"--threads", &raw.threads},
                                    {"--lanes", &raw.lanes},
                                    {"--max-steps", &raw.maxSteps},
                                    {"--max-seconds", &raw.maxSeconds},
                                    {"--at", &call.at},
                                    {"--limit-seconds", &raw.limitSeconds},
                                    {"--limit-nodes", &raw.limitNodes},
                                    {"--limit-memory", &raw.limitMemory},
                                    {"--stage", &call.stage}})
    refuseForgotten(name, *value);
  readLimits(raw, call.limits);
  if (raw.time) readTime(*raw.time, call);
  if (raw.methods) call.methods = readMethods(*raw.methods);
  if (raw.steps) call.steps = readSteps(*raw.steps);
  if (raw.seed) call.seed = readSeed(*raw.seed);
  readSamples(raw, call);
  readLimits(raw, call);
  for (const std::string& text : raw.sets) call.overrides.push_back(readOverride(text));
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

void addCommands(CLI::App& app, Raw& raw) {
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(command.name, command.help);
    sub->allow_extras();
    if (*command.argument != '\0') sub->add_option(command.argument, raw.call.arguments)->type_name("");
    addOptions(*sub, command.groups, raw);
  }
}

std::string chosenName(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? std::string() : chosen.front()->get_name();
}

/// Parses; false when help or the version was asked for and printed.
bool parse(CLI::App& app, int argc, const char* const* argv) {
  if (argc > 1 && std::string(argv[1]) == "help") {
    std::fputs(app.help().c_str(), stdout);
    return false;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return false;
  } catch (const CLI::CallForVersion&) {
    std::fputs("lmc " LMC_VERSION "\n", stdout);
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError(messageOf(error, chosenName(app)));
  }
  return true;
}

} // namespace

std::vector<CommandDescription> describeCommands() {
  Raw raw;
  CLI::App app;
  addCommands(app, raw);
  std::vector<CommandDescription> list;
  for (const Command& command : commands) {
    CommandDescription d{command.name, command.argument, command.help, {}};
    for (const CLI::Option* option : app.get_subcommand(command.name)->get_options()) {
      if (option->get_lnames().empty() || option->get_lnames().front() == "help") continue;
      d.options.push_back({"--" + option->get_lnames().front(),
                           option->get_items_expected_max() == 0 ? std::string() : option->get_type_name(),
                           option->get_description()});
    }
    list.push_back(std::move(d));
  }
  return list;
}

CommandLine readCommandLine(int argc, const char* const* argv) {
  Raw raw;
  CLI::App app("lmc: a modelling language for mechanical systems on manifolds", "lmc");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", "lmc " LMC_VERSION, "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.allow_extras();
  app.require_subcommand(0, 1);
  app.footer("`lmc COMMAND --help` lists the options of a command.");
  addCommands(app, raw);
  if (!parse(app, argc, argv)) return {std::nullopt, Done};
  raw.call.command = chosenName(app);
  if (raw.call.command.empty()) refuseCommand(app.remaining());
  const CLI::App& sub = *app.get_subcommands().front();
  for (const std::string& extra : app.remaining())
    throw UsageError("options follow the command: lmc " + raw.call.command + " " + extra + " ...");
  for (const std::string& extra : sub.remaining()) refuseOption(sub, extra);
  finish(raw);
  return {std::move(raw.call), Done};
}

} // namespace lmc::tool
