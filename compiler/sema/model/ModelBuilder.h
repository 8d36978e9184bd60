// From the tree of a model to the checked model.
#pragma once

#include "sema/joints/FormalJoint.h"
#include "sema/manifolds/Generator.h"
#include "sema/model/Members.h"
#include "sema/model/Model.h"
#include "sema/model/Scene.h"
#include "sema/session/Overrides.h"
#include "sema/values/Dependence.h"

#include "sym/derivatives/Derivative.h"

namespace lmc::sema {

struct FileColumn; // sema/session/TableFile.h
struct TableFile;
struct TableColumn; // sema/values/Table.h

/// Where a declared thing is kept: arrays by parts, one element per member.
struct Storage {
  ValueKind kind = ValueKind::Tensor;
  const Manifold* manifold = nullptr;
  ArrayTuple arrays;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> first = {}; ///< index of the first member, per extent; empty: 1
  std::optional<Frame> frame = {};      ///< of velocities and momenta
  bool mayHaveGaps = false;             ///< where one index moves the range of another, as in [i in 1..N, j in i+1..N]
  bool gaps = false;                    ///< some are; where they would be, values are zero
};

/// A declared name of a model. Its value is worked out when it is first asked for.
struct Symbol {
  enum class Kind : std::uint8_t { Parameter, Let, Factor, Velocity, State, Input, Discrete };
  enum class Stage : std::uint8_t { Untouched, Active, Done };
  Kind kind = Kind::Let;
  Stage stage = Stage::Untouched;
  std::string name;
  Range range;
  std::vector<const syntax::Statement*> statements; ///< several for a family of lets
  std::size_t index = 0;                            ///< of a factor, a state, a parameter, a discrete variable
  bool used = false;                                ///< some expression names it
  Value value;
  // while a family of lets is being defined
  Storage storage;
  const MemberClause* clause = nullptr;
};

/// Builds one model. It is the environment of the model's expressions and what they find around them.
class ModelBuilder final : public Environment, public Host {
public:
  /// `overrides` are null for models that are only checked.
  ModelBuilder(Session& session, const syntax::Declaration& declaration, SourceId source, Overrides* overrides);
  /// The model; null if it has errors (all reported). `joints`: receives how joints are called.
  std::unique_ptr<Model> build(std::vector<JointInstance>* joints = nullptr);
  /// Of a model that has been built without errors, by another builder: the Lagrangian with free rates of its points,
  /// and what it needs.
  AmbientModel buildAmbient();

  // Environment
  std::optional<Value> variable(const std::string& name, Range where) override;
  std::optional<FunctionRef> function(const std::string& name) override;
  void addVariables(std::vector<std::string>& names) const override;
  void addFunctions(std::vector<std::string>& names) const override;
  // Host
  void addConstraints(std::vector<std::string>& names) const override;
  std::optional<std::vector<std::string>> jointConstraints(const std::string& instance) const override;
  sym::Program* program() override { return &model_->program; }
  std::optional<Value> predefined(const std::string& name, Range where) override;
  std::optional<Value> prime(const Value& v, const syntax::Expr& e) override { return noteJumps(v, rateOf(v, e)); }
  [[nodiscard]] bool draws() const override { return draws_; }
  sym::Expr draw(bool uniform, const sym::Shape& shape, const LoopContext& loops) override;
  std::optional<Value> read(const std::string& file, Range where) override;
  void lookUp(const std::string& text, const LoopContext& loops, sym::Expr argument, sym::Expr first, sym::Expr last,
              sym::Expr disorder) override;
  std::optional<Value> momentum(const std::string& factor, Range where) override;
  std::optional<Value> velocity(const std::string& factor, Range where) override;
  [[nodiscard]] const Factor* rateOfMomentum(const Tuple& parts) const;
  std::optional<Value> multiplier(const std::string& constraint, Range where) override;
  std::optional<Value> reaction(const std::string& constraint, const std::string& factor, Range where) override;

private:
  struct PendingInitial { ///< a value of (members of) a State array, before other initial values are put in
    const sym::Array* state = nullptr;
    sym::Equation equation;
    Range range;
  };
  struct Clause { ///< a statement with its surrounding `for`s
    const syntax::Statement* statement = nullptr;
    Surroundings surroundings;
    const JointPart* joint = nullptr; ///< of a constraint of a joint: in which its equation is read
  };
  /// Statements by the names that they declare, in the order in which these come first.
  using Declared = std::vector<std::pair<std::string, std::vector<Clause>>>;
  /// The statements of a name, which may be none yet.
  static std::vector<Clause>& named(Declared& all, const std::string& name);
  /// What an assignment writes: arrays by parts, with their names for messages.
  struct Place {
    ArrayTuple arrays;
    std::vector<Part> parts;
    std::vector<std::int64_t> extents;
    std::string what;                     ///< "a point of SO(3)", "`m`"
    std::optional<Expected> element = {}; ///< of which kind its elements are
    /// Whole numbers and truth values are kept as real numbers, the latter as 0 and 1.
    sym::Type type = sym::Type::Real;
  };
  using Emit = std::function<void(std::size_t part, sym::Equation)>;

