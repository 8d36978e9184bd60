// Expressions of a random model in plain arithmetic, with any numbers that carry derivatives.
#pragma once

#include "differential/Model.h"

#include <stdexcept>
#include <unordered_map>

namespace lmc::differential {

/// What the names of a model stand for at one state.
template <class X> class Scope {
public:
  using N = Timed<X>;
  using Member = std::vector<N>;

  explicit Scope(const RandomModel& model) : m_(model) {
    points.resize(m_.factors.size());
    fibers.resize(m_.factors.size());
    velocities.resize(m_.factors.size());
    momenta.resize(m_.factors.size());
    states.resize(m_.states.size());
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      names_[m_.factors[k].name] = {Kind::Point, k};
      names_[m_.factors[k].fiber] = {Kind::Fiber, k};
    }
    for (std::size_t k = 0; k < m_.states.size(); ++k) names_[m_.states[k].name] = {Kind::State, k};
    for (std::size_t k = 0; k < m_.params.size(); ++k) names_[m_.params[k].name] = {Kind::Param, k};
    for (std::size_t k = 0; k < m_.lets.size(); ++k) names_[m_.lets[k].name] = {Kind::Let, k};
    memo_.resize(m_.lets.size());
  }

  N time;
  std::vector<std::vector<Member>> points, fibers; ///< by factors, by members; with their rates where they have any
  std::vector<std::vector<Member>> velocities, momenta; ///< what `velocity(q)` and `momentum(q)` are
  std::vector<Member> states;

  Values<N> operator()(const Tree& t) {
    switch (t->op) {
    case Op::Number:
      return Values<N>(N(t->number));
    case Op::Time:
      return Values<N>(time);
    case Op::Counter:
      return Values<N>(N(static_cast<double>(counter(t->name))));
    case Op::Reference:
      return reference(*t);
    case Op::Add:
      return (*this)(t->kids[0]) + (*this)(t->kids[1]);
    case Op::Subtract:
      return (*this)(t->kids[0]) - (*this)(t->kids[1]);
    case Op::Multiply:
      return product(*t);
    case Op::Divide:
      return scaled(N(1.0) / (*this)(t->kids[1]).number(), (*this)(t->kids[0]));
    case Op::Negate:
      return scaled(N(-1.0), (*this)(t->kids[0]));
    case Op::Power: {
      const N x = (*this)(t->kids[0]).number();
      N y = x;
      for (int k = 1; k < t->k; ++k) y = y * x;
      return Values<N>(y);
    }
    case Op::Call:
      return called(*t);
    case Op::Build: {
      Values<N> v(t->rows, t->cols);
      for (std::size_t k = 0; k < t->kids.size(); ++k) v.x[k] = (*this)(t->kids[k]).number();
      return v;
    }
    case Op::Entry: {
      const Values<N> v = (*this)(t->kids[0]);
      return Values<N>(t->l > 0 ? v(t->k - 1, t->l - 1) : v(t->k - 1, 0));
    }
    case Op::Prime: {
      Values<N> v = (*this)(t->kids[0]);
      for (N& x : v.x) x = N(x.d);
      return v;
    }
    case Op::Choice: {
      const bool yes = plain((*this)(t->kids[0]).number()) < plain((*this)(t->kids[1]).number());
      return (*this)(t->kids[yes ? 2 : 3]);
    }
    case Op::Sum:
      return summed(*t);
    }
    throw std::logic_error("no such expression");
  }

private:
  enum class Kind { Point, Fiber, State, Param, Let };
  struct Symbol {
    Kind kind;
    std::size_t index;
  };

  int counter(const std::string& name) const {
    for (auto it = counters_.rbegin(); it != counters_.rend(); ++it)
      if (it->first == name) return it->second;
    throw std::logic_error("no index " + name);
  }
  int member(const Place& p) const {
    if (!p.family) return 0;
    if (p.backwards) return m_.n - counter(p.counter);
    return (p.counter.empty() ? p.offset : counter(p.counter) + p.offset) - 1;
  }

  Values<N> pieceOf(const std::vector<Piece>& pieces, const Member& all, const Node& n) const {
    std::size_t at = 0;
    for (const Piece& p : pieces) {
      if (p.name == n.part) {
        Values<N> v(p.rows, p.cols);
        for (std::size_t k = 0; k < v.x.size(); ++k) v.x[k] = all.at(at + k);
        return v;
      }
      at += static_cast<std::size_t>(p.size());
    }
    throw std::logic_error("no part " + n.part + " of " + n.name);
  }

  Values<N> reference(const Node& n) {
    const auto found = names_.find(n.name);
    if (found == names_.end()) throw std::logic_error("no name " + n.name);
    const auto [kind, k] = found->second;
    const auto i = static_cast<std::size_t>(member(n.place));
    switch (kind) {
    case Kind::Point:
      return pieceOf(m_.factors[k].space->point, points[k].at(i), n);
    case Kind::Fiber:
      return pieceOf(m_.factors[k].space->algebra, fibers[k].at(i), n);
    case Kind::State:
      return pieceOf(m_.states[k].dual ? m_.states[k].space->algebra : m_.states[k].space->point, states[k], n);
    case Kind::Param: {
      const Param& p = m_.params[k];
      Values<N> v(p.rows, p.cols);
      for (std::size_t e = 0; e < v.x.size(); ++e) v.x[e] = N(p.values.at(i)[e]);
      return v;
    }
    case Kind::Let:
      return named(k, static_cast<int>(i));
    }
    throw std::logic_error("no such name");
  }

