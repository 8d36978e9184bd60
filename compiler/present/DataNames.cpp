#include "present/DataNames.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::present {

const std::string& ArrayNames::of(const sym::Array* array) {
  const auto it = names_.find(array->id);
  if (it != names_.end()) return it->second;
  std::string name = array->name;
  for (int k = 2; !taken_.insert(name).second; ++k) name = fmt::format("{}_{}", array->name, k);
  return names_[array->id] = name;
}

std::string DataNames::nameOf(const TreePtr& value, std::int64_t extent) {
  const std::string key = fmt::format("{}|{}", extent, text(value));
  if (const auto it = byText_.find(key); it != byText_.end()) return it->second;
  static const char* const vectors[] = {"n", "b", "u", "p", "r"};
  std::string name;
  for (const char* candidate : vectors)
    if (name.empty() && value->shape.rank == 1 && taken_.insert(candidate).second) name = candidate;
  for (int k = 1; name.empty(); ++k)
    if (const std::string candidate = fmt::format("{}{}", value->shape.rank == 1 ? "n" : "N", k);
        taken_.insert(candidate).second)
      name = candidate;
  list_.emplace_back(name, std::pair(value, extent));
  return byText_[key] = name;
}

bool DataNames::isName(const std::string& text) const {
  return std::any_of(list_.begin(), list_.end(), [&](const auto& l) { return l.first == text; });
}

std::string DataNames::rowsOf(const std::vector<std::string>& names) {
  for (const auto& [name, rows] : rows_)
    if (rows == names) return name;
  std::vector<TreePtr> entries;
  std::int64_t extent = 0;
  int columns = 0;
  for (const std::string& n : names) {
    const auto it = std::find_if(list_.begin(), list_.end(), [&](const auto& l) { return l.first == n; });
    const TreePtr value = it->second.first;
    extent = it->second.second;
    columns = value->shape.rows;
    std::vector<TreePtr> at;
    if (extent > 0) at.push_back(tree(Op::Name, {}, {}, "i"));
    const TreePtr name = tree(Op::Name, at, value->shape, n);
    for (int k = 1; k <= columns; ++k)
      entries.push_back(value->op == Op::Vector ? value->kids[static_cast<std::size_t>(k - 1)]
                                                : tree(Op::Entry, {name, numberTree(k)}));
  }
  std::string name = "N";
  for (int k = 1; !taken_.insert(name).second; ++k) name = fmt::format("N{}", k);
  rows_[name] = names;
  const sym::Shape shape = sym::Shape::mat(static_cast<int>(names.size()), columns);
  list_.emplace_back(name, std::pair(tree(Op::Matrix, std::move(entries), shape), extent));
  return name;
}

TreePtr DataNames::withTransposes(const TreePtr& t) const {
  TreePtr now = withKids(t, [this](const TreePtr& k) { return withTransposes(k); });
  if (now->op != Op::Add) return now;
  const auto bare = [](const TreePtr& k) { return k->op == Op::Neg ? k->kids[0] : k; };
  const auto isTerm = [](const TreePtr& k) {
    return k->op == Op::Mul && k->kids.size() == 2 && k->kids[0]->op == Op::Entry && k->kids[0]->kids.size() == 2 &&
           k->kids[0]->kids[1]->op == Op::Number && k->kids[1]->op == Op::Name;
  };
  for (const auto& [name, rows] : rows_) {
    std::vector<TreePtr> found(rows.size()), rest;
    bool negative = false;
    for (const TreePtr& sign : now->kids) {
      const TreePtr k = bare(sign);
      const auto row = isTerm(k) ? std::find(rows.begin(), rows.end(), k->kids[1]->text) : rows.end();
      const auto at = static_cast<std::size_t>(row - rows.begin());
      if (row == rows.end() || found[at] || k->kids[0]->kids[1]->number.num() != static_cast<std::int64_t>(at) + 1) {
        rest.push_back(sign);
        continue;
      }
      found[at] = sign;
      negative = sign != k;
    }
    const bool all = std::all_of(found.begin(), found.end(), [&](const TreePtr& sign) {
      if (!sign || !found[0] || (bare(sign) != sign) != negative) return false;
      const TreePtr k = bare(sign), first = bare(found[0]);
      return equal(k->kids[0]->kids[0], first->kids[0]->kids[0]) &&
             std::equal(k->kids[1]->kids.begin(), k->kids[1]->kids.end(), first->kids[1]->kids.begin(), equal);
    });
    if (!all) continue;
    const sym::Shape shape = now->shape;
    const TreePtr first = bare(found[0]);
    const TreePtr matrix = tree(Op::Name, first->kids[1]->kids,
                                sym::Shape::mat(static_cast<int>(rows.size()), first->kids[1]->shape.rows), name);
    const TreePtr product =
        tree(Op::MatMul,
             {tree(Op::Transpose, {matrix}, sym::Shape::mat(matrix->shape.cols, matrix->shape.rows)),
              first->kids[0]->kids[0]},
             first->shape);
    rest.push_back(negative ? tree(Op::Neg, {product}, product->shape) : product);
    return rest.size() == 1 ? rest[0] : tree(Op::Add, std::move(rest), shape);
  }
  return now;
}

} // namespace lmc::present
