// What the parts of one compilation share, and what an expression finds around it.
#pragma once

#include "sema/session/Library.h"

#include <memory>

namespace lmc::sema {

class Environment;
class ManifoldSource;
class Session;

/// A declared function and the place where the names of its body are looked up.
struct FunctionRef {
  const syntax::Statement* statement = nullptr;
  Environment* home = nullptr;
};

/// The named things around an expression, outside of its own binders.
class Environment {
public:
  virtual ~Environment() = default;
  /// The value of a name; nothing if it is not declared here.
  virtual std::optional<Value> variable(const std::string& name, Range where) = 0;
  virtual std::optional<FunctionRef> function(const std::string& name) = 0;
  /// The group that a parameter of the declaration stands for; null if the name is none.
  virtual const Manifold* groupParameter(const std::string&) const { return nullptr; }
  /// Appends the names that can be used here, for suggestions.
  virtual void addVariables(std::vector<std::string>& names) const = 0;
  virtual void addFunctions(std::vector<std::string>& names) const = 0;
};

/// The functions of the user's files and of the library, as seen from one file.
class FileEnvironment final : public Environment {
public:
  FileEnvironment(Session& session, SourceId source) : session_(session), source_(source) {}
  std::optional<Value> variable(const std::string&, Range) override { return std::nullopt; }
  std::optional<FunctionRef> function(const std::string& name) override;
  void addVariables(std::vector<std::string>&) const override {}
  void addFunctions(std::vector<std::string>& names) const override;

private:
  Session& session_;
  SourceId source_;
};

/// The services of one compilation.
class Session {
public:
  Session(const CompilationOptions& options, Sources& sources, Diagnostics& diagnostics, sym::Graph& graph,
          Library& library, bool (*isBuiltin)(std::string_view name));
  ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The environment of top-level declarations of a file.
  FileEnvironment& file(SourceId source);

  const CompilationOptions& options;
  Sources& sources;
  Diagnostics& diagnostics;
  sym::Graph& graph;
  Library& library;
  bool (*const isBuiltin)(std::string_view name); ///< whether the language itself has a function of this name
  ManifoldSource* manifolds = nullptr;            ///< of the same compilation

private:
  std::map<SourceId, std::unique_ptr<FileEnvironment>> files_;
};

/// What the construct around an expression offers: a program for sums, a meaning of x', random numbers, ….
class Host {
public:
  virtual ~Host() = default;
  /// Where sums and families become equations; null: everything is unrolled.
  virtual sym::Program* program() { return nullptr; }
  /// A predefined name that depends on the construct (t, energy).
  virtual std::optional<Value> predefined(const std::string& name, Range where);
  /// The time derivative of a value; nothing if the construct knows no time derivatives. `e` is the primed operand.
  virtual std::optional<Value> prime(const Value& v, const syntax::Expr& e);
  /// True where random numbers may be drawn (param, initial).
  virtual bool draws() const { return false; }
  /// A fresh random number (or vector of them), standard normal or uniform on (0, 1); empty where there are none.
  virtual sym::Expr draw(bool uniform, const sym::Shape& shape, const LoopContext& loops);
  /// The contents of a data file; nothing where files cannot be read.
  virtual std::optional<Value> read(const std::string& file, Range where);
  /// Notes that data choose a row of a table by `argument`, which is to stay within first … last. `disorder`, which may
  /// be empty, counts nodes that are not above the one before.
  virtual void lookUp(const std::string& text, const LoopContext& loops, sym::Expr argument, sym::Expr first,
                      sym::Expr last, sym::Expr disorder);
  /// momentum(q) of the factor of that name; nothing if there is no such factor.
  virtual std::optional<Value> momentum(const std::string& factor, Range where);
  /// velocity(q), the same.
  virtual std::optional<Value> velocity(const std::string& factor, Range where);
  /// multiplier(c) of the constraint of that name, reaction(c, q) on a factor; nothing if there is none of the name.
  virtual std::optional<Value> multiplier(const std::string& constraint, Range where);
  virtual std::optional<Value> reaction(const std::string& constraint, const std::string& factor, Range where);
  virtual void addConstraints(std::vector<std::string>& names) const;
  /// The constraints of an instance of a joint; nothing if there is none of the name, empty if it has errors.
  virtual std::optional<std::vector<std::string>> jointConstraints(const std::string& instance) const;
};

} // namespace lmc::sema
