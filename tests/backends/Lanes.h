// Memory of a tape for many lanes, and calls of its code.
#pragma once

#include "Builder.h"
#include "jit/Compile.h"
#include "tape/TapeLanes.h"

#include <cstdlib>
#include <memory>

namespace lmc::test {

class LaneMemory {
public:
  LaneMemory(const tape::Module& m, int lanes) : lanes_(static_cast<std::size_t>(lanes)) {
    for (int r = 0; r < runtime::roleCount; ++r) {
      sizes_[r] = static_cast<std::size_t>(m.roleSize[r]);
      std::size_t size = sizes_[r] * lanes_;
      if (r == static_cast<int>(runtime::Role::Work)) size += static_cast<std::size_t>(tape::kernelScratch(m));
      data_[r].reset(static_cast<double*>(std::aligned_alloc(64, (size * 8 + 64) / 64 * 64 + 64)));
      std::fill_n(data_[r].get(), size, 0.0);
      bases_[r] = data_[r].get();
    }
    arguments_.reset(static_cast<double*>(std::aligned_alloc(64, 64 * lanes_)));
    statuses.assign(lanes_, 0);
    done.assign(lanes_, 0);
  }

  double& at(int role, std::size_t k, std::size_t lane) { return data_[role].get()[k * lanes_ + lane]; }
  void put(const Memory& m, std::size_t lane) {
    for (int r = 0; r < runtime::roleCount; ++r)
      for (std::size_t k = 0; k < sizes_[r]; ++k) at(r, k, lane) = m.data[r][k];
  }
  Memory take(const tape::Module& m, std::size_t lane) {
    Memory result(m);
    for (int r = 0; r < runtime::roleCount; ++r)
      for (std::size_t k = 0; k < sizes_[r]; ++k) result.data[r][k] = at(r, k, lane);
    return result;
  }
  void argument(std::size_t k, std::size_t lane, double x) { arguments_.get()[k * lanes_ + lane] = x; }
  void call(const runtime::Compiled& code, int f) { code.laneFunction(f)(bases_, arguments_.get(), statuses.data()); }
  void advance(const runtime::Compiled& code, double t0, double h, std::int64_t first, std::int64_t n) {
    code.laneAdvance()(bases_, t0, h, first, n, statuses.data(), done.data());
  }

  std::vector<std::int32_t> statuses;
  std::vector<std::int64_t> done;

private:
  struct Free {
    void operator()(double* p) const { std::free(p); }
  };
  std::size_t lanes_;
  std::size_t sizes_[runtime::roleCount] = {};
  std::unique_ptr<double[], Free> data_[runtime::roleCount];
  std::unique_ptr<double[], Free> arguments_;
  double* bases_[runtime::roleCount] = {};
};

} // namespace lmc::test
