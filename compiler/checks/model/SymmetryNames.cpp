// What a combination of candidates is called: "rotation of R, q about e3 (space) + translation of x along e1".
#include "checks/model/Symmetries.h"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lmc::checks {

namespace {

enum class Sort : std::uint8_t { Rotation, Translation, Other };

/// An algebra element with the given part, the others zero.
sema::Tuple withPart(sym::Graph& g, const std::vector<sema::Part>& parts, std::size_t part, sym::Expr value) {
  sema::Tuple t = sema::zero(g, parts);
  t[part] = value;
  return t;
}

/// A tensor of a part's shape whose first entry is a number, the others zero.
sym::Expr first(sym::Graph& g, const sema::Manifold& group, std::size_t part, std::int64_t value) {
  const sym::Shape& shape = group.algebra()[part].shape;
  const sym::Expr x = g.number(value);
  if (shape.rank == 0) return x;
  std::vector<sym::Expr> entries(static_cast<std::size_t>(shape.size()), g.number(0));
  entries.front() = x;
  return shape.rank == 1 ? g.vector(entries) : g.matrix(shape.rows, shape.cols, entries);
}

/// How the one-parameter group of a unit element moves in the storage: along a line, or for ever within bounds.
enum class Course : std::uint8_t { Line, Bounded, Other };

Course courseOf(StateSpace& space, const Variable& v, std::size_t part) {
  const sema::Manifold& group = v.manifold->group();
  sym::Graph& g = space.layer().program().graph();
  constexpr std::array<std::int64_t, 6> times = {0, 1, 2, 10, 100, 1000};
  sym::Program program(g);
  sema::ArrayTuple arrays;
  for (const std::int64_t t : times) {
    const auto element = group.apply("exp", {withPart(g, group.algebra(), part, first(g, group, part, t))});
    for (const sym::Expr& e : *element) {
      sym::Equation q;
      q.array = g.newArray("course", {}, e->shape, sym::Role::Temp);
      q.value = e;
      arrays.push_back(q.array);
      program.append(std::move(q));
    }
  }
  const auto numbers = products::constantNumbers(program, arrays);
  if (!numbers) return Course::Other;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Index n = static_cast<Eigen::Index>(numbers->size() / times.size());
  const Eigen::Map<const Rows> at(numbers->data(), static_cast<Eigen::Index>(times.size()), n);
  if (!at.allFinite()) return Course::Other;
  const auto step = (at.row(1) - at.row(0)).eval();
  if ((at.row(2) - at.row(0) - 2 * step).norm() <= 1e-12 * step.norm()) return Course::Line;
  const double early = std::max(at.topRows(3).cwiseAbs().maxCoeff(), 1.0);
  return at.bottomRows(3).cwiseAbs().maxCoeff() <= 10 * early ? Course::Bounded : Course::Other;
}

/// Rotations: a part with the cross product as bracket, or a single number whose motion goes round. Translations: a
/// part whose elements commute and move along lines.
Sort sortOf(StateSpace& space, const Variable& v, std::size_t part) {
  sym::Graph& g = space.layer().program().graph();
  if (v.vector) return Sort::Translation;
  const std::vector<sema::Part>& algebra = v.manifold->algebra();
  const auto arrays = sema::dummies(g, {algebra[part], algebra[part]}, "u");
  const sym::Expr a = g.load(arrays[0]), b = g.load(arrays[1]);
  const sema::Tuple product =
      mechanics::bracket(*v.manifold, withPart(g, algebra, part, a), withPart(g, algebra, part, b));
  if (algebra[part].shape.size() == 1 || sema::isZero(product)) {
    const Course course = courseOf(space, v, part);
    if (course == Course::Line) return Sort::Translation;
    return course == Course::Bounded && algebra[part].shape.size() == 1 ? Sort::Rotation : Sort::Other;
  }
  if (!(algebra[part].shape == sym::Shape::vec(3)) || !(product[part] == g.cross(a, b))) return Sort::Other;
  for (std::size_t k = 0; k < product.size(); ++k)
    if (k != part && !product[k]->isZero()) return Sort::Other;
  return Sort::Rotation;
}

/// Terms of one variable (all of it, or one member) with one sort of motion, by entries.
struct Piece {
  std::size_t variable = 0;
  std::int64_t member = 0;
  Motion motion = Motion::Space;
  std::size_t part = 0; ///< of the algebra
  std::vector<double> entries;
};

class Description {
public:
  Description(StateSpace& space, const std::vector<CandidateGroup>& groups) : s_(space), groups_(groups) {}

