// The forms in which equations can be shown.
#pragma once

#include "present/Engine.h"
#include "sym/derivatives/Derivative.h"

namespace lmc::present {

class MotionForm {
public:
  MotionForm(Layer& layer, Shower& show);
  [[nodiscard]] Document document();

private:
  std::vector<Line> motion();
  std::vector<Line> rates();
  std::vector<Line> momentumEquations();
  std::vector<Line> momenta();
  std::vector<Line> equations();
  Line line(const TreePtr& left, const TreePtr& right, std::int64_t extent);
  TreePtr named(const std::string& text, std::int64_t extent);
  TreePtr partName(const std::string& base, const Manifold& manifold, std::size_t part, std::int64_t extent,
                   const char* prime = "");
  static TreePtr partOf(const char* function, TreePtr of, const std::vector<Part>& parts, std::size_t part);
  TreePtr momentumName(const Factor& f, std::size_t part);

  const System& s_;
  Layer& layer_;
  const Model& m_;
  Shower& show_;
  sym::Tangent momenta_; ///< along xi' = the arrays of System::direction
};

/// How the accelerations are found, group by group.
[[nodiscard]] std::vector<std::string> massRemarks(const System& system);

} // namespace lmc::present
