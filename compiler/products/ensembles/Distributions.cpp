#include "products/ensembles/Distributions.h"

#include "base/ByteOrderMark.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <numbers>

namespace lmc::products {

Diagnostics::Report DistributionReader::error(Range range, std::string message) {
  range.source = whole_.source; // not the text with a blanked name
  return d_.error(Code::LIE0650, range, std::move(message));
}

std::optional<double> DistributionReader::number(const syntax::Expr& e) {
  const auto typed = evaluate(e);
  if (!typed) return std::nullopt;
  if (!typed->list) return typed->values[0];
  error(e.range, "a number is expected here");
  return std::nullopt;
}

auto DistributionReader::evaluate(const syntax::Expr& e) -> std::optional<Typed> {
  const auto single = [](double x) { return Typed{{x}, false}; };
  switch (e.kind) {
  case syntax::ExprKind::Number:
    return single(e.number);
  case syntax::ExprKind::Name:
    return named(e);
  case syntax::ExprKind::Negate: {
    auto a = evaluate(*e.args[0]);
    if (a)
      for (double& x : a->values) x = -x;
    return a;
  }
  case syntax::ExprKind::Binary:
    return binary(e);
  case syntax::ExprKind::Call:
    if (e.args.size() == 2 && e.args[0]->text == "sqrt")
      if (const auto a = number(*e.args[1])) return single(std::sqrt(*a));
    break;
  case syntax::ExprKind::List: {
    Typed all{{}, true};
    for (const syntax::ExprPtr& arg : e.args) {
      const auto a = evaluate(*arg);
      if (!a) return std::nullopt;
      all.values.insert(all.values.end(), a->values.begin(), a->values.end());
    }
    return all;
  }
  default:
    break;
  }
  error(e.range, "here stand numbers, `pi`, scalar parameters, + - * / ^, sqrt, and lists of them");
  return std::nullopt;
}

auto DistributionReader::named(const syntax::Expr& e) -> std::optional<Typed> {
  if (e.text == "pi") return Typed{{std::numbers::pi}, false};
  for (const auto& [name, value] : m_.constants)
    if (name == e.text) return Typed{{static_cast<double>(value)}, false};
  for (const sema::Parameter& p : m_.parameters)
    if (p.name == e.text && p.array->size() == 1)
      return Typed{{nominal_.params[static_cast<std::size_t>(layout_.of(p.array).offset)]}, false};
  error(e.range, "`" + e.text + "` is not a scalar parameter of the model");
  return std::nullopt;
}

auto DistributionReader::binary(const syntax::Expr& e) -> std::optional<Typed> {
  const auto a = evaluate(*e.args[0]), b = evaluate(*e.args[1]);
  if (!a || !b) return std::nullopt;
  if (a->list && b->list && a->values.size() != b->values.size()) {
    error(e.range, "the lists have different lengths");
    return std::nullopt;
  }
  Typed r{{}, a->list || b->list};
  for (std::size_t k = 0; k < std::max(a->values.size(), b->values.size()); ++k) {
    const double x = a->values[a->list ? k : 0], y = b->values[b->list ? k : 0];
    r.values.push_back(e.op == syntax::BinaryOp::Add   ? x + y
                       : e.op == syntax::BinaryOp::Sub ? x - y
                       : e.op == syntax::BinaryOp::Mul ? x * y
                       : e.op == syntax::BinaryOp::Div ? x / y
                       : e.op == syntax::BinaryOp::Pow ? std::pow(x, y)
                                                       : std::nan(""));
  }
  return r;
}

bool DistributionReader::readTable(const syntax::Expr& call, runtime::Variation& v) {
  const std::string& file = call.args[1]->text;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    error(call.range, "cannot read `" + file + "`");
    return false;
  }
  std::string line;
  bool first = true; // of those that are no comments: it may hold names
  for (std::int64_t number = 1; std::getline(in, line); ++number) {
    if (number == 1) line = std::string(withoutByteOrderMark(line));
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == ';' || c == '\t' || c == '\r'; }, ' ');
    std::vector<double> row;
    std::size_t at = line.find_first_not_of(' ');
    if (at == std::string::npos || line[at] == '#') continue;
    bool good = true;
    for (; at != std::string::npos && good; at = line.find_first_not_of(' ', at)) {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      double x = 0;
      const auto [stop, failure] = std::from_chars(line.data() + at, line.data() + end, x);
      good = failure == std::errc() && stop == line.data() + end;
      row.push_back(x);
      at = end;
    }
    const bool names = first && !good;
    first = false;
    if (names) continue;
    if (!good || row.size() != v.numbers) {
      error(call.range,
            good ? fmt::format("line {} of `{}` has {} numbers, {} are varied", number, file, row.size(), v.numbers)
                 : fmt::format("line {} of `{}` does not consist of numbers", number, file));
      return false;
    }
    v.table.insert(v.table.end(), row.begin(), row.end());
    ++v.rows;
  }
  if (v.rows == 0) error(call.range, "`" + file + "` holds no numbers");
  return v.rows > 0;
}

