// A model that a user types at run time, with its errors shown.
//
// Reads a model from standard input, up to a line with a single dot or the end; tells what is wrong with it, in the
// words of the tool and as data, or runs it; and reads the next one.
#include <lmc/lmc.hpp>

#include <cstdio>
#include <iostream>
#include <string>

namespace {

bool readModel(std::string& text) {
  text.clear();
  for (std::string line; std::getline(std::cin, line);) {
    if (line == ".") return true;
    text += line + "\n";
  }
  return text.find_first_not_of(" \n\t") != std::string::npos;
}

void showErrors(const lmc::Compilation& compilation) {
  for (const lmc::Diagnostic& d : compilation.diagnostics) {
    std::cout << d.format();
    // The same as data, as an editor would use it.
    std::printf("  [%s: lines %u to %u, columns %u to %u%s%s]\n", d.code.c_str(), d.range.begin.line, d.range.end.line,
                d.range.begin.column, d.range.end.column, d.suggestion.empty() ? "" : "; ", d.suggestion.c_str());
  }
}

void run(const lmc::Model& model) {
  std::cout << model.name() << ", " << model.method() << ", variables:";
  for (const lmc::Variable& v : model.variables())
    std::cout << ' ' << v.name << " on " << v.manifold << (v.members > 0 ? " (family)" : "");
  std::cout << '\n' << model.equations();

  lmc::Workspace workspace = model.workspace();
  const lmc::RunResult result = workspace.run();
  if (result.failure) std::cout << "the run failed at t = " << result.failure->time << ": " << result.failure->message;
  std::cout << "reached t = " << result.time << " in " << result.steps << " steps\n";
  if (result.energyError) std::cout << "energy error " << *result.energyError << '\n';
}

} // namespace

int main() {
  std::string text;
  while (readModel(text)) {
    try {
      const lmc::Compilation compilation = lmc::compileText("typed", text);
      if (compilation)
        run(*compilation.model);
      else
        showErrors(compilation);
    } catch (const lmc::Error& error) { // no method, no end of the run, …
      std::cout << "cannot be run: " << error.what() << '\n';
    }
  }
}
