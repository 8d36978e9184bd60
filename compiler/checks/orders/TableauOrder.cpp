#include "checks/orders/TableauOrder.h"

#include "checks/orders/Coefficient.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace lmc::orders {

namespace {

/// A rooted tree: the numbers of its subtrees, ascending.
struct Tree {
  int order = 1;
  std::vector<std::size_t> children;
  Coefficient gamma;
  std::vector<Coefficient> stages; ///< Phi_i
  std::vector<double> errors;      ///< what they can be off by, the last digits of the coefficients being rounded
};

/// Half a unit of the sixteenth digit.
constexpr double lastDigit = 5e-16;

double size(const Coefficient& c) {
  return std::abs(static_cast<double>(c.value()));
}

class Trees {
public:
  explicit Trees(const methods::Tableau& t) {
    for (const auto& row : t.a) {
      a_.emplace_back();
      for (const sym::Number& x : row) a_.back().emplace_back(x);
    }
  }

  /// Adds all trees of an order, those of lower orders being there.
  void add(int order) {
    std::vector<std::size_t> children;
    extend(order - 1, 0, order, children);
  }
  [[nodiscard]] const std::vector<Tree>& all() const { return trees_; }

  /// f''(f, f'(f))
  [[nodiscard]] std::string text(const Tree& t) const {
    std::string inside;
    for (const std::size_t k : t.children) inside += (inside.empty() ? "" : ", ") + text(trees_[k]);
    return "f" + std::string(t.children.size(), '\'') + (inside.empty() ? "" : "(" + inside + ")");
  }

private:
  /// Chooses subtrees, none before the last one, until their nodes are used up.
  void extend(int left, std::size_t first, int order, std::vector<std::size_t>& children) {
    if (left == 0) {
      trees_.push_back(made(order, children));
      return;
    }
    const std::size_t known = trees_.size();
    for (std::size_t k = first; k < known; ++k) {
      if (trees_[k].order > left || trees_[k].order == order) break; // ascending by order
      children.push_back(k);
      extend(left - trees_[k].order, k, order, children);
      children.pop_back();
    }
  }

  [[nodiscard]] Tree made(int order, const std::vector<std::size_t>& children) const {
    const std::size_t n = a_.size();
    Tree t{order, children, Coefficient(order), std::vector<Coefficient>(n, Coefficient(1)),
           std::vector<double>(n, 0.0)};
    for (const std::size_t k : children) {
      const Tree& child = trees_[k];
      t.gamma *= child.gamma;
      for (std::size_t i = 0; i < n; ++i) {
        Coefficient sum;
        double error = 0;
        for (std::size_t j = 0; j < n; ++j) {
          if (a_[i][j].isZero()) continue;
          sum += a_[i][j] * child.stages[j];
          error += size(a_[i][j]) * (lastDigit * size(child.stages[j]) + child.errors[j]);
        }
        t.errors[i] = t.errors[i] * size(sum) + size(t.stages[i]) * error;
        t.stages[i] *= sum;
      }
    }
    return t;
  }

  std::vector<std::vector<Coefficient>> a_;
  std::vector<Tree> trees_;
};

} // namespace

ProvedOrder orderOf(const methods::Tableau& tableau, const std::vector<sym::Number>& b, int highest) {
  std::vector<Coefficient> weights;
  weights.reserve(b.size());
  for (const sym::Number& x : b) weights.emplace_back(x);
  Trees trees(tableau);
  ProvedOrder result;
  double residual = 0;
  std::size_t next = 0;
  for (int order = 1; order <= std::min(highest, provedLimit); ++order) {
    trees.add(order);
    for (; next < trees.all().size(); ++next) {
      const Tree& t = trees.all()[next];
      Coefficient sum;
      double limit = residualLimit;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += weights[i] * t.stages[i];
        limit += size(weights[i]) * (lastDigit * size(t.stages[i]) + t.errors[i]);
      }
      const Coefficient wanted = t.gamma.inverse(), difference = sum - wanted;
      const double missed = size(difference);
      if (missed < limit) {
        result.numerical = result.numerical || !(difference.exact() && difference.isZero());
        residual = std::max(residual, missed);
        continue;
      }
      result.failure = {trees.text(t), sum.text(), wanted.text(), missed};
      return result;
    }
    result.order = order;
    result.residual = residual;
  }
  return result;
}

} // namespace lmc::orders
