#include "sema/manifolds/Picture.h"

#include "base/Colors.h"
#include "sema/values/Values.h"

#include <algorithm>

namespace lmc::sema {

namespace {

using Arguments = std::vector<ShapeArgument>;

ShapeKind kindOf(std::string_view name, Arguments own) {
  own.insert(own.end(), {{"color", ShapeForm::Color}, {"opacity", ShapeForm::Length}, {"shown", ShapeForm::Truth}});
  return {name, std::move(own)};
}

/// Names of colours that CSS has.
std::vector<std::string> colorNames() {
  std::vector<std::string> names;
  for (const NamedColor& c : namedColors()) names.emplace_back(c.name);
  return names;
}

class Reader {
public:
  Reader(const ConstantTruth& holds, Diagnostics& diagnostics) : holds_(holds), diagnostics_(diagnostics) {}

  bool read(const syntax::ExprPtr& e) {
    switch (e->kind) {
    case syntax::ExprKind::Error:
      return false;
    case syntax::ExprKind::If: {
      const std::optional<bool> truth = holds_(*e->args[0]);
      return truth && read(e->args[*truth ? 1 : 2]);
    }
    case syntax::ExprKind::List:
      return std::all_of(e->args.begin(), e->args.end(), [&](const syntax::ExprPtr& x) { return read(x); });
    case syntax::ExprKind::Name:
      if (e->text == "none") return true;
      break;
    case syntax::ExprKind::Call:
      if (e->args[0]->kind == syntax::ExprKind::Name) return call(*e);
      break;
    default:
      break;
    }
    diagnostics_.error(Code::LIE0195, e->range, "a shape is expected here, as in `ball(at = x, radius = 0.1)`")
        .note("the shapes are " + listed(kindNames()));
    return false;
  }

  std::vector<Drawing> drawings;

private:
  static std::vector<std::string> kindNames() {
    std::vector<std::string> names;
    for (const ShapeKind& k : shapeKinds()) names.emplace_back(k.name);
    return names;
  }

  bool call(const syntax::Expr& e) {
    const auto& kinds = shapeKinds();
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const ShapeKind& k) { return k.name == e.args[0]->text; });
    if (kind == kinds.end()) {
      auto r = diagnostics_.error(Code::LIE0195, e.args[0]->range, "there is no shape `" + e.args[0]->text + "`");
      const std::string near = nearest(e.args[0]->text, kindNames());
      if (near.empty())
        r.note("the shapes are " + listed(kindNames()));
      else
        r.suggest(didYouMean(near));
      return false;
    }
    Drawing d{&*kind, e.range, {}};
    bool fine = true;
    for (std::size_t k = 1; k < e.args.size(); ++k) {
      const syntax::Expr& a = *e.args[k];
      if (a.kind != syntax::ExprKind::Parts) {
        if (a.kind != syntax::ExprKind::Error)
          diagnostics_.error(Code::LIE0196, a.range, "the arguments of a shape have names")
              .suggest("`" + std::string(kind->name) + "(" + std::string(kind->arguments[0].name) + " = …)`");
        fine = false;
        continue;
      }
      for (std::size_t i = 0; i < a.names.size(); ++i)
        fine = argument(d, a.names[i], a.nameRanges[i], a.args[i]) && fine;
    }
    fine = fine && complete(d, e.args[0]->range);
    if (fine) drawings.push_back(std::move(d));
    return fine;
  }

  bool argument(Drawing& d, const std::string& name, Range where, const syntax::ExprPtr& value) {
    const auto& known = d.kind->arguments;
    const auto found = std::find_if(known.begin(), known.end(), [&](const ShapeArgument& a) { return a.name == name; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const ShapeArgument& a : known) names.emplace_back(a.name);
      auto r = diagnostics_.error(Code::LIE0196, where,
                                  "`" + std::string(d.kind->name) + "` has no argument `" + name + "`");
      const std::string near = nearest(name, names);
      if (near.empty())
        r.note("its arguments are " + listed(names));
      else
        r.suggest(didYouMean(near));
      return false;
    }
    const bool twice = std::any_of(d.arguments.begin(), d.arguments.end(),
                                   [&](const Drawing::Argument& a) { return a.argument == &*found; });
    if (twice) diagnostics_.error(Code::LIE0196, where, "`" + name + "` is given twice");
    const bool text = found->form == ShapeForm::Text || found->form == ShapeForm::Color;
    if (text && value->kind != syntax::ExprKind::String) {
      if (value->kind != syntax::ExprKind::Error)
        diagnostics_.error(Code::LIE0196, value->range, "`" + name + "` is " + std::string(describe(found->form)));
      return false;
    }
    if (found->form == ShapeForm::Color && !checkColor(value->text, value->range, diagnostics_)) return false;
    d.arguments.push_back({&*found, value});
    return !twice;
  }

