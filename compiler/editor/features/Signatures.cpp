#include "editor/features/Features.h"
#include "editor/features/Place.h"

#include "sema/manifolds/Picture.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lmc::editor {

namespace {

/// The places of the arguments in `name(a, b : T = (1, 2), …)`.
Json parametersOf(const std::string& label) {
  Json parameters = Json::array();
  const std::size_t begin = label.find('(');
  if (begin == std::string::npos) return parameters;
  int open = 0;
  std::size_t from = begin + 1;
  const auto add = [&](std::size_t to) {
    while (from < to && label[from] == ' ') ++from;
    if (to > from) parameters.push_back({{"label", label.substr(from, to - from)}});
  };
  for (std::size_t k = begin; k < label.size(); ++k) {
    const char c = label[k];
    if (c == '(' || c == '[') ++open;
    if ((c == ')' || c == ']') && --open == 0) {
      add(k);
      break;
    }
    if (c == ',' && open == 1) {
      add(k);
      from = k + 1;
    }
  }
  return parameters;
}

Json answer(const std::string& label, const std::string& documentation, std::size_t argument) {
  Json signature = {{"label", label}, {"parameters", parametersOf(label)}};
  if (!documentation.empty()) signature["documentation"] = {{"kind", "markdown"}, {"value", documentation}};
  return {{"signatures", Json::array({std::move(signature)})}, {"activeSignature", 0}, {"activeParameter", argument}};
}

/// A shape with its arguments, each by its name.
std::string shapeHead(const std::string& name) {
  for (const sema::ShapeKind& s : sema::shapeKinds()) {
    if (s.name != name) continue;
    std::string head = name + "(";
    for (const sema::ShapeArgument& a : s.arguments)
      head += (head.back() == '(' ? "" : ", ") + std::string(a.name) + " = …";
    return head + ")";
  }
  return {};
}

} // namespace

Json signatures(const Question& question) {
  const Snapshot& snapshot = *question.document.snapshot();
  const WritingPlace place = writingPlace(snapshot, question.offset);
  const WritingPlace::Call* call = place.call();
  if (call == nullptr || call->reduces || place.inComment) return nullptr;
  const syntax::Token& callee = place.statement[call->open - 1];
  const std::string name(snapshot.text(callee));
  if (place.block == "view")
    if (const std::string head = shapeHead(name); !head.empty()) return answer(head, {}, call->argument);
  const bool member = call->open >= 2 && snapshot.text(place.statement[call->open - 2]) == ".";
  Occurrence o;
  if (const Occurrence* known = snapshot.index().at(callee.begin);
      known != nullptr && known->range.begin == callee.begin) {
    o = *known;
  } else {
    o.range = {0, callee.begin, callee.end};
    o.name = name;
    o.member = member;
  }
  const Symbol* around = snapshot.index().around(question.offset);
  if (around != nullptr && around->kind == SymbolKind::Method && !member)
    for (const KindWord& w : kindWords(*around->declaration))
      if (w.name == name && w.call.find('(') != std::string::npos) return answer(w.call, w.means, call->argument);
  if (const Declared declared = meaning(question, o)) {
    std::string head = headOf(*declared.snapshot, *declared.symbol);
    if (head.find(name + "(") == std::string::npos) return nullptr;
    return answer(head, remarkAbove(*declared.snapshot, declared.symbol->range.begin), call->argument);
  }
  if (member)
    for (const bool group : {true, false})
      for (const KindWord& w : manifoldWords(group))
        if (w.name == name) return answer(w.call, w.means, call->argument);
  const std::string head = builtinHead(name);
  return head.empty() ? Json(nullptr) : answer(head, {}, call->argument);
}

} // namespace lmc::editor
