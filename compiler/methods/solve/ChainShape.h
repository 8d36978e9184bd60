// What the members of a family read of each other in Newton's equations (Chain.h): states, and their coefficients.
#pragma once

#include "methods/solve/Block.h"
#include "methods/solve/Chain.h"
#include "methods/solve/Members.h"

#include <array>
#include <map>

namespace lmc::methods {

/// What members hand on to the next one.
struct State {
  enum Kind : std::uint8_t { Element, Sum, End } kind = Element;
  const sym::Array* array = nullptr;
  int first = 0; ///< place of its entries
};

class States {
public:
  /// The place of a state's entries; a new state is put at the end.
  int place(State::Kind kind, const sym::Array* a) {
    if (const auto known = find(kind, a)) return *known;
    list_.push_back({kind, a, size_});
    size_ += a->shape.size();
    return list_.back().first;
  }
  [[nodiscard]] std::optional<int> find(State::Kind kind, const sym::Array* a) const {
    for (const State& s : list_)
      if (s.kind == kind && s.array == a) return s.first;
    return std::nullopt;
  }
  [[nodiscard]] const std::vector<State>& all() const { return list_; }
  [[nodiscard]] int size() const { return size_; }

private:
  std::vector<State> list_;
  int size_ = 0;
};

/// Coefficients of a linear form, by what it reads.
struct Row {
  Block own, before, behind;
};

/// The coefficients at the last member of a sweep, at those between, and at the first one.
struct Place {
  Members members;
  Row equations, before, behind; ///< of the residual, of the states F_i and B_i
};

/// The states of a family whose members read neighbours alone, and their coefficients.
class ChainShape {
public:
  /// `up`: F goes from the first member to the last one.
  ChainShape(sym::Program& p, const std::vector<NewtonPart>& unknowns, const std::vector<NewtonPart>& equations,
             std::int64_t extent, bool up);
  /// False where members read others than neighbours, or too much.
  [[nodiscard]] bool find();

  std::array<Place, 3> places;      ///< the last member of the sweep from the end, those between, the first one
  std::array<bool, 3> joined{};     ///< ends that are like the members between
  States before, behind;            ///< F and B
  int own = 0, global = 0;          ///< unknowns of a member, and of all
  Block besideGlobal, besideBehind; ///< equations beside the family, by global unknowns and the B of the first member
  [[nodiscard]] int beforeSize() const { return before.size() + global; }

private:
  [[nodiscard]] std::size_t operations() const;
  struct Found {
    LinearForm form;
    int row;
  };
  bool layOut();
  bool collect();
  [[nodiscard]] State::Kind stateAt(Seat end) const {
    return (end == Seat::First) == up_ ? State::Element : State::End;
  }
  int globalOf(const LinearForm::Term& t);
  sym::Expr atMember(const NewtonPart& e, sym::Expr index);
  bool alike(const Block& between, const Block& end, int columns, sym::Expr index);
  bool exists(const Block& between, sym::Expr index);
  void join(std::size_t end);
  bool note(const LinearForm& form, bool beside);
  void fill(Row& r, int rows, const std::vector<Found>& forms);
  void add(Block& block, int row, int column, const LinearForm::Term& t);
  void fillBeside(const std::vector<Found>& list);

  sym::Graph& g_;
  const std::vector<NewtonPart>&unknowns_, &equations_;
  Seat before_, behind_;
  bool up_;
  MemberForms forms_;
  std::unordered_map<const sym::Array*, int> ownPlace_;
  std::map<std::pair<const sym::Array*, Seat>, int> globalPlace_;
  std::vector<State> copies_; ///< of what members hand on, that all see: sums, and the ends of a ring
};

} // namespace lmc::methods