  Values<N> named(std::size_t k, int i) {
    const Let& l = m_.lets[k];
    std::vector<Values<N>>& known = memo_[k];
    if (known.empty()) {
      // Recursions from their begin: each member is there when the next one asks.
      const int n = l.extent == 0 ? 1 : l.extent;
      known.resize(static_cast<std::size_t>(n));
      auto before = std::move(counters_);
      counters_.clear();
      for (int step = 0; step < n; ++step) {
        counters_.assign(1, {"i", step + 1});
        known[static_cast<std::size_t>(step)] = (*this)(step == 0 && l.first ? l.first : l.next);
      }
      counters_ = std::move(before);
    }
    return known.at(static_cast<std::size_t>(i));
  }

  /// The matrix that a group's element moves vectors by, if the left operand is one.
  const Factor* acting(const Node& n) const {
    if (n.kids[0]->op != Op::Reference || !n.kids[0]->part.empty()) return nullptr;
    const Factor* f = m_.factor(n.kids[0]->name);
    if (f == nullptr) return nullptr;
    return f->space->text == "SU(2)" || f->space->text == "SE(3)" || f->space->text == "SE_2(3)" ? f : nullptr;
  }

  Values<N> product(const Node& n) {
    const Factor* f = acting(n);
    if (f == nullptr || n.kids[1]->rows != 3) return (*this)(n.kids[0]) * (*this)(n.kids[1]);
    const auto k = static_cast<std::size_t>(f - m_.factors.data());
    const Member& g = points[k].at(static_cast<std::size_t>(member(n.kids[0]->place)));
    const Values<N> x = (*this)(n.kids[1]);
    if (f->space->text == "SU(2)") return turned(g, x);
    Values<N> y(3, 1);
    const std::size_t last = g.size() - 3; // R by rows first, the position last
    for (std::size_t i = 0; i < 3; ++i)
      y.x[i] = g[3 * i] * x.x[0] + g[3 * i + 1] * x.x[1] + g[3 * i + 2] * x.x[2] + g[last + i];
    return y;
  }

  /// The vector part of q x q*.
  static Values<N> turned(const Member& q, const Values<N>& x) {
    const auto times = [](const Member& a, const Member& b) {
      return Member{
          a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    };
    const Member y = times(times(q, {N(), x.x[0], x.x[1], x.x[2]}), {q[0], -q[1], -q[2], -q[3]});
    Values<N> v(3, 1);
    for (std::size_t i = 0; i < 3; ++i) v.x[i] = y[i + 1];
    return v;
  }

  Values<N> summed(const Node& n) {
    const int from = n.k > 0 ? n.k : counter(n.part) + 1;
    const int to = n.l > 0 ? n.l : m_.n + n.l;
    const int without = n.name.empty() ? 0 : counter(n.name);
    Values<N> total(n.rows, n.cols);
    counters_.emplace_back(n.place.counter, 0);
    for (int i = from; i <= to; ++i) {
      counters_.back().second = i;
      if (i != without) total = total + (*this)(n.kids[0]);
    }
    counters_.pop_back();
    return total;
  }

  Values<N> called(const Node& n) {
    if (n.name == "momentum" || n.name == "velocity") {
      const auto k = names_.at(n.kids[0]->name).index;
      const auto i = static_cast<std::size_t>(member(n.kids[0]->place));
      return pieceOf(m_.factors[k].space->algebra, (n.name == "momentum" ? momenta : velocities)[k].at(i), n);
    }
    const Values<N> a = (*this)(n.kids[0]);
    if (n.name == "dot") {
      const Values<N> b = (*this)(n.kids[1]);
      N s = a.x[0] * b.x[0];
      for (std::size_t k = 1; k < a.x.size(); ++k) s = s + a.x[k] * b.x[k];
      return Values<N>(s);
    }
    if (n.name == "cross") {
      const Values<N> b = (*this)(n.kids[1]);
      Values<N> c(3, 1);
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        c.x[k] = a.x[i] * b.x[j] - a.x[j] * b.x[i];
      }
      return c;
    }
    if (n.name == "atan2") { // the second argument is positive
      const N b = (*this)(n.kids[1]).number();
      return Values<N>(apply(Unary::Atan, 0, a.number() / b));
    }
    static const std::unordered_map<std::string, Unary> functions = {
        {"sqrt", Unary::Sqrt}, {"exp", Unary::Exp},   {"log", Unary::Log},        {"sin", Unary::Sin},
        {"cos", Unary::Cos},   {"tan", Unary::Tan},   {"asin", Unary::Asin},      {"acos", Unary::Acos},
        {"atan", Unary::Atan}, {"sinh", Unary::Sinh}, {"cosh", Unary::Cosh},      {"tanh", Unary::Tanh},
        {"abs", Unary::Abs},   {"sinc", Unary::Sinc}, {"stumpff", Unary::Stumpff}};
    return Values<N>(apply(functions.at(n.name), n.k, a.number()));
  }

  const RandomModel& m_;
  std::unordered_map<std::string, Symbol> names_;
  std::vector<std::pair<std::string, int>> counters_;
  std::vector<std::vector<Values<N>>> memo_;
};

} // namespace lmc::differential
