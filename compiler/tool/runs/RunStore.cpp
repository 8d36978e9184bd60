#include "tool/runs/RunStore.h"

#include "base/BuildId.h"
#include "base/Files.h"
#include "jit/Key.h"
#include "jit/Stored.h"
#include "runtime/mass/ConstraintRows.h"
#include "runtime/mass/MassCheck.h"
#include "runtime/ranges/RangeCheck.h"
#include "tool/runs/RunArchive.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

// --- how each structure is written; a new member of one of them does not compile before it is added here ----------

namespace lmc::tool {

template <typename A> void archive(A& a, tape::Buffer& x) {
  auto& [name, role, offset, size, kept] = x;
  archiveAll(a, name, role, offset, size, kept);
}

template <typename A> void archive(A& a, tape::Instr& x) {
  auto& [op, type, result, imm, real, args, buffer, buffers, block] = x;
  archiveAll(a, op, type, result, imm, real, args, buffer, buffers, block);
}

template <typename A> void archive(A& a, tape::Block& x) {
  archive(a, x.code);
}

template <typename A> void archive(A& a, tape::Function& x) {
  auto& [name, arguments, blocks, values, part, inner, notes, scratchNames] = x; // the last two are for readers
  archiveAll(a, name, arguments, blocks, values, part, inner);
}

template <typename A> void archive(A& a, tape::Module& x) {
  auto& [buffers, roleSize, functions, step] = x;
  for (std::int64_t& size : roleSize) archive(a, size);
  archiveAll(a, buffers, functions, step);
}

template <typename A> void archive(A& a, runtime::Field& x) {
  auto& [name, extents, first, rank, role, offset, kind, written, of, comment] = x;
  archiveAll(a, name, extents, first, rank, role, offset, kind, written, of, comment);
}

template <typename A> void archive(A& a, runtime::Functions& x) {
  auto& [setup, observe, events, field, energy, step, series, trial, begin, start, ticks, contacts, resets] = x;
  archiveAll(a, setup, observe, events, field, energy, step, series, trial, begin, start, ticks, contacts, resets);
}

template <typename A> void archive(A& a, runtime::EventRule& x) {
  auto& [direction, rate, goesOn, reset, cause, contact] = x;
  archiveAll(a, direction, rate, goesOn, reset, cause, contact);
}

template <typename A> void archive(A& a, runtime::ContactRule& x) {
  auto& [name, normal, slip, tangents, mode, memory, speed, impulse, friction, size, restitution, coefficient, rest] =
      x;
  archiveAll(a, name, normal, slip, tangents, mode, memory, speed, impulse, friction, size, restitution, coefficient,
             rest);
}

template <typename A> void archive(A& a, runtime::ContactRules& x) {
  auto& [list, rows, columns, velocities, value, rate, bias, jacobian, response, free, stateSize, sequential, poisson] =
      x;
  archiveAll(a, list, rows, columns, velocities, value, rate, bias, jacobian, response, free, stateSize, sequential,
             poisson);
}

template <typename A> void archive(A& a, runtime::Tick& x) {
  auto& [name, reset, interval, first] = x;
  archiveAll(a, name, reset, interval, first);
}

template <typename A> void archive(A& a, runtime::ErrorControl& x) {
  auto& [pieces, errors, sizes, rates, changes, order, highest, controller, safety, tolerances, perTrial, ofBegin,
         ofStart] = x;
  archiveAll(a, pieces, errors, sizes, rates, changes, order, highest, controller, safety, tolerances, perTrial,
             ofBegin, ofStart);
}

template <typename A> void archive(A& a, runtime::TriedMethod& x) {
  auto& [name, operations, why] = x;
  archiveAll(a, name, operations, why);
}

template <typename A> void archive(A& a, runtime::ChosenMethod& x) {
  auto& [accuracy, tolerance, expected, until, growth, doubt, tried] = x;
  archiveAll(a, accuracy, tolerance, expected, until, growth, doubt, tried);
}

/// What a problem points to, where it does.
template <typename A, typename T> void archiveShared(A& a, std::shared_ptr<const T>& x) {
  std::optional<T> own;
  if (x != nullptr) own = *x;
  archive(a, own);
  if (A::reads) x = own ? std::make_shared<const T>(std::move(*own)) : nullptr;
}

template <typename A> void archive(A& a, runtime::ConstraintRows& x) {
  auto& [module, rows, move, names, columns, inactive, numbers, nodes, blocks, nodeCount, blockCount, moved] = x;
  archiveAll(a, module, rows, move, names, columns, inactive, numbers, nodes, blocks, nodeCount, blockCount, moved);
}

template <typename A> void archive(A& a, runtime::MassCheck& x) {
  auto& [module, equation, product, names, factors, gauges, definite, varies, constrained, every, terms, off, rows,
         compiled] = x;
  auto& [function, ofProduct, ofRhs, steps] = compiled;
  archiveAll(a, module, equation, product, names, factors, gauges, definite, varies, constrained, every, terms, off);
  archiveAll(a, function, ofProduct, ofRhs, steps);
  archiveShared(a, rows);
}

template <typename A> void archive(A& a, runtime::RangeCheck::LookUp& x) {
  auto& [text, turns] = x;
  archiveAll(a, text, turns);
}

template <typename A> void archive(A& a, runtime::RangeCheck& x) {
  auto& [module, function, list] = x;
  archiveAll(a, module, function, list);
}

template <typename A> void archive(A& a, runtime::Problem& x) {
  auto& [model, method, code, codeKey, sizes, params, initialState, fields, rules, ticks, contacts, restoration,
         constants, functions, energyChanges, evaluations, estimatesError, exponentials, order, operationsPerStep,
         control, chosen, mass, ranges, contactSteps, timeFrom, timeTo, step, outputEvery, outputSteps, outputTimes,
         seed, undefinable] = x;
  for (std::int64_t& size : sizes) archive(a, size);
  archiveAll(a, model, method, codeKey, params, initialState, fields, rules, ticks, contacts, constants, functions,
             energyChanges, evaluations, estimatesError, exponentials, order, operationsPerStep, control, chosen,
             timeFrom, timeTo, step, outputEvery, outputSteps, outputTimes, seed, undefinable);
  // No run with contactSteps is kept: they stand for the model itself.
  archiveShared(a, mass);
  archiveShared(a, ranges);
}

template <typename A> void archive(A& a, Range& x) {
  auto& [source, begin, end] = x;
  archiveAll(a, source, begin, end);
}

template <typename A> void archive(A& a, Note& x) {
  auto& [message, range] = x;
  archiveAll(a, message, range);
}

template <typename A> void archive(A& a, Diagnostic& x) {
  auto& [code, severity, range, message, notes, suggestion] = x;
  archiveAll(a, code, severity, range, message, notes, suggestion);
}

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t runsPerFile = 8;

struct NamedText {
  std::string name, text;
};
template <typename A> void archive(A& a, NamedText& x) {
  archiveAll(a, x.name, x.text);
}

/// A file as it was read, by its hash.
struct KnownFile {
  std::string path, identity;
  bool there = false;
  jit::Digest digest{};

