#include "checks/laws/elements/Operations.h"

#include "mechanics/system/Geometry.h"

#include <algorithm>
#include <stdexcept>

namespace lmc::laws {

struct Operations::Symbolic {
  std::vector<std::vector<sema::Part>> parts; ///< of each argument
  std::vector<Arrays> arguments;
  sema::Tuple value;
};

struct Operations::Random {
  std::vector<bool> uniform; ///< of each number that is drawn
  std::unique_ptr<NumericFunction> value;
};

namespace {

/// Collects the random numbers that an expression draws, as arrays.
class DrawHost final : public sema::Host {
public:
  explicit DrawHost(sym::Graph& graph) : graph_(graph) {}
  [[nodiscard]] bool draws() const override { return true; }
  sym::Expr draw(bool isUniform, const sym::Shape& shape, const sema::LoopContext&) override {
    arrays.push_back(graph_.newArray("draw", {}, shape, sym::Role::Random));
    uniform.insert(uniform.end(), static_cast<std::size_t>(shape.size()), isUniform);
    return graph_.load(arrays.back());
  }
  Arrays arrays;
  std::vector<bool> uniform;

private:
  sym::Graph& graph_;
};

std::vector<sema::Tuple> loadsOf(sym::Graph& g, const std::vector<Arrays>& arguments) {
  std::vector<sema::Tuple> list;
  for (const Arrays& a : arguments) list.push_back(sema::loads(g, a, {}));
  return list;
}

std::vector<Arrays> fresh(sym::Graph& g, const std::vector<std::vector<sema::Part>>& parts) {
  std::vector<Arrays> list;
  for (const std::vector<sema::Part>& p : parts) list.push_back(sema::dummies(g, p, "x"));
  return list;
}

/// The derivative of `value` along `direction` of the arrays of one argument.
sema::Tuple along(sym::Program& p, const sema::Tuple& value, const Arrays& argument, const Arrays& direction) {
  sym::Graph& g = p.graph();
  return sema::directional(p, value, argument, sema::loads(g, direction, {}), sema::loads(g, argument, {}));
}

std::vector<Vector> joined(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  std::vector<Vector> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

std::vector<Arrays> joined(const std::vector<Arrays>& a, const std::vector<Arrays>& b) {
  std::vector<Arrays> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

} // namespace

Operations::Operations(sym::Graph& graph, const sema::DeclaredManifold& manifold)
    : g_(graph), program_(graph), manifold_(manifold) {}
Operations::~Operations() = default;

namespace {
/// "derived exp": what follows from a basis or from factors, whatever the clause `exp` says.
std::optional<std::string> derivedName(const std::string& operation) {
  const std::string mark = "derived ";
  return operation.starts_with(mark) ? std::optional(operation.substr(mark.size())) : std::nullopt;
}
} // namespace

std::vector<std::vector<sema::Part>> Operations::arguments(const std::string& operation) const {
  if (const auto name = derivedName(operation)) return arguments(*name);
  if (operation == "holds") return {manifold_.point()};
  for (const sema::ClauseSignature& s : sema::clauseSignatures(manifold_.isGroup())) {
    if (s.name != operation) continue;
    std::vector<std::vector<sema::Part>> list;
    for (const sema::ClauseKind kind : s.args) {
      const bool ofGroup = operation == "action" && list.empty();
      if (kind == sema::ClauseKind::Vector)
        list.push_back({sema::Part{"x", sym::Shape::vec(manifold_.actsOn().value_or(1))}});
      else
        list.push_back(kind == sema::ClauseKind::Algebra ? manifold_.algebra()
                       : ofGroup                         ? manifold_.group().point()
                                                         : manifold_.point());
    }
    return list;
  }
  const auto& functions = manifold_.functions();
  const auto f = functions.find(operation);
  if (f == functions.end()) return {};
  return {f->second->params.size(), manifold_.algebra()};
}

std::optional<sema::Tuple> Operations::apply(const std::string& operation,
                                             const std::vector<sema::Tuple>& arguments) const {
  if (operation == "holds") {
    sema::Tuple differences;
    for (const sema::HeldEquation& h : manifold_.holds(arguments[0])) differences.push_back(g_.sub(h.left, h.right));
    if (differences.empty()) return std::nullopt;
    return differences;
  }
  if (const auto name = derivedName(operation)) return manifold_.derived(*name, arguments);
  for (const sema::ClauseSignature& s : sema::clauseSignatures(manifold_.isGroup()))
    if (s.name == operation) return manifold_.apply(operation, arguments);
  return manifold_.retraction(operation, arguments);
}

const Operations::Symbolic* Operations::symbolic(const std::string& operation) {
  const auto found = symbolic_.find(operation);
  if (found != symbolic_.end()) return found->second.get();
  auto s = std::make_unique<Symbolic>();
  s->parts = arguments(operation);
  s->arguments = fresh(g_, s->parts);
  auto value = apply(operation, loadsOf(g_, s->arguments));
  if (value) s->value = std::move(*value);
  if (!value) s.reset();
  return (symbolic_[operation] = std::move(s)).get();
}

bool Operations::has(const std::string& operation) {
  return symbolic(operation) != nullptr;
}

const Operations::Symbolic& Operations::known(const std::string& operation) {
  const Symbolic* s = symbolic(operation);
  if (s == nullptr) throw std::logic_error("the manifold has no operation `" + operation + "`");
  return *s;
}

Vector Operations::value(const std::string& operation, const std::vector<Vector>& arguments) {
  auto& f = numeric_[operation].value;
  if (!f) {
    const Symbolic& s = known(operation);
    f = std::make_unique<NumericFunction>(program_, s.arguments, s.value);
  }
  return (*f)(arguments);
}

Vector Operations::derivative(const std::string& operation, const std::vector<Vector>& arguments,
                              const std::vector<Vector>& directions) {
  auto& f = numeric_[operation].derivative;
  if (!f) {
    const Symbolic& s = known(operation);
    const std::vector<Arrays> d = fresh(g_, s.parts);
    sema::Tuple sum;
    for (std::size_t k = 0; k < d.size(); ++k) {
      const sema::Tuple term = along(program_, s.value, s.arguments[k], d[k]);
      sum = sum.empty() ? term : sema::add(g_, sum, term);
    }
    f = std::make_unique<NumericFunction>(program_, joined(s.arguments, d), sum);
  }
  return (*f)(joined(arguments, directions));
}

Vector Operations::mixedDerivative(const std::string& operation, const std::vector<Vector>& arguments,
                                   const std::vector<Vector>& directions) {
  auto& f = numeric_[operation].mixed;
  if (!f) {
    const Symbolic& s = known(operation);
    const std::vector<Arrays> d = fresh(g_, s.parts);
    const sema::Tuple first = along(program_, s.value, s.arguments[0], d[0]);
    f = std::make_unique<NumericFunction>(program_, joined(s.arguments, d),
                                          along(program_, first, s.arguments[1], d[1]));
  }
  return (*f)(joined(arguments, directions));
}

Matrix Operations::jacobian(const std::string& operation, const std::vector<Vector>& arguments, std::size_t argument) {
  std::vector<Vector> directions;
  for (const Vector& a : arguments) directions.emplace_back(Vector::Zero(a.size()));
  Vector& d = directions[argument];
  Matrix columns;
  for (Eigen::Index k = 0; k < d.size(); ++k) {
    d.setZero();
    d(k) = 1;
    const Vector column = derivative(operation, arguments, directions);
    if (k == 0) columns.resize(column.size(), d.size());
    columns.col(k) = column;
  }
  return columns;
}

void Operations::prepareRandom() {
  random_ = std::make_unique<Random>();
  DrawHost host(g_);
  const auto value = manifold_.evaluate("random", {}, host, sema::LoopContext());
  if (!value) throw std::logic_error("the manifold has no operation `random`");
  random_->uniform = host.uniform;
  random_->value = std::make_unique<NumericFunction>(program_, std::vector<Arrays>{host.arrays}, *value);
}

Vector Operations::random(Engine& engine) {
  if (!random_) prepareRandom();
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Vector draws(static_cast<Eigen::Index>(random_->uniform.size()));
  for (Eigen::Index k = 0; k < draws.size(); ++k)
    draws(k) = random_->uniform[static_cast<std::size_t>(k)] ? uniform(engine) : normal(engine);
  return (*random_->value)({draws});
}

} // namespace lmc::laws
