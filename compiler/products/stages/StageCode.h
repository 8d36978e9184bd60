// The functions of a step whose stages call one f (methods::SharedStages).
#pragma once

#include "methods/phase/Step.h"
#include "unit/builder/UnitBuilder.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc::products {

/// Of one unit: memory of the stages in Output, the functions that steps have in common, and steps.
class StageCode {
public:
  /// A function of t and h, which works out the stages that are wanted, and then the outputs. These read the first
  /// `results` of SharedStages::ends. Returns its number.
  int add(unit::UnitBuilder& unit, const methods::SharedStages& stages, const std::string& name,
          const std::vector<std::size_t>& wanted, std::size_t results, unit::UnitBuilder::Outputs outputs);

private:
  struct Memory {
    runtime::Field begin, point, rate;
    std::vector<runtime::Field> rates, ends;
    int start = -1, evaluate = -1; ///< functions
  };
  static Memory place(unit::UnitBuilder& unit, const methods::SharedStages& stages);
  std::optional<Memory> memory_;
};

} // namespace lmc::products
