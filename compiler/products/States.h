// States from outside (tables, host programs): moved onto their manifolds where they are rounded.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lmc::mechanics {
struct System;
}

namespace lmc::products {

class StateSettler {
public:
  /// The system must outlive it.
  explicit StateSettler(const mechanics::System& system);
  ~StateSettler();
  StateSettler(const StateSettler&) = delete;
  StateSettler& operator=(const StateSettler&) = delete;

  /// Moves a state, by the layout of the model, as initial values are moved (by up to 1e-8 of its size); what would
  /// change by round-off only keeps its bits. Otherwise the state stays, and the result says what is off: "`q` is not
  /// on its manifold: off by 0.1".
  [[nodiscard]] std::optional<std::string> settle(const std::vector<double>& params, std::span<double> state);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace lmc::products
