#include "present/terms/Shown.h"

#include <algorithm>

namespace lmc::present {

using sym::Number;

namespace {

/// The scalar factors of a product, and its tensor; the sign apart.
struct Taken {
  bool negative = false;
  std::vector<TreePtr> scalars;
  TreePtr tensor;
};

Taken takenApart(TreePtr t) {
  Taken r;
  while (t->op == Op::Neg) {
    r.negative = !r.negative;
    t = t->kids[0];
  }
  if (t->op == Op::Mul && t->shape.rank > 0) {
    r.scalars.assign(t->kids.begin(), t->kids.end() - 1);
    t = t->kids.back();
  }
  r.tensor = t;
  return r;
}

TreePtr nothing(const sym::Shape& shape) {
  return shape.rank == 0 ? numberTree(0) : tree(Op::Zero, {}, shape);
}

bool isNothing(const TreePtr& t) {
  return t->op == Op::Zero || (t->op == Op::Number && t->number.isZero()) ||
         (t->op == Op::Vector && std::all_of(t->kids.begin(), t->kids.end(), isNothing));
}

TreePtr scaledBy(const Taken& r, const TreePtr& tensor) {
  TreePtr t = tensor;
  if (!r.scalars.empty()) {
    std::vector<TreePtr> kids = r.scalars;
    kids.push_back(tensor);
    t = tree(Op::Mul, std::move(kids), tensor->shape);
  }
  return r.negative ? negTree(t) : t;
}

/// a a^2 b = a^3 b, for factors that stand side by side.
void joinPowers(std::vector<TreePtr>& factors) {
  const auto base = [](const TreePtr& t) { return t->op == Op::Pow && t->kids[1]->op == Op::Number ? t->kids[0] : t; };
  const auto exponent = [&](const TreePtr& t) { return base(t) == t ? Number(1) : t->kids[1]->number; };
  std::vector<TreePtr> joined;
  for (const TreePtr& t : factors) {
    if (joined.empty() || !equal(base(joined.back()), base(t))) {
      joined.push_back(t);
      continue;
    }
    const TreePtr b = base(t);
    joined.back() = ordered(b->order, tree(Op::Pow, {b, numberTree(exponent(joined.back()) + exponent(t))}));
  }
  factors = std::move(joined);
}

/// a - a, which the algebra had in two forms.
void dropOpposites(std::vector<TreePtr>& parts) {
  const auto minus = [](const TreePtr& t) { return t->op == Op::Neg; };
  for (std::size_t a = 0; a < parts.size(); ++a)
    for (std::size_t b = a + 1; b < parts.size(); ++b) {
      if (minus(parts[a]) == minus(parts[b])) continue;
      if (!(minus(parts[a]) ? equal(parts[a]->kids[0], parts[b]) : equal(parts[a], parts[b]->kids[0]))) continue;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(b));
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(a--));
      break;
    }
}

/// i of e_i; 0 of anything else.
std::int64_t unitOf(const TreePtr& t) {
  return t->op == Op::Basis && t->kids[0]->op == Op::Number ? t->kids[0]->number.num() : 0;
}

} // namespace

TreePtr negTree(const TreePtr& a) {
  if (a->op == Op::Neg) return a->kids[0];
  if (a->op == Op::Number) return numberTree(-a->number);
  if (a->op == Op::Cross) return tree(Op::Cross, {a->kids[1], a->kids[0]}, a->shape);
  if (a->op == Op::Zero) return a;
  const auto isDyad = [](const TreePtr& t) {
    return t->op == Op::Call && t->text == "axial" && t->kids[0]->op == Op::Outer;
  };
  if (isDyad(a)) { // axial(b a^T) = -axial(a b^T)
    const TreePtr& o = a->kids[0];
    return ordered(a->order, tree(Op::Call, {tree(Op::Outer, {o->kids[1], o->kids[0]}, o->shape)}, a->shape, "axial"));
  }
  if (a->op == Op::Mul && (a->kids.back()->op == Op::Cross || isDyad(a->kids.back()))) {
    std::vector<TreePtr> kids = a->kids;
    kids.back() = negTree(kids.back());
    return tree(Op::Mul, std::move(kids), a->shape);
  }
  if (a->op == Op::Add) {
    std::vector<TreePtr> kids;
    for (const TreePtr& k : a->kids) kids.push_back(negTree(k));
    return addTree(std::move(kids), a->shape);
  }
  return tree(Op::Neg, {a}, a->shape);
}

