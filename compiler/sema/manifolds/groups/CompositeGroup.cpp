#include "sema/manifolds/groups/CompositeGroup.h"

#include "sym/Constant.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace lmc::sema {

using sym::Expr;

namespace {

/// Operations that a direct product has factor by factor: whether the arguments, and the result, are points.
struct Factorwise {
  std::string_view name;
  std::array<bool, 2> pointArgs;
};
constexpr std::array<Factorwise, 16> factorwise = {{{"identity", {}},
                                                    {"product", {true, true}},
                                                    {"inverse", {true, false}},
                                                    {"bracket", {}},
                                                    {"exp", {}},
                                                    {"log", {true, false}},
                                                    {"hat", {}},
                                                    {"vee", {true, false}},
                                                    {"Ad", {true, false}},
                                                    {"dexp", {}},
                                                    {"dexpinv", {}},
                                                    {"cay", {}},
                                                    {"dcay", {}},
                                                    {"dcayinv", {}},
                                                    {"ad", {}},
                                                    {"adstar", {}}}};

const Factorwise* find(std::string_view operation) {
  const auto* it =
      std::find_if(factorwise.begin(), factorwise.end(), [&](const Factorwise& f) { return f.name == operation; });
  return it == factorwise.end() ? nullptr : it;
}

/// What a semidirect product has.
constexpr std::array<std::string_view, 7> ofSemidirect = {"identity", "product", "inverse", "bracket",
                                                          "hat",      "vee",     "Ad"};

} // namespace

CompositeGroup::CompositeGroup(sym::Graph& graph, std::vector<GroupFactor> factors, Action action)
    : g_(graph), factors_(std::move(factors)), action_(std::move(action)) {
  if (action_) findRho();
}

CompositeGroup::Tuples CompositeGroup::split(const Tuple& t, bool algebra) const {
  Tuples r;
  auto next = t.begin();
  for (const GroupFactor& f : factors_) {
    const auto n = static_cast<std::ptrdiff_t>((algebra ? f.algebra : f.point).size());
    r.emplace_back(next, next + n);
    next += n;
  }
  return r;
}

Tuple CompositeGroup::joined(const Tuples& t) {
  Tuple r;
  for (const Tuple& part : t) r.insert(r.end(), part.begin(), part.end());
  return r;
}

/// An operation of one factor; a vector space is a group under addition whose exp is the identity map.
std::optional<Tuple> CompositeGroup::one(std::size_t factor, std::string_view operation,
                                         const std::vector<Tuple>& args) const {
  const GroupFactor& f = factors_[factor];
  if (f.group != nullptr) return f.group->apply(operation, args);
  if (operation == "identity") return zero(g_, f.point);
  if (operation == "product") return add(g_, args[0], args[1]);
  if (operation == "inverse") return scale(g_, sym::Number(-1), args[0]);
  if (operation == "bracket" || operation == "ad" || operation == "adstar") return zero(g_, f.algebra);
  return args.back(); // exp, log, hat, vee, Ad, dexp, dexpinv, cay, dcay, dcayinv
}

/// An operation that every group has.
Tuple CompositeGroup::must(std::size_t factor, std::string_view operation, const std::vector<Tuple>& args) const {
  auto r = one(factor, operation, args);
  if (!r) throw std::logic_error("a factor of a group without an operation that all groups have");
  return *r;
}

std::optional<Tuple> CompositeGroup::each(std::string_view operation, const std::vector<Tuple>& args) const {
  const Factorwise* kind = find(operation);
  if (kind == nullptr) return std::nullopt;
  std::vector<Tuples> parts;
  for (std::size_t k = 0; k < args.size(); ++k) parts.push_back(split(args[k], !kind->pointArgs[k]));
  Tuple r;
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    std::vector<Tuple> own;
    for (const Tuples& p : parts) own.push_back(p[f]);
    const auto value = one(f, operation, own);
    if (!value) return std::nullopt;
    r.insert(r.end(), value->begin(), value->end());
  }
  return r;
}

