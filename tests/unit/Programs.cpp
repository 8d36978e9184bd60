#include "Programs.h"

#include "jit/Ahead.h"
#include "products/exported/Exported.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <sys/wait.h>

namespace lmc::test {

namespace fs = std::filesystem;

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "lmc-ahead-XXXXXX").string();
  path_ = mkdtemp(name.data());
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return path_ / name;
}

Finished shell(const std::string& command) {
  Finished f;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return f;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    f.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  f.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return f;
}

bool installed(const std::string& program) {
  return shell("command -v " + program).status == 0;
}

Loaded::Loaded(const fs::path& library, const unit::Exported& unit)
    : memory(static_cast<std::size_t>(unit.size)), unit_(unit) {
  handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) ADD_FAILURE() << dlerror();
}

Loaded::~Loaded() {
  if (handle_ != nullptr) dlclose(handle_);
}

template <typename F> F Loaded::find(const std::string& suffix) const {
  const auto f = reinterpret_cast<F>(dlsym(handle_, (unit_.prefix + suffix).c_str()));
  EXPECT_NE(f, nullptr) << suffix;
  return f;
}

bool Loaded::has(const std::string& suffix) const {
  return dlsym(handle_, (unit_.prefix + suffix).c_str()) != nullptr;
}

int Loaded::call(const std::string& suffix) {
  return find<int (*)(double*)>(suffix)(memory.data());
}

int Loaded::at(const std::string& function, double t) {
  return find<int (*)(double*, double)>(function)(memory.data(), t);
}

int Loaded::step(const std::string& function, double t, double h) {
  return find<int (*)(double*, double, double)>(function)(memory.data(), t, h);
}

int Loaded::steps(double& t, double h, long n) {
  return find<int (*)(double*, double*, double, long)>("_steps")(memory.data(), &t, h, n);
}

double Loaded::error() {
  return find<double (*)(const double*)>("_error")(memory.data());
}

namespace {

products::PipelineOptions optionsOf(const Case& c) {
  products::PipelineOptions o;
  o.compilation.libraryRoot = LMC_SOURCE_DIR;
  o.compilation.overrides = c.set;
  if (!c.method.empty()) o.method = c.method;
  o.fixedSteps = true;
  o.codeForAnyParameters = false;
  o.compile.useCache = false;
  return o;
}

bool load(products::Pipeline& p, const Case& c) {
  if (!c.text.empty()) return p.loadText("case.lie", c.text);
  const bool path = c.file.find('/') != std::string::npos;
  return p.load(path ? fs::path(c.file) : fs::path(LMC_SOURCE_DIR) / "examples" / (c.file + ".lie"));
}

void report(const products::Pipeline& p) {
  for (const Diagnostic& d : p.diagnostics().sorted())
    if (d.severity == Severity::Error) ADD_FAILURE() << d.message;
}

} // namespace

Forms::Forms(const Case& c, bool specialize, IfWrong wrong) {
  products::Pipeline memory(optionsOf(c));
  if (load(memory, c)) problem = memory.build();
  if (wrong == IfWrong::Fail) report(memory);
  if (!problem) return;
  products::PipelineOptions o = optionsOf(c);
  o.presentZeros = specialize;
  products::Pipeline ahead(o);
  if (load(ahead, c)) unit = products::exportedUnit(ahead, "thing");
  report(ahead);
  if (!unit || !problem) return;
  unit->file = "case.lie";
  h = c.step > 0 ? c.step : std::isnan(problem->step) ? 1e-3 : problem->step;
  folder.write("thing.h", backends::header(*unit));
  folder.write("thing.c", backends::source(*unit, "thing.h", false));
}

std::unique_ptr<Loaded> Forms::object(const std::string& cpu) {
  const fs::path o = folder.write("object.o", jit::aheadObject(*unit, cpu));
  const fs::path so = folder / "object.so";
  const Finished linked = shell("cc -shared -Wl,-z,defs -o " + so.string() + " " + o.string() + " -lm");
  EXPECT_EQ(linked.status, 0) << linked.output;
  EXPECT_EQ(linked.output, "");
  return linked.status == 0 ? std::make_unique<Loaded>(so, *unit) : nullptr;
}

std::unique_ptr<Loaded> Forms::source(const std::string& compiler) {
  const fs::path so = folder / (compiler + ".so");
  const std::string flags = " -std=c99 -O1 -fPIC -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes ";
  const std::string object = (folder / "source.o").string();
  const Finished compiled = shell(compiler + flags + "-c -o " + object + " " + (folder / "thing.c").string());
  EXPECT_EQ(compiled.status, 0) << compiled.output;
  EXPECT_EQ(compiled.output, "") << "warnings";
  const Finished linked = shell(compiler + " -shared -Wl,-z,defs -o " + so.string() + " " + object + " -lm");
  EXPECT_EQ(linked.status, 0) << linked.output;
  return linked.status == 0 ? std::make_unique<Loaded>(so, *unit) : nullptr;
}

std::vector<std::string> Forms::undefined(const std::string& name) const {
  std::vector<std::string> list;
  std::istringstream in(shell("nm -u " + (folder / (name + ".o")).string()).output);
  for (std::string word; in >> word;)
    if (word != "U" && word != "w") list.push_back(word);
  return list;
}

} // namespace lmc::test
