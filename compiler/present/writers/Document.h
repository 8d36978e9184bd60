// What is shown of a system: sections of equations, and remarks.
#pragma once

#include "present/terms/Tree.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc::present {

struct IndexRange {
  std::string index;
  TreePtr from, to;
};

/// left = right, for all members of a family.
struct Line {
  TreePtr left, right;
  std::string index;       ///< empty: one equation
  TreePtr from, to;        ///< of the index
  int factor = -1;         ///< of an equation of motion: the configuration whose velocity it is about, its part, and
  std::size_t part = 0;    ///< of one member alone that member: where forces of constraints are added
  std::int64_t member = 0; ///< 0: a single factor, or all members
  std::vector<IndexRange> outer = {}; ///< of a family with several indices those before the last one
};

/// Of all its indices, the outermost first.
[[nodiscard]] inline std::vector<IndexRange> rangesOf(const Line& l) {
  std::vector<IndexRange> all = l.outer;
  if (!l.index.empty()) all.push_back({l.index, l.from, l.to});
  return all;
}

struct Section {
  std::string title;
  std::vector<Line> lines;
};

/// What calls of a table's name are: interpolated between its rows. With n primes: the n-th derivative.
struct CurveLine {
  std::string name;
  std::vector<std::string> columns; ///< the values, or their entries one by one
  std::string over;                 ///< the nodes
  std::int64_t rows = 0;
  bool cubic = false; ///< else straight lines
  std::string ends;   ///< "strict", "hold", "extend" or "periodic"
  std::string words;  ///< all of this, for a person
};

/// A joint whose equations are a section of the title `NAME(PARAMETERS)`, with the names of its parameters.
struct JointHead {
  std::string name;
  std::vector<std::string> parameters;
  [[nodiscard]] std::string title() const;
};

struct Document {
  std::string model;
  std::string form;
  std::vector<Section> sections;
  std::vector<CurveLine> curves;        ///< of calls `curve`
  std::vector<JointHead> joints;        ///< that are said once
  std::vector<std::string> masses;      ///< how the accelerations are found
  std::vector<std::string> assumptions; ///< under which the equations were simplified
};

[[nodiscard]] std::string text(const Document& document);
[[nodiscard]] std::string latex(const Document& document);
[[nodiscard]] std::string json(const Document& document);

/// "k = 1..2, i = 1..N"
[[nodiscard]] std::string ranges(const Line& line);
[[nodiscard]] std::string text(const TreePtr& tree);
[[nodiscard]] std::string latex(const TreePtr& tree);

} // namespace lmc::present