  [[nodiscard]] bool holds() const {
    const std::optional<std::string> now = readFile(path);
    return now.has_value() == there && (!now || digestOf(*now) == digest) && identityOf(path) == identity;
  }
  static jit::Digest digestOf(const std::string& text) {
    jit::Hash hash;
    hash.text(text);
    return hash.digest();
  }
};
template <typename A> void archive(A& a, KnownFile& x) {
  archiveAll(a, x.path, x.identity, x.there, x.digest[0], x.digest[1]);
}

struct KnownFolder {
  std::string path, extension;
  std::vector<std::string> files;

  [[nodiscard]] bool holds() const {
    const std::vector<fs::path> now = filesIn(path, extension);
    return std::equal(now.begin(), now.end(), files.begin(), files.end(),
                      [](const fs::path& x, const std::string& y) { return x.native() == y; });
  }
};
template <typename A> void archive(A& a, KnownFolder& x) {
  archiveAll(a, x.path, x.extension, x.files);
}

/// An entry of the cache.
struct Entry {
  jit::Digest question{};
  std::vector<KnownFile> files;
  std::vector<KnownFolder> folders;
  runtime::Problem problem;
  std::vector<Diagnostic> warnings;
  std::vector<NamedText> sources;

  /// True while the disk answers as it did.
  [[nodiscard]] bool holds() const {
    const auto good = [](const auto& known) { return known.holds(); };
    return std::all_of(folders.begin(), folders.end(), good) && std::all_of(files.begin(), files.end(), good);
  }
};
template <typename A> void archive(A& a, Entry& x) {
  archiveAll(a, x.question[0], x.question[1], x.files, x.folders, x.problem, x.warnings, x.sources);
}

/// All functions that a problem names; the loop over steps comes after them.
std::size_t functionsOf(const runtime::Problem& p) {
  runtime::Functions all = p.functions;
  all.step = -1;
  return static_cast<std::size_t>(all.last()) + 1;
}

/// All that decides what becomes of a model, but its files. A new member of one of these structures does not compile
/// before it is added here.
class Question {
public:
  Question(const std::string& file, const products::PipelineOptions& options) {
    hash_.text(buildId());
#if defined(__GLIBC__)
    hash_.text(gnu_get_libc_version()); // initial values are made by its functions
#endif
    jit::hashProcessor(hash_);
    const auto& [compilation, compile, method, seed, anyParameters, fixedSteps, presentZeros, liveInputs, pairLists,
                 codeKey,
                 limits] = options; // codeKey: of a run that goes on
    all(file, compilation, compile, method, seed, anyParameters, fixedSteps, presentZeros, liveInputs, pairLists);
  }

