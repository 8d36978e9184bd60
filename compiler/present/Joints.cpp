#include "present/Joints.h"

#include "mechanics/constraints/Sparse.h"
#include "present/Forms.h"
#include "sema/values/Dependence.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::present {

using sema::JointInstance;
using sym::Expr;

namespace {

/// Turns of the loops of a call that are looked at, and pieces into which what it does to a family may fall.
constexpr std::int64_t mostTurns = 5000;
constexpr std::size_t mostPieces = 12;

/// Values of the loops of a call, one after the other; empty where there are too many, or bounds depend on data.
using Turn = std::unordered_map<const sym::Node*, std::int64_t>;
std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> boundsOf(const JointInstance::Clause& clause) {
  std::vector<std::pair<std::int64_t, std::int64_t>> bounds;
  std::int64_t turns = 1;
  for (const sym::Loop& l : clause.loops) {
    const auto lo = mechanics::wholeValue(l.lo, {}), hi = mechanics::wholeValue(l.hi, {});
    if (!lo || !hi || *hi < *lo || *hi - *lo >= mostTurns) return {};
    bounds.emplace_back(*lo, *hi);
    turns *= *hi - *lo + 1;
    if (turns > mostTurns) return {};
  }
  return bounds;
}

TreePtr nameOfIndex(std::size_t k) {
  static const char* const names[] = {"j", "k", "n", "r", "s"};
  return tree(Op::Name, {}, {}, names[k]);
}

} // namespace

namespace {
mechanics::ConstraintView viewOf(const SharedJoint& joint) {
  mechanics::ConstraintView view;
  view.rates = joint.rates;
  return view;
}
} // namespace

std::optional<JointBody> bodyOf(const sema::Model& model, const JointInstance::Argument& a) {
  if (a.manifold == nullptr || a.rests) return {};
  for (std::size_t k = 0; k < model.factors.size(); ++k) {
    const sema::Factor& f = model.factors[k];
    if (f.manifold != a.manifold || f.point.size() != a.parts.size()) continue;
    bool same = true;
    for (std::size_t part = 0; part < f.point.size(); ++part) {
      const Expr& e = a.parts[part];
      same = same && e->op == sym::Op::Load && e->array == f.point[part] && e->args.size() <= 1 &&
             e->args == a.parts[0]->args;
    }
    if (!same) continue;
    return JointBody{k, a.parts[0]->args.empty() ? Expr() : a.parts[0]->args[0]};
  }
  return {};
}

bool isSaidByArguments(const sema::Model& model, const JointInstance& instance) {
  return std::all_of(instance.clauses.begin(), instance.clauses.end(), [&](const JointInstance::Clause& c) {
    return !c.guarded && boundsOf(c) && std::all_of(c.arguments.begin(), c.arguments.end(), [&](const auto& a) {
      if (a.manifold == nullptr) return (a.depends & ~static_cast<unsigned>(sema::OnTime)) == 0;
      const auto body = bodyOf(model, a);
      return a.rests || (body && model.factors[body->factor].manifold->isGroup() &&
                         model.factors[body->factor].frame == sema::Frame::Body);
    });
  });
}

JointLines::JointLines(mechanics::Layer& layer, Shower& show, const Presentation& how)
    : layer_(layer), m_(layer.model), show_(show), how_(how) {
  for (const SharedJoint& j : how.joints) {
    mechanics::Layer formal(*j.formal);
    const sym::Graph::Work work = formal.work();
    const mechanics::ShownConstraints constraints = mechanics::shownConstraints(formal, viewOf(j));
    for (std::size_t k = 0; k < constraints.forces.size(); ++k)
      for (std::size_t part = 0; part < constraints.forces[k].size(); ++part)
        if (!constraints.forces[k][part]->isZero()) acts_.emplace(j.name, formal.model.factors[k].name, part);
  }
}

std::set<std::size_t> JointLines::covered() const {
  std::set<std::size_t> found;
  for (const SharedJoint& j : how_.joints)
    for (const JointInstance* instance : j.instances)
      for (std::size_t k = 0; k < m_.constraints.size(); ++k)
        if (m_.constraints[k].joint == instance->name) found.insert(k);
  return found;
}

