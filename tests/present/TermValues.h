// Numbers of the terms of printed equations, by plain matrices.
#pragma once

#include "present/terms/Terms.h"

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lmc::test {

/// Values of sums and of their atoms for numbers of all symbols, by name. `ofKind` gives an atom of the kinds that the
/// switch leaves out, by the values of its parts.
struct TermValues {
  using Matrix = Eigen::MatrixXd;

  const std::map<std::string, Matrix>& names;
  std::function<Matrix(present::Atom, const std::vector<Matrix>&)> ofKind;

  Matrix operator()(const present::Poly& p) const {
    Matrix sum = Matrix::Zero(p.shape.rows, p.shape.cols);
    for (const auto& [m, c] : p.terms) {
      double x = c.value();
      for (const auto& [a, n] : m.powers) x *= std::pow((*this)(a)(0), n);
      sum += m.core != nullptr ? Matrix(x * (*this)(m.core)) : Matrix::Constant(1, 1, x);
    }
    return sum;
  }

  Matrix operator()(present::Atom a) const {
    using present::Kind;
    std::vector<Matrix> k;
    if (a->kind != Kind::Symbol)
      for (const present::Atom kid : a->kids) k.push_back((*this)(kid));
    switch (a->kind) {
    case Kind::Symbol:
      return names.at(a->name);
    case Kind::Sealed:
      return (*this)(*a->poly);
    case Kind::Basis:
      return Matrix::Identity(a->shape.rows, a->shape.rows).col(std::lround(k[0](0)) - 1);
    case Kind::Identity:
      return Matrix::Identity(a->shape.rows, a->shape.rows);
    case Kind::Transpose:
      return k[0].transpose();
    case Kind::Outer:
      return k[0] * k[1].transpose();
    case Kind::Chain:
    case Kind::Form: {
      Matrix m = a->kind == Kind::Form ? Matrix(k[0].transpose()) : k[0];
      for (std::size_t i = 1; i < k.size(); ++i) m = m * k[i];
      return m;
    }
    default:
      return ofKind(a, k);
    }
  }
};

} // namespace lmc::test
