// What a picture of the model shows: the statement `view`, or what follows without it.
#include "sema/manifolds/Manifolds.h"
#include "sema/model/ModelBuilder.h"
#include "sema/model/Scene.h"
#include "sema/values/Tuples.h"

#include <algorithm>

namespace lmc::sema {

using sym::Expr;

namespace {

const std::string shapeWhat = "a shape";

bool isText(ShapeForm form) {
  return form == ShapeForm::Text || form == ShapeForm::Color;
}

void setText(SceneShape& shape, const Drawing::Argument& a) {
  (a.argument->form == ShapeForm::Color ? shape.color : shape.text) = a.value->text;
}

/// "craft[2]" of a statement for one member.
std::string shownName(const syntax::Target& target) {
  std::string name = target.name;
  for (const syntax::ExprPtr& e : target.indices) name += "[" + e->text + "]";
  return name;
}

} // namespace

void ModelBuilder::buildScene() {
  if (view_ == nullptr && !s_.options.scene) return;
  auto scene = std::make_shared<SceneDescription>();
  if (view_ != nullptr) viewStatement(*view_, *scene);
  if (!scene->off && !scene->given && s_.options.scene) {
    for (const PhaseVariable& v : model_->order) defaultShapes(v, *scene);
    forceShapes(*scene);
    trailShapes(*scene);
  }
  model_->scene = std::move(scene);
}

void ModelBuilder::viewStatement(const syntax::Statement& s, SceneDescription& scene) {
  const auto noCondition = [this](const syntax::Expr& e) -> std::optional<bool> {
    s_.diagnostics.error(Code::LIE0195, e.range, "a shape of `view` is one shape, without `if`")
        .suggest("an argument may have an `if`, and `shown = …` hides a shape");
    return std::nullopt;
  };
  if (s.value) { // view = none;
    const auto drawings = readDrawings(s.value, noCondition, s_.diagnostics);
    if (drawings && !drawings->empty())
      s_.diagnostics.error(Code::LIE0195, s.value->range, "`view = …` is `view = none`; shapes have names")
          .suggest("`view { load = ball(at = x); }`");
    scene.off = true;
    return;
  }
  std::vector<std::pair<std::string, Range>> seen;
  for (const syntax::StatementPtr& item : s.body) {
    if (item->kind != syntax::StatementKind::Definition) continue;
    const std::string name = shownName(item->target);
    const auto first = std::find_if(seen.begin(), seen.end(), [&](const auto& n) { return n.first == name; });
    if (first != seen.end()) {
      s_.diagnostics.error(Code::LIE0161, item->target.range, "`" + name + "` is a shape twice")
          .note("first here", first->second);
      continue;
    }
    seen.emplace_back(name, item->target.range);
    if (name == "up") {
      viewUp(*item, scene);
      continue;
    }
    scene.given = true;
    const auto drawings = readDrawings(item->value, noCondition, s_.diagnostics);
    if (!drawings) continue;
    for (const Drawing& d : *drawings) viewShape(*item, d, scene);
  }
}

std::optional<SceneArgument> ModelBuilder::viewArgument(const syntax::Statement& s, const Drawing::Argument& argument) {
  const std::string name = shownName(s.target) + "." + std::string(argument.argument->name);
  syntax::Statement& observed = viewStatements_.emplace_back(s);
  observed.kind = syntax::StatementKind::Observe;
  observed.value = argument.value;
  std::vector<Clause> clauses = {{&observed, {&emptyScope_, {}}}};
  const std::size_t before = s_.diagnostics.errorCount();
  const std::vector<Observable> made = observe(name, clauses, shapeWhat);
  if (made.empty() || s_.diagnostics.errorCount() > before) return std::nullopt;
  if (made.size() == 1 && fits(argument.argument->form, made[0].array->shape))
    return SceneArgument{std::string(argument.argument->name), argument.argument->form, made[0].array};
  s_.diagnostics.error(Code::LIE0196, argument.value->range,
                       "`" + std::string(argument.argument->name) + "` is " +
                           std::string(describe(argument.argument->form)) + "; `" + evaluator_.text(*argument.value) +
                           "` is " + (made.size() == 1 ? made[0].array->shape.text() : "an element of several parts"));
  return std::nullopt;
}

void ModelBuilder::viewUp(const syntax::Statement& s, SceneDescription& scene) {
  static const ShapeArgument direction{"up", ShapeForm::Place, true};
  if (const auto up = viewArgument(s, {&direction, s.value})) scene.up = up->array;
}

void ModelBuilder::viewShape(const syntax::Statement& s, const Drawing& drawing, SceneDescription& scene) {
  SceneShape shape;
  shape.name = shownName(s.target);
  shape.kind = drawing.kind->name;
  bool fine = true;
  for (const Drawing::Argument& a : drawing.arguments) {
    if (isText(a.argument->form)) {
      setText(shape, a);
      continue;
    }
    const auto made = viewArgument(s, a);
    fine = fine && made;
    if (!made) continue;
    shape.extent = made->array->extents.empty() ? 0 : made->array->count();
    shape.arguments.push_back(*made);
  }
  if (fine) scene.shapes.push_back(std::move(shape));
}

// --- without a word from the user ---------------------------------------------------------------------------------

void ModelBuilder::defaultShapes(const PhaseVariable& variable, SceneDescription& scene) {
  const Factor* const f = variable.isFactor ? &model_->factors[variable.index] : nullptr;
  const StateVariable* const z = f == nullptr ? &model_->states[variable.index] : nullptr;
  const std::string& name = f != nullptr ? f->name : z->name;
  const std::int64_t extent = f != nullptr ? f->extent : z->extent;
  const auto* m = declared(static_cast<const FoundManifold*>(f != nullptr ? f->manifold : z->manifold));
  std::vector<Drawing> drawings = z != nullptr && z->dual ? std::vector<Drawing>{} : m->picture();
  // A vector among first-order states is seldom a place.
  const auto placeAlone = [](const Drawing& d) {
    return d.arguments.size() == 1 && d.arguments[0].argument->form == ShapeForm::Place;
  };
  if (z != nullptr) std::erase_if(drawings, placeAlone);
  if (drawings.empty()) scene.without.push_back(name);
  const std::vector<std::int64_t> extents =
      extent > 0 ? std::vector<std::int64_t>{extent} : std::vector<std::int64_t>{};
  for (const Drawing& d : drawings) {
    SceneShape shape;
    shape.name = name;
    shape.kind = d.kind->name;
    shape.extent = extent;
    if (f != nullptr) shape.factor = variable.index;
    for (const Drawing::Argument& a : d.arguments) {
      if (isText(a.argument->form)) {
        setText(shape, a);
        continue;
      }
      const std::vector<sym::Loop> loops = memberLoops(g_, extents);
      const Value v = m->pictureValue(*a.value, loads(g_, f != nullptr ? f->point : z->point, indicesOf(loops)));
      if (v.parts.size() != 1 || !fits(a.argument->form, v.parts[0]->shape)) continue; // reported where it is declared
      const sym::Array* array = temp(name + "." + std::string(a.argument->name), extents, v.parts[0]->shape);
      model_->program.append(
          {sym::EquationKind::Set, array, loops, {}, indicesOf(loops), asReal(v.parts[0]), nullptr, nullptr});
      shape.arguments.push_back({std::string(a.argument->name), a.argument->form, array});
    }
    scene.shapes.push_back(std::move(shape));
  }
}

/// A force that acts at a place is an arrow there.
void ModelBuilder::forceShapes(SceneDescription& scene) {
  int number = 0;
  for (const ForceAt& f : model_->forcesAt) {
    ++number;
    if (!fits(ShapeForm::Place, f.position->shape) || f.guard) continue;
    std::vector<std::int64_t> extents;
    std::vector<Expr> index;
    bool plain = true;
    for (const sym::Loop& l : f.loops) {
      const auto range = sym::bounds(l.index, f.loops);
      const bool box = range && range->hi >= range->lo && l.lo->isConst() && l.hi->isConst();
      plain = plain && box;
      if (!plain) break;
      extents.push_back(range->hi - range->lo + 1);
      index.push_back(g_.sub(l.index, g_.integer(range->lo - 1)));
    }
    if (!plain) continue;
    SceneShape shape;
    shape.name = model_->forcesAt.size() > 1 ? "force " + std::to_string(number) : "force";
    shape.kind = "arrow";
    shape.unscaled = true;
    for (const auto& [name, value] : {std::pair<std::string, Expr>{"at", f.position}, {"along", f.force}}) {
      const sym::Array* array = temp("force." + name, extents, value->shape);
      model_->program.append({sym::EquationKind::Set, array, f.loops, {}, index, value, nullptr, nullptr});
      shape.arguments.push_back({name, ShapeForm::Place, array});
    }
    shape.extent = extents.empty() ? 0 : shape.arguments[0].array->count();
    scene.shapes.push_back(std::move(shape));
  }
}

/// A vector that is observed leaves a trail.
void ModelBuilder::trailShapes(SceneDescription& scene) {
  for (const Observable& o : model_->observables) {
    if (o.array->shape.rank != 1 || o.array->shape.rows != 3 || o.array->extents.size() > 1) continue;
    SceneShape shape;
    shape.name = o.name;
    shape.kind = "trail";
    shape.extent = o.array->extents.empty() ? 0 : o.array->count();
    shape.arguments.push_back({"of", ShapeForm::Place, o.array});
    scene.shapes.push_back(std::move(shape));
  }
}

} // namespace lmc::sema