// ---- how instances are called

/// An index of a member; `last`: the value of the last loop, 0: its symbol.
TreePtr JointLines::whole(const Expr& e, const std::vector<Expr>& index, std::int64_t last) {
  Engine& with = show_.engine(Depth::Plain);
  Poly p = with.read(e, index);
  if (last > 0) p = with.terms().substitute(p, with.member(), with.terms().number(last));
  return with.show(p);
}

TreePtr JointLines::argument(const JointInstance::Argument& a, const std::vector<Expr>& index, std::int64_t last) {
  if (a.rests) return tree(Op::Name, {}, {}, "world");
  if (const auto body = bodyOf(m_, a)) {
    std::vector<TreePtr> at;
    if (body->member) at.push_back(whole(body->member, index, last));
    return tree(Op::Name, std::move(at), {}, m_.factors[body->factor].name);
  }
  return show_(layer_.simplify(a.parts[0]), index, last);
}

void JointLines::addCall(std::vector<Line>& lines, const SharedJoint& joint, const JointInstance& instance,
                         const JointInstance::Clause& clause, std::int64_t last) {
  std::vector<Expr> index;
  for (const sym::Loop& l : clause.loops) index.push_back(l.index);
  std::vector<TreePtr> at, arguments{tree(Op::Name, {}, {}, joint.name)};
  for (const Expr& e : clause.index) at.push_back(whole(e, index, last));
  for (const std::size_t k : joint.places) arguments.push_back(argument(clause.arguments[k], index, last));
  Line line;
  line.left = tree(Op::Name, std::move(at), {}, instance.name);
  line.right = tree(Op::Call, std::move(arguments), {}, "joint");
  const auto bounds = boundsOf(clause);
  for (std::size_t k = 0; k < clause.loops.size(); ++k) {
    const bool isLast = k + 1 == clause.loops.size();
    if (isLast && last > 0) continue;
    const std::string name = isLast ? "i" : show_.engine(Depth::Plain).outer(clause.loops.size() - 2 - k)->name;
    const IndexRange range{name, show_.integer((*bounds)[k].first), show_.integer((*bounds)[k].second)};
    if (isLast) {
      line.index = range.index;
      line.from = range.from;
      line.to = range.to;
    } else {
      line.outer.push_back(range);
    }
  }
  lines.push_back(std::move(line));
}

std::vector<Line> JointLines::calls() {
  std::vector<Line> lines;
  for (const SharedJoint& j : how_.joints)
    for (const JointInstance* instance : j.instances)
      for (const JointInstance::Clause& c : instance->clauses) {
        const bool each = show_.expands() && !c.loops.empty();
        const auto bounds = boundsOf(c);
        const std::int64_t from = each ? bounds->back().first : 0, to = each ? bounds->back().second : 0;
        for (std::int64_t last = from; last <= to; ++last) addCall(lines, j, *instance, c, last);
      }
  return lines;
}

// ---- what they do to bodies