  // collecting
  void buildPhase();
  void collect(const std::vector<syntax::StatementPtr>& body, const Surroundings& around, bool inside);
  void collectStatement(const syntax::Statement& s, const Surroundings& around, bool inside);
  void collectPhase(const syntax::Statement& s);
  void collectFor(const syntax::Statement& s, const Surroundings& around);
  void declare(Symbol::Kind kind, const syntax::Statement& s, const std::string& name, Range range,
               std::size_t index = 0);
  void useJoint(const syntax::Statement& s, const Surroundings& around);
  void declareFunction(const syntax::Statement& s);
  void unsupported(const syntax::Statement& s, const std::string& what);
  void warnShadow(const std::string& name, Range range);
  bool once(const syntax::Statement*& slot, const syntax::Statement& s, const std::string& what);
  // elaboration of names
  void elaborate(Symbol& symbol);
  Value cycle(Symbol& symbol, Range where);
  void elaborateParameter(Symbol& symbol);
  void elaborateConstant(Symbol& symbol, sym::Type type);
  std::optional<Value> rateOf(const Value& v, const syntax::Expr& e);
  /// The rate of something with kinks (interpolated linearly) jumps: what reads it is found by the arrays it stands in.
  std::optional<Value> noteJumps(const Value& v, std::optional<Value> rate);
  /// True, and reported, if the equations that follow from an expression would lose the impulses at kinks.
  bool reportsKinks(sym::Expr value, bool kinksMatter, Range where, const std::string& what);
  const syntax::Expr* tableOf(const Symbol& symbol);
  bool elaborateTable(Symbol& symbol, const syntax::Expr& file);
  TableColumn columnOf(const Symbol& symbol, const TableFile& file, FileColumn& c);
  Value rowsOf(const std::shared_ptr<const Table>& table);
  void elaborateRealParameter(Symbol& symbol, const sym::Shape& shape);
  bool parameterValueIsKnown(const Symbol& symbol, const sym::Equation& equation, Range where);
  void elaborateInput(Symbol& symbol);
  struct InputSetting;
  void overrideInput(const Symbol& symbol, const Place& place, InputSetting& input);
  void fillInput(const Place& place, const InputSetting& input);
  void inputValues(Symbol& symbol, const Place& place, const sym::Array* value);
  void elaborateLet(Symbol& symbol);
  void elaborateSingleLet(Symbol& symbol);
  void elaborateLetFamily(Symbol& symbol);
  bool defineLetClause(Symbol& symbol, const MemberClause& clause);
  bool familyExtents(const Symbol& symbol, const std::vector<MemberClause>& clauses, Storage& storage);
  Value ownMember(Symbol& symbol, const std::vector<sym::Expr>& at, Range where);
  Value inlineFamily(const MemberClause& clause, const Value& v, const Storage& storage);
  std::optional<Value> typed(const syntax::Type& type, const Value& v, const syntax::Expr& e, const Context& c);
  // factors and states
  void makeFactor(const syntax::Statement& s);
  void makeState(const syntax::Statement& s);
  std::optional<std::vector<std::int64_t>> extentsOf(const syntax::Target& target, bool one);
  /// Reports a family that no machine has room for.
  bool fewMembers(const std::vector<std::int64_t>& extents, const std::string& name, Range range);
  ArrayTuple stateArrays(const std::string& name, const std::vector<Part>& parts,
                         const std::vector<std::int64_t>& extents);
  void defineUsedVelocity(Factor& f);
  void defineRate(Factor& f);
  /// The group G of the type dual(G); null and a diagnostic if it is none.
  const FoundManifold* dualOf(const syntax::Type& type);
  void seedTangent(const Factor& f);
  void seedAcceleration(std::size_t factor);
  void seedFlow(std::size_t state);
  ArrayTuple rateArrays(const ArrayTuple& arrays);
  Value valueOf(const Storage& storage) const;
  // dynamics
  void buildLagrangian();
  void buildHamiltonian();
  bool checkFormulation();
  void buildDissipations();
  void buildForces();
  void forceOn(const Clause& c);
  void forceAt(const Clause& c);
  void buildFlows();
  void flowOf(StateVariable& v);
  /// What a name like `w`, of a part or of several that make an element, chooses; all of it without a name.
  struct Chosen {
    Place place;
    std::size_t first = 0; ///< the first part
    bool whole = true;     ///< all parts
  };
  /// Reports a name that is none. `place` may be without arrays.
  std::optional<Chosen> choose(const Place& place, const std::string& part, Range range);
  void buildObservables();
  bool observeMember(const std::string& name, const MemberClause& m, const Storage& storage, ArrayTuple& arrays,
                     const std::string& what);
  std::vector<Observable> observe(const std::string& name, std::vector<Clause>& clauses, const std::string& what);
  void buildEvents();
  void rateOf(Event& event);
  // discrete variables and resets
  void buildDiscretes();
  void elaborateDiscrete(Symbol& symbol);
  void discreteInitials();
  [[nodiscard]] Place placeOf(const DiscreteVariable& variable) const;
  // What initial values and resets write.
  [[nodiscard]] static Place pointOf(const Factor& f);
  [[nodiscard]] static Place fiberOf(const Factor& f);
  [[nodiscard]] Place placeOf(const StateVariable& z);
  struct ResetBlock;
  bool checkBlocks(const std::vector<Clause>& clauses);
  void resetsOfEvent(Event& event, const std::vector<Clause>& clauses);
  void resetsOf(const syntax::Statement& block, const MemberClause& around, sym::Expr number, ResetBlock& resets);
  void resetOf(const syntax::Statement& s, const MemberClause& around, bool family, ResetBlock& resets);
  bool membersWriteApart(const ResetBlock& resets);
  std::optional<Place> resetPlace(const syntax::Statement& s);
  std::vector<ResetValue> finish(const ResetBlock& resets);
  void buildSamplings();
  /// Random numbers of a block of `every`: each time others, from a generator that is a part of the state.
  struct Noise {
    const sym::Array* state = nullptr; ///< of the generator; null: nothing has been drawn
    sym::Expr last;                    ///< its state behind the numbers so far
    std::string name;
    Range range;
  };
  sym::Expr drawNoise(bool uniform, const sym::Shape& shape, const std::vector<std::int64_t>& extents,
                      const std::vector<sym::Expr>& index);
  void addGenerator(Noise& noise);
  const sym::Array* timeSetting(const syntax::Expr& e, const std::string& what);
  // constraints
  /// Where a value of a constraint is shown: of a joint of the library at the instance.
  [[nodiscard]] const syntax::Expr& shown(const syntax::ExprPtr& value, const JointPart* joint) const;
  [[nodiscard]] static const std::string& constraintWhat();
  [[nodiscard]] static const std::string& eventWhat();
  /// All of them, when one is first asked for.
  void buildConstraints();
  void constraintOf(const std::string& name, const std::vector<Clause>& clauses);
  bool conditionOf(Constraint& c, std::vector<Clause> clauses);
  std::vector<JointInstance> jointCalls();
  Constraint* constraintNamed(const std::string& name);
  [[nodiscard]] bool isConstraint(const std::string& name) const;
  // contacts
  struct ContactParts;
  void buildContacts();
  void contactOf(const std::string& name, const std::vector<Clause>& clauses);
  bool readContact(const std::string& name, const std::vector<Clause>& clauses, ContactParts& parts);
  std::optional<Observable> contactNumber(const std::string& name, std::vector<Clause> clauses, unsigned wrong);
  bool gapOf(const std::string& name, ContactParts& parts, Constraint& gap, Contact& contact);
  bool lawsOf(const std::string& name, ContactParts& parts, Contact& contact);
  bool slipOf(const std::string& name, ContactParts& parts, Constraint& slip);
  bool isWrongLaw(const std::string& key, const syntax::Expr& e);
  bool isNoSlip(sym::Expr value, const syntax::Expr& e);
  bool hasNoVelocities(Range contact);
  [[nodiscard]] bool stepsContacts();
  void steppedContact(const std::string& name, const std::vector<Clause>& clauses);
  sym::Expr steppedValue(const Clause& c, const MemberClause& member, unsigned wrong, int mostEntries);
  void contactState(Contact& contact, Constraint& gap, Constraint* slip);
  void contactEvents(std::size_t contact);
  const sym::Array* contactMemory(const std::string& name, const Constraint& gap, const sym::Shape& shape, bool shown);
  [[nodiscard]] bool isContact(const std::string& name) const;
  [[nodiscard]] static bool hasSlip(const syntax::Statement& contact);
  void buildAdjust();
  // pictures
  void buildScene();
  void viewStatement(const syntax::Statement& s, SceneDescription& scene);
  void viewUp(const syntax::Statement& s, SceneDescription& scene);
  void viewShape(const syntax::Statement& s, const Drawing& drawing, SceneDescription& scene);
  std::optional<SceneArgument> viewArgument(const syntax::Statement& s, const Drawing::Argument& argument);
  void defaultShapes(const PhaseVariable& variable, SceneDescription& scene);
  void forceShapes(SceneDescription& scene);
  void trailShapes(SceneDescription& scene);
  int eventDirection(Clause& clause);
  bool refuse(sym::Expr e, const syntax::Expr& syntax, unsigned kinds, const std::string& what, Code code);
  std::optional<Range> blame(const syntax::Expr& e, unsigned kinds);
  // initial values
  void buildInitials();
  struct InitialSetting;
  Emit emitInitial(const InitialSetting& setting, std::size_t first, Range where);
  std::vector<const ParsedOverride*> takeEntries(InitialSetting& setting);
  void overrideInitials(InitialSetting& setting);
  std::optional<MemberClause> initialClause(const Clause& c, const InitialSetting& setting);
  void stateInitial(const Clause& c, InitialSetting& setting, std::vector<Coverage>& written);
  /// Without a manifold: of a discrete variable.
  void initialsOf(const std::string& name, const Place& place, bool point, const Manifold* manifold);
  void defaultInitials(const std::string& name, const Place& place, std::size_t part, const Coverage& coverage,
                       bool point, const Manifold* manifold);
  void orderInitials();
  sym::Expr withInitials(sym::Expr e);
  const sym::Array* copyWithInitials(const sym::Array* array);
  // the run
  void buildSimulation();
  void setting(const syntax::Setting& s);
  const sym::Array* settingValue(const std::string& key, const syntax::Expr& e);
  void toleranceSetting(const syntax::Expr& e);
  ToleranceSetting bounds(const syntax::Expr& e, const std::string& variable, std::vector<ToleranceSetting>* others);
  void unknownTolerance(const std::string& name, Range where, bool variables);
  [[nodiscard]] bool coverAll(const std::vector<ToleranceSetting>& list) const;
  void controllerSetting(const syntax::Expr& e);
  void normSetting(const syntax::Expr& e);
  void checkNorm();
  bool checkSetting(const std::string& key, sym::Expr value, const syntax::Expr& e);
  void impactSetting(const std::string& key, const syntax::Expr& e);
  void commandLineSettings();
  void checkTimes();
  void checkOverrides();
  void checkUnusedFunctions();

