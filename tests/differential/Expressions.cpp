#include "differential/Expressions.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace lmc::differential {

namespace trees {

namespace {
Tree make(Node n) {
  return std::make_shared<const Node>(std::move(n));
}
Node shaped(Op op, const Tree& like, std::vector<Tree> kids) {
  Node n;
  n.op = op;
  n.rows = like->rows;
  n.cols = like->cols;
  n.vector = like->vector;
  n.kids = std::move(kids);
  return n;
}
Node sumNode(const std::string& counter, const Tree& term) {
  Node n = shaped(Op::Sum, term, {term});
  n.place = {true, counter, 0};
  n.k = 1;
  return n;
}
} // namespace

Tree value(double x) {
  Node n;
  // Numbers of the text are short; what is computed with is what is printed.
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.5g", x);
  n.number = std::strtod(text.data(), nullptr);
  return make(n);
}
Tree time() {
  Node n;
  n.op = Op::Time;
  return make(n);
}
Tree reference(const std::string& name, const Place& at, const Piece& piece) {
  Node n;
  n.op = Op::Reference;
  n.name = name;
  n.place = at;
  n.part = piece.name;
  n.rows = piece.rows;
  n.cols = piece.cols;
  n.vector = piece.vector;
  return make(n);
}
Tree add(Tree a, Tree b) {
  return make(shaped(Op::Add, a, {a, std::move(b)}));
}
Tree subtract(Tree a, Tree b) {
  return make(shaped(Op::Subtract, a, {a, std::move(b)}));
}
Tree multiply(Tree a, Tree b) {
  Node n;
  n.op = Op::Multiply;
  const bool left = a->rows * a->cols == 1, right = b->rows * b->cols == 1;
  const Tree& like = left ? b : a;
  n.rows = like->rows;
  n.cols = left || right ? like->cols : b->cols;
  n.vector = left ? b->vector : right ? a->vector : b->vector;
  n.kids = {std::move(a), std::move(b)};
  return make(n);
}
Tree divide(Tree a, Tree b) {
  return make(shaped(Op::Divide, a, {a, std::move(b)}));
}
Tree negate(Tree a) {
  return make(shaped(Op::Negate, a, {a}));
}
Tree power(Tree a, int exponent) {
  Node n = shaped(Op::Power, a, {a});
  n.k = exponent;
  return make(n);
}
Tree call(const std::string& name, std::vector<Tree> arguments, int k) {
  Node n;
  n.op = Op::Call;
  n.name = name;
  n.k = k;
  if (name == "cross") n.rows = 3, n.vector = true;
  n.kids = std::move(arguments);
  return make(n);
}
Tree part(const Tree& whole, const Piece& piece) {
  Node n = *whole;
  n.part = piece.name;
  n.rows = piece.rows;
  n.cols = piece.cols;
  n.vector = piece.vector;
  return make(n);
}
Tree build(std::vector<Tree> numbers) {
  Node n;
  n.op = Op::Build;
  n.rows = static_cast<int>(numbers.size());
  n.vector = true;
  n.kids = std::move(numbers);
  return make(n);
}
Tree entry(Tree a, int i, int j) {
  Node n;
  n.op = Op::Entry;
  n.k = i;
  n.l = j;
  n.kids = {std::move(a)};
  return make(n);
}
Tree prime(Tree a) {
  return make(shaped(Op::Prime, a, {a}));
}
Tree choice(Tree a, Tree b, Tree yes, Tree no) {
  return make(shaped(Op::Choice, yes, {std::move(a), std::move(b), yes, std::move(no)}));
}
Tree sum(const std::string& counter, int from, int to, Tree term) {
  Node n = sumNode(counter, term);
  n.k = from;
  n.l = to;
  return make(n);
}
Tree summed(const std::string& counter, Tree term) {
  return sum(counter, 1, 0, std::move(term));
}
Tree sumAbove(const std::string& counter, const std::string& above, Tree term) {
  Node n = sumNode(counter, term);
  n.k = 0;
  n.part = above;
  return make(n);
}
Tree sumWithout(const std::string& counter, const std::string& without, Tree term) {
  Node n = sumNode(counter, term);
  n.name = without;
  return make(n);
}

} // namespace trees

using namespace trees;

double Expressions::number(double a, double b) {
  // Not std::uniform_real_distribution: a seed is the same model with every library.
  return a + (b - a) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
}
int Expressions::integer(int a, int b) {
  return a + static_cast<int>(engine_() % static_cast<std::uint64_t>(b - a + 1));
}
bool Expressions::chance(double p) {
  return number(0, 1) < p;
}
std::string Expressions::fresh(const std::string& stem) {
  return stem + std::to_string(++names_);
}

