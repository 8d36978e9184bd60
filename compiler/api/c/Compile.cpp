// The C interface: options, compiling, diagnostics.
#include "api/c/C.h"

#include <cmath>
#include <cstdlib>

namespace lmc::c {

namespace {
std::string& lastError() noexcept {
  thread_local std::string text;
  return text;
}
} // namespace

lmc_status refuse(lmc_status status, const char* message) noexcept {
  try {
    lastError() = message;
  } catch (...) { // the status has to do
  }
  return status;
}

char* ownText(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

namespace {

/// Calls `change` on options that there are.
template <class Change> lmc_status changed(lmc_options* options, Change change) noexcept {
  if (options == nullptr) return misuse("the options are NULL");
  return guarded([&] { change(options->options); });
}

lmc_position positionOf(const v1::Position& p) {
  return {p.line, p.column, p.offset};
}

template <class Compile>
lmc_status compiled(const lmc_options* options, lmc_compilation** result, Compile compile) noexcept {
  if (result == nullptr) return misuse("there is no place for the result");
  *result = nullptr;
  return guarded([&] {
    auto made = std::make_unique<lmc_compilation>();
    made->compilation = compile(options != nullptr ? options->options : v1::Options());
    *result = made.release();
  });
}

const v1::Diagnostic* diagnosticOf(const lmc_compilation* c, size_t i) {
  return c != nullptr && i < c->compilation.diagnostics.size() ? &c->compilation.diagnostics[i] : nullptr;
}

} // namespace
} // namespace lmc::c

using namespace lmc::c;

const char* lmc_version(void) {
  return lmc::version();
}
int lmc_api_version(void) {
  return LMC_API_VERSION;
}
const char* lmc_last_error(void) {
  return lmc::c::lastError().c_str();
}
void lmc_string_free(char* text) {
  std::free(text);
}

// --- options --------------------------------------------------------------------------------------------------

lmc_options* lmc_options_new(void) {
  return new (std::nothrow) lmc_options;
}
void lmc_options_free(lmc_options* options) {
  delete options;
}
lmc_status lmc_options_set_method(lmc_options* options, const char* method) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.method = lmc::c::given(method); });
}
lmc_status lmc_options_add_value(lmc_options* options, const char* name, const char* expression) {
  return lmc::c::changed(options,
                         [&](lmc::Options& o) { o.set.emplace_back(lmc::c::given(name), lmc::c::given(expression)); });
}
lmc_status lmc_options_set_seed(lmc_options* options, uint64_t seed) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.seed = seed; });
}
lmc_status lmc_options_set_time(lmc_options* options, double from, double to) {
  return lmc::c::changed(options, [&](lmc::Options& o) {
    o.timeFrom = from;
    o.timeTo = to;
  });
}
lmc_status lmc_options_set_step(lmc_options* options, double step) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.step = step; });
}
lmc_status lmc_options_set_tolerance(lmc_options* options, double tolerance) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.tolerance = tolerance; });
}
lmc_status lmc_options_set_controller(lmc_options* options, const char* controller) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.controller = lmc::c::given(controller); });
}
lmc_status lmc_options_set_fixed_steps(lmc_options* options, int fixed) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.fixedSteps = fixed != 0; });
}
lmc_status lmc_options_add_import_path(lmc_options* options, const char* folder) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.importPath.emplace_back(lmc::c::given(folder)); });
}
lmc_status lmc_options_set_resolver(lmc_options* options, lmc_resolver resolve, void* user) {
  return lmc::c::changed(options, [&](lmc::Options& o) {
    o.resolve = nullptr;
    if (resolve == nullptr) return;
    o.resolve = [resolve, user](const std::string& path) -> std::optional<std::string> {
      const char* const text = resolve(path.c_str(), user);
      if (text == nullptr) return std::nullopt;
      return text;
    };
  });
}
lmc_status lmc_options_set_library_root(lmc_options* options, const char* folder) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.libraryRoot = lmc::c::given(folder); });
}
lmc_status lmc_options_set_cache(lmc_options* options, int use, const char* folder) {
  return lmc::c::changed(options, [&](lmc::Options& o) {
    o.useCache = use != 0;
    o.cacheFolder = folder != nullptr ? folder : "";
  });
}
lmc_status lmc_options_set_optimization(lmc_options* options, int level) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.optimization = level; });
}
lmc_status lmc_options_set_untrusted(lmc_options* options, int untrusted) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.untrusted = untrusted != 0; });
}
lmc_status lmc_options_set_keep_zeros(lmc_options* options, int keep) {
  return lmc::c::changed(options, [&](lmc::Options& o) { o.keepZeros = keep != 0; });
}
lmc_status lmc_options_set_limits(lmc_options* options, double seconds, int64_t nodes, int64_t megabytes) {
  return lmc::c::changed(options, [&](lmc::Options& o) {
    o.limitSeconds = seconds;
    o.limitNodes = nodes;
    o.limitMegabytes = megabytes;
  });
}
lmc_status lmc_options_set_cancel(lmc_options* options, lmc_cancel cancel, void* user) {
  return lmc::c::changed(options, [&](lmc::Options& o) {
    o.cancel = nullptr;
    if (cancel != nullptr) o.cancel = [cancel, user] { return cancel(user) != 0; };
  });
}