Tuple CompositeGroup::moved(const Tuple& g, const Tuples& others) const {
  std::vector<Tuple> args = {g};
  args.insert(args.end(), others.begin() + 1, others.end());
  auto r = action_(args);
  if (!r) throw std::logic_error("the action of a semidirect product that was checked");
  return *r;
}

namespace {
std::vector<Part> others(const std::vector<GroupFactor>& factors, bool algebra) {
  std::vector<Part> r;
  for (std::size_t f = 1; f < factors.size(); ++f) {
    const auto& own = algebra ? factors[f].algebra : factors[f].point;
    for (const Part& p : own) r.push_back({factors[f].name + "." + p.name, p.shape});
  }
  return r;
}
} // namespace

/// phi_g' b: the derivative of phi_g at the identity of N, along b in its algebra (the first entry of `b` is not used).
Tuple CompositeGroup::tangentMoved(const Tuple& g, const Tuples& b) const {
  sym::Program none(g_);
  const auto n = dummies(g_, others(factors_, false), "n");
  const Tuple symbols = loads(g_, n, {});
  Tuples point = {{}};
  Tuple direction;
  Tuple origin;
  auto next = symbols.begin();
  for (std::size_t f = 1; f < factors_.size(); ++f) {
    const auto size = static_cast<std::ptrdiff_t>(factors_[f].point.size());
    point.emplace_back(next, next + size);
    next += size;
    for (const Expr& e : must(f, "hat", {b[f]})) direction.push_back(e);
    for (const Expr& e : must(f, "identity", {})) origin.push_back(e);
  }
  const Tuple change = directional(none, moved(g, point), n, direction, origin);
  Tuple r;
  auto at = change.begin();
  for (std::size_t f = 1; f < factors_.size(); ++f) {
    const auto size = static_cast<std::ptrdiff_t>(factors_[f].point.size());
    for (const Expr& e : must(f, "vee", {Tuple(at, at + size)})) r.push_back(e);
    at += size;
  }
  return r;
}

/// rho(u) b, for b by parts of the algebras of the others.
Tuple CompositeGroup::rho(const Tuple& u, const Tuple& b) const {
  sym::Program none(g_);
  const auto x = dummies(g_, factors_[0].point, "X");
  Tuple all = zero(g_, factors_[0].algebra);
  all.insert(all.end(), b.begin(), b.end());
  const Tuple image = tangentMoved(loads(g_, x, {}), split(all, true));
  return directional(none, image, x, must(0, "hat", {u}), must(0, "identity", {}));
}

bool CompositeGroup::isVectorSpace(std::size_t factor) const {
  const GroupFactor& f = factors_[factor];
  if (f.group == nullptr) return true;
  if (f.point.size() != f.algebra.size()) return false;
  for (std::size_t k = 0; k < f.point.size(); ++k) {
    if (f.point[k].shape != f.algebra[k].shape) return false;
  }
  const Tuple u = loads(g_, dummies(g_, f.algebra, "u"), {});
  const Tuple v = loads(g_, dummies(g_, f.algebra, "v"), {});
  return one(factor, "exp", {u}) == u && one(factor, "product", {u, v}) == add(g_, u, v);
}

void CompositeGroup::findRho() {
  for (std::size_t f = 1; f < factors_.size(); ++f) {
    if (!isVectorSpace(f)) return;
  }
  const std::vector<Part> space = others(factors_, true);
  int m = 0;
  for (const Part& p : space) m += p.shape.size();
  int n = 0;
  for (const Part& p : factors_[0].algebra) n += p.shape.size();
  std::vector<ConstantMatrix> matrices;
  for (int i = 0; i < n; ++i) {
    ConstantMatrix matrix(static_cast<std::size_t>(m * m));
    for (int j = 0; j < m; ++j) {
      int row = 0;
      for (const Expr& e : rho(unit(g_, factors_[0].algebra, i), unit(g_, space, j))) {
        const auto numbers = sym::constantEntries(e);
        if (!numbers) return;
        for (const sym::Number& x : *numbers) matrix[static_cast<std::size_t>(row++ * m + j)] = x;
      }
    }
    matrices.push_back(std::move(matrix));
  }
  rho_.emplace(m, std::move(matrices));
  annihilator_ = rho_->annihilator();
}

