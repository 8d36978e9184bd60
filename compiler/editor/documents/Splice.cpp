#include "editor/documents/Splice.h"

#include "base/Budget.h"

#include <algorithm>
#include <string>

namespace lmc::editor {

using syntax::Declaration;
using syntax::Expr;
using syntax::ExprPtr;
using syntax::Statement;
using syntax::StatementPtr;

namespace {

/// Copies parts of a tree with their places moved.
class Mover {
public:
  explicit Mover(std::int64_t by) : by_(by) {}

  void operator()(Range& r) const {
    r.begin = static_cast<std::uint32_t>(r.begin + by_);
    r.end = static_cast<std::uint32_t>(r.end + by_);
  }
  void operator()(std::vector<Range>& list) const {
    for (Range& r : list) (*this)(r);
  }
  void operator()(ExprPtr& e) const {
    if (!e) return;
    checkStack();
    auto copy = std::make_shared<Expr>(*e);
    (*this)(copy->range);
    (*this)(copy->opRange);
    (*this)(copy->nameRanges);
    (*this)(copy->binders);
    (*this)(copy->where);
    (*this)(copy->args);
    e = std::move(copy);
  }
  void operator()(std::vector<ExprPtr>& list) const {
    for (ExprPtr& e : list) (*this)(e);
  }
  void operator()(std::vector<syntax::Binder>& list) const {
    for (syntax::Binder& b : list) {
      (*this)(b.nameRange);
      (*this)(b.lo);
      (*this)(b.hi);
    }
  }
  void operator()(syntax::TypePtr& type) const {
    if (!type) return;
    auto copy = std::make_shared<syntax::Type>(*type);
    (*this)(copy->nameRange);
    (*this)(copy->range);
    (*this)(copy->exponent);
    (*this)(copy->args);
    for (syntax::TypePtr& t : copy->types) (*this)(t);
    type = std::move(copy);
  }
  void operator()(syntax::Target& t) const {
    (*this)(t.nameRange);
    (*this)(t.range);
    (*this)(t.binders);
    (*this)(t.indices);
    (*this)(t.partRanges);
  }
  void operator()(std::vector<syntax::Target>& list) const {
    for (syntax::Target& t : list) (*this)(t);
  }
  void operator()(StatementPtr& s) const {
    auto copy = std::make_shared<Statement>(*s);
    (*this)(copy->range);
    (*this)(copy->keyword);
    (*this)(copy->target);
    (*this)(copy->type);
    (*this)(copy->value);
    (*this)(copy->second);
    (*this)(copy->secondRange);
    (*this)(copy->frameRange);
    (*this)(copy->params);
    (*this)(copy->binders);
    for (StatementPtr& inner : copy->body) (*this)(inner);
    for (syntax::Equation& e : copy->equations) {
      (*this)(e.left);
      (*this)(e.right);
    }
    (*this)(copy->unknowns);
    (*this)(copy->starts);
    (*this)(copy->tolerance);
    (*this)(copy->limit);
    for (syntax::Setting& setting : copy->settings) {
      (*this)(setting.keyRange);
      (*this)(setting.value);
      (*this)(setting.to);
    }
    s = std::move(copy);
  }
  void operator()(Declaration& d) const {
    (*this)(d.range);
    (*this)(d.nameRange);
    (*this)(d.head);
    (*this)(d.condition);
    for (StatementPtr& s : d.body) (*this)(s);
    (*this)(d.order);
    (*this)(d.embeddedOrder);
    (*this)(d.kindRange);
    (*this)(d.params);
    (*this)(d.paramDefaults);
    for (syntax::TypePtr& t : d.paramTypes) (*this)(t);
    (*this)(d.constructor);
  }

private:
  std::int64_t by_;
};

/// The part of a text that differs from another one: bytes [begin, end) of the first, and how much longer the second
/// is.
struct Change {
  std::size_t begin = 0, end = 0;
  std::int64_t longer = 0;
};

Change changeOf(std::string_view before, std::string_view after) {
  Change c;
  c.begin = static_cast<std::size_t>(std::mismatch(before.begin(), before.end(), after.begin(), after.end()).first -
                                     before.begin());
  const std::size_t most = std::min(before.size(), after.size()) - c.begin;
  std::size_t same = 0;
  while (same < most && before[before.size() - 1 - same] == after[after.size() - 1 - same]) ++same;
  c.end = before.size() - same;
  c.longer = static_cast<std::int64_t>(after.size()) - static_cast<std::int64_t>(before.size());
  return c;
}

/// True if a range holds the change, and more on both sides.
bool encloses(const Range& r, const Change& c) {
  return r.begin < c.begin && c.end < r.end;
}

} // namespace

std::optional<syntax::File> spliced(const syntax::File& before, std::string_view text, std::string_view after,
                                    const syntax::ParseLimits& limits) {
  const Change change = changeOf(text, after);
  const auto d = std::find_if(before.declarations.begin(), before.declarations.end(),
                              [&](const Declaration& x) { return encloses(x.range, change); });
  if (d == before.declarations.end() || d->kind == syntax::DeclKind::Function || after.size() > limits.bytes)
    return std::nullopt;
  const auto s =
      std::find_if(d->body.begin(), d->body.end(), [&](const StatementPtr& x) { return encloses(x->range, change); });
  if (s == d->body.end()) return std::nullopt;
  const Range old = (*s)->range;
  const auto end = static_cast<std::uint32_t>(old.end + change.longer);

  // The declaration with this statement alone, at its places; lines stay lines.
  std::string alone(after);
  const std::size_t head = d->body.front()->range.begin; // behind the `{`
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to; ++k)
      if (alone[k] != '\n' && alone[k] != '\r') alone[k] = ' ';
  };
  const std::size_t close = static_cast<std::size_t>(d->range.end + change.longer) - 1;
  if (close >= alone.size() || alone[close] != '}') return std::nullopt;
  blank(0, d->range.begin);
  blank(head, old.begin);
  blank(end, close);
  blank(close + 1, alone.size());
  Sources sources;
  Diagnostics diagnostics;
  const syntax::File read = syntax::parse(sources, sources.add("", std::move(alone)), diagnostics, limits);
  if (diagnostics.errorCount() + diagnostics.warningCount() > 0 || read.declarations.size() != 1) return std::nullopt;
  const Declaration& now = read.declarations.front();
  const bool same = now.kind == d->kind && now.body.size() == 1 && now.body.front()->range.begin == old.begin &&
                    now.body.front()->range.end == end && before.source == now.range.source;
  if (!same) return std::nullopt;

  syntax::File file = before;
  const Mover move(change.longer);
  const auto number = static_cast<std::size_t>(d - before.declarations.begin());
  Declaration& changed = file.declarations[number];
  changed.range.end = static_cast<std::uint32_t>(changed.range.end + change.longer);
  const auto at = static_cast<std::size_t>(s - d->body.begin());
  changed.body[at] = now.body.front();
  if (change.longer != 0) {
    for (std::size_t k = at + 1; k < changed.body.size(); ++k) move(changed.body[k]);
    for (std::size_t k = number + 1; k < file.declarations.size(); ++k) move(file.declarations[k]);
  }
  return file;
}

} // namespace lmc::editor
