// The functions of a step whose stages call one f (methods::SharedStages).
#pragma once

#include "lower/steps/SideBySide.h"
#include "methods/phase/Step.h"
#include "products/stages/StageBlocks.h"
#include "unit/builder/UnitBuilder.h"

#include <map>
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
  /// The same of a trial that is given its first stage in a field, behind the state, and leaves there that of the next
  /// one: it works out the others, then `outputs`, the state at the end among them, the last stage there, and `end`.
  int add(unit::UnitBuilder& unit, const methods::SharedStages& stages, const runtime::Field& first,
          unit::UnitBuilder::Outputs outputs, unit::UnitBuilder::Outputs end);
  /// A function of t and h, which finds the first stage of such a trial at the state and t, behind it. Its number.
  int begin(unit::UnitBuilder& unit) const;
  /// A function of t, which finds multipliers of constraints at the state by the f that steps call, and then the
  /// outputs, which read these. Before the steps are added: else f leaves none. Returns its number.
  int observe(unit::UnitBuilder& unit, const methods::Step& step, const sym::Array* time,
              unit::UnitBuilder::Outputs outputs);
  /// What they read; null: no function leaves them.
  [[nodiscard]] static const sym::Array* multipliers(const methods::Step& step);
  /// The same of calls: all, or those alone that the result of the step needs.
  enum class Wanted : std::uint8_t { Own, All };
  int add(unit::UnitBuilder& unit, const methods::SharedCalls& calls, const std::string& name, Wanted wanted,
          unit::UnitBuilder::Outputs outputs);

private:
  struct Memory {
    runtime::Field begin, point, rate;
    std::vector<runtime::Field> rates, ends;
    int start = -1, evaluate = -1; ///< functions
    std::optional<StageBlocks> blocks;
    lower::SideBySide together; ///< of a block
  };
  Memory place(unit::UnitBuilder& unit, const methods::SharedStages& stages) const;
  /// The stages behind the first one, whose row is in its place already, and the sums for results.
  static void addStages(unit::UnitBuilder& unit, const methods::SharedStages& stages, const Memory& memory,
                        const std::vector<std::size_t>& wanted, std::size_t results, lower::RowPlace first,
                        std::vector<lower::PartOfStep>& parts);
  /// The stages in blocks, and the sums for results.
  static void addBlocks(unit::UnitBuilder& unit, const Memory& memory, std::size_t results,
                        std::vector<lower::PartOfStep>& parts);
  void place(unit::UnitBuilder& unit, const methods::SharedCalls& calls);
  void leave(unit::UnitBuilder& unit, const methods::LeftMultipliers& multipliers,
             unit::UnitBuilder::Outputs& outputs) const;
  bool observed_ = false; ///< multipliers
  std::optional<Memory> memory_;
  std::vector<lower::PartOfStep> lastParts_; ///< the last stage at the state, and the end of a trial
  /// Of calls: the functions of routines, the places that pieces write, and their functions by what these write.
  std::vector<int> routines_;
  std::map<const sym::Array*, runtime::Field> places_;
  std::map<std::vector<const sym::Array*>, int> pieces_;
};

} // namespace lmc::products