Tuple CompositeGroup::product(const Tuple& a, const Tuple& b) const {
  const Tuples x = split(a, false);
  const Tuples y = split(b, false);
  Tuple all = must(0, "product", {x[0], y[0]});
  Tuple shifted = y[0];
  const Tuple image = moved(x[0], y);
  shifted.insert(shifted.end(), image.begin(), image.end());
  const Tuples z = split(shifted, false);
  for (std::size_t f = 1; f < factors_.size(); ++f) {
    for (const Expr& e : must(f, "product", {x[f], z[f]})) all.push_back(e);
  }
  return all;
}

Tuple CompositeGroup::exponential(const Tuple& w) const {
  const Tuples parts = split(w, true);
  Tuple r = must(0, "exp", {parts[0]});
  const std::vector<Part> space = others(factors_, true);
  const Tuple a(w.begin() + static_cast<std::ptrdiff_t>(factors_[0].algebra.size()), w.end());
  const Tuple b = integratedExponential(g_, *rho_, annihilator_, entries(g_, parts[0]), space, a,
                                        [&](const Tuple& x) { return rho(parts[0], x); });
  r.insert(r.end(), b.begin(), b.end());
  return r;
}

std::optional<Tuple> CompositeGroup::semidirect(std::string_view operation, const std::vector<Tuple>& args) const {
  if (operation == "identity" || operation == "hat" || operation == "vee") return each(operation, args);
  if (operation == "product") return product(args[0], args[1]);
  if (operation == "inverse") {
    const Tuples back = split(each("inverse", args).value(), false);
    Tuple r = back[0];
    const Tuple image = moved(back[0], back);
    r.insert(r.end(), image.begin(), image.end());
    return r;
  }
  const auto first = static_cast<std::ptrdiff_t>(factors_[0].algebra.size());
  const auto head = [&](const Tuple& t) { return Tuple(t.begin(), t.begin() + first); };
  const auto tail = [&](const Tuple& t) { return Tuple(t.begin() + first, t.end()); };
  if (operation == "bracket") {
    const Tuple direct = each("bracket", args).value();
    const Tuple mixed = sub(g_, rho(head(args[0]), tail(args[1])), rho(head(args[1]), tail(args[0])));
    Tuple r = head(direct);
    for (const Expr& e : add(g_, tail(direct), mixed)) r.push_back(e);
    return r;
  }
  if (operation == "exp" && rho_) return exponential(args[0]);
  if (operation == "Ad" && rho_) {
    const Tuples element = split(args[0], false);
    Tuple r = must(0, "Ad", {element[0], head(args[1])});
    const Tuple n(args[0].begin() + static_cast<std::ptrdiff_t>(factors_[0].point.size()), args[0].end());
    for (const Expr& e : sub(g_, tangentMoved(element[0], split(args[1], true)), rho(r, n))) r.push_back(e);
    return r;
  }
  return std::nullopt;
}

std::optional<Tuple> CompositeGroup::apply(std::string_view operation, const std::vector<Tuple>& args) const {
  return action_ ? semidirect(operation, args) : each(operation, args);
}

bool CompositeGroup::gives(std::string_view operation) const {
  if (action_) {
    if (operation == "exp" || operation == "Ad") return rho_.has_value();
    return std::find(ofSemidirect.begin(), ofSemidirect.end(), operation) != ofSemidirect.end();
  }
  if (find(operation) == nullptr) return false;
  return std::all_of(factors_.begin(), factors_.end(),
                     [&](const GroupFactor& f) { return f.group == nullptr || f.group->gives(operation); });
}

std::vector<HeldEquation> CompositeGroup::holds(const Tuple& point) const {
  const Tuples parts = split(point, false);
  std::vector<HeldEquation> list;
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    if (factors_[f].group == nullptr) continue;
    for (const HeldEquation& h : factors_[f].group->holds(parts[f])) list.push_back(h);
  }
  return list;
}

} // namespace lmc::sema
