#include "present/Naming.h"

#include <algorithm>
#include <functional>
#include <map>

namespace lmc::present {

namespace {

/// Parts that are shorter have no name, nor those that would save less.
constexpr std::size_t shortestPart = 4, shortestScalar = 5, leastSaved = 10, mostNames = 16;

using Visit = std::function<void(const TreePtr&)>;

void visit(const TreePtr& t, const Visit& v) {
  v(t);
  for (const TreePtr& k : t->kids) visit(k, v);
}

void visit(const Document& d, const Visit& v) {
  for (const Section& s : d.sections)
    for (const Line& l : s.lines) {
      if (l.left) visit(l.left, v);
      visit(l.right, v);
    }
}

std::set<std::string> indicesOf(const Document& d) {
  std::set<std::string> names{"i"};
  for (const Section& s : d.sections)
    for (const Line& l : s.lines)
      for (const IndexRange& r : l.outer) names.insert(r.index);
  visit(d, [&](const TreePtr& t) {
    if (t->op == Op::Sum) names.insert(t->text);
  });
  return names;
}

/// A part as a function of its free indices, in the order in which they occur, or of the one member of families that
/// all of it is about, as f(1), f(i), f(i + 1).
struct Part {
  TreePtr body; ///< with indices i, j, k, …
  std::vector<TreePtr> indices;
};

/// A part of an equation that is called by the names of variables: M(w, v), momentum(q).
bool isOfNames(const TreePtr& t) {
  static const std::set<std::string> calls = {"M",           "c",     "force", "momentum", "reaction",
                                              "reaction_of", "joint", "gamma", "f",        "rate"};
  return t->op == Op::Call && calls.contains(t->text);
}

/// The one index of all members of families in a part; null where there are several, or none.
TreePtr memberOf(const TreePtr& t) {
  TreePtr member;
  bool one = true;
  visit(t, [&](const TreePtr& x) {
    one = one && x->op != Op::Sum && !isOfNames(x);
    if (x->op != Op::Name || x->kids.empty()) return;
    one = one && x->kids.size() == 1 && (!member || equal(member, x->kids[0]));
    member = x->kids[0];
  });
  return one ? member : nullptr;
}

Part partOf(const TreePtr& t, const std::set<std::string>& indices) {
  static const char* const standard[] = {"i", "j", "k", "n", "r", "s"};
  Part p;
  if (const TreePtr member = memberOf(t)) {
    // outside the brackets of members the index may not occur, nor any other
    std::size_t free = 0, within = 0;
    visit(t, [&](const TreePtr& x) {
      if (x->op == Op::Name && x->kids.empty() && indices.contains(x->text)) ++free;
      if (x->op == Op::Name && !x->kids.empty())
        visit(x->kids[0], [&](const TreePtr& y) { within += y->op == Op::Name && indices.contains(y->text) ? 1 : 0; });
    });
    const TreePtr i = tree(Op::Name, {}, {}, "i");
    if (free == within) {
      p.body = replaced(t, [&](const TreePtr& x) -> TreePtr {
        if (x->op != Op::Name || x->kids.empty()) return nullptr;
        auto copy = std::make_shared<Tree>(*x);
        copy->kids = {i};
        return copy;
      });
      p.indices = {member};
      return p;
    }
  }
  std::vector<std::string> names;
  std::set<std::string> bound;
  visit(t, [&](const TreePtr& x) {
    if (x->op == Op::Sum) bound.insert(x->text);
  });
  visit(t, [&](const TreePtr& x) {
    if (x->op != Op::Name || !x->kids.empty() || !indices.contains(x->text) || bound.contains(x->text)) return;
    if (std::find(names.begin(), names.end(), x->text) == names.end()) names.push_back(x->text);
  });
  if (names.size() > std::size(standard)) return {};
  for (const std::string& i : names) // a name that is bound inside is not given anew
    for (std::size_t k = 0; k < names.size(); ++k)
      if (bound.contains(standard[k]) && i != standard[k]) return {};
  p.body = replaced(t, [&](const TreePtr& x) -> TreePtr {
    if (x->op != Op::Name || !x->kids.empty()) return nullptr;
    const auto it = std::find(names.begin(), names.end(), x->text);
    return it == names.end() ? nullptr : tree(Op::Name, {}, {}, standard[it - names.begin()]);
  });
  for (const std::string& n : names) p.indices.push_back(tree(Op::Name, {}, {}, n));
  return p;
}

/// The same for a part whose summands stand in another order.
std::string keyOf(const TreePtr& t) {
  return text(replaced(t, [](const TreePtr& x) -> TreePtr {
    if (x->op != Op::Add) return nullptr;
    std::vector<std::pair<std::string, TreePtr>> kids;
    for (const TreePtr& k : x->kids) kids.emplace_back(keyOf(k), k);
    std::stable_sort(kids.begin(), kids.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<TreePtr> sorted;
    for (const auto& [key, k] : kids) sorted.push_back(k);
    return tree(Op::Add, std::move(sorted), x->shape);
  }));
}

bool mayHaveName(const TreePtr& t) {
  if (isOfNames(t)) return false;
  if (t->op == Op::Div && t->kids[0]->op == Op::Number) return false; // 1/x: x may have one
  switch (t->op) {
  case Op::Add:
  case Op::Cross:
  case Op::Dot:
  case Op::MatMul:
  case Op::Call:
  case Op::Div:
  case Op::Sum:
  case Op::Inverse:
  case Op::If:
  case Op::Vector:
  case Op::Matrix:
    return costOf(t) >= (t->shape.rank == 0 ? shortestScalar : shortestPart);
  default:
    return false;
  }
}

std::string freeName(const sym::Shape& shape, std::set<std::string>& taken) {
  static const std::vector<std::vector<std::string>> names = {
      {"c", "k", "s", "f", "h", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", "c12"},
      {"d", "r", "p", "u", "s", "a", "b", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10"},
      {"A", "B", "P", "C", "D", "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11"}};
  for (const std::string& n : names[shape.rank])
    if (taken.insert(n).second) return n;
  return {};
}

/// Whether all parts with this key are about the same member.
bool isOfOneMember(const Document& d, const std::vector<Line>& definitions, const std::string& key,
                   const TreePtr& member, const std::set<std::string>& indices) {
  bool one = true;
  const auto look = [&](const TreePtr& t) {
    if (!one || !mayHaveName(t)) return;
    const Part p = partOf(t, indices);
    if (p.body && keyOf(p.body) == key) one = p.indices.size() == 1 && equal(p.indices[0], member);
  };
  visit(d, look);
  for (const Line& l : definitions) visit(l.right, look);
  return one;
}

/// A part that is said for the index i, of one member.
TreePtr forMember(const TreePtr& body, const TreePtr& member) {
  return replaced(body, [&](const TreePtr& t) -> TreePtr {
    return t->op == Op::Name && t->kids.empty() && t->text == "i" ? member : nullptr;
  });
}

void useMomenta(Document& d) {
  std::vector<Line> known;
  for (const Section& s : d.sections)
    if (s.title == "Momenta")
      for (const Line& l : s.lines)
        if (costOf(l.right) > shortestPart && l.index.empty()) known.push_back(l);
  for (Section& s : d.sections) {
    if (s.title == "Momenta") continue;
    for (Line& l : s.lines)
      l.right = replaced(l.right, [&](const TreePtr& t) -> TreePtr {
        for (const Line& k : known)
          if (equal(k.right, t)) {
            auto name = std::make_shared<Tree>(*k.left);
            name->shape = t->shape;
            return name;
          }
        return nullptr;
      });
  }
}

} // namespace

void nameParts(Document& d, std::set<std::string> taken) {
  useMomenta(d);
  visit(d, [&](const TreePtr& t) { taken.insert(t->text); });
  std::vector<Line> definitions;
  for (std::size_t round = 0; round < mostNames; ++round) {
    const std::set<std::string> indices = indicesOf(d);
    std::map<std::string, std::pair<Part, std::size_t>> found;
    const auto count = [&](const TreePtr& t) {
      if (!mayHaveName(t)) return;
      Part p = partOf(t, indices);
      if (p.body) ++found.try_emplace(keyOf(p.body), std::move(p), 0).first->second.second;
      if (t->op == Op::Call && t->text == "axial" && t->kids[0]->op != Op::Outer) { // is written twice
        Part twice = mayHaveName(t->kids[0]) ? partOf(t->kids[0], indices) : Part();
        if (twice.body) ++found.try_emplace(keyOf(twice.body), std::move(twice), 0).first->second.second;
      }
    };
    visit(d, count);
    for (const Line& l : definitions) visit(l.right, count);
    const std::pair<Part, std::size_t>* best = nullptr;
    std::size_t most = leastSaved;
    for (const auto& [key, candidate] : found) {
      const std::size_t cost = costOf(candidate.first.body), n = candidate.second;
      const std::size_t saved = n * (cost - 1), spent = cost + 3;
      if (n < 2 || saved < spent + most) continue;
      best = &candidate;
      most = saved - spent;
    }
    if (best == nullptr) break;
    Part part = best->first;
    const std::string key = keyOf(part.body), name = freeName(part.body->shape, taken);
    if (name.empty()) break;
    const auto called = [&](const std::vector<TreePtr>& at) {
      auto t = std::make_shared<Tree>(*tree(Op::Name, at, part.body->shape, name));
      t->order = part.body->order;
      return TreePtr(t);
    };
    const auto put = [&](const TreePtr& t) -> TreePtr {
      if (!mayHaveName(t)) return nullptr;
      const Part p = partOf(t, indices);
      return p.body && keyOf(p.body) == key ? called(p.indices) : nullptr;
    };
    // what occurs for one member alone is not said for all of them
    const bool alone = part.indices.size() == 1 && part.indices[0]->op == Op::Number &&
                       isOfOneMember(d, definitions, key, part.indices[0], indices);
    if (alone) {
      part.body = forMember(part.body, part.indices[0]);
      part.indices.clear();
    }
    const auto putHere = [&](const TreePtr& t) -> TreePtr {
      const TreePtr found = put(t);
      return found && alone ? called({}) : found;
    };
    for (Section& s : d.sections)
      for (Line& l : s.lines) {
        if (l.left) l.left = replaced(l.left, putHere);
        l.right = replaced(l.right, putHere);
      }
    for (Line& l : definitions) l.right = replaced(l.right, putHere);
    static const char* const standard[] = {"i", "j", "k", "n", "r", "s"};
    std::vector<TreePtr> own;
    for (std::size_t k = 0; k < part.indices.size(); ++k) own.push_back(tree(Op::Name, {}, {}, standard[k]));
    definitions.push_back({called(own), part.body, {}, nullptr, nullptr});
  }
  if (definitions.empty()) return;
  if (d.sections.empty() || d.sections.back().title != "where") d.sections.push_back({"where", {}});
  auto& where = d.sections.back().lines;
  where.insert(where.begin(), definitions.begin(), definitions.end());
}

// ---- small things that are seen only when all parts have their names

namespace {

TreePtr tidied(const TreePtr& t) {
  TreePtr now = withKids(t, tidied);
  std::vector<TreePtr> kids = now->kids;
  const auto unit = [](const TreePtr& k) { return k->op == Op::Basis && k->kids[0]->op == Op::Number; };
  if (now->op == Op::Dot) // e1 . v = v[1]
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
      if (unit(kids[k]) && kids[1 - k]->op == Op::Name) return tree(Op::Entry, {kids[1 - k], kids[k]->kids[0]});
  if (now->op == Op::Vector && kids.size() > 1) { // [2 a, 2 b] = 2 [a, b]
    const auto scaled = [](const TreePtr& k) {
      return k->op == Op::Mul && k->kids[0]->op == Op::Number && k->kids.size() > 1;
    };
    if (!std::all_of(kids.begin(), kids.end(), scaled)) return now;
    const TreePtr factor = kids[0]->kids[0];
    if (!std::all_of(kids.begin(), kids.end(), [&](const TreePtr& k) { return equal(k->kids[0], factor); })) return now;
    for (TreePtr& k : kids)
      k = k->kids.size() == 2 ? k->kids[1] : tree(Op::Mul, {k->kids.begin() + 1, k->kids.end()}, k->shape);
    return tree(Op::Mul, {factor, tree(Op::Vector, std::move(kids), now->shape)}, now->shape);
  }
  if (now->op == Op::Div && kids[0]->op == Op::Mul) { // a*b/b = a
    std::vector<TreePtr> factors = kids[0]->kids;
    const auto equals =
        std::find_if(factors.begin(), factors.end(), [&](const TreePtr& k) { return equal(k, kids[1]); });
    if (equals != factors.end()) {
      factors.erase(equals);
      return factors.size() == 1 ? factors[0] : tree(Op::Mul, std::move(factors), now->shape);
    }
  }
  const auto isProduct = [](const TreePtr& k) { return k->op == Op::Mul; };
  if (now->op == Op::Mul && std::any_of(kids.begin(), kids.end(), isProduct)) { // a*(2*b) = 2*a*b
    std::vector<TreePtr> factors;
    sym::Number number = 1;
    for (const TreePtr& k : kids)
      for (const TreePtr& f : isProduct(k) ? k->kids : std::vector<TreePtr>{k}) {
        if (f->op == Op::Number)
          number = number * f->number;
        else
          factors.push_back(f);
      }
    if (!number.isOne()) factors.insert(factors.begin(), numberTree(number));
    return factors.size() == 1 ? factors[0] : tree(Op::Mul, std::move(factors), now->shape);
  }
  return now;
}

TreePtr withName(const TreePtr& t, const TreePtr& value, const TreePtr& name) {
  return replaced(t, [&](const TreePtr& x) { return equal(x, value) ? name : nullptr; });
}

} // namespace

void tidy(Document& d, const std::function<bool(const std::string&)>& isGiven) {
  const auto each = [&](const std::function<TreePtr(const TreePtr&)>& f) {
    for (Section& s : d.sections)
      for (Line& l : s.lines) {
        if (l.left) l.left = f(l.left);
        l.right = f(l.right);
      }
  };
  each(tidied);
  if (d.sections.empty() || d.sections.back().title != "where") return;
  std::vector<Line>& where = d.sections.back().lines;
  for (std::size_t k = 0; k < where.size(); ++k) { // a name for a name
    const Line l = where[k];
    if (l.right->op != Op::Name || l.left->op != Op::Name || !l.left->kids.empty() || !isGiven(l.left->text)) continue;
    where.erase(where.begin() + static_cast<std::ptrdiff_t>(k--));
    each([&](const TreePtr& t) { return withName(t, l.left, l.right); });
  }
  for (const Line& l : std::vector<Line>(where)) { // a vector that has a name already
    if (l.right->op != Op::Vector || !l.index.empty()) continue;
    each([&](const TreePtr& t) { return t == l.right ? t : withName(t, l.right, l.left); });
  }
}

} // namespace lmc::present
