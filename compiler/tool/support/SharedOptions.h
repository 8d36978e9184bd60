// Options that several commands have, and the groups of them.
#pragma once

#include "base/Budget.h"
#include "sema/Compilation.h"
#include "tool/support/Invocation.h"
#include "tool/support/Readers.h"

namespace lmc::tool {

/// NAME=EXPR of --set.
[[nodiscard]] sema::Override readOverride(const std::string& option, const std::string& text);

/// The limits of a compilation.
[[nodiscard]] Limits limitsOf(const Invocation& call);

namespace options {

// --- the model ----------------------------------------------------------------------------------------------------

constexpr List<sema::Override> set("--set", "NAME=EXPR", "a parameter, an input or an initial value", readOverride);
constexpr List<> importPath("--import-path", "DIR", "folder that imports are looked for in, before those of LMC_PATH",
                            {.completion = Completion::Folder});
constexpr Option<double> limitSeconds("--limit-seconds", "S|none", "the processor time that compiling may take",
                                      readLimit, {.standard = "300; none: no limit"});
constexpr Option<double> limitNodes("--limit-nodes", "N|none", "the operations that it may make", readLimit,
                                    {.standard = "40000000; none: no limit"});
constexpr Option<double> limitMemory("--limit-memory", "MB|none", "the memory that it may take, in MB", readLimit,
                                     {.standard = "8192; none: no limit"});
constexpr Option<std::uint64_t> seed("--seed", "N", "seed of normal, uniform, random", readSeed);
constexpr Flag
    untrusted("--untrusted",
              "the model is somebody else's: it reads files of its own folder only, messages do not show what is "
              "in them, nothing is taken from the cache or put into it, compilation is limited");
/// Of every command that reads a model.
constexpr OptionList model(set, importPath, limitSeconds, limitNodes, limitMemory, seed, untrusted);

// --- a run --------------------------------------------------------------------------------------------------------

constexpr Option<> method("--method", "NAME[(arg=value)]|auto", "the time stepper", {.completion = Completion::Method});
constexpr Option<> step("--step", "H", "step size");
constexpr Option<> tolerance("--tolerance", "TOL|none", "tolerance of methods that estimate their error");
constexpr Option<> accuracy("--accuracy", "A", "largest error of the whole run, with --method auto");
constexpr Option<> controller("--controller", "PI|elementary|clamped", "how adaptive steps are chosen",
                              {.completion = Completion::Words});
constexpr Option<> safety("--safety", "S", "part of the step that the error permits, in (0, 1]");
constexpr Option<> norm("--norm", "algebra|embedding", "where the error of a step is measured",
                        {.completion = Completion::Words});
constexpr Option<TimeSpan> time("--time", "A..B", "begin and end", readTime);
/// Of every command that steps a model, or reads how it is to be stepped.
constexpr OptionList simulation(method, step, tolerance, accuracy, controller, safety, norm, time);

constexpr Option<> output("--output", "FILE", "where the trajectory goes", {.completion = Completion::Output});
constexpr Option<> stepsOutput("--steps-output", "FILE", "table of the steps of an adaptive run: t, h, error, accepted",
                               {.completion = Completion::Output});
constexpr Option<> checkpoint("--checkpoint", "FILE",
                              "where the run is kept for --resume: at its end, on an interrupt, every minute",
                              {.completion = Completion::File});
constexpr Option<double> checkpointEvery("--checkpoint-every", "S", "seconds between two checkpoints",
                                         readSecondsOrNone, {.standard = "60"});
constexpr Option<> resume("--resume", "FILE", "goes on with the run of a checkpoint", {.completion = Completion::File});
constexpr Option<> every("--every", "DT", "time between two samples");
constexpr Option<double> maxSeconds("--max-seconds", "S", "seconds after which a run is stopped and kept", readSeconds,
                                    {.standard = "no limit"});
constexpr Flag quiet("--quiet", "no summary, no progress bar");
constexpr Option<When> progress("--progress", "auto|never", "progress bar of long runs", readUnlessNever,
                                {.completion = Completion::Words});

constexpr Option<> plot("--plot", "NAME.svg|NAME.pdf|NAME.png", "a plot of what was computed",
                        {.completion = Completion::File});
constexpr Option<> report("--report", "NAME.html", "a page that shows the run: picture, plots, equations",
                          {.completion = Completion::File});

// --- studies ------------------------------------------------------------------------------------------------------

constexpr Option<std::vector<std::string>> methods("--methods", "A,B,...", "the time steppers, with commas", readNames,
                                                   {.completion = Completion::Method, .standard = "the model's"});
constexpr Option<std::vector<double>> steps("--steps", "H1,H2,...", "step sizes, with commas", readSteps,
                                            {.standard = "chosen by the study"});
/// Of a study of several methods.
constexpr OptionList study(methods, steps, time);

// --- values at states, code for other programs --------------------------------------------------------------------

constexpr Option<> at("--at", "STATES.csv", "evaluate at the states of a table with the columns of a run",
                      {.completion = Completion::File});
constexpr Option<> codeOutput("-o,--output", "NAME", "what is written", {.completion = Completion::File});
constexpr Option<> prefix("--prefix", "NAME", "of the names in C",
                          {.standard = "the name of the file that is written"});
constexpr Flag specialize("--specialize", "code for parameters whose vectors and matrices are zero where they are now: "
                                          "smaller and faster");

// --- every command ------------------------------------------------------------------------------------------------

constexpr Flag timings("--timings", "seconds per stage, on standard error");
constexpr Flag noCache("--no-cache", "neither read nor write the cache of compiled code and of prepared runs");
/// Of every command that compiles.
constexpr OptionList compile(timings, noCache);
constexpr Flag json("--json", "one JSON object on standard output");
/// The tool adds it to every command.
constexpr Option<When> color("--color", "auto|always|never", "colours of diagnostics", readWhen,
                             {.completion = Completion::Words});

} // namespace options

} // namespace lmc::tool