bool DistributionReader::spread(const syntax::Expr& e, std::size_t n, std::vector<double>& out) {
  const auto typed = evaluate(e);
  if (!typed) return false;
  if (typed->list && typed->values.size() != n) {
    error(e.range, fmt::format("{} numbers are varied, the list has {}", n, typed->values.size()));
    return false;
  }
  for (const double x : typed->values)
    if (!std::isfinite(x)) {
      error(e.range, "a distribution is given by finite numbers");
      return false;
    }
  out = typed->list ? typed->values : std::vector<double>(n, typed->values[0]);
  return true;
}

bool DistributionReader::readGrid(const syntax::Expr& call, runtime::Variation& v) {
  constexpr double most = 1e6;
  const auto count = number(*call.args[3]);
  if (!count) return false;
  if (!(*count >= 2 && *count <= most) || *count != std::floor(*count)) {
    error(call.args[3]->range, "a grid has a whole number of values, from 2 to 1000000");
    return false;
  }
  if (v.numbers != 1) {
    error(call.range, fmt::format("a grid varies one number, and here are {}: vary its entries", v.numbers));
    return false;
  }
  v.rows = static_cast<std::int64_t>(*count);
  return true;
}

bool DistributionReader::read(const syntax::Expr& call, runtime::Variation& v, bool relative) {
  const std::string& kind = call.args[0]->text;
  const std::size_t n = v.numbers;
  if (kind == "read") {
    v.kind = runtime::Distribution::Table;
    if (call.args.size() == 2 && call.args[1]->kind == syntax::ExprKind::String) return readTable(call, v);
    error(call.range, "read wants the name of one file: read(\"values.csv\")");
    return false;
  }
  if (relative) {
    v.kind = kind == "normal" ? runtime::Distribution::Normal : runtime::Distribution::Uniform;
    if (!spread(*call.args[1], n, v.b)) return false;
    v.a.assign(n, 0.0);
    if (kind == "uniform")
      for (std::size_t k = 0; k < n; ++k) v.a[k] = -v.b[k];
  } else {
    v.kind = kind == "normal"    ? runtime::Distribution::Normal
             : kind == "uniform" ? runtime::Distribution::Uniform
             : kind == "grid"    ? runtime::Distribution::Grid
                                 : runtime::Distribution::Linspace;
    if (!spread(*call.args[1], n, v.a) || !spread(*call.args[2], n, v.b)) return false;
    if (kind == "grid" && !readGrid(call, v)) return false;
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (v.kind == runtime::Distribution::Normal && v.b[k] < 0) {
      error(call.range, "a standard deviation is not negative");
      return false;
    }
    if (v.kind == runtime::Distribution::Uniform && v.a[k] > v.b[k]) {
      error(call.range, relative ? "the half width is not negative" : "the lower bound comes first");
      return false;
    }
  }
  return true;
}

std::optional<bool> DistributionReader::isRelative(const syntax::Expr& call) {
  const std::string& kind = call.args[0]->text;
  const std::size_t n = call.args.size() - 1;
  if (kind == "read") return false;
  if (kind == "grid" && n == 3) return false;
  if (kind != "normal" && kind != "uniform" && kind != "linspace" && kind != "grid") {
    const std::string near = nearest(kind, {"normal", "uniform", "linspace", "grid", "read"});
    auto report = error(call.args[0]->range,
                        "there is no distribution `" + kind + "`; there are normal, uniform, linspace, grid and read");
    if (!near.empty()) report.suggest("did you mean `" + near + "`?");
    return std::nullopt;
  }
  if (n == 2 && kind != "grid") return false;
  if (n == 1 && kind != "linspace" && kind != "grid") return true;
  error(call.range, kind == "normal"    ? "normal wants a mean and a standard deviation, or a standard deviation alone"
                    : kind == "uniform" ? "uniform wants two bounds, or a half width alone"
                    : kind == "grid"    ? "grid wants the first and the last value, and how many there are"
                                        : "linspace wants the first and the last value");
  return std::nullopt;
}

} // namespace lmc::products