TreePtr addTree(const std::vector<TreePtr>& parts, const sym::Shape& shape) {
  std::vector<TreePtr> kids;
  for (const TreePtr& p : parts) {
    if (p->op == Op::Add)
      kids.insert(kids.end(), p->kids.begin(), p->kids.end());
    else if (!isNothing(p))
      kids.push_back(p);
  }
  dropOpposites(kids);
  if (kids.empty()) return nothing(shape);
  if (kids.size() == 1) return kids[0];
  const auto negative = [](const TreePtr& k) {
    return k->op == Op::Neg || (k->op == Op::Number && k->number.negative());
  };
  if (std::all_of(kids.begin(), kids.end(), [](const TreePtr& k) { return k->order < Order::parameters; }))
    std::stable_sort(kids.begin(), kids.end(), [](const TreePtr& a, const TreePtr& b) { return a->order < b->order; });
  const auto isSum = [](const TreePtr& k) {
    return k->op == Op::Sum || (k->op == Op::Mul && k->kids.back()->op == Op::Sum);
  };
  std::stable_partition(kids.begin(), kids.end(), [&](const TreePtr& k) { return !isSum(k); });
  if (negative(kids[0]))
    std::stable_partition(kids.begin(), kids.end(), [&](const TreePtr& k) { return !negative(k); });
  return tree(Op::Add, std::move(kids), shape);
}

TreePtr productTree(const Number& c, const std::vector<TreePtr>& up, std::vector<TreePtr> down,
                    const TreePtr& tensorOrNull, const ShownInteger& integer) {
  TreePtr tensor = tensorOrNull;
  bool negative = c.negative();
  const Number size = negative ? -c : c;
  std::vector<TreePtr> kids;
  const auto number = [&](const Number& n) { return integer && n.isInteger() ? integer(n.num()) : numberTree(n); };
  if (!size.isOne()) kids.push_back(number(size));
  for (const TreePtr& k : up) {
    TreePtr x = k;
    if (x->op == Op::Neg) {
      negative = !negative;
      x = x->kids[0];
    }
    if (x->op == Op::Number && x->number.isOne()) continue;
    if (x->op == Op::Mul)
      kids.insert(kids.end(), x->kids.begin(), x->kids.end());
    else
      kids.push_back(x);
  }
  if (tensor && isNothing(tensor)) return tensor;
  if (tensor) {
    const Taken r = takenApart(tensor);
    if (r.negative) negative = !negative;
    kids.insert(kids.end(), r.scalars.begin(), r.scalars.end());
    tensor = r.tensor;
    if (tensor->op == Op::Mul) { // scalars
      kids.insert(kids.end(), tensor->kids.begin(), tensor->kids.end());
      tensor = nullptr;
    } else if (tensor->shape.rank == 0 && (tensor->op != Op::Add || down.empty())) {
      kids.push_back(tensor); // a scalar stands where its kind does
      tensor = nullptr;
    }
  }
  std::vector<TreePtr> above;
  for (const TreePtr& k : kids) { // a*(b/c) is a*b/c
    const bool quotient = k->op == Op::Div && k->shape.rank == 0;
    const TreePtr top = quotient ? k->kids[0] : k;
    if (quotient) down.push_back(k->kids[1]);
    if (quotient && top->op == Op::Mul)
      above.insert(above.end(), top->kids.begin(), top->kids.end());
    else
      above.push_back(top);
  }
  kids = std::move(above);
  // numbers are multiplied, the others in their order
  Number factor = 1;
  std::erase_if(kids, [&](const TreePtr& k) {
    if (k->op != Op::Number) return false;
    factor = factor * k->number;
    return true;
  });
  std::stable_sort(kids.begin(), kids.end(), [](const TreePtr& a, const TreePtr& b) {
    const auto place = [](const TreePtr& k) {
      return k->op == Op::Add ? (k->order < Order::parameters ? Order::parameters : Order::sum) : k->order;
    };
    return place(a) < place(b);
  });
  if (factor.isZero()) return nothing(tensor ? tensor->shape : sym::Shape::scalar());
  if (factor.negative()) {
    negative = !negative;
    factor = -factor;
  }
  joinPowers(kids);
  if (!factor.isOne()) kids.insert(kids.begin(), numberTree(factor));
  const auto all = [](std::vector<TreePtr> k) {
    if (k.empty()) return numberTree(1);
    return k.size() == 1 ? k[0] : tree(Op::Mul, std::move(k), {});
  };
  TreePtr t;
  const sym::Shape shape = tensor ? tensor->shape : sym::Shape::scalar();
  std::erase_if(down, [](const TreePtr& k) { return k->op == Op::Number && k->number.isOne(); });
  if (!down.empty()) {
    // 0.5 a/b, not (0.5 a)/b
    std::vector<TreePtr> first;
    if (!kids.empty() && kids[0]->op == Op::Number && !kids[0]->number.isInteger()) {
      first.push_back(kids[0]);
      kids.erase(kids.begin());
    }
    const bool inside = tensor && (tensor->op == Op::Name || tensor->op == Op::MatMul || tensor->op == Op::Basis ||
                                   (shape.rank == 0 && tensor->op != Op::Add));
    std::vector<TreePtr> top = kids;
    if (inside) top.push_back(tensor);
    const TreePtr numerator = top.empty()       ? numberTree(1)
                              : top.size() == 1 ? top[0]
                                                : tree(Op::Mul, top, inside ? shape : sym::Shape{});
    t = tree(Op::Div, {numerator, all(std::move(down))}, inside ? shape : sym::Shape{});
    if (!inside && tensor) t = tree(Op::Mul, {t, tensor}, shape);
    if (!first.empty()) {
      first.push_back(t);
      t = tree(Op::Mul, first, shape);
    }
  } else {
    if (tensor) kids.push_back(tensor);
    t = kids.empty() ? numberTree(1) : kids.size() == 1 ? kids[0] : tree(Op::Mul, std::move(kids), shape);
  }
  return negative ? negTree(t) : t;
}