std::string Expressions::family(const std::string& stem, int extent) {
  Param p{fresh(stem), extent, 1, 1, false, {}};
  for (int k = 0; k < extent; ++k) p.values.push_back({trees::value(std::pow(10.0, number(-2, 2)))->number});
  m.params.push_back(p);
  return p.name;
}

Tree Expressions::parameter(const std::string& name, int rows, int cols) {
  return trees::reference(name, {}, {"", rows, cols, false});
}

Tree Expressions::someVector(int n) {
  if (chance(0.5)) {
    std::vector<Tree> entries;
    for (int k = 0; k < n; ++k) entries.push_back(trees::value(k > 0 && chance(0.2) ? 0 : number(-1, 1)));
    return trees::build(entries);
  }
  Param p{fresh("a"), 0, n, 1, true, {{}}};
  for (int k = 0; k < n; ++k) p.values[0].push_back(trees::value(chance(0.2) ? 0 : number(-1, 1))->number);
  m.params.push_back(p);
  return trees::reference(p.name, {}, {"", n, 1, true});
}

const Factor& Expressions::someFactor() {
  return m.factors[static_cast<std::size_t>(integer(0, static_cast<int>(m.factors.size()) - 1))];
}

Place Expressions::inside(const Factor& f, const Place& at) {
  if (f.extent == 0) return {};
  if (at.family) return at;
  return {true, "", chance(0.5) ? integer(1, f.extent) : f.extent};
}

Tree Expressions::entryOfPiece(const Tree& v, const Piece& p) {
  if (p.vector) return trees::entry(v, integer(1, p.rows));
  if (p.size() == 1) return v;
  return trees::entry(v, integer(1, p.rows), integer(1, p.cols));
}

Tree Expressions::entryOf(const Factor& f, const Place& at) {
  const std::vector<Piece>& pieces = f.space->point;
  const Piece& p = pieces[static_cast<std::size_t>(integer(0, static_cast<int>(pieces.size()) - 1))];
  return entryOfPiece(trees::reference(f.name, inside(f, at), p), p);
}

Tree Expressions::pointOf(const Factor& f, const Place& at) {
  const std::vector<Piece>& pieces = f.space->point;
  const Place place = inside(f, at);
  const Piece& p = pieces[static_cast<std::size_t>(integer(0, static_cast<int>(pieces.size()) - 1))];
  const Tree v = trees::reference(f.name, place, p);
  if (p.vector && p.rows == 3) return chance(0.5) ? v : trees::multiply(trees::value(number(-1.5, 1.5)), v);
  if (!p.vector && p.rows == 3) return trees::multiply(v, someVector(p.cols));
  const std::string& text = f.space->text;
  if (text == "SU(2)") return trees::part(trees::multiply(v, someVector(3)), trees::vec3());
  if (text == "SE(3)" || text == "SE_2(3)") return trees::multiply(trees::reference(f.name, place, {}), someVector(3));
  std::vector<Tree> entries;
  for (int k = 0; k < 3; ++k) {
    const Tree e = entryOf(f, place);
    entries.push_back(k > 0 && chance(0.3) ? trees::value(number(-1, 1)) : chance(0.3) ? trees::call("sin", {e}) : e);
  }
  return trees::build(entries);
}

Tree Expressions::somePosition(const Place& at) {
  if (!points_.empty() && chance(0.3)) {
    const auto& [name, isFamily] = points_[static_cast<std::size_t>(integer(0, static_cast<int>(points_.size()) - 1))];
    if (!isFamily) return trees::reference(name, {}, trees::vec3());
    return trees::reference(name, at.family ? at : Place{true, "", integer(1, m.n)}, trees::vec3());
  }
  const Factor& f = someFactor();
  const Tree v = pointOf(f, at);
  if (chance(0.1))
    return trees::divide(v, trees::call("sqrt", {trees::add(trees::value(1.3), trees::call("dot", {v, v}))}));
  return v;
}

