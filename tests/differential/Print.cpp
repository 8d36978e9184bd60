// A random model as a file, and what can be left out of it.
#include "differential/Model.h"

#include <algorithm>
#include <set>

namespace lmc::differential {

namespace {

std::string valueText(const double* x, const Piece& p) {
  if (!p.vector && p.size() == 1) return exactly(*x);
  std::string text = "[";
  for (int i = 0; i < p.rows; ++i) {
    if (i > 0) text += ", ";
    if (!p.vector) text += "[";
    for (int j = 0; j < p.cols; ++j) text += (j > 0 ? ", " : "") + exactly(x[i * p.cols + j]);
    if (!p.vector) text += "]";
  }
  return text + "]";
}

/// A value by its parts: `(R = …, x = …)`, nested where names have dots.
template <class Text> std::string tuple(const std::vector<Piece>& pieces, const Text& text) {
  if (pieces.size() == 1) return text(0);
  std::string out = "(", open;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const std::string& name = pieces[k].name;
    const std::size_t dot = name.find('.');
    const std::string outer = dot == std::string::npos ? "" : name.substr(0, dot);
    if (!open.empty() && open != outer) {
      out += ")";
      open.clear();
    }
    if (k > 0) out += ", ";
    if (!outer.empty() && open != outer) {
      // The other parts of this one follow.
      out += outer + " = (";
      open = outer;
    } else if (!outer.empty() && out.ends_with(", ")) {
      // inside
    }
    out += (dot == std::string::npos ? name : name.substr(dot + 1)) + " = " + text(k);
  }
  return out + (open.empty() ? ")" : "))");
}

std::string numbers(const std::vector<double>& x, const std::vector<Piece>& pieces) {
  std::vector<std::size_t> at{0};
  for (const Piece& p : pieces) at.push_back(at.back() + static_cast<std::size_t>(p.size()));
  return tuple(pieces, [&](std::size_t k) { return valueText(x.data() + at[k], pieces[k]); });
}

std::string member(const std::string& name, int extent, int k) {
  return extent == 0 ? name : name + "[" + std::to_string(k + 1) + "]";
}

std::string typeText(int rows, int cols, bool vector) {
  if (vector) return "vec(" + std::to_string(rows) + ")";
  return rows * cols == 1 ? "real" : "mat(" + std::to_string(rows) + "," + std::to_string(cols) + ")";
}

std::string paramText(const Param& p) {
  const Piece shape{"", p.rows, p.cols, p.vector};
  std::string text = "  param " + p.name + (p.extent > 0 ? "[N]" : "");
  if (p.rows * p.cols > 1) text += " : " + typeText(p.rows, p.cols, p.vector);
  text += " = ";
  if (p.extent > 0) text += "[";
  for (std::size_t k = 0; k < p.values.size(); ++k) text += (k > 0 ? ", " : "") + valueText(p.values[k].data(), shape);
  return text + (p.extent > 0 ? "];\n" : ";\n");
}

std::string letText(const Let& l) {
  const std::string word = l.input ? "  input " : "  let ";
  const std::string type = l.input ? " : " + typeText(l.rows, l.cols, l.rows > 1) : "";
  if (l.extent == 0) return word + l.name + type + " = " + print(l.first) + ";\n";
  if (!l.first) return word + l.name + "[i in 1..N]" + type + " = " + print(l.next) + ";\n";
  return word + l.name + "[1]" + " = " + print(l.first) + ";\n" + word + l.name + "[i in 2..N]" + " = " +
         print(l.next) + ";\n";
}

std::string sumText(const std::vector<Tree>& terms) {
  std::string text;
  for (const Tree& t : terms) text += (text.empty() ? "(" : "\n    + (") + print(t) + ")";
  return text.empty() ? "0" : text;
}

std::string forceText(const RandomModel& m, const Force& f) {
  if (f.at) return "  force " + print(f.vector) + " at " + print(f.at) + ";\n";
  const Factor& factor = *m.factor(f.factor);
  const std::string target = member(f.factor, factor.extent, f.member - 1);
  const std::vector<Piece>& pieces = factor.space->algebra;
  const bool all = std::all_of(f.pieces.begin(), f.pieces.end(), [](const Tree& t) { return t != nullptr; });
  if (all)
    return "  force on " + target + " = " + tuple(pieces, [&](std::size_t k) { return print(f.pieces[k]); }) + ";\n";
  std::string text;
  for (std::size_t k = 0; k < pieces.size(); ++k)
    if (f.pieces[k]) text += "  force on " + target + "." + pieces[k].name + " = " + print(f.pieces[k]) + ";\n";
  return text;
}

std::string initialText(const RandomModel& m) {
  std::string text;
  for (const Factor& f : m.factors)
    for (int k = 0; k < f.members(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      text += "  initial " + member(f.name, f.extent, k) + " = " + numbers(f.points[i], f.space->point) + ";\n";
      text += "  initial " + member(f.fiber, f.extent, k) + " = " + numbers(f.fibers[i], f.space->algebra) + ";\n";
    }
  for (const State& s : m.states)
    text += "  initial " + s.name + " = " + numbers(s.value, s.dual ? s.space->algebra : s.space->point) + ";\n";
  return text;
}

std::string stateText(const State& s) {
  std::string text = "  state " + s.name + " : " + (s.dual ? "dual(" + s.space->text + ")" : s.space->text) +
                     (s.inSpace ? " in space" : "") + ";\n";
  if (!s.flow.empty())
    text +=
        "  flow " + s.name + " = " + tuple(s.space->algebra, [&](std::size_t k) { return print(s.flow[k]); }) + ";\n";
  return text;
}

/// What a setting replaces: all numbers of a value, and the pieces that they consist of.
struct Target {
  std::vector<double>* values = nullptr;
  std::vector<Piece> pieces;
  int extent = 0;
};

Target targetOf(RandomModel& m, const Setting& s) {
  const auto i = static_cast<std::size_t>(std::max(s.member - 1, 0));
  for (Factor& f : m.factors) {
    if (f.name == s.name) return {&f.points[i], f.space->point, f.extent};
    if (f.fiber == s.name) return {&f.fibers[i], f.space->algebra, f.extent};
  }
  for (State& z : m.states)
    if (z.name == s.name) return {&z.value, z.dual ? z.space->algebra : z.space->point, 0};
  for (Param& p : m.params)
    if (p.name == s.name) return {&p.values[i], {Piece{"", p.rows, p.cols, p.vector}}, p.extent};
  return {};
}

/// Names that anything in the model refers to.
std::set<std::string> used(const RandomModel& m) {
  std::set<std::string> names;
  const auto see = [&](const Tree& t) {
    if (t) namesIn(t, names);
  };
  for (const Tree& t : m.energy) see(t);
  for (const Tree& t : m.dissipation) see(t);
  for (const Observable& o : m.observables) see(o.value);
  for (const Force& f : m.forces) {
    see(f.at);
    see(f.vector);
    names.insert(f.factor);
    for (const Tree& t : f.pieces) see(t);
  }
  for (const State& s : m.states)
    for (const Tree& t : s.flow) see(t);
  for (auto l = m.lets.rbegin(); l != m.lets.rend(); ++l) {
    if (!names.contains(l->name)) continue;
    see(l->first);
    see(l->next);
  }
  return names;
}

/// Without lets and parameters that nothing refers to.
RandomModel pruned(RandomModel m) {
  const std::set<std::string> names = used(m);
  std::erase_if(m.lets, [&](const Let& l) { return !names.contains(l.name); });
  std::erase_if(m.params, [&](const Param& p) { return !names.contains(p.name); });
  std::erase_if(m.settings, [&](const Setting& s) { return targetOf(m, s).values == nullptr; });
  return m;
}

/// One model less an element of a list.
template <class List> void withoutEach(const RandomModel& m, List RandomModel::*list, std::vector<RandomModel>& out) {
  for (std::size_t k = 0; k < (m.*list).size(); ++k) {
    RandomModel s = m;
    (s.*list).erase((s.*list).begin() + static_cast<std::ptrdiff_t>(k));
    out.push_back(pruned(std::move(s)));
  }
}

/// Without each factor that is only in summands of its own.
void withoutFactors(const RandomModel& m, std::vector<RandomModel>& out) {
  if (m.factors.size() < 2) return;
  for (const Factor& f : m.factors) {
    RandomModel s = m;
    const auto about = [&](const Tree& t) {
      std::set<std::string> names;
      if (t) namesIn(t, names);
      bool through = names.contains(f.name) || names.contains(f.fiber);
      for (const Let& l : m.lets) {
        if (!names.contains(l.name)) continue;
        std::set<std::string> inner;
        if (l.first) namesIn(l.first, inner);
        if (l.next) namesIn(l.next, inner);
        through = through || inner.contains(f.name) || inner.contains(f.fiber);
      }
      return through;
    };
    std::erase_if(s.energy, about);
    std::erase_if(s.dissipation, about);
    std::erase_if(s.observables, [&](const Observable& o) { return about(o.value); });
    std::erase_if(s.forces, [&](const Force& k) {
      return k.factor == f.name || about(k.at) || about(k.vector) ||
             std::any_of(k.pieces.begin(), k.pieces.end(), [&](const Tree& t) { return about(t); });
    });
    std::erase_if(s.states, [&](const State& k) { return std::any_of(k.flow.begin(), k.flow.end(), about); });
    s = pruned(std::move(s));
    const std::set<std::string> names = used(s);
    if (names.contains(f.name) || names.contains(f.fiber)) continue;
    std::erase_if(s.factors, [&](const Factor& k) { return k.name == f.name; });
    s = pruned(std::move(s));
    out.push_back(std::move(s));
  }
}

} // namespace

const Factor* RandomModel::factor(const std::string& name) const {
  for (const Factor& f : factors)
    if (f.name == name) return &f;
  return nullptr;
}

std::string textOf(const RandomModel& m) {
  std::set<std::string> declarations;
  for (const Factor& f : m.factors) declarations.insert({f.space->declaration, f.space->group});
  for (const State& s : m.states) declarations.insert(s.space->declaration);
  std::string text;
  for (const std::string& d : declarations) text += d;
  text += "model Random {\n";
  if (m.n > 0) text += "  param N : int = " + std::to_string(m.n) + ";\n";
  for (const Param& p : m.params) text += paramText(p);
  for (const Factor& f : m.factors)
    text += "  config " + f.name + (f.extent > 0 ? "[N]" : "") + " : " + f.space->text +
            (f.momentum ? " momentum " : " velocity ") + f.fiber + (f.inSpace ? " in space" : "") + ";\n";
  for (const State& s : m.states) text += stateText(s);
  for (const Let& l : m.lets) text += letText(l);
  text += (m.hamiltonian ? "  hamiltonian = " : "  lagrangian = ") + sumText(m.energy) + ";\n";
  if (!m.dissipation.empty()) text += "  dissipation = " + sumText(m.dissipation) + ";\n";
  for (const Force& f : m.forces) text += forceText(m, f);
  text += initialText(m);
  for (const Observable& o : m.observables) text += "  observe " + o.name + " = " + print(o.value) + ";\n";
  text +=
      "  simulate { method = RKMK4; step = 1e-3; time = " + exactly(m.time) + ".." + exactly(m.time + 0.002) + "; }\n";
  text += "}\n";
  for (const std::string& s : overridesOf(m)) text += "// --set '" + s + "'\n";
  return text;
}

std::vector<std::string> overridesOf(const RandomModel& m) {
  std::vector<std::string> list;
  for (const Setting& s : m.settings) {
    RandomModel copy = m;
    const Target t = targetOf(copy, s);
    const auto piece = std::find_if(t.pieces.begin(), t.pieces.end(), [&](const Piece& p) { return p.name == s.part; });
    list.push_back(member(s.name, t.extent, s.member - 1) + (s.part.empty() ? "" : "." + s.part) + "=" +
                   valueText(s.values.data(), *piece));
  }
  return list;
}

RandomModel withSettings(const RandomModel& m) {
  RandomModel changed = m;
  for (const Setting& s : m.settings) {
    const Target t = targetOf(changed, s);
    auto at = t.values->begin();
    for (const Piece& p : t.pieces) {
      if (p.name == s.part) std::copy(s.values.begin(), s.values.end(), at);
      at += p.size();
    }
  }
  return changed;
}

std::vector<RandomModel> smaller(const RandomModel& m) {
  std::vector<RandomModel> list;
  withoutFactors(m, list);
  withoutEach(m, &RandomModel::forces, list);
  withoutEach(m, &RandomModel::dissipation, list);
  withoutEach(m, &RandomModel::observables, list);
  withoutEach(m, &RandomModel::energy, list);
  withoutEach(m, &RandomModel::states, list);
  withoutEach(m, &RandomModel::settings, list);
  return list;
}

} // namespace lmc::differential
