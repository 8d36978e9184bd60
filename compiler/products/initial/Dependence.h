// What is said of equations of constraints that depend on each other.
#pragma once

#include "linear/Decompositions.h"
#include "products/initial/ConstraintNames.h"
#include "products/initial/MetricRows.h"

namespace lmc::products {

class DependenceMessages : protected ConstraintNames {
protected:
  DependenceMessages(const sema::Model& model, const mechanics::ConstraintEquations& equations)
      : ConstraintNames{model, equations} {}

  /// Coefficients of a row in others that are worth a name.
  static constexpr double worthAName = 1e-6;

  void contradict(Eigen::Index own, const std::vector<Eigen::Index>& others) {
    d_->error(Code::LIE0424, m_.constraints[constraintOf(own)].range,
              fmt::format("the constraints contradict each other: `{}` has the direction of {}, but asks for another "
                          "acceleration",
                          nameOf(own), namesOf(others)));
  }

  /// Reports a gap of a contact that is below zero by more than rounding may explain; `slopes` are its derivatives.
  bool contactsHold(const ColumnVector& gaps, const RowMatrix& slopes, double rounding) {
    for (const sema::Contact& c : m_.contacts) {
      for (std::int64_t k = c_.firstRow[c.normal]; k < c_.firstRow[c.normal] + c.mode->count(); ++k) {
        if (gaps[k] >= -rounding * std::max(1e-3, slopes.row(k).norm())) continue;
        d_->error(Code::LIE0449, c.range,
                  fmt::format("the contact `{}` does not hold: its gap is {:.6g}", nameOf(k), gaps[k]))
            .suggest("begin where it is not negative");
        return false;
      }
    }
    return true;
  }

  /// Warns of a smallest set of rows that follow from others; false, and an error, if their rates do not.
  bool explain(const ColumnVector& biases, const RowMatrix& rows, const RowMatrix& b,
               const std::vector<Eigen::Index>& active, const linear::PivotedQR& qr) {
    const Eigen::Index rank = qr.rank();
    const Eigen::VectorXi order = qr.order();
    RowMatrix kept(rank, rows.cols());
    for (Eigen::Index k = 0; k < rank; ++k) kept.row(k) = rows.row(order[k]);
    const linear::PivotedQR basis(kept.transpose());
    std::vector<Eigen::Index> follow;
    std::vector<std::string> notes;
    for (Eigen::Index k = rank; k < rows.rows(); ++k) {
      const ColumnVector part = basis.solve(rows.row(order[k]).transpose());
      const auto weight = [&](Eigen::Index i) { return b.row(active[static_cast<std::size_t>(i)]).norm(); };
      const Eigen::Index own = active[static_cast<std::size_t>(order[k])];
      std::vector<Eigen::Index> others;
      double bias = biases[own] / weight(order[k]), size = std::abs(bias);
      for (Eigen::Index i = 0; i < rank; ++i) {
        if (std::abs(part[i]) > worthAName) others.push_back(active[static_cast<std::size_t>(order[i])]);
        const double term = part[i] * biases[active[static_cast<std::size_t>(order[i])]] / weight(order[i]);
        bias -= term;
        size = std::max(size, std::abs(term));
      }
      follow.push_back(own);
      if (std::abs(bias) > worthAName * std::max(1.0, size)) {
        contradict(own, others);
        return false;
      }
      notes.push_back(fmt::format("`{}` follows from {}", nameOf(own), namesOf(others)));
    }
    warn(follow, rows.rows(), notes,
         "the motion is determined; the multipliers are not, and are those of smallest norm");
    return true;
  }

  void warn(const std::vector<Eigen::Index>& follow, Eigen::Index all, const std::vector<std::string>& notes,
            const char* of) {
    constexpr std::size_t most = 6;
    auto report =
        d_->warning(Code::LIE0423, m_.constraints[constraintOf(follow[0])].range,
                    fmt::format("{} of the {} equations of constraints follow from others at the initial state: {}",
                                follow.size(), all, namesOf(follow)));
    for (std::size_t k = 0; k < notes.size() && k < most; ++k) report.note(notes[k]);
    report.note(of);
  }

  Diagnostics* d_ = nullptr;
};

} // namespace lmc::products