/// A function of a number that is smooth and of moderate size everywhere.
Tree Expressions::smooth(Tree x) {
  switch (integer(0, 12)) {
  case 0:
    return trees::call("sin", {x});
  case 1:
    return trees::call("cos", {x});
  case 2:
    return trees::call("exp", {trees::call("sin", {x})});
  case 3:
    return trees::call("sqrt", {trees::add(trees::value(number(0.5, 2)), trees::power(x, 2))});
  case 4:
    return trees::call("tanh", {x});
  case 5:
    return trees::call("atan", {x});
  case 6:
    return trees::call("log", {trees::add(trees::value(number(1, 2)), trees::power(x, 2))});
  case 7:
    return trees::divide(trees::value(number(-1, 1)), trees::add(trees::value(number(0.7, 2)), trees::power(x, 2)));
  case 8:
    return trees::call("stumpff", {trees::multiply(trees::value(number(-4, 9)), trees::call("cos", {x}))},
                       integer(0, 5));
  case 9:
    return trees::call("sinc", {trees::multiply(trees::value(number(0, 3)), trees::call("sin", {x}))});
  case 10:
    return trees::call("atan2", {x, trees::add(trees::value(number(1, 2)), trees::power(x, 2))});
  case 11:
    return trees::choice(x, trees::value(number(-1, 1)), trees::call("sin", {x}),
                         trees::multiply(trees::value(number(-1, 1)), trees::call("cos", {x})));
  default:
    return trees::call("asin", {trees::multiply(trees::value(number(-0.9, 0.9)), trees::call("sin", {x}))});
  }
}

Tree Expressions::position(int depth, const Place& at) {
  if (depth <= 0 || chance(0.15)) {
    if (chance(0.1)) return trees::call("sin", {trees::multiply(trees::value(number(0.5, 4)), trees::time())});
    if (chance(0.1)) return trees::value(number(-2, 2));
    return entryOf(someFactor(), at);
  }
  switch (integer(0, 6)) {
  case 0:
    return trees::multiply(position(depth - 1, at), smooth(position(depth - 1, at)));
  case 1:
    return trees::add(position(depth - 1, at), trees::multiply(trees::value(number(-2, 2)), position(depth - 1, at)));
  case 2:
    return trees::call("dot", {somePosition(at), somePosition(at)});
  case 3: {
    const Tree p = somePosition(at);
    return smooth(trees::call("dot", {p, p}));
  }
  case 4:
    return trees::call("dot", {somePosition(at), trees::call("cross", {somePosition(at), someVector(3)})});
  case 5:
    return trees::entry(somePosition(at), integer(1, 3));
  default:
    return smooth(position(depth - 1, at));
  }
}

Tree Expressions::fiberNumber(const Place& at) {
  const Factor& f = someFactor();
  const std::vector<Piece>& pieces = f.space->algebra;
  const Piece& p = pieces[static_cast<std::size_t>(integer(0, static_cast<int>(pieces.size()) - 1))];
  const Tree w = trees::reference(f.fiber, inside(f, at), p);
  return p.vector && chance(0.5) ? trees::call("dot", {someVector(p.rows), w}) : entryOfPiece(w, p);
}

Tree Expressions::anyNumber(const Place& at) {
  if (chance(0.3)) return smooth(fiberNumber(at));
  if (!stateNames_.empty() && chance(0.3)) {
    const std::string& name =
        stateNames_[static_cast<std::size_t>(integer(0, static_cast<int>(stateNames_.size()) - 1))];
    for (const State& s : m.states) {
      if (s.name != name) continue;
      const std::vector<Piece>& pieces = s.dual ? s.space->algebra : s.space->point;
      const Piece& p = pieces[static_cast<std::size_t>(integer(0, static_cast<int>(pieces.size()) - 1))];
      return smooth(entryOfPiece(trees::reference(name, {}, p), p));
    }
  }
  if (!inputs_.empty() && chance(0.4))
    return trees::entry(trees::reference(inputs_[0], {}, trees::vec3()), integer(1, 3));
  if (chance(0.1)) return trees::value(number(-3, 3));
  return position(2, at);
}

Tree Expressions::anything(const Piece& shape, const Place& at) {
  if (!shape.vector) return anyNumber(at);
  if (shape.rows == 3 && chance(0.3)) return trees::multiply(anyNumber(at), somePosition(at));
  std::vector<Tree> entries;
  for (int k = 0; k < shape.rows; ++k) entries.push_back(chance(0.3) ? trees::value(number(-2, 2)) : anyNumber(at));
  return trees::build(entries);
}

bool Expressions::isMoving(const Tree& t) const {
  std::set<std::string> names;
  namesIn(t, names);
  for (const Factor& f : m.factors)
    if (names.contains(f.name)) return true;
  for (const Let& l : m.lets)
    if (names.contains(l.name) && !l.input) return true;
  return false;
}

} // namespace lmc::differential
