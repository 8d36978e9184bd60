// A group's basis read from its declaration, and what must follow from the clauses of any group.
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/manifolds/Manifolds.h"
#include "sym/Constant.h"

#include <algorithm>
#include <cmath>

namespace lmc::sema {

using sym::Expr;

namespace {

std::string ordinal(std::size_t k) {
  return std::to_string(k + 1);
}

/// Calls `visit` for each combination of the binders' values; false when a bound is no constant (reported).
bool eachMember(ExpressionEvaluator& evaluator, const syntax::Statement& s, std::size_t binder, const Context& c,
                const std::function<bool(const Context&)>& visit) {
  if (binder == s.target.binders.size()) return visit(c);
  const syntax::Binder& b = s.target.binders[binder];
  const auto bound = [&](const syntax::Expr& e) {
    return evaluator.constant(evaluator.evaluate(e, c), e, "the bound of a range of basis matrices",
                              std::numeric_limits<std::int32_t>::min());
  };
  const auto lo = bound(*b.lo);
  const auto hi = bound(*b.hi);
  if (!lo || !hi) return false;
  for (std::int64_t k = *lo; k <= *hi; ++k) {
    Scope scope(c.scope);
    scope.bind(b.name, Value::tensor(evaluator.session().graph.integer(k)));
    if (!eachMember(evaluator, s, binder + 1, Context{c.env, &scope, c.loops}, visit)) return false;
  }
  return true;
}

/// `[A, B]`, but not `[[0, -1], [1, 0]]`, which is one matrix.
bool isListOfMatrices(const syntax::Expr& e) {
  if (e.kind != syntax::ExprKind::List || e.args.empty()) return false;
  const syntax::Expr& first = *e.args.front();
  const bool row =
      first.kind == syntax::ExprKind::List && !first.args.empty() && first.args.front()->kind != syntax::ExprKind::List;
  return !row;
}

} // namespace

bool DeclaredManifold::readBasisStatement(const syntax::Statement& s, int rows, std::vector<ConstantMatrix>& matrices,
                                          std::vector<Range>& places) {
  if (!s.value) return false;
  if (s.hasParams) {
    session_.diagnostics.error(Code::LIE0155, s.target.range, "`basis` has no parameters");
    return false;
  }
  Host none;
  ExpressionEvaluator evaluator(session_, *this, none);
  const auto one = [&](const syntax::Expr& e, const Context& c) {
    const Expr m = evaluator.tensor(evaluator.evaluate(e, c), e);
    if (!m) return false;
    if (m->shape != sym::Shape::mat(rows, rows)) {
      session_.diagnostics.error(Code::LIE0151, e.range,
                                 "a basis matrix has the shape of an element, " + point_[0].shape.text() +
                                     "; this is " + describe(m));
      return false;
    }
    auto numbers = sym::constantEntries(asReal(m));
    if (!numbers) {
      session_.diagnostics.error(Code::LIE0156, e.range, "a basis matrix is built from numbers alone");
      return false;
    }
    matrices.push_back(std::move(*numbers));
    places.push_back(e.range);
    if (static_cast<int>(matrices.size()) <= algebraSize()) return true;
    session_.diagnostics.error(Code::LIE0156, s.range,
                               "the basis has more matrices than the algebra has numbers, " +
                                   std::to_string(algebraSize()));
    return false;
  };
  const Scope scope;
  const LoopContext loops;
  return eachMember(evaluator, s, 0, Context{this, &scope, &loops}, [&](const Context& c) {
    if (!isListOfMatrices(*s.value)) return one(*s.value, c);
    const auto& list = s.value->args;
    return std::all_of(list.begin(), list.end(), [&](const syntax::ExprPtr& e) { return one(*e, c); });
  });
}

bool DeclaredManifold::readBasis() {
  const Range where = basisStatements_.front()->range;
  if (point_.empty() || algebra_.empty()) return true; // reported as missing
  const sym::Shape shape = point_[0].shape;
  if (point_.size() != 1 || shape.rank != 2 || shape.rows != shape.cols) {
    session_.diagnostics.error(Code::LIE0151, where,
                               "a basis is one of square matrices: the group has one `element`, a `mat(n,n)`");
    return false;
  }
  constexpr std::int64_t mostNumbers = 4'000'000;
  if (static_cast<std::int64_t>(shape.size()) * algebraSize() > mostNumbers) {
    session_.diagnostics.error(Code::LIE0156, found_.declaration->nameRange,
                               name_ + " is too large for a basis: " + std::to_string(algebraSize()) + " matrices of " +
                                   shape.text());
    return false;
  }
  std::vector<ConstantMatrix> matrices;
  std::vector<Range> places;
  for (const syntax::Statement* s : basisStatements_) {
    if (!readBasisStatement(*s, shape.rows, matrices, places)) return false;
  }
  const int n = algebraSize();
  if (static_cast<int>(matrices.size()) != n) {
    session_.diagnostics.error(Code::LIE0156, where,
                               "the algebra has " + counted(static_cast<std::size_t>(n), "number") + ", the basis " +
                                   (matrices.size() == 1 ? "1 matrix" : std::to_string(matrices.size()) + " matrices"));
    return false;
  }
  LinearFamily family(shape.rows, matrices);
  if (const auto k = family.dependent()) {
    session_.diagnostics.error(Code::LIE0156, places[static_cast<std::size_t>(*k)],
                               "basis matrix " + ordinal(static_cast<std::size_t>(*k)) +
                                   " is a combination of those before it");
    return false;
  }
  if (const auto pair = family.unclosed()) {
    const auto [i, j] = *pair;
    session_.diagnostics
        .error(Code::LIE0156, where,
               "the basis spans no Lie algebra: the commutator of its matrices " +
                   ordinal(static_cast<std::size_t>(i)) + " and " + ordinal(static_cast<std::size_t>(j)) +
                   " is not in the span")
        .note("matrix " + ordinal(static_cast<std::size_t>(i)), places[static_cast<std::size_t>(i)])
        .note("matrix " + ordinal(static_cast<std::size_t>(j)), places[static_cast<std::size_t>(j)]);
    return false;
  }
  basis_ = std::make_unique<BasisGroup>(session_.graph, std::move(family), algebra_);
  return true;
}

void DeclaredManifold::checkBasisHolds() {
  if (!usable_ || !basis_ || !holds_.empty() || basis_->equations().missing == 0) return;
  const auto left = static_cast<std::size_t>(basis_->equations().missing);
  session_.diagnostics
      .warning(Code::LIE0194, basisStatements_.front()->range,
               "no equations were found that tell " + name_ +
                   " from other matrices: those that follow from the basis leave " + counted(left, "direction") +
                   " more than it has")
      .note("they are affine and of second degree, beside the determinant; initial values are looked for by their "
            "logarithms instead, and what a method leaves of the group is not seen")
      .suggest("say what else is true of its elements: holds … = …;");
}

std::vector<DeclaredManifold::BasisPart> DeclaredManifold::basisParts() const {
  if (basis_) return {{0, this}};
  std::vector<BasisPart> list;
  std::size_t first = 0;
  for (const GroupFactor& f : factors_) {
    if (const auto* group = dynamic_cast<const DeclaredManifold*>(f.group))
      for (const BasisPart& p : group->basisParts()) list.push_back({first + p.part, p.group});
    first += f.point.size();
  }
  return list;
}

bool DeclaredManifold::checkEssential() {
  bool good = true;
  for (const char* name : {"identity", "product", "exp", "inverse", "bracket", "Ad"}) {
    const syntax::Statement* s = clause(name);
    if (s == nullptr) continue;
    good = checkClause(*s, *signatureOf(true, name)) && good;
  }
  return good && usable_;
}

bool DeclaredManifold::checkDerivable() {
  if (basis_) return true;
  if (composite_ && clause("exp") == nullptr && !composite_->gives("exp")) {
    session_.diagnostics.error(Code::LIE0157, found_.declaration->nameRange,
                               "`exp` of " + name_ + " must be given: the factors that " + factors_.front().name +
                                   " acts on are no vector spaces on which it acts linearly");
    return false;
  }
  const std::size_t before = session_.diagnostics.errorCount();
  const auto follows = [&](const char* operation, const std::string& why) {
    if (clause(operation) != nullptr || (composite_ && composite_->gives(operation))) return true;
    if (derived_->gives(operation)) return true;
    if (session_.diagnostics.errorCount() > before) return false; // the clause that it would follow from is wrong
    session_.diagnostics.error(Code::LIE0157, found_.declaration->nameRange,
                               "`" + std::string(operation) + "` of " + name_ + " must be given: " + why);
    return false;
  };
  return follows("inverse", "the product is not affine in its second factor, so it does not follow from it") &&
         follows("bracket",
                 "it does not follow from product and exp, whose derivatives at the identity are no numbers");
}

std::optional<int> DeclaredManifold::dimension() const {
  const int n = algebraSize();
  if (isGroup_) return n;
  sym::Graph& g = session_.graph;
  if (clause("project") != nullptr) {
    const auto base = apply("base", {});
    if (!base) return std::nullopt;
    const auto w = lmc::sema::dummies(g, algebra(), "w");
    const auto image = apply("project", {*base, loads(g, w, {})}); // once: entry k is linear in w
    if (!image) return std::nullopt;
    const std::vector<Expr> all = entries(g, *image);
    double trace = 0;
    for (int k = 0; k < n; ++k) {
      const Tuple own = replaceArrays(g, Tuple{all[static_cast<std::size_t>(k)]}, w, unit(g, algebra(), k));
      const auto entry = sym::constantEntries(own[0]);
      if (!entry) return std::nullopt;
      trace += entry->front().value();
    }
    return static_cast<int>(std::lround(trace));
  }
  const auto conditions = apply("horizontal", {zero(g, point()), zero(g, algebra())});
  int held = 0;
  if (conditions) {
    for (const Expr& c : *conditions) held += c->shape.size();
  }
  return n - held;
}

} // namespace lmc::sema