/// Of one loop: it falls into runs in which all indices change evenly.
bool JointLines::addRuns(std::vector<Term>& terms, const JointInstance& instance, const JointInstance::Clause& clause,
                         const Expr& member) const {
  const auto [lo, hi] = boundsOf(clause)->front();
  std::vector<Expr> all{member};
  all.insert(all.end(), clause.index.begin(), clause.index.end());
  const auto at = [&](std::int64_t v) {
    std::vector<std::int64_t> values;
    for (const Expr& e : all) {
      const auto x = e ? mechanics::wholeValue(e, {{clause.loops[0].index.node(), v}}) : std::int64_t{0};
      if (!x) return std::vector<std::int64_t>();
      values.push_back(*x);
    }
    return values;
  };
  for (std::int64_t first = lo, next; first <= hi; first = next) {
    const std::vector<std::int64_t> begin = at(first);
    if (begin.empty() || terms.size() > mostPieces) return false;
    std::vector<std::int64_t> slope(begin.size(), 0), before = begin;
    for (next = first + 1; next <= hi; ++next) {
      const std::vector<std::int64_t> now = at(next);
      if (now.empty()) return false;
      std::vector<std::int64_t> step;
      for (std::size_t k = 0; k < now.size(); ++k) step.push_back(now[k] - before[k]);
      if (next == first + 1) slope = step;
      if (step != slope || std::abs(step[0]) > 1) break;
      before = now;
    }
    const std::int64_t s = next == first + 1 ? 0 : slope[0], count = next - first;
    const std::int64_t end = begin[0] + s * (count - 1);
    Term t{&instance, {}, std::min(begin[0], end), std::max(begin[0], end), {}, {}};
    const bool summed = s == 0 && count > 1;
    if (summed) t.sums.emplace_back(first, next - 1);
    for (std::size_t k = 1; k < begin.size(); ++k) { // of v = first + s*(i - begin), s = 1 or -1
      Affine a;
      if (summed)
        a = {begin[k] - slope[k] * first, 0, {slope[k]}};
      else if (count == 1)
        a = member ? Affine{begin[k] - begin[0], 1, {}} : Affine{begin[k], 0, {}};
      else
        a = {begin[k] - slope[k] * s * begin[0], slope[k] * s, {}};
      t.at.push_back(a);
    }
    terms.push_back(std::move(t));
  }
  return true;
}

/// Of several loops (or none), of which one at most says which member it is.
bool JointLines::addProduct(std::vector<Term>& terms, const JointInstance& instance,
                            const JointInstance::Clause& clause, const Expr& member) const {
  const auto bounds = *boundsOf(clause);
  std::vector<Expr> all{member};
  all.insert(all.end(), clause.index.begin(), clause.index.end());
  const auto value = [&](const Expr& e, const std::vector<std::int64_t>& v) {
    Turn turn;
    for (std::size_t k = 0; k < v.size(); ++k) turn[clause.loops[k].index.node()] = v[k];
    return e ? mechanics::wholeValue(e, turn) : std::optional<std::int64_t>(0);
  };
  std::vector<std::int64_t> low;
  low.reserve(bounds.size());
  for (const auto& [lo, hi] : bounds) low.push_back(lo);
  std::vector<std::vector<std::int64_t>> slopes; // of each expression by each loop
  std::vector<std::int64_t> begin;
  for (const Expr& e : all) {
    const auto x = value(e, low);
    if (!x) return false;
    begin.push_back(*x);
    slopes.emplace_back();
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      std::vector<std::int64_t> next = low;
      if (bounds[k].second > bounds[k].first) ++next[k];
      slopes.back().push_back(value(e, next).value_or(*x) - *x);
    }
  }
  for (std::vector<std::int64_t> v = low;;) { // all turns: is it so?
    for (std::size_t e = 0; e < all.size(); ++e) {
      std::int64_t wanted = begin[e];
      for (std::size_t k = 0; k < v.size(); ++k) wanted += slopes[e][k] * (v[k] - low[k]);
      if (value(all[e], v) != wanted) return false;
    }
    std::size_t k = 0;
    while (k < v.size() && ++v[k] > bounds[k].second) v[k] = low[k], ++k;
    if (k == v.size()) break;
  }
  std::optional<std::size_t> which;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    if (slopes[0][k] == 0) continue;
    if (which || std::abs(slopes[0][k]) > 1) return false;
    which = k;
  }
  Term t{&instance, {}, begin[0], begin[0], {}, {}};
  if (which) {
    const std::int64_t last = begin[0] + slopes[0][*which] * (bounds[*which].second - bounds[*which].first);
    t.from = std::min(begin[0], last);
    t.to = std::max(begin[0], last);
  }
  for (std::size_t k = 0; k < bounds.size(); ++k)
    if (k != which) t.sums.push_back(bounds[k]);
  for (std::size_t e = 1; e < all.size(); ++e) {
    Affine a{begin[e], 0, {}};
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      if (k == which) {
        a.member = slopes[e][k] * slopes[0][k];
        a.constant -= a.member * begin[0];
      } else {
        a.loops.push_back(slopes[e][k]);
        a.constant -= slopes[e][k] * low[k];
      }
    }
    if (!which && member && t.sums.empty()) a = {begin[e] - begin[0], 1, {}};
    t.at.push_back(a);
  }
  terms.push_back(std::move(t));
  return true;
}