  std::string operator()(const std::vector<std::pair<Candidate, double>>& terms) {
    for (const auto& [candidate, factor] : terms) add(candidate, factor);
    mergeMembers();
    scale();
    std::string text;
    while (!pieces_.empty()) {
      const Piece first = pieces_.front();
      const std::string motion = motionOf(first);
      const double factor = factorOf(first);
      std::vector<std::string> names;
      std::erase_if(pieces_, [&](const Piece& p) {
        const bool same = p.motion != Motion::Linear && first.motion != Motion::Linear && motionOf(p) == motion &&
                          factorOf(p) == factor;
        if (same) names.push_back(nameOf(p));
        return same;
      });
      if (first.motion == Motion::Linear) {
        pieces_.erase(pieces_.begin());
        text += (text.empty() ? "" : " + ") + linear(first);
      } else {
        const auto space = motion.find(' ');
        const std::string number = std::abs(factor) == 1 ? "" : fmt::format("{:.6g} ", std::abs(factor));
        const char* const sign = text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
        text += fmt::format("{}{}{} of {}{}", sign, number, motion.substr(0, space), fmt::join(names, ", "),
                            space == std::string::npos ? "" : motion.substr(space));
      }
    }
    return text;
  }

private:
  void add(const Candidate& c, double factor) {
    const CandidateGroup& group = groups_[c.group];
    const Variable& v = s_.variables()[group.variable];
    std::size_t part = 0, entry = c.entry, count = group.entries;
    if (group.motion == Motion::Space || group.motion == Motion::Body) {
      const std::vector<sema::Part>& algebra = v.manifold->algebra();
      while (entry >= static_cast<std::size_t>(algebra[part].shape.size()))
        entry -= static_cast<std::size_t>(algebra[part++].shape.size());
      count = static_cast<std::size_t>(algebra[part].shape.size());
    }
    auto it = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& p) {
      return p.variable == group.variable && p.member == c.member && p.motion == group.motion && p.part == part;
    });
    if (it == pieces_.end()) {
      pieces_.push_back({group.variable, c.member, group.motion, part, std::vector<double>(count, 0.0)});
      it = pieces_.end() - 1;
    }
    it->entries[entry] += factor;
  }

  /// Pieces of all members of a family with the same entries are one piece of the family.
  void mergeMembers() {
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      const Piece piece = pieces_[k];
      const auto same = [&](const Piece& p) {
        return p.member > 0 && p.variable == piece.variable && p.motion == piece.motion && p.part == piece.part &&
               p.entries == piece.entries;
      };
      const std::int64_t members = s_.variables()[piece.variable].members();
      if (piece.member == 0 || std::count_if(pieces_.begin(), pieces_.end(), same) != members) continue;
      pieces_[k].member = 0;
      std::erase_if(pieces_, same);
    }
  }

  /// The largest entry of the first piece becomes 1.
  void scale() {
    if (pieces_.empty()) return;
    double largest = 0;
    for (const double x : pieces_.front().entries)
      if (std::abs(x) > std::abs(largest)) largest = x;
    for (Piece& p : pieces_)
      for (double& x : p.entries) x = x / largest + 0.0; // no -0
  }

  [[nodiscard]] std::string nameOf(const Piece& p) const {
    const Variable& v = s_.variables()[p.variable];
    return p.member > 0 ? fmt::format("{}[{}]", v.name, p.member) : v.name;
  }

  /// What stands before a motion that needs no direction.
  static double factorOf(const Piece& p) {
    return p.motion != Motion::Linear && p.entries.size() == 1 ? p.entries[0] : 1;
  }

  /// "e3", "-e1", "(1, 0.5, 0)"
  static std::string direction(const std::vector<double>& entries) {
    const auto nonzero = std::count_if(entries.begin(), entries.end(), [](double x) { return x != 0; });
    const auto at = std::find_if(entries.begin(), entries.end(), [](double x) { return x != 0; });
    if (nonzero == 1 && std::abs(*at) == 1) return fmt::format("{}e{}", *at < 0 ? "-" : "", at - entries.begin() + 1);
    std::vector<std::string> list;
    for (const double x : entries) list.push_back(fmt::format("{:.6g}", x));
    return fmt::format("({})", fmt::join(list, ", "));
  }

  /// "rotation about e3 (space)"
  std::string motionOf(const Piece& p) {
    const Variable& v = s_.variables()[p.variable];
    const Sort sort = p.motion == Motion::Rotation ? Sort::Rotation : sortOf(s_, v, p.part);
    const bool framed = !(v.vector && p.motion == Motion::Space);
    const std::string frame = !framed ? "" : p.motion == Motion::Body ? " (body)" : " (space)";
    const std::string plain = p.entries.size() == 1 ? "" : direction(p.entries);
    const auto with = [](const char* word, const std::string& text) { return text.empty() ? "" : word + text; };
    switch (sort) {
    case Sort::Rotation:
      return "rotation" + with(" about ", plain) + frame;
    case Sort::Translation:
      return "translation" + with(" along ", plain) + frame;
    default:
      return "motion" + with(" along ", v.manifold->algebra()[p.part].name + (plain.empty() ? "" : " = " + plain)) +
             frame;
    }
  }

  /// "z[1] + 2 z[3]"
  std::string linear(const Piece& p) {
    std::string text;
    const std::vector<std::string> names = entryNames(p);
    for (std::size_t k = 0; k < p.entries.size(); ++k) {
      const double x = p.entries[k];
      if (x == 0) continue;
      const std::string sign = text.empty() ? (x < 0 ? "-" : "") : (x < 0 ? " - " : " + ");
      text += sign + (std::abs(x) == 1 ? "" : fmt::format("{:.6g} ", std::abs(x))) + names[k];
    }
    return text;
  }

  std::vector<std::string> entryNames(const Piece& p) {
    const sema::StateVariable& z = s_.system().model->states[s_.variables()[p.variable].index];
    std::vector<std::string> names;
    for (const sema::Part& part : z.parts()) {
      const std::string name = z.parts().size() > 1 ? nameOf(p) + "." + part.name : nameOf(p);
      for (int i = 1; i <= part.shape.rows; ++i) {
        for (int j = 1; j <= part.shape.cols; ++j) {
          names.push_back(name + (part.shape.rank > 0 ? fmt::format("[{}]", i) : "") +
                          (part.shape.rank > 1 ? fmt::format("[{}]", j) : ""));
        }
      }
    }
    return names;
  }

  StateSpace& s_;
  const std::vector<CandidateGroup>& groups_;
  std::vector<Piece> pieces_;
};

} // namespace

std::string describe(StateSpace& space, const std::vector<CandidateGroup>& groups,
                     const std::vector<std::pair<Candidate, double>>& terms) {
  return Description(space, groups)(terms);
}

} // namespace lmc::checks
