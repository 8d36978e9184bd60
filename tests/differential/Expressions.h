// Random expressions of the quantities of a model that is being made.
#pragma once

#include "differential/Model.h"

#include <random>

namespace lmc::differential {

/// Builders of trees; shapes must fit.
namespace trees {
[[nodiscard]] Tree value(double x);
[[nodiscard]] Tree time();
[[nodiscard]] Tree reference(const std::string& name, const Place& at, const Piece& piece);
[[nodiscard]] Tree add(Tree a, Tree b);
[[nodiscard]] Tree subtract(Tree a, Tree b);
[[nodiscard]] Tree multiply(Tree a, Tree b);
[[nodiscard]] Tree divide(Tree a, Tree b);
[[nodiscard]] Tree negate(Tree a);
[[nodiscard]] Tree power(Tree a, int exponent);
[[nodiscard]] Tree call(const std::string& name, std::vector<Tree> arguments, int k = 0);
[[nodiscard]] Tree part(const Tree& whole, const Piece& piece);
[[nodiscard]] Tree build(std::vector<Tree> numbers);
[[nodiscard]] Tree entry(Tree a, int i, int j = 0);
[[nodiscard]] Tree prime(Tree a);
[[nodiscard]] Tree choice(Tree a, Tree b, Tree yes, Tree no);
[[nodiscard]] Tree sum(const std::string& counter, int from, int to, Tree term); ///< to: 0 is N, −1 is N − 1
[[nodiscard]] Tree summed(const std::string& counter, Tree term);                ///< over all members
[[nodiscard]] Tree sumAbove(const std::string& counter, const std::string& above, Tree term);
[[nodiscard]] Tree sumWithout(const std::string& counter, const std::string& without, Tree term);
[[nodiscard]] inline Piece vec3() {
  return {"", 3, 1, true};
}
} // namespace trees

/// Draws numbers and expressions. Index `i` may be used in a place whose counter it is.
class Expressions {
protected:
  explicit Expressions(std::uint64_t seed) : engine_(seed) {}

  double number(double a, double b);
  int integer(int a, int b); ///< both ends included
  bool chance(double p);
  std::string fresh(const std::string& stem);

  /// Parameters of a family with values over four decades; a parameter as a tree; one with random entries.
  std::string family(const std::string& stem, int extent);
  Tree parameter(const std::string& name, int rows, int cols);
  Tree someVector(int n);

  const Factor& someFactor();
  /// A vector of three numbers that moves with a member of a factor; `at` says which of a family.
  Tree pointOf(const Factor& f, const Place& at);
  /// The same of some factor or named point. Without a counter in `at` of some member.
  Tree somePosition(const Place& at);
  /// A number that depends on points, parameters and time, of moderate size.
  Tree position(int depth, const Place& at);
  /// A number that is linear in a velocity or momentum.
  Tree fiberNumber(const Place& at);
  /// A value of a shape from everything that a force may depend on.
  Tree anything(const Piece& shape, const Place& at);
  Tree anyNumber(const Place& at);
  /// Whether an expression depends on a configuration.
  bool isMoving(const Tree& t) const;

  RandomModel m;
  std::vector<std::pair<std::string, bool>> points_; ///< named points, and whether they are families
  std::vector<std::string> stateNames_, inputs_;

private:
  Tree entryOf(const Factor& f, const Place& at);
  Tree entryOfPiece(const Tree& value, const Piece& p);
  Place inside(const Factor& f, const Place& at);
  Tree smooth(Tree x);

  std::mt19937_64 engine_;
  int names_ = 0;
};

} // namespace lmc::differential