/// Whether two terms say the same of a member.
bool JointLines::alike(const Term& a, const Term& b, std::int64_t member) {
  return a.instance == b.instance && a.bodies == b.bodies && a.sums == b.sums &&
         std::equal(a.at.begin(), a.at.end(), b.at.begin(), b.at.end(), [&](const Affine& x, const Affine& y) {
           return x.loops == y.loops && x.constant + x.member * member == y.constant + y.member * member;
         });
}

TreePtr JointLines::affine(const Affine& a, const TreePtr& member) const {
  std::vector<TreePtr> parts;
  std::int64_t constant = a.constant;
  const auto add = [&](std::int64_t factor, const TreePtr& of) {
    if (factor == 0) return;
    if (of->op == Op::Number) {
      constant += factor * of->number.num();
      return;
    }
    const TreePtr size = std::abs(factor) == 1 ? of : tree(Op::Mul, {numberTree(std::abs(factor)), of});
    parts.push_back(factor < 0 ? tree(Op::Neg, {size}) : size);
  };
  if (member) add(a.member, member);
  for (std::size_t k = 0; k < a.loops.size(); ++k) add(a.loops[k], nameOfIndex(k));
  if (parts.empty()) return show_.integer(constant);
  if (constant > 0) parts.push_back(show_.integer(constant));
  if (constant < 0) parts.push_back(tree(Op::Neg, {show_.integer(-constant)}));
  return parts.size() == 1 ? parts[0] : tree(Op::Add, std::move(parts));
}

TreePtr JointLines::term(const Term& t, std::size_t factor, const TreePtr& member, std::size_t part) const {
  const syntax::Declaration& joint = *t.instance->joint;
  if (std::none_of(t.bodies.begin(), t.bodies.end(), [&](std::size_t k) {
        return acts_.contains({joint.name, joint.params[k].name, part});
      }))
    return nullptr;
  std::vector<TreePtr> at;
  for (const Affine& a : t.at) at.push_back(affine(a, member));
  std::vector<TreePtr> of{
      tree(Op::Name, std::move(at), {}, t.instance->name),
      tree(Op::Name, member ? std::vector<TreePtr>{member} : std::vector<TreePtr>(), {}, m_.factors[factor].name)};
  const std::vector<sema::Part>& parts = m_.factors[factor].manifold->algebra();
  if (parts.size() > 1) of.push_back(tree(Op::Name, {}, {}, parts[part].name));
  TreePtr whole = tree(Op::Call, std::move(of), {}, "reaction_of");
  for (std::size_t k = t.sums.size(); k-- > 0;)
    whole = tree(Op::Sum, {show_.integer(t.sums[k].first), show_.integer(t.sums[k].second), whole}, {},
                 nameOfIndex(k)->text);
  return whole;
}