  // tools
  Context context(const Surroundings& around) { return Context{this, around.scope, &around.loops}; }
  Context topContext() { return Context{this, &emptyScope_, &noLoops_}; }
  std::optional<MemberClause> open(const syntax::Statement& s, const Surroundings& around,
                                   const std::vector<std::int64_t>& extents, const std::string& name);
  /// Members given one value or a list; emits one equation per part and clause.
  bool assignWhole(const Place& place, const syntax::Expr& e, const std::vector<std::vector<std::int64_t>>& except,
                   const Emit& emit);
  /// A value of a whole number or of a truth value as it is kept; empty and reported if it is none.
  sym::Expr keptNumber(sym::Type type, const Value& v, const syntax::Expr& e);
  bool assignMember(const Place& place, const syntax::Expr& e, const MemberClause& clause,
                    const std::vector<std::vector<std::int64_t>>& except, const Emit& emit);
  std::vector<std::vector<std::int64_t>> overriddenMembers(const std::vector<const ParsedOverride*>& overrides) const;
  sym::Expr fromFile(const Value& v, const sym::Shape& shape, std::int64_t count, sym::Expr member);
  /// False, and reported, if an override names a part of something that has none.
  bool hasNoParts(const ParsedOverride& o);
  /// False, and reported, if an override's index is none of `extents`; `what` they are.
  bool checkOverrideIndex(const ParsedOverride& o, const std::vector<std::int64_t>& extents,
                          const char* what = "members");
  /// Puts an override of one entry into the value of a vector or matrix.
  void setEntry(sym::Expr& tensor, const ParsedOverride& o, const std::string& name);
  sym::Expr exceptGuard(const std::vector<sym::Expr>& index, const std::vector<std::vector<std::int64_t>>& except);
  MemberClause memberClause(const std::vector<std::int64_t>& index, Range range);
  const sym::Array* temp(const std::string& name, const std::vector<std::int64_t>& extents, const sym::Shape& shape);
  Symbol* find(const std::string& name);
  std::vector<const ParsedOverride*> overridesOf(const std::string& name);
  Factor* factorNamed(const std::string& name);

