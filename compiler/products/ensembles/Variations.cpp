// Reads `NAME ~ normal(…)|uniform(…)|linspace(…)|grid(…)|read("FILE")` and finds what NAME stands for.
#include "products/ensembles/Variations.h"
#include "products/ensembles/Distributions.h"
#include "syntax/parser/Parser.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <set>

namespace lmc::products {

namespace {

/// `J[1][2]`, `q[3]`, `X.R[1]`, `X[1].R`.
struct TargetName {
  std::string name, part;
  std::vector<std::int64_t> indices;
};

/// What a name stands for: an array with its extents and shape, or points that are moved.
struct Target {
  const sym::Array* array = nullptr;      ///< flat: a parameter's, of an input's value, or of the state
  const sema::Parameter* input = nullptr; ///< the value of an input
  bool parameter = false;
  bool curved = false;                      ///< entries of a point that has conditions to satisfy
  const sema::Manifold* manifold = nullptr; ///< of a point, which may be moved
  sema::ArrayTuple point;
  sema::Frame frame = sema::Frame::Space;
  std::int64_t extent = 0;
  std::string name;               ///< of the array, as in a column
  std::vector<std::string> parts; ///< of the variable
};

class Reader {
public:
  Reader(const sema::Model& model, const Layout& layout, const InitialData& nominal, Sources& sources,
         Diagnostics& diagnostics)
      : m_(model), layout_(layout), nominal_(nominal), sources_(sources), d_(diagnostics) {}

  Variations read(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) one(text);
    if (grids_ > 0) layGrids();
    return std::move(result_);
  }

private:
  // --- the text -----------------------------------------------------------------------------------------------

  Diagnostics::Report error(std::string message) { return error(whole_, std::move(message)); }
  Diagnostics::Report error(Range range, std::string message) {
    range.source = whole_.source; // not the text with a blanked name
    return d_.error(Code::LIE0650, range, std::move(message));
  }

  void one(const std::string& text) {
    const std::size_t tilde = text.find('~');
    // The parser reads the distribution alone, where it stands.
    std::string distribution = text;
    if (tilde != std::string::npos) std::fill_n(distribution.begin(), tilde + 1, ' ');
    const SourceId source = sources_.add("--vary", text);
    whole_ = {source, 0, static_cast<std::uint32_t>(text.size())};
    if (tilde == std::string::npos) {
      error("a variation has the form NAME ~ DISTRIBUTION").suggest("for example --vary \"m ~ normal(15, 1)\"");
      return;
    }
    const auto name = readName(text.substr(0, tilde));
    const SourceId blanked = sources_.add("--vary", distribution);
    const std::size_t before = d_.mark();
    const syntax::ExprPtr call = syntax::parseExpression(sources_, blanked, d_);
    const std::vector<Diagnostic> wrong = d_.takeBack(before);
    for (const Diagnostic& d : wrong) {
      auto report = d_.error(d.code, {whole_.source, d.range.begin, d.range.end}, d.message);
      for (const Note& n : d.notes)
        if (n.range)
          report.note(n.message, {whole_.source, n.range->begin, n.range->end});
        else
          report.note(n.message);
      report.suggest(d.suggestion);
    }
    if (!wrong.empty() || !name || !call) return;
    if (call->kind != syntax::ExprKind::Call || call->args.empty() || call->args[0]->kind != syntax::ExprKind::Name) {
      error(call->range, "a distribution is normal(...), uniform(...), linspace(...), grid(...) or read(\"FILE\")");
      return;
    }
    if (const auto target = find(*name)) place(text.substr(0, tilde), *name, *target, *call);
  }

  std::optional<TargetName> readName(const std::string& text) {
    TargetName out;
    std::size_t at = 0;
    const auto blanks = [&] {
      while (at < text.size() && text[at] == ' ') ++at;
    };
    const auto word = [&] {
      const std::size_t begin = at;
      while (at < text.size() && std::string(" .[],~").find(text[at]) == std::string::npos) ++at;
      return text.substr(begin, at - begin);
    };
    blanks();
    out.name = word();
    bool good = !out.name.empty();
    for (blanks(); good && at < text.size(); blanks()) {
      const char c = text[at++];
      if (c == '.') {
        out.part += (out.part.empty() ? "" : ".") + word();
        good = !out.part.empty() && out.part.back() != '.';
      } else if (c == '[' || c == ',') {
        blanks();
        const std::string digits = word();
        std::int64_t index = 0;
        const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
        good = failure == std::errc() && stop == digits.data() + digits.size() && !digits.empty();
        out.indices.push_back(index);
      } else {
        good = c == ']' && !out.indices.empty();
      }
    }
    if (good) return out;
    error(Range{whole_.source, 0, static_cast<std::uint32_t>(text.size())},
          "`" + text + "` is not a name that can be varied; `m`, `J[1][1]`, `q[2]` and `X.R` are");
    return std::nullopt;
  }

