#include "lower/steps/Rows.h"

#include "lower/builder/Builder.h"
#include "lower/builder/Copies.h"
#include "lower/builder/Sums.h"

namespace lmc::lower {

tape::Function rowSums(tape::Module& module, const std::string& name, const RowSums& sums) {
  const auto buffer = [&](RowPlace at) { return bufferFor(module, "row", at.role, at.offset, sums.size); };
  Builder b(name, 2);
  const tape::Value h = b.argument(1);
  std::vector<std::vector<tape::Value>> scaled; // h times the coefficients of each sum
  for (const RowSums::Sum& s : sums.sums) {
    scaled.emplace_back();
    for (const double c : s.coefficients) scaled.back().push_back(c == 0 ? b.real(0) : b.mul(h, b.real(c)));
  }
  const tape::Value e = b.beginLoop(b.integer(0), b.integer(sums.size - 1), false);
  std::vector<tape::Value> rows;
  for (const RowPlace& r : sums.rows) rows.push_back(b.load(buffer(r), e, false));
  const tape::Value begin = b.load(buffer(sums.begin), e, false);
  for (const auto& [row, to] : sums.copies) b.store(buffer(to), e, rows[row]);
  for (std::size_t k = 0; k < sums.sums.size(); ++k) {
    tape::Value total = begin;
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (sums.sums[k].coefficients[j] != 0) total = b.add(total, b.mul(rows[j], scaled[k][j]));
    b.store(buffer(sums.sums[k].to), e, total);
  }
  b.endLoop();
  return fuseSums(b.finish(), module.buffers);
}

} // namespace lmc::lower