TreePtr crossTree(const TreePtr& a, const TreePtr& b) {
  const Taken x = takenApart(a), y = takenApart(b);
  if (isNothing(x.tensor) || isNothing(y.tensor) || equal(x.tensor, y.tensor)) return nothing(sym::Shape::vec(3));
  Taken both = x;
  both.negative = x.negative != y.negative;
  both.scalars.insert(both.scalars.end(), y.scalars.begin(), y.scalars.end());
  if (const auto i = unitOf(x.tensor), j = unitOf(y.tensor); i > 0 && j > 0) { // e1 x e2 = e3
    both.negative = both.negative != ((j - i + 3) % 3 == 2);
    return scaledBy(both, tree(Op::Basis, {numberTree(6 - i - j)}, sym::Shape::vec(3)));
  }
  return scaledBy(both, tree(Op::Cross, {x.tensor, y.tensor}, sym::Shape::vec(3)));
}

TreePtr dotTree(const TreePtr& a, const TreePtr& b) {
  Taken x = takenApart(a);
  const Taken y = takenApart(b);
  if (isNothing(x.tensor) || isNothing(y.tensor)) return nothing({});
  const TreePtr inner = tree(Op::Dot, {x.tensor, y.tensor}, {});
  x.scalars.insert(x.scalars.end(), y.scalars.begin(), y.scalars.end());
  x.negative = x.negative != y.negative;
  return scaledBy(x, inner);
}

TreePtr matmulTree(const std::vector<TreePtr>& factors) {
  Taken all;
  std::vector<TreePtr> kids;
  for (const TreePtr& f : factors) {
    const Taken t = takenApart(f);
    all.negative = all.negative != t.negative;
    all.scalars.insert(all.scalars.end(), t.scalars.begin(), t.scalars.end());
    if (t.tensor->op == Op::MatMul)
      kids.insert(kids.end(), t.tensor->kids.begin(), t.tensor->kids.end());
    else
      kids.push_back(t.tensor);
  }
  const sym::Shape& last = kids.back()->shape;
  const sym::Shape shape =
      last.rank == 1 ? sym::Shape::vec(kids[0]->shape.rows) : sym::Shape::mat(kids[0]->shape.rows, last.cols);
  if (std::any_of(kids.begin(), kids.end(), isNothing)) return nothing(shape);
  return scaledBy(all, tree(Op::MatMul, std::move(kids), shape));
}

TreePtr sumTree(const std::string& index, std::vector<TreePtr> range, const TreePtr& body) {
  const Taken r = takenApart(body);
  Taken outside;
  outside.negative = r.negative;
  std::vector<TreePtr> inside;
  std::vector<TreePtr> scalars = r.scalars;
  TreePtr tensor = r.tensor;
  if (tensor->op == Op::Mul) { // scalars
    scalars.insert(scalars.end(), tensor->kids.begin(), tensor->kids.end());
    tensor = nullptr;
  }
  for (const TreePtr& s : scalars) (mentions(s, index) ? inside : outside.scalars).push_back(s);
  const auto summed = [&](const TreePtr& t) {
    std::vector<TreePtr> kids = inside;
    if (t) kids.push_back(t);
    const TreePtr b = kids.empty()       ? numberTree(1)
                      : kids.size() == 1 ? kids[0]
                                         : tree(Op::Mul, kids, t ? t->shape : sym::Shape{});
    std::vector<TreePtr> of{range[0], range[1], b};
    if (range.size() > 2) of.push_back(range[2]);
    return tree(Op::Sum, std::move(of), b->shape, index);
  };
  if (tensor && (tensor->op == Op::Cross || tensor->op == Op::Dot || tensor->op == Op::MatMul)) {
    const TreePtr a = tensor->kids[0], b = tensor->kids[1];
    const bool first = !mentions(a, index), second = tensor->op != Op::MatMul && !mentions(b, index);
    if (first && tensor->op == Op::MatMul) {
      std::vector<TreePtr> rest(tensor->kids.begin() + 1, tensor->kids.end());
      const TreePtr t = rest.size() == 1 ? rest[0] : matmulTree(rest);
      return scaledBy(outside, matmulTree({a, summed(t)}));
    }
    if (first && !second)
      return scaledBy(outside, tensor->op == Op::Cross ? crossTree(a, summed(b)) : dotTree(a, summed(b)));
    if (second && !first)
      return scaledBy(outside, tensor->op == Op::Cross ? crossTree(summed(a), b) : dotTree(summed(a), b));
  }
  return scaledBy(outside, summed(tensor));
}

} // namespace lmc::present