  // --- what the name stands for -------------------------------------------------------------------------------

  std::optional<Target> find(const TargetName& n) {
    for (const sema::Parameter& p : m_.parameters) {
      const bool isInput = p.use == sema::Parameter::Use::InputValue;
      if (p.use == sema::Parameter::Use::InputGiven || (isInput ? p.input : p.name) != n.name) continue;
      if (!n.part.empty()) {
        error("`" + n.name + "` has no parts");
        return std::nullopt;
      }
      Target t;
      t.array = p.array;
      t.parameter = true;
      if (isInput) t.input = &p;
      t.name = n.name;
      return t;
    }
    for (const auto& [name, value] : m_.constants) {
      if (name != n.name) continue;
      error("`" + name + "` is of type int or bool: the compiled code depends on it, so it is the same in all samples");
      return std::nullopt;
    }
    for (const sema::PhaseVariable& v : m_.order) {
      if (v.isFactor) {
        const sema::Factor& f = m_.factors[v.index];
        if (f.name == n.name) return variable(n, f.point, f.manifold->point(), f.manifold, f.frame, f.extent);
        if (f.velocityName == n.name) return variable(n, f.velocity, f.manifold->algebra(), nullptr, f.frame, f.extent);
      } else if (const sema::StateVariable& z = m_.states[v.index]; z.name == n.name) {
        return variable(n, z.point, z.parts(), z.dual ? nullptr : z.manifold, z.frame, z.extent);
      }
    }
    std::vector<std::string> names;
    for (const sema::Parameter& p : m_.parameters)
      if (p.use == sema::Parameter::Use::Parameter)
        names.push_back(p.name);
      else if (p.use == sema::Parameter::Use::InputValue)
        names.push_back(p.input);
    for (const sema::Factor& f : m_.factors) names.insert(names.end(), {f.name, f.velocityName});
    for (const sema::StateVariable& z : m_.states) names.push_back(z.name);
    auto report = error("there is no parameter, input, configuration, velocity or state `" + n.name + "`");
    if (const std::string near = nearest(n.name, names); !near.empty()) report.suggest("did you mean `" + near + "`?");
    return std::nullopt;
  }

  std::optional<Target> variable(const TargetName& n, const sema::ArrayTuple& arrays,
                                 const std::vector<sema::Part>& parts, const sema::Manifold* manifold,
                                 sema::Frame frame, std::int64_t extent) {
    Target t;
    t.manifold = manifold;
    t.frame = frame;
    t.extent = extent;
    t.name = n.name;
    for (const sema::Part& p : parts) t.parts.push_back(p.name);
    if (n.part.empty()) t.point = arrays;
    if (arrays.size() == 1 && n.part.empty()) t.array = arrays[0];
    for (std::size_t k = 0; k < parts.size() && !n.part.empty(); ++k)
      if (parts[k].name == n.part) t.array = arrays[k];
    if (!n.part.empty()) {
      t.name += "." + n.part;
      if (t.array == nullptr) {
        std::vector<std::string> names;
        names.reserve(parts.size());
        for (const sema::Part& p : parts) names.push_back(p.name);
        error(fmt::format("`{}` has no part `{}`; its parts are {}", n.name, n.part, fmt::join(names, ", ")));
        return std::nullopt;
      }
    }
    if (manifold != nullptr) {
      sym::Graph& g = m_.program.graph();
      std::vector<sym::Expr> index;
      if (extent > 0) index.push_back(g.integer(1));
      sema::Tuple point;
      for (const sym::Array* a : arrays) point.push_back(g.load(a, index));
      t.curved = !manifold->holds(point).empty();
    }
    return t;
  }

  /// The numbers of an array that indices choose: the first one and how many; all behind the given indices.
  std::optional<std::pair<std::int64_t, std::int64_t>> range(const TargetName& n, std::vector<std::int64_t> extents,
                                                             const sym::Shape& shape) {
    if (shape.rank > 0) extents.push_back(shape.rows);
    if (shape.rank > 1) extents.push_back(shape.cols);
    std::int64_t first = 0, count = 1;
    for (const std::int64_t e : extents) count *= e;
    if (n.indices.size() > extents.size()) {
      error(fmt::format("`{}` has {} ind{}, here are {}", n.name, extents.size(), extents.size() == 1 ? "ex" : "ices",
                        n.indices.size()));
      return std::nullopt;
    }
    for (std::size_t k = 0; k < n.indices.size(); ++k) {
      if (n.indices[k] < 1 || n.indices[k] > extents[k]) {
        error(fmt::format("the index {} of `{}` is outside of 1..{}", n.indices[k], n.name, extents[k]));
        return std::nullopt;
      }
      count /= extents[k];
      first += (n.indices[k] - 1) * count;
    }
    return std::pair{first, count};
  }

