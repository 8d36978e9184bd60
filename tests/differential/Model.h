// A random model: what the generator makes, what is printed as a file, and what the oracle evaluates.
#pragma once

#include "differential/Spaces.h"
#include "differential/Tree.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lmc::differential {

struct Factor {
  std::string name, fiber; ///< the velocity's or momentum's name
  const Space* space = nullptr;
  int extent = 0; ///< 0: no family
  bool inSpace = false, momentum = false;
  /// One per member: storage of the point, coordinates of the velocity or momentum, as they are written in the file.
  std::vector<std::vector<double>> points, fibers;
  [[nodiscard]] int members() const { return extent == 0 ? 1 : extent; }
};

/// A first-order state on a group or a vector space, or an element of a dual.
struct State {
  std::string name;
  const Space* space = nullptr;
  bool inSpace = false, dual = false;
  std::vector<double> value;
  std::vector<Tree> flow; ///< one per piece of the algebra; empty: by the Hamiltonian
};

struct Param {
  std::string name;
  int extent = 0, rows = 1, cols = 1;
  bool vector = false;
  std::vector<std::vector<double>> values; ///< one per member
};

/// A named expression; of a family a recursion: a first member and the others, upwards or downwards.
struct Let {
  std::string name;
  int extent = 0, rows = 1, cols = 1;
  bool input = false; ///< declared as an input
  Tree first, next;   ///< without an extent `first` alone; a family without recursion: `next` alone
};

struct Force {
  std::string factor; ///< `force on`, one expression per piece of the algebra; a missing one has no text
  int member = 0;     ///< of a family
  std::vector<Tree> pieces;
  Tree at, vector; ///< `force vector at at`
};

struct Observable {
  std::string name;
  Tree value;
};

/// A value that `--set` replaces: of one part of a point, velocity, momentum or state, or a parameter.
struct Setting {
  std::string name; ///< of a factor, its velocity, a state, or a parameter
  int member = 0;   ///< of a family, from 1
  std::string part; ///< of its pieces; empty: there is one
  std::vector<double> values;
};

struct RandomModel {
  std::uint64_t seed = 0;
  int n = 0; ///< N; 0: there are no families
  double time = 0;
  std::vector<Factor> factors;
  std::vector<State> states;
  std::vector<Param> params;
  std::vector<Let> lets;
  bool hamiltonian = false;
  std::vector<Tree> energy; ///< summands of the Lagrangian or the Hamiltonian
  std::vector<Tree> dissipation;
  std::vector<Force> forces;
  std::vector<Observable> observables;
  std::vector<Setting> settings;

  [[nodiscard]] const Factor* factor(const std::string& name) const;
};

/// The file of a model.
[[nodiscard]] std::string textOf(const RandomModel& m);

/// The settings as `--set` has them, and the model with their values.
[[nodiscard]] std::vector<std::string> overridesOf(const RandomModel& m);
[[nodiscard]] RandomModel withSettings(const RandomModel& m);

/// A model from a seed; what is in it depends on the seed alone.
[[nodiscard]] RandomModel generate(std::uint64_t seed);

/// Models with a part less each: the reducer tries them in this order.
[[nodiscard]] std::vector<RandomModel> smaller(const RandomModel& m);

} // namespace lmc::differential
