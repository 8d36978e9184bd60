// `lmc manual`: the manual page, whose commands and options are those of the tool's own tables.
#include "tool/support/CommandLine.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <fmt/format.h>

namespace lmc::tool {

namespace {

/// Text of a troff page: a hyphen is a minus, a backslash itself, and no line begins with a control character.
std::string troff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '-')
      out += "\\-";
    else if (c == '\\')
      out += "\\e";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

std::string commandSections(CommandTable commands) {
  std::string text;
  for (const Command* c : commands) {
    text += fmt::format(".SS \"lmc {}{}{}\"\n{}.\n", c->name, *c->argument == '\0' ? "" : " ", troff(c->argument),
                        troff(c->summary));
    for (const OptionDescription& o : describeOptions(*c)) {
      text += fmt::format(".TP\n.B {}{}\n{}\n", troff(o.name),
                          o.value.empty() ? std::string() : " \\fI" + troff(o.value) + "\\fR", troff(o.help));
    }
    if (*c->examples != '\0') text += ".PP\n.nf\n" + troff(c->examples) + "\n.fi\n";
  }
  return text;
}

constexpr const char* introduction = R"(.SH NAME
lmc \- modelling language and compiler for mechanical systems on manifolds
.SH SYNOPSIS
.B lmc
.I COMMAND
.RI [ OPTION ...]
.RI [ FILE ]
.br
.B lmc
.IR COMMAND " " \-\-help
.SH DESCRIPTION
A
.I .lie
file describes a mechanical system: the manifolds that it lives on (rotations, spheres, vector spaces, products of them),
its Lagrangian, forces and initial values. lmc derives the equations of motion, turns one time step of a Lie group method
into machine code, and runs it. Compiled code is kept in a cache: a second run of an unchanged model does not compile.
.PP
Standard output is for results, standard error for diagnostics and progress.
.SH COMMANDS
)";

constexpr const char* closing = R"(.SH EXIT STATUS
.TP
0
done
.TP
1
the input is wrong; diagnostics were printed
.TP
2
wrong usage of the command
.TP
3
the run failed, for example because the state became non\-finite; what was written is kept
.TP
70
a defect of the tool itself
.SH ENVIRONMENT
.TP
.B LMC_PATH
folders, separated by colons, in which imports are looked for after the importing file's own folder
.TP
.B LMC_CACHE_DIR
where compiled code, and what is needed to repeat a run at once, is kept; otherwise
.I $XDG_CACHE_HOME/lmc
or
.I ~/.cache/lmc
.TP
.B LMC_HOME
the folder with the standard library, if it is not that of the installation
.SH EXAMPLES
.nf
lmc run heavy_top.lie \-\-output top.csv
lmc run heavy_top.lie \-\-step 5e\-4 \-\-set m=10
lmc derive heavy_top.lie \-\-format latex
.fi
)";

int printManual(Context& context) {
  context.stage = "printing the manual page";
  print(std::string(".TH LMC 1 \"\" \"lmc " LMC_VERSION "\"\n") + introduction + commandSections(context.commands) +
        closing);
  return Done;
}

} // namespace

extern const Command manualCommand = {
    .name = "manual",
    .place = 13,
    .argument = "",
    .summary = "the manual page, for man: lmc manual | man -l -",
    .run = printManual,
};

} // namespace lmc::tool
