#include "tool/view/Texts.h"

#include "jit/Hash.h"
#include "tool/view/Page.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace lmc::tool {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t numbersShown = 32;

Json pair(const std::string& name, const std::string& value) {
  Json j;
  j["name"] = name;
  j["value"] = value;
  return j;
}

/// [[1, 2], [3, 4]] of numbers by rows.
std::string shown(const std::vector<std::int64_t>& shape, const double* values, std::size_t dimension = 0) {
  if (dimension == shape.size()) return fmt::format("{}", *values);
  std::size_t each = 1;
  for (std::size_t d = dimension + 1; d < shape.size(); ++d) each *= static_cast<std::size_t>(shape[d]);
  std::string text = "[";
  for (std::int64_t k = 0; k < shape[dimension]; ++k)
    text += (k > 0 ? ", " : "") + shown(shape, values + static_cast<std::size_t>(k) * each, dimension + 1);
  return text + "]";
}

/// Options that numbers or their showing depend on; not where they go, nor what is seen meanwhile.
constexpr OptionList deciding(options::model, options::simulation, options::every, options::maxSeconds, options::fps,
                              options::speed, options::maxSize, options::data);
bool decides(const AnyOption& option) {
  return std::any_of(deciding.begin(), deciding.end(), [&](const AnyOption* o) { return o->name() == option.name(); });
}

/// As a word of a shell.
std::string inShell(const std::string& text) {
  constexpr const char* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace

std::string grouped(std::int64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > (n < 0 ? 4U : 3U);) text.insert(at -= 3, ",");
  return text;
}

Json parameterTable(const runtime::Problem& problem) {
  Json list = Json::array();
  std::set<std::string> hidden; // flags of inputs, and values of those that follow their laws
  for (const runtime::Field* given : problem.all(runtime::FieldKind::InputGiven)) {
    hidden.insert(given->name);
    const bool held = problem.params[static_cast<std::size_t>(given->offset)] != 0;
    for (const runtime::Field* value : problem.all(runtime::FieldKind::InputValue))
      if (!held && value->of == given->of) hidden.insert(value->name);
  }
  for (const runtime::NamedArray& p : problem.parameters()) {
    if (p.values.empty() || hidden.contains(p.name)) continue;
    const bool all = p.values.size() <= numbersShown;
    list.push_back(
        pair(p.name, all ? shown(p.shape, p.values.data())
                         : fmt::format("{} numbers, {} … {}", p.values.size(), p.values.front(), p.values.back())));
  }
  return list;
}

Json initialTable(const runtime::Problem& problem) {
  Json list = Json::array();
  std::string name;
  std::vector<double> values;
  const auto put = [&] {
    if (values.empty()) return;
    const std::size_t n = std::min<std::size_t>(values.size(), 12);
    std::string text =
        values.size() == 1
            ? fmt::format("{}", values[0])
            : fmt::format("{}", fmt::join(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), ", "));
    if (values.size() > n) text += fmt::format(", … ({} numbers)", values.size());
    list.push_back(pair(name, text));
    values.clear();
  };
  for (const runtime::Column& c : problem.numbers(runtime::FieldKind::State)) {
    const std::string& base = c.entry.field;
    if (base != name) put();
    name = base;
    values.push_back(problem.initialState[static_cast<std::size_t>(c.offset)]);
  }
  put();
  return list;
}

Json verdictOf(const runtime::Summary& s) {
  const runtime::RunResult& r = s.result;
  Json v;
  v["good"] = !r.failure && !r.interrupted;
  const bool made = r.steps > 0 || r.samples < 2; // else it comes from a file
  std::string text = made ? fmt::format("{} steps of {}", grouped(r.steps), s.method)
                          : fmt::format("{} samples of {}", grouped(r.samples), s.output);
  text += fmt::format(", t = {} to {}", s.timeFrom, r.time);
  if (r.event) text += fmt::format(", stopped by {}", r.event->name);
  v["text"] = text;
  v["facts"] = Json::array();
  if (r.energyError)
    v["facts"].push_back(pair(s.energyChanges ? "the energy changes by up to" : "largest energy error",
                              fmt::format("{:.2g}", *r.energyError)));
  double worst = -1;
  for (const lmc::runtime::Defect& d : r.defects) worst = std::isnan(d.value) || d.value > worst ? d.value : worst;
  if (worst >= 0 || std::isnan(worst)) v["facts"].push_back(pair("largest defect", fmt::format("{:.2g}", worst)));
  constexpr std::size_t mostJumps = 4;
  for (std::size_t k = 0; k < std::min(r.jumps.size(), mostJumps); ++k)
    v["facts"].push_back(pair(r.jumps[k].name, r.jumps[k].count == 1 ? "once" : grouped(r.jumps[k].count) + " times"));
  if (r.jumps.size() > mostJumps) v["facts"].push_back(pair("other jumps", std::to_string(r.jumps.size() - mostJumps)));
  if (r.rejected > 0) v["facts"].push_back(pair("rejected steps", grouped(r.rejected)));
  if (made) v["facts"].push_back(pair("evaluations", grouped(r.evaluations)));
  return v;
}

Json provenance(const Invocation& call, const runtime::Problem& problem, const runtime::RunDescription& about) {
  Json list = Json::array();
  list.push_back(pair("lmc", about.version));
  std::string line = "lmc " + call.command;
  for (const std::string& a : call.arguments) line += " " + inShell(a);
  for (const auto& [option, typed] : call.typed())
    if (decides(*option)) line += " " + std::string(option->name()) + (option->flag() ? "" : " " + inShell(typed));
  list.push_back(pair("command", line));
  list.push_back(pair("method", problem.method));
  if (!std::isnan(problem.step)) list.push_back(pair("step", fmt::format("{}", problem.step)));
  if (!std::isnan(about.tolerance)) list.push_back(pair("tolerance", fmt::format("{}", about.tolerance)));
  list.push_back(pair("seed", fmt::format("{}", problem.seed)));
  jit::Hash hash;
  for (const auto& [name, text] : about.sources) hash.text(text);
  list.push_back(pair("hash of all sources", jit::hex(hash.digest())));
  return list;
}

} // namespace lmc::tool
