// From normal forms to what a person writes: common factors before brackets, sums over one range as one sum, operators
// applied once, identities used where they shorten.
#pragma once

#include "present/terms/Identities.h"
#include "present/terms/Tree.h"

#include <set>

namespace lmc::present {

class Fold {
public:
  /// `taken`: names that no index of a sum may have.
  Fold(Terms& terms, std::set<std::string> taken) : t_(terms), taken_(std::move(taken)) {}
  [[nodiscard]] TreePtr operator()(const Poly& p) { return folded(p); }
  /// An index that is free in what is shown: no sum is over one of its name.
  void reserve(Atom index, const std::string& name) { names_.emplace_back(index, name); }
  /// How an integer is shown: where it stands for a name, "N - 1".
  std::function<TreePtr(std::int64_t)> integer;

private:
  struct Handle {
    char type = 0; ///< s scalar, c core, x cross with, m matrix times, d dot with, r sum over a range
    Atom a = nullptr;
    std::string range;
    bool operator<(const Handle& o) const {
      return std::tuple(type, a != nullptr ? a->id : 0, range) <
             std::tuple(o.type, o.a != nullptr ? o.a->id : 0, o.range);
    }
  };
  TreePtr folded(Poly p);
  TreePtr single(const Monomial& m, const sym::Number& c);
  TreePtr product(const sym::Number& c, const Monomial& scalars, const TreePtr& tensor);
  void handles(const Monomial& m, std::set<Handle>& found);
  std::optional<Poly> peeled(const Monomial& m, const sym::Number& c, const Handle& h, Atom index);
  std::optional<Poly> peeledInside(const Monomial& m, const sym::Number& c, const Handle& h);
  TreePtr combined(const Handle& h, const Poly& rest, Atom index, Atom series);
  TreePtr grouped(Poly p);
  std::optional<TreePtr> byVelocities(const Poly& p);
  TreePtr atom(Atom a);
  TreePtr indexTree(const Poly& p);
  TreePtr chainTree(const std::vector<Atom>& list);
  TreePtr formTree(Atom a);
  TreePtr seriesTree(Atom series, const std::string& name, const TreePtr& body);
  std::string nameFor(Atom index);
  TreePtr matrixSum(Poly& p);
  static std::string rangeKey(Atom series);
  std::size_t size(Atom a) const;

  Terms& t_;
  std::set<std::string> taken_;
  std::vector<std::pair<Atom, std::string>> names_; ///< of indices that are bound around
};

} // namespace lmc::present
