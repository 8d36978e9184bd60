/// @file
/// From the text of a model to machine code.
#pragma once

#include "lmc/Diagnostic.hpp"
#include "lmc/Error.hpp"
#include "lmc/Model.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace lmc {
LMC_INLINE namespace v1 {

  /// How a model is compiled. All of it may be left as it is.
  struct Options {
    /// The method of the steps, "NAME" or "NAME(theta = 0.5)" as in `simulate`; wins over the model's. A model without
    /// a method, here and in its text, can be evaluated but not stepped.
    std::optional<std::string> method;
    /// NAME and EXPR of `--set NAME=EXPR`: parameters, sizes, inputs, initial values. Real parameters and inputs can be
    /// changed later in a Workspace, and so can the state; `int` sizes only here.
    std::vector<std::pair<std::string, std::string>> set;
    /// Of random numbers in parameters and initial values; wins over the model's.
    std::optional<std::uint64_t> seed;

    std::optional<double> timeFrom;        ///< wins over the begin of `time` in `simulate`; with `timeTo`
    std::optional<double> timeTo;          ///< wins over the end of `time`; with `timeFrom`
    std::optional<double> step;            ///< wins over `step`
    std::optional<double> tolerance;       ///< wins over `tolerance`, absolute and relative
    std::optional<std::string> controller; ///< of adaptive steps: wins over `controller`
    bool fixedSteps = false;               ///< as `--tolerance none`: no adaptive steps whatever the model says

    /// Folders in which imports are looked for after the importing file's own.
    std::vector<std::string> importPath;
    /// Texts of imports and of `read("…")` files by their path, instead of the disk; nothing when there is none. The
    /// path is that of the import joined to the folder of the importing text. It may be called from within the compile
    /// call only; what it throws passes through.
    std::function<std::optional<std::string>(const std::string& path)> resolve;
    /// The folder of the standard library (it holds stdlib/ and runtime/); empty: $LMC_HOME, the installation's, or the
    /// source tree.
    std::string libraryRoot;

    /// Look for machine code on disk first, and keep what is made. What is found is executed: a folder that does not
    /// belong to the user of the process, or that others can write, is not used.
    bool useCache = true;
    std::string cacheFolder; ///< empty: $LMC_CACHE_DIR, else $XDG_CACHE_HOME/lmc, else ~/.cache/lmc
    int optimization = 2;    ///< 0…3
    /// Entries of vector and matrix parameters that are zero now (a diagonal inertia) may be compiled in. Steps are
    /// then faster, and Workspace::set refuses other values than zero for these entries.
    bool keepZeros = false;
    /// Somebody else has written the model: `import` and `read` find files below its folder only (that of the path or
    /// name it is compiled by; links are followed), messages do not show what is in data files, the cache is neither
    /// read nor written, and compilation is limited.
    bool untrusted = false;

    // What compiling may take; an error of the text, at the place that costs, where it takes more. 0: no limit. What
    // is compiled later for a Model (other steps, derivatives) counts, too.
    double limitSeconds = 300;            ///< of processor time
    std::int64_t limitNodes = 40'000'000; ///< operations in expressions and code
    std::int64_t limitMegabytes = 8192;   ///< by which the process grows
    /// Asked many times a second, on the thread that compiles; true ends the compilation with an error of the text.
    /// What it throws passes through.
    std::function<bool()> cancel;
  };

  /// One text of a model that is made of several.
  struct Source {
    std::string name; ///< the path by which others import it
    std::string text; ///< its content, UTF-8
  };

  /// What came of compiling: a model, or errors; warnings in both cases.
  struct Compilation {
    std::optional<Model> model;          ///< empty when there are errors
    std::vector<Diagnostic> diagnostics; ///< in the order of the text

    /// Whether there is a model.
    explicit operator bool() const noexcept { return model.has_value(); }
    /// The text of all diagnostics as the tool prints them, with the closing line; empty when there are none.
    [[nodiscard]] const std::string& format(bool color = false) const noexcept { return color ? colored : plain; }

    std::string plain;   ///< what `format` returns
    std::string colored; ///< what `format` returns with colours
  };

  /// Compiles the first model of a file.
  ///
  /// Errors in the text (and a file that cannot be read) are diagnostics of the result. Nothing is printed. Any number
  /// of threads may compile at once. Throws Error of kind Misuse for options that make no sense (a step that is not
  /// finite, one end of the time without the other), Installation or Internal.
  [[nodiscard]] LMC_API Compilation compileFile(const std::string& path, const Options& options = {});

  /// The same for a text in memory. `name` stands for its path: in diagnostics, and for imports beside it.
  [[nodiscard]] LMC_API Compilation compileText(const std::string& name, const std::string& text,
                                                const Options& options = {});

  /// The same for several texts in memory, the main one first. They import each other by their names; what is not among
  /// them is asked for from `resolve`, or read from disk when there is none. Throws Error of kind Misuse without texts.
  [[nodiscard]] LMC_API Compilation compileSources(const std::vector<Source>& sources, const Options& options = {});

} // namespace v1
} // namespace lmc