  Session& s_;
  sym::Graph& g_;
  const syntax::Declaration& declaration_;
  SourceId source_;
  Overrides* overrides_;
  std::unique_ptr<Model> model_;
  ExpressionEvaluator evaluator_;
  Dependence dependence_;
  sym::Tangent tangent_;
  const Scope emptyScope_;
  const LoopContext noLoops_;
  bool draws_ = false;
  Noise* noise_ = nullptr; ///< of the block of `every` that is read
  bool ambient_ = false;
  std::vector<ArrayTuple> freeRates_; ///< of the factors of an ambient model

  std::vector<std::unique_ptr<Symbol>> symbols_; ///< in order of declaration
  std::map<std::string, Symbol*> byName_;
  std::map<std::string, const syntax::Statement*> functions_;
  std::vector<Symbol*> active_; ///< being elaborated, outermost first
  std::vector<std::unique_ptr<Scope>> scopes_;

  const syntax::Statement* lagrangian_ = nullptr;
  const syntax::Statement* hamiltonian_ = nullptr;
  const syntax::Statement* simulate_ = nullptr;
  const syntax::Statement* view_ = nullptr;
  std::vector<const syntax::Statement*> dissipations_;
  std::vector<const syntax::Statement*> configs_;
  std::vector<const syntax::Statement*> phase_; ///< config and state in order
  std::vector<const syntax::Statement*> adjusts_;
  std::vector<Clause> forces_, flows_, initials_, observes_, events_, constraints_, contacts_;
  std::vector<const syntax::Statement*> samplings_;
  std::map<std::string, sym::Type> discreteTypes_; ///< of whole numbers and truth values
  bool constraintsBuilt_ = false;
  std::deque<JointPart> jointParts_;
  std::map<std::string, const syntax::Statement*> instances_; ///< of joints, by name: where they are first used
  std::map<std::string, const syntax::Declaration*> jointOf_; ///< the joint that an instance is of
  std::set<std::string> brokenInstances_;                     ///< with errors that were reported
  std::deque<syntax::Statement> madeStatements_; ///< of events, without rising(…) and falling(…); of constraints, as
                                                 ///< one value; initial values of discrete variables
  std::deque<syntax::Statement> viewStatements_; ///< `observe NAME.ARGUMENT = …` of each argument of a shape
  std::vector<syntax::ExprPtr> commandLine_;
  std::vector<PendingInitial> pending_;
  std::unordered_set<const sym::Array*> jumping_; ///< rates of what has kinks
  std::set<std::tuple<const sym::Node*, const sym::Node*, const sym::Node*>>
      lookedUp_;                                                       ///< argument, first node, disorder
  std::unordered_map<const sym::Array*, const sym::Array*> initialOf_; ///< State array -> its initial value
  std::unordered_map<const sym::Array*, const sym::Array*> copies_;
};

} // namespace lmc::sema