  bool complete(const Drawing& d, Range where) {
    for (const ShapeArgument& a : d.kind->arguments) {
      const bool given = std::any_of(d.arguments.begin(), d.arguments.end(),
                                     [&](const Drawing::Argument& x) { return x.argument == &a; });
      if (!a.required || given) continue;
      diagnostics_
          .error(Code::LIE0196, where,
                 "`" + std::string(d.kind->name) + "` needs `" + std::string(a.name) + "`, " +
                     std::string(describe(a.form)))
          .suggest("`" + std::string(d.kind->name) + "(" + std::string(a.name) + " = …)`");
      return false;
    }
    return true;
  }

  const ConstantTruth& holds_;
  Diagnostics& diagnostics_;
};

} // namespace

const std::vector<ShapeKind>& shapeKinds() {
  using enum ShapeForm;
  static const std::vector<ShapeKind> kinds = [] {
    const Arguments body = {{"at", Place}, {"turned", Turn}, {"size", Lengths}};
    const Arguments round = {{"at", Place}, {"radius", Length}};
    return std::vector<ShapeKind>{
        kindOf("frame", body),
        kindOf("box", body),
        kindOf("ellipsoid", body),
        kindOf("cylinder", body),
        kindOf("body", {{"at", Place}, {"turned", Turn}, {"inertia", Inertia, true}, {"mass", Length}}),
        kindOf("ball", round),
        kindOf("sphere", round),
        kindOf("rod", {{"from", Place, true}, {"to", Place, true}, {"radius", Length}}),
        kindOf("arrow", {{"at", Place}, {"along", Place, true}, {"scale", Length}}),
        kindOf("trail", {{"of", Place, true}, {"last", Length}}),
        kindOf("ground", {{"height", Length}}),
        kindOf("label", {{"at", Place, true}, {"text", Text, true}}),
    };
  }();
  return kinds;
}

bool fits(ShapeForm form, const sym::Shape& shape) {
  const bool number = shape.rank == 0 || (shape.rank == 1 && shape.rows == 1);
  const bool three = shape.rank == 1 && shape.rows == 3;
  switch (form) {
  case ShapeForm::Place:
    return number || three || (shape.rank == 1 && shape.rows == 2);
  case ShapeForm::Turn:
    return shape.rank == 2 && shape.rows == shape.cols && (shape.rows == 2 || shape.rows == 3);
  case ShapeForm::Inertia:
    return shape.rank == 2 && shape.rows == 3 && shape.cols == 3;
  case ShapeForm::Lengths:
    return number || three;
  case ShapeForm::Length:
  case ShapeForm::Truth:
    return number;
  case ShapeForm::Text:
  case ShapeForm::Color:
    return false;
  }
  return false;
}

std::string_view describe(ShapeForm form) {
  switch (form) {
  case ShapeForm::Place:
    return "a place or a direction: a number, vec(2) or vec(3)";
  case ShapeForm::Turn:
    return "a rotation: mat(2,2) or mat(3,3)";
  case ShapeForm::Lengths:
    return "three lengths: vec(3), or a number for all";
  case ShapeForm::Length:
    return "a number";
  case ShapeForm::Inertia:
    return "an inertia: mat(3,3), in the frame of the body";
  case ShapeForm::Truth:
    return "a condition";
  case ShapeForm::Text:
    return "a text: \"…\"";
  case ShapeForm::Color:
    return "a colour: \"steelblue\", \"#4682b4\"";
  }
  return {};
}

std::optional<std::vector<Drawing>> readDrawings(const syntax::ExprPtr& e, const ConstantTruth& holds,
                                                 Diagnostics& diagnostics) {
  Reader reader(holds, diagnostics);
  if (!e || !reader.read(e)) return std::nullopt;
  return std::move(reader.drawings);
}

bool checkColor(const std::string& text, Range range, Diagnostics& diagnostics) {
  const std::vector<std::string> names = colorNames();
  const bool number = (text.size() == 7 || text.size() == 4) && text[0] == '#' &&
                      text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
  if (number || std::find(names.begin(), names.end(), text) != names.end()) return true;
  auto r = diagnostics.error(Code::LIE0197, range, "there is no colour \"" + text + "\"");
  const std::string near = nearest(text, names);
  if (near.empty())
    r.note("colours are names of CSS, such as \"steelblue\", or numbers, such as \"#4682b4\"");
  else
    r.suggest("did you mean \"" + near + "\"?");
  return false;
}

} // namespace lmc::sema
