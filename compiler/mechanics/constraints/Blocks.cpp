#include "mechanics/constraints/Blocks.h"

#include "base/Integers.h"
#include "runtime/kernels/Kernels.h"

namespace lmc::mechanics {

using sym::Expr;
using sym::Op;

namespace {

std::optional<std::int64_t> folded(const sym::Node& n, const std::vector<std::int64_t>& a) {
  switch (n.op) {
  case Op::Add: {
    std::int64_t sum = 0;
    for (const std::int64_t x : a) sum += x;
    return sum;
  }
  case Op::Mul:
    return a[0] * a[1];
  case Op::IDiv:
    if (a[1] == 0) return std::nullopt;
    return floorDiv(a[0], a[1]);
  case Op::IMod:
    if (a[1] == 0) return std::nullopt;
    return floorMod(a[0], a[1]);
  case Op::Min:
    return std::min(a[0], a[1]);
  case Op::Max:
    return std::max(a[0], a[1]);
  case Op::Abs:
    return std::abs(a[0]);
  case Op::Select:
    return a[0] != 0 ? a[1] : a[2];
  case Op::Lt:
    return a[0] < a[1] ? 1 : 0;
  case Op::Le:
    return a[0] <= a[1] ? 1 : 0;
  case Op::Eq:
    return a[0] == a[1] ? 1 : 0;
  case Op::Ne:
    return a[0] != a[1] ? 1 : 0;
  case Op::And:
    return a[0] != 0 && a[1] != 0 ? 1 : 0;
  case Op::Or:
    return a[0] != 0 || a[1] != 0 ? 1 : 0;
  case Op::Not:
    return a[0] == 0 ? 1 : 0;
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<std::int64_t> wholeValue(Expr e, const std::unordered_map<const sym::Node*, std::int64_t>& indices) {
  if (e->op == Op::Const && e->type != sym::Type::Real) return e->number.num();
  if (e->op == Op::Index) {
    const auto found = indices.find(e.node());
    if (found == indices.end()) return std::nullopt;
    return found->second;
  }
  if (e->op == Op::Load || e->type == sym::Type::Real) return std::nullopt;
  std::vector<std::int64_t> values;
  for (const Expr& a : e->args) {
    const auto value = wholeValue(a, indices);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return folded(*e, values);
}

std::int64_t BlockPattern::addNodes(std::int64_t count, int size, bool multipliers) {
  nodes_.push_back({nodeCount_, count, size, multipliers});
  const std::int64_t first = nodeCount_;
  nodeCount_ += count;
  unknowns_ += count * size;
  return first;
}

std::size_t BlockPattern::addBlocks(const std::vector<sym::Loop>& loops, Expr row, Expr column, int rows, int columns) {
  std::int64_t count = 1;
  for (const sym::Loop& l : loops) count *= sym::constantInt(l.hi);
  families_.push_back({loops, row, column, rows, columns, count, blockCount_, numbers_});
  blockCount_ += count;
  numbers_ += count * rows * columns;
  return families_.size() - 1;
}

/// Of a member among all of its loops, from 0.
Expr BlockPattern::ordinal(const std::vector<sym::Loop>& loops) {
  Expr n = g_.integer(0);
  for (const sym::Loop& l : loops) n = g_.add(g_.mul(l.hi, n), g_.sub(l.index, g_.integer(1)));
  return n;
}

Expr BlockPattern::position(std::size_t family, int r, int c) {
  const Family& f = families_[family];
  const int size = f.rows * f.columns;
  return g_.add(g_.integer(f.firstNumber + r * f.columns + c + 1), g_.mul(g_.integer(size), ordinal(f.loops)));
}

bool BlockPattern::evaluate(std::vector<double>& blocks) const {
  std::unordered_map<const sym::Node*, std::int64_t> indices;
  for (const Family& f : families_) {
    for (std::int64_t k = 0; k < f.count; ++k) {
      std::int64_t rest = k;
      for (std::size_t l = f.loops.size(); l > 0; --l) {
        const std::int64_t extent = sym::constantInt(f.loops[l - 1].hi);
        indices[f.loops[l - 1].index.node()] = rest % extent + 1;
        rest /= extent;
      }
      for (const Expr& e : {f.row, f.column}) {
        const auto node = wholeValue(e, indices);
        if (!node || *node < 0 || *node >= nodeCount_) return false;
        blocks.push_back(static_cast<double>(*node));
      }
    }
  }
  return true;
}

void BlockPattern::emit(const sym::Array* array, const std::vector<sym::Loop>& loops, Expr index, Expr value) {
  sym::Equation e;
  e.array = array;
  e.loops = loops;
  e.index = {index};
  e.value = value;
  p_.append(std::move(e));
}

std::shared_ptr<sym::SparseJacobian> BlockPattern::finish() {
  std::vector<double> blocks, nodes;
  if (!evaluate(blocks)) return nullptr;
  for (const Nodes& n : nodes_) {
    if (n.size > mostUnknownsOfNode) return nullptr;
    for (std::int64_t k = 0; k < n.count; ++k) {
      nodes.push_back(n.size);
      nodes.push_back(n.multipliers ? 1 : 0);
    }
  }
  auto s = std::make_shared<sym::SparseJacobian>();
  s->nodeCount = nodeCount_;
  s->blockCount = blockCount_;
  s->unknowns = unknowns_;
  const auto planSize = [&](std::int64_t entries) { return 22 * nodeCount_ + 5 * blockCount_ + 3 * entries + 16; };
  std::vector<double> plan;
  for (s->entries = 2 * blockCount_ + nodeCount_;; s->entries *= 2) {
    plan.assign(static_cast<std::size_t>(planSize(s->entries)), 0.0);
    if (lmc_sparse_plan(nodes.data(), blocks.data(), plan.data(), nodeCount_, blockCount_, s->entries) == LMC_OK) break;
    constexpr std::int64_t most = std::int64_t{1} << 28;
    if (s->entries > most) return nullptr;
  }
  s->factorSize = static_cast<std::int64_t>(plan[4]);
  s->entries = static_cast<std::int64_t>(plan[5]);
  s->planSize = planSize(s->entries);
  fill_ = static_cast<double>(s->factorSize) / static_cast<double>(unknowns_);

  const sym::Array* nodeArray = g_.newArray("nodes", {2 * nodeCount_}, sym::Shape::scalar(), sym::Role::Temp);
  for (const Nodes& n : nodes_) {
    const sym::Loop k = sym::fullLoop(g_, "k", n.count);
    const std::vector<sym::Loop> loops = n.count > 1 ? std::vector<sym::Loop>{k} : std::vector<sym::Loop>{};
    const Expr at = n.count > 1 ? g_.mul(g_.integer(2), k.index) : g_.integer(2);
    emit(nodeArray, loops, g_.add(g_.integer(2 * n.first - 1), at), g_.number(n.size));
    emit(nodeArray, loops, g_.add(g_.integer(2 * n.first), at), g_.number(n.multipliers ? 1 : 0));
  }
  const sym::Array* blockArray = g_.newArray("blocks", {2 * blockCount_}, sym::Shape::scalar(), sym::Role::Temp);
  for (const Family& f : families_) {
    const Expr at = g_.mul(g_.integer(2), g_.add(g_.integer(f.firstBlock), ordinal(f.loops)));
    emit(blockArray, f.loops, g_.add(at, g_.integer(1)), g_.toReal(f.row));
    emit(blockArray, f.loops, g_.add(at, g_.integer(2)), g_.toReal(f.column));
  }
  s->nodes = nodeArray;
  s->blocks = blockArray;
  return s;
}

} // namespace lmc::mechanics