std::optional<std::vector<JointLines::Share>> JointLines::shares(std::size_t factor) const {
  std::vector<Term> terms;
  for (const SharedJoint& j : how_.joints)
    for (const JointInstance* instance : j.instances)
      for (const JointInstance::Clause& c : instance->clauses) {
        std::vector<std::pair<Expr, std::vector<std::size_t>>> held; // which member, for which parameters
        for (std::size_t k = 0; k < c.arguments.size(); ++k) {
          const auto body = bodyOf(m_, c.arguments[k]);
          if (!body || body->factor != factor) continue;
          const auto own =
              std::find_if(held.begin(), held.end(), [&](const auto& x) { return x.first == body->member; });
          if (own == held.end())
            held.emplace_back(body->member, std::vector<std::size_t>{k});
          else
            own->second.push_back(k);
        }
        for (const auto& [member, parameters] : held) {
          const std::size_t first = terms.size();
          if (!(c.loops.size() == 1 ? addRuns(terms, *instance, c, member) : addProduct(terms, *instance, c, member)))
            return {};
          for (std::size_t k = first; k < terms.size(); ++k) terms[k].bodies = parameters;
        }
      }
  std::set<std::int64_t> begins; // of ranges of members about which the same is said
  for (const Term& t : terms) {
    begins.insert(t.from);
    begins.insert(t.to + 1);
  }
  struct Piece {
    std::int64_t from, to;
    std::vector<Term> terms;
  };
  std::vector<Piece> pieces;
  for (auto it = begins.begin(); it != begins.end() && std::next(it) != begins.end(); ++it) {
    Piece p{*it, *std::next(it) - 1, {}};
    for (const Term& t : terms)
      if (t.from <= p.from && p.to <= t.to) p.terms.push_back(t);
    if (!pieces.empty() && pieces.back().to + 1 == p.from) {
      Piece& before = pieces.back();
      const bool own = before.from == before.to; // its indices may stand for those of the next
      const std::int64_t where = own ? before.from : p.from;
      if ((own || p.from == p.to) &&
          std::is_permutation(before.terms.begin(), before.terms.end(), p.terms.begin(), p.terms.end(),
                              [&](const Term& a, const Term& b) { return alike(a, b, where); })) {
        if (own) before.terms = p.terms;
        before.to = p.to;
        continue;
      }
    }
    pieces.push_back(std::move(p));
  }
  if (pieces.size() > mostPieces) return {};
  for (Piece& p : pieces) // hinge[i - 1] before hinge[i]
    for (auto first = p.terms.begin(), end = first; first != p.terms.end(); first = end) {
      end = std::find_if(first, p.terms.end(), [&](const Term& t) { return t.instance != first->instance; });
      std::stable_sort(first, end, [](const Term& a, const Term& b) {
        return std::lexicographical_compare(a.at.begin(), a.at.end(), b.at.begin(), b.at.end(),
                                            [](const Affine& x, const Affine& y) { return x.constant < y.constant; });
      });
    }
  std::vector<Share> shares;
  for (const Piece& p : pieces) {
    Share s{p.from, p.to, {}};
    for (const Term& t : p.terms)
      s.terms.emplace_back(
          [this, t, factor](const TreePtr& member, std::size_t part) { return term(t, factor, member, part); });
    if (!s.terms.empty()) shares.push_back(std::move(s));
  }
  return shares;
}

// ---- a joint by itself

namespace {

/// A name with what stands for beginnings of its words.
std::string renamed(std::string name, const std::map<std::string, std::string>& shown) {
  const auto inWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (const auto& [from, to] : shown)
    for (std::size_t at = name.find(from); at != std::string::npos; at = name.find(from, at + 1)) {
      if (at > 0 && inWord(name[at - 1])) continue;
      name.replace(at, from.size(), to);
      if (name.empty() || at >= name.size()) break;
    }
  return name;
}

TreePtr renamed(const TreePtr& t, const std::map<std::string, std::string>& shown) {
  if (!t) return t;
  auto copy = std::make_shared<Tree>(*t);
  if (t->op == Op::Name) copy->text = renamed(t->text, shown);
  for (TreePtr& k : copy->kids) k = renamed(k, shown);
  return copy;
}

} // namespace

std::vector<Line> sharedEquations(const SharedJoint& joint) {
  mechanics::Layer layer(*joint.formal);
  const sym::Graph::Work work = layer.work();
  Presentation how;
  how.rates = joint.rates;
  Shower show(layer, how);
  Document d;
  ConstraintSections(layer, show, how).addTo(d);
  addDefinitions(d, show, *joint.formal);
  std::vector<Line> all;
  for (const Section& s : d.sections)
    for (Line l : s.lines) {
      l.left = renamed(l.left, joint.shown);
      l.right = renamed(l.right, joint.shown);
      all.push_back(std::move(l));
    }
  return all;
}

} // namespace lmc::present