  [[nodiscard]] jit::Digest digest() const {
    return hash_.digest();
  }

private:
  template <typename... T> void all(const T&... x) {
    (add(x), ...);
  }

  void add(const std::string& x) {
    hash_.text(x);
  }
  void add(const fs::path& x) {
    hash_.text(x.native());
  }
  void add(const Plain auto& x) {
    hash_.add(x);
  }
  template <typename T> void add(const std::optional<T>& x) {
    hash_.add(x.has_value());
    if (x) add(*x);
  }
  template <typename A, typename B> void add(const std::pair<A, B>& x) {
    all(x.first, x.second);
  }
  template <typename T> void add(const std::vector<T>& x) {
    hash_.add(x.size());
    for (const T& element : x) add(element);
  }
  void add(const sema::Override& x) {
    const auto& [name, expression] = x;
    all(name, expression);
  }
  void add(const sema::CompilationOptions& x) {
    const auto& [libraryRoot, importPath, overrides, readFile, simulate, method, scene] = x; // readFile: there is none
    all(libraryRoot, importPath, overrides, simulate, method, scene);
  }
  void add(const jit::CompileOptions& x) {
    // Five say where to look, and how soon.
    const auto& [optimization, contract, link, useCache, cacheDirectory, lanes, tiers, keepIr, threads] = x;
    all(optimization, contract, link, lanes);
  }

  jit::Hash hash_;
};

} // namespace

RunStore::RunStore(const std::string& file, const products::PipelineOptions& options)
    : used_(options.compile.useCache && !options.compile.keepIr && options.codeKey.empty() &&
            !options.compilation.readFile && !buildId().empty()),
      compile_(options.compile), cache_(options.compile.cacheDirectory) {
  if (!used_) return;
  question_ = Question(file, options).digest();
  for (std::uint64_t k = 0; k < runsPerFile; ++k) {
    jit::Hash place;
    place.text("runs");
    place.text(file);
    place.text(options.compilation.libraryRoot.native());
    place.word(k);
    places_.push_back(place.digest());
  }
  place_ = static_cast<std::size_t>(question_[0] % runsPerFile);
}

bool RunStore::knowsFile() const {
  std::error_code ignored;
  return std::any_of(places_.begin(), places_.end(),
                     [&](const jit::Digest& place) { return fs::exists(cache_.pathOf(place), ignored); });
}

std::unique_ptr<PreparedRun> RunStore::find() const {
  if (!used_) return nullptr;
  const std::optional<std::string> bytes = cache_.find(places_[place_]);
  if (!bytes) return nullptr;
  ArchiveReader reader(*bytes);
  Entry entry;
  archive(reader, entry.question[0]);
  archive(reader, entry.question[1]);
  if (entry.question != question_) return nullptr;
  reader = ArchiveReader(*bytes);
  archive(reader, entry);
  if (reader.bad() || !reader.atEnd() || !entry.holds()) return nullptr;
  auto run = std::make_unique<PreparedRun>();
  run->problem = std::move(entry.problem);
  run->problem.code = jit::findCompiled(run->problem.codeKey, functionsOf(run->problem), compile_);
  if (run->problem.code == nullptr) return nullptr;
  for (NamedText& source : entry.sources) run->sources.add(std::move(source.name), std::move(source.text));
  for (Diagnostic& d : entry.warnings) {
    auto report = run->diagnostics.warning(d.code, d.range, std::move(d.message));
    for (Note& note : d.notes)
      note.range ? report.note(std::move(note.message), *note.range) : report.note(std::move(note.message));
    report.suggest(std::move(d.suggestion));
  }
  for (KnownFile& f : entry.files)
    if (f.there) run->files.push_back(std::move(f.path));
  return run;
}

void RunStore::keep(products::Pipeline& pipeline, const runtime::Problem& problem) const {
  if (!used_ || pipeline.diagnostics().hasErrors()) return;
  Entry entry;
  entry.question = question_;
  const FilesRead& read = pipeline.compilation().filesRead();
  for (const FilesRead::File& f : read.files)
    entry.files.push_back({f.path.native(), identityOf(f.path), f.text.has_value(),
                           f.text ? KnownFile::digestOf(*f.text) : jit::Digest{}});
  for (const FilesRead::Folder& f : read.folders) {
    entry.folders.push_back({f.path.native(), f.extension, {}});
    for (const fs::path& name : f.files) entry.folders.back().files.push_back(name.native());
  }
  entry.problem = problem;
  entry.warnings = pipeline.diagnostics().sorted();
  const Sources& sources = pipeline.sources();
  for (SourceId id = 0; id < sources.size(); ++id) entry.sources.push_back({sources[id].name(), sources[id].text()});
  ArchiveWriter writer;
  archive(writer, entry);
  cache_.store(places_[place_], writer.bytes);
}

} // namespace lmc::tool
