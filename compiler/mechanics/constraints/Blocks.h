// Sparse matrices whose blocks stand in families: equations for the numbers, a plan of elimination found beforehand.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// The pattern of a matrix with blocks between nodes, small groups of neighbouring unknowns. Families of nodes come in
/// the order of the unknowns; then families of blocks, one block for each member of its loops, whose nodes are whole
/// expressions of the loops' indices.
class BlockPattern {
public:
  explicit BlockPattern(sym::Program& program) : p_(program), g_(program.graph()) {}

  /// So many nodes of `size` unknowns each; returns the number of the first, from 0.
  std::int64_t addNodes(std::int64_t count, int size, bool multipliers);
  /// Blocks of rows×columns numbers at (row node, column node), counted from 0; returns their family.
  std::size_t addBlocks(const std::vector<sym::Loop>& loops, sym::Expr row, sym::Expr column, int rows, int columns);
  /// The position, from 1, of number (r, c) of a family's block at the present indices of its loops.
  [[nodiscard]] sym::Expr position(std::size_t family, int r, int c);
  [[nodiscard]] std::int64_t numbers() const { return numbers_; }
  [[nodiscard]] std::int64_t unknowns() const { return unknowns_; }

  /// The equations of nodes and blocks and the sizes of plan and factors, without `values`; null where a node does not
  /// exist or an index is not known before the run.
  [[nodiscard]] std::shared_ptr<sym::SparseJacobian> finish();

  /// Elements per unknown of the factors, after `finish`: how much elimination fills.
  [[nodiscard]] double fill() const { return fill_; }

private:
  struct Nodes {
    std::int64_t first, count;
    int size;
    bool multipliers;
  };
  struct Family {
    std::vector<sym::Loop> loops;
    sym::Expr row, column;
    int rows, columns;
    std::int64_t count, firstBlock, firstNumber;
  };
  [[nodiscard]] sym::Expr ordinal(const std::vector<sym::Loop>& loops);
  [[nodiscard]] bool evaluate(std::vector<double>& blocks) const;
  void emit(const sym::Array* array, const std::vector<sym::Loop>& loops, sym::Expr index, sym::Expr value);

  sym::Program& p_;
  sym::Graph& g_;
  std::vector<Nodes> nodes_;
  std::vector<Family> families_;
  std::int64_t nodeCount_ = 0, unknowns_ = 0, blockCount_ = 0, numbers_ = 0;
  double fill_ = 0;
};

/// The value of a whole expression of loop indices and constants; nothing where it depends on data.
[[nodiscard]] std::optional<std::int64_t> wholeValue(sym::Expr e,
                                                     const std::unordered_map<const sym::Node*, std::int64_t>& indices);

/// Most unknowns of a node.
inline constexpr int mostUnknownsOfNode = 64;

} // namespace lmc::mechanics