  // --- places -------------------------------------------------------------------------------------------------

  void place(const std::string& typed, const TargetName& n, const Target& t, const syntax::Expr& call) {
    DistributionReader distribution(m_, layout_, nominal_, d_, whole_);
    const auto relative = distribution.isRelative(call);
    if (!relative) return;
    PlacedVariation v;
    v.draw.name = typed;
    std::erase(v.draw.name, ' ');
    // Entries of a point without conditions are numbers like others.
    const bool byEntry = t.array != nullptr && !t.curved && n.indices.size() > (t.extent > 0 ? 1U : 0U);
    const bool moved = *relative && t.manifold != nullptr && !t.point.empty() && !byEntry;
    const bool good = moved ? placeMoved(n, t, v) : placeFlat(n, t, v, *relative, call);
    if (!good || !distribution.read(call, v.draw, *relative)) return;
    const bool table = v.draw.kind == runtime::Distribution::Table, grid = v.draw.kind == runtime::Distribution::Grid;
    if ((table && grids_ > 0) || (grid && result_.rows >= 0)) {
      error("a grid and a table of `read` each say which samples there are: they do not go together")
          .suggest("put the values of the grid into the table");
      return;
    }
    if (grid) ++grids_;
    if (table) result_.rows = result_.rows < 0 ? v.draw.rows : std::min(result_.rows, v.draw.rows);
    for (const PlacedVariation& before : result_.list) v.first += before.draw.numbers;
    result_.list.push_back(std::move(v));
  }

  /// Grids make all pairs, triples, … of their values; that of the last variation goes fastest.
  void layGrids() {
    constexpr std::int64_t most = 1'000'000'000'000;
    std::int64_t samples = 1;
    for (auto v = result_.list.rbegin(); v != result_.list.rend(); ++v) {
      if (v->draw.kind != runtime::Distribution::Grid) continue;
      v->draw.stride = samples;
      if (samples > most / v->draw.rows) {
        error("the grids have more than 10^12 points together");
        return;
      }
      samples *= v->draw.rows;
    }
    result_.rows = samples;
  }

  bool once(const std::string& what, std::int64_t first, std::int64_t count) {
    for (std::int64_t k = first; k < first + count; ++k)
      if (!taken_.insert({what, k}).second) {
        error("`" + what + "` is varied twice");
        return false;
      }
    return true;
  }

  VariedInitial& initialOf(const sema::ArrayTuple& state, const sema::Manifold* manifold, const Target& t) {
    for (VariedInitial& v : result_.initials)
      if (v.state == state) return v;
    VariedInitial v;
    v.state = state;
    v.manifold = manifold;
    v.frame = t.frame;
    v.extent = t.extent;
    result_.initials.push_back(std::move(v));
    return result_.initials.back();
  }

  bool placeFlat(const TargetName& n, const Target& t, PlacedVariation& v, bool relative, const syntax::Expr& call) {
    if (t.array == nullptr) {
      const bool point = t.manifold != nullptr;
      error(fmt::format("`{}` has the parts {}: vary {}", n.name, fmt::join(t.parts, ", "),
                        point ? "one of them, or the point as a whole by normal(s) or uniform(s)" : "each of them"))
          .suggest(fmt::format("for example --vary \"{} ~ {}\"", point ? n.name : n.name + "." + t.parts[0],
                               call.args[0]->text == "uniform" ? "uniform(0.1)" : "normal(0.1)"));
      return false;
    }
    if (t.curved && call.args[0]->text != "read") {
      error("a point of " + t.manifold->name() + " has conditions to satisfy; its entries cannot be varied one by one")
          .suggest("`" + n.name + " ~ normal(s)` moves it by exp of a random element of the algebra");
      return false;
    }
    const auto part = range(n, t.array->extents, t.array->shape);
    if (!part || !once(t.name, part->first, part->second)) return false;
    if (t.curved && part->second % t.array->shape.size() != 0) {
      error("of a point of " + t.manifold->name() + " all entries are read");
      return false;
    }
    v.draw.numbers = static_cast<std::size_t>(part->second);
    v.keep = relative ? 1 : 0;
    const std::vector<runtime::Entry> entries = unit::fieldOf(t.name, *t.array).entries();
    for (std::int64_t k = 0; k < part->second; ++k)
      v.columns.push_back(entries[static_cast<std::size_t>(part->first + k)]);
    if (t.parameter) {
      v.params = layout_.of(t.array).offset + part->first;
      return t.input == nullptr || relative || replaceInput(n, *t.input, *part, v);
    }
    VariedInitial& initial = initialOf({t.array}, nullptr, t);
    if (initial.manifold != nullptr) {
      error("`" + n.name + "` is varied as a whole and by its entries");
      return false;
    }
    const auto index = static_cast<std::size_t>(&initial - result_.initials.data());
    for (std::int64_t k = 0; k < part->second; ++k) {
      v.delta.push_back({index, 0, part->first + k});
      if (!relative) result_.replaced.push_back(v.delta.back());
    }
    return true;
  }