// --- compiling ------------------------------------------------------------------------------------------------

lmc_status lmc_compile_file(const char* path, const lmc_options* options, lmc_compilation** result) {
  return lmc::c::compiled(options, result,
                          [&](const lmc::Options& o) { return lmc::compileFile(lmc::c::given(path), o); });
}

lmc_status lmc_compile_text(const char* name, const char* text, const lmc_options* options, lmc_compilation** result) {
  return lmc::c::compiled(options, result, [&](const lmc::Options& o) {
    return lmc::compileText(lmc::c::given(name), lmc::c::given(text), o);
  });
}

lmc_status lmc_compile_sources(const lmc_source* sources, size_t count, const lmc_options* options,
                               lmc_compilation** result) {
  return lmc::c::compiled(options, result, [&](const lmc::Options& o) {
    std::vector<lmc::Source> list;
    for (size_t k = 0; sources != nullptr && k < count; ++k)
      list.push_back({lmc::c::given(sources[k].name), lmc::c::given(sources[k].text)});
    return lmc::compileSources(list, o);
  });
}

void lmc_compilation_free(lmc_compilation* compilation) {
  delete compilation;
}

lmc_model* lmc_compilation_model(const lmc_compilation* compilation) {
  if (compilation == nullptr || !compilation->compilation) return nullptr;
  return new (std::nothrow) lmc_model{*compilation->compilation.model};
}

size_t lmc_compilation_diagnostics(const lmc_compilation* compilation) {
  return compilation != nullptr ? compilation->compilation.diagnostics.size() : 0;
}

lmc_status lmc_compilation_diagnostic(const lmc_compilation* compilation, size_t i, lmc_diagnostic* out) {
  const lmc::Diagnostic* const d = lmc::c::diagnosticOf(compilation, i);
  if (d == nullptr) return lmc::c::misuse("there is no such diagnostic");
  lmc_diagnostic x = {};
  x.code = d->code.c_str();
  x.warning = d->severity == lmc::Severity::Warning ? 1 : 0;
  x.source = d->range.source.c_str();
  x.begin = lmc::c::positionOf(d->range.begin);
  x.end = lmc::c::positionOf(d->range.end);
  x.message = d->message.c_str();
  x.suggestion = d->suggestion.c_str();
  x.notes = d->notes.size();
  x.text = d->format().c_str();
  return lmc::c::give(out, x);
}

lmc_status lmc_compilation_note(const lmc_compilation* compilation, size_t i, size_t k, lmc_note* out) {
  const lmc::Diagnostic* const d = lmc::c::diagnosticOf(compilation, i);
  if (d == nullptr || k >= d->notes.size()) return lmc::c::misuse("there is no such note");
  const lmc::Note& note = d->notes[k];
  lmc_note x = {};
  x.message = note.message.c_str();
  if (note.range) {
    x.source = note.range->source.c_str();
    x.begin = lmc::c::positionOf(note.range->begin);
    x.end = lmc::c::positionOf(note.range->end);
  }
  return lmc::c::give(out, x);
}

const char* lmc_compilation_format(const lmc_compilation* compilation, int color) {
  return compilation != nullptr ? compilation->compilation.format(color != 0).c_str() : "";
}
