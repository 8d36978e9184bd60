// Documents as JSON: every side as text and as a tree that a program can evaluate.
#include "present/writers/Document.h"

#include <nlohmann/json.hpp>

namespace lmc::present {

namespace {

using Json = nlohmann::ordered_json;
const char* nameOf(Op op) {
  switch (op) {
  case Op::Add:
    return "add";
  case Op::Neg:
    return "neg";
  case Op::Mul:
    return "mul";
  case Op::Div:
    return "div";
  case Op::Pow:
    return "pow";
  case Op::MatMul:
    return "matmul";
  case Op::Transpose:
    return "transpose";
  case Op::Inverse:
    return "inverse";
  case Op::Dot:
    return "dot";
  case Op::Cross:
    return "cross";
  case Op::Hat:
    return "hat";
  case Op::Outer:
    return "outer";
  case Op::If:
    return "if";
  case Op::Entry:
    return "entry";
  case Op::Vector:
    return "vector";
  default:
    return "?";
  }
}

Json listed(const char* head, const std::vector<TreePtr>& kids);

/// Numbers are numbers, names strings or ["name", i…] in "at"; the rest is [operation, operand…].
Json treeJson(const TreePtr& t) {
  switch (t->op) {
  case Op::Number:
    return t->number.isInteger() ? Json(t->number.num()) : Json(t->number.value());
  case Op::Zero:
    return Json{"zeros", t->shape.rows, t->shape.rank == 1 ? 0 : t->shape.cols};
  case Op::Identity:
    return Json{"eye", t->shape.rows};
  case Op::Basis:
    return Json{"basis", t->shape.rows, treeJson(t->kids[0])};
  case Op::Name: {
    if (t->kids.empty()) return t->text;
    Json j = listed("at", t->kids);
    j.insert(j.begin() + 1, t->text);
    return j;
  }
  case Op::Sum: {
    Json j = {"sum", t->text, treeJson(t->kids[0]), treeJson(t->kids[1]), treeJson(t->kids[2])};
    if (t->kids.size() > 3) j.push_back(treeJson(t->kids[3]));
    return j;
  }
  case Op::Call: {
    Json j = listed("call", t->kids);
    if (t->text == "joint") return j; // its name is the first kid
    j.insert(j.begin() + 1, t->text);
    return j;
  }
  case Op::Matrix: {
    Json j = listed("matrix", t->kids);
    j.insert(j.begin() + 1, t->shape.cols);
    j.insert(j.begin() + 1, t->shape.rows);
    return j;
  }
  default:
    return listed(nameOf(t->op), t->kids);
  }
}

Json listed(const char* head, const std::vector<TreePtr>& kids) {
  Json j = Json::array({head});
  for (const TreePtr& k : kids) j.push_back(treeJson(k));
  return j;
}

} // namespace

std::string json(const Document& d) {
  Json root;
  root["model"] = d.model;
  root["form"] = d.form;
  root["sections"] = Json::object();
  for (const Section& s : d.sections) {
    Json list = Json::array();
    for (const Line& l : s.lines) {
      Json line;
      if (l.left) line["left"] = text(l.left);
      line["right"] = text(l.right);
      if (const std::string range = ranges(l); !range.empty()) line["for"] = range;
      if (l.left) line["tree"]["left"] = treeJson(l.left);
      line["tree"]["right"] = treeJson(l.right);
      for (const IndexRange& r : rangesOf(l))
        line["tree"]["for"].push_back(Json{r.index, treeJson(r.from), treeJson(r.to)});
      list.push_back(std::move(line));
    }
    root["sections"][s.title] = std::move(list);
  }
  for (const CurveLine& c : d.curves)
    root["tables"].push_back({{"name", c.name},
                              {"columns", c.columns},
                              {"over", c.over},
                              {"rows", c.rows},
                              {"curve", c.cubic ? "cubic" : "linear"},
                              {"ends", c.ends},
                              {"text", c.words}});
  for (const JointHead& h : d.joints)
    root["joints"].push_back({{"name", h.name}, {"parameters", h.parameters}, {"section", h.title()}});
  root["mass_matrix"] = d.masses;
  if (!d.assumptions.empty()) root["assumptions"] = d.assumptions;
  return root.dump(2) + "\n";
}

} // namespace lmc::present