  /// An input follows its law plus a value, or has the value alone once that is given: so what is replaced is given,
  /// and where only some entries of a vector are, the law's numbers are subtracted. What is added needs neither.
  bool replaceInput(const TargetName& n, const sema::Parameter& value, std::pair<std::int64_t, std::int64_t> part,
                    PlacedVariation& v) {
    const std::int64_t size = value.array->shape.size();
    const std::int64_t offset = layout_.of(m_.parameters[value.other].array).offset;
    const std::int64_t begin = part.first / size, end = (part.first + part.second + size - 1) / size;
    bool all = true; // of the members that are touched are given already
    for (std::int64_t k = begin; k < end; ++k) all = all && nominal_.params[static_cast<std::size_t>(offset + k)] != 0;
    if (all) return true;
    if (part.first % size == 0 && part.second % size == 0) {
      for (std::int64_t k = begin; k < end; ++k) v.given.push_back(offset + k);
      return true;
    }
    const auto law = constantLaw(m_, value);
    if (!law) {
      error("an entry of `" + n.name + "` cannot be replaced while the others follow a law that is not constant")
          .suggest("vary all entries, add to the law by normal(s) or uniform(s), or give a value by --set " + n.name);
      return false;
    }
    v.shift.assign(law->begin() + part.first, law->begin() + part.first + part.second);
    return true;
  }

  bool placeMoved(const TargetName& n, const Target& t, PlacedVariation& v) {
    const std::vector<std::int64_t> extents =
        t.extent > 0 ? std::vector<std::int64_t>{t.extent} : std::vector<std::int64_t>{};
    const auto members = range(n, extents, sym::Shape::scalar());
    if (!members || !once(t.name + " as a whole", members->first, members->second)) return false;
    for (const VariedInitial& other : result_.initials) {
      const bool shared = std::any_of(t.point.begin(), t.point.end(), [&](const sym::Array* a) {
        return std::find(other.state.begin(), other.state.end(), a) != other.state.end();
      });
      if (shared && (other.manifold == nullptr || other.state != t.point)) {
        error("`" + n.name + "` is varied as a whole and by its entries");
        return false;
      }
    }
    const VariedInitial& initial = initialOf(t.point, t.manifold, t);
    const auto index = static_cast<std::size_t>(&initial - result_.initials.data());
    const int size = t.manifold->algebraSize();
    v.draw.numbers = static_cast<std::size_t>(members->second * size);
    for (std::int64_t m = members->first; m < members->first + members->second; ++m) {
      for (std::size_t p = 0; p < t.manifold->algebra().size(); ++p) {
        const sym::Shape& shape = t.manifold->algebra()[p].shape;
        const std::string part = t.manifold->algebra().size() > 1 ? "." + t.manifold->algebra()[p].name : "";
        for (int k = 0; k < shape.size(); ++k) {
          runtime::Entry column{t.name + part, {}};
          if (t.extent > 0) column.index.push_back(m + 1);
          if (shape.rank > 0) column.index.push_back(k / shape.cols + 1);
          if (shape.rank > 1) column.index.push_back(k % shape.cols + 1);
          v.columns.push_back(std::move(column));
          v.delta.push_back({index, p, m * shape.size() + k});
        }
      }
    }
    return true;
  }

  const sema::Model& m_;
  const Layout& layout_;
  const InitialData& nominal_;
  Sources& sources_;
  Diagnostics& d_;
  Range whole_;
  Variations result_;
  int grids_ = 0;
  std::set<std::pair<std::string, std::int64_t>> taken_;
};

} // namespace

Variations placeVariations(const sema::Model& model, const Layout& layout, const InitialData& nominal,
                           const std::vector<std::string>& texts, Sources& sources, Diagnostics& diagnostics) {
  return Reader(model, layout, nominal, sources, diagnostics).read(texts);
}

} // namespace lmc::products
