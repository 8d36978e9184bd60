#include "present/terms/Tree.h"

#include <algorithm>

namespace lmc::present {

std::size_t costOf(const TreePtr& t) {
  std::size_t n = 1;
  switch (t->op) {
  case Tree::Op::Name:
  case Tree::Op::Basis:
  case Tree::Op::Number:
    return 1;
  case Tree::Op::Add:
    n = 2 * (t->kids.size() - 1);
    break;
  case Tree::Op::Mul:
  case Tree::Op::MatMul:
    n = 0;
    break;
  case Tree::Op::Sum:
    return 4 + costOf(t->kids[2]);
  default:
    break;
  }
  for (const TreePtr& k : t->kids) n += costOf(k);
  return n;
}

std::size_t termsOf(const TreePtr& t) {
  if (t->op == Tree::Op::Name) return 1;
  if (t->op == Tree::Op::Sum) return termsOf(t->kids[2]);
  std::size_t sums = t->op == Tree::Op::Add ? t->kids.size() - 1 : 0;
  for (const TreePtr& k : t->kids) sums += termsOf(k) - 1;
  return sums + 1;
}

bool equal(const TreePtr& a, const TreePtr& b) {
  return a == b || (a->op == b->op && a->text == b->text && a->number == b->number && a->shape == b->shape &&
                    std::equal(a->kids.begin(), a->kids.end(), b->kids.begin(), b->kids.end(), equal));
}

TreePtr replaced(const TreePtr& t, const std::function<TreePtr(const TreePtr&)>& by) {
  if (TreePtr other = by(t)) return other;
  return withKids(t, [&](const TreePtr& k) { return replaced(k, by); });
}

TreePtr withKids(const TreePtr& t, const std::function<TreePtr(const TreePtr&)>& by) {
  bool same = true;
  std::vector<TreePtr> kids;
  for (const TreePtr& k : t->kids) {
    kids.push_back(by(k));
    same = same && kids.back() == k;
  }
  if (same) return t;
  auto copy = std::make_shared<Tree>(*t);
  copy->kids = std::move(kids);
  return copy;
}

bool mentions(const TreePtr& t, const std::string& name) {
  return t->text == name ||
         std::any_of(t->kids.begin(), t->kids.end(), [&](const TreePtr& k) { return mentions(k, name); });
}

} // namespace lmc::present
