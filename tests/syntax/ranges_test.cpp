// Places: the text of every node's range, read on its own, is that node again.
#include "Support.h"

namespace lmc::test {

namespace {

class RangeCheck {
public:
  explicit RangeCheck(const Parsed& parsed) : parsed_(parsed) {}

  void check(const syntax::ExprPtr& e) {
    if (e == nullptr || e->kind == syntax::ExprKind::Error) return;
    const std::string text(parsed_.sources.text(e->range));
    const bool isBareParts = e->kind == syntax::ExprKind::Parts && !e->parenthesized;
    // `next Q` is an operand in methods only, not in a lone expression.
    const bool isMethods = text.find("next ") != std::string::npos;
    if (!isBareParts && !isMethods) {
      EXPECT_EQ(treeOf(text), syntax::printTree(*e)) << text;
    }
    if (e->kind == syntax::ExprKind::Field) {
      EXPECT_EQ(parsed_.sources.text(e->opRange), e->text);
    }
    for (const auto& arg : e->args) check(arg);
    for (const auto& b : e->binders) binder(b);
    for (std::size_t i = 0; i < e->names.size(); ++i) name(e->nameRanges[i], e->names[i]);
    check(e->where);
    ++count;
  }

  void check(const syntax::Statement& s) {
    check(s.value);
    check(s.second);
    target(s.target);
    if (s.type != nullptr) {
      name(s.type->nameRange, s.type->name);
      check(s.type->exponent);
      for (const auto& arg : s.type->args) check(arg);
    }
    if (!s.secondName.empty()) name(s.secondRange, s.secondName);
    for (const auto& t : s.params) target(t);
    for (const auto& t : s.unknowns) target(t);
    for (const auto& e : s.starts) check(e);
    for (const auto& b : s.binders) binder(b);
    for (const auto& e : s.equations) {
      check(e.left);
      check(e.right);
    }
    for (const auto& setting : s.settings) {
      name(setting.keyRange, setting.key);
      check(setting.value);
      check(setting.to);
    }
    for (const auto& inner : s.body) check(*inner);
    const std::string text(parsed_.sources.text(s.range));
    EXPECT_TRUE(text.ends_with(";") || text.ends_with("}")) << text;
  }

  std::size_t count = 0;

private:
  void name(const Range& range, const std::string& expected) { EXPECT_EQ(parsed_.sources.text(range), expected); }
  void binder(const syntax::Binder& b) {
    name(b.nameRange, b.name);
    check(b.lo);
    check(b.hi);
  }
  void target(const syntax::Target& t) {
    if (t.name.empty()) return;
    name(t.nameRange, t.name);
    for (const auto& b : t.binders) binder(b);
    for (const auto& e : t.indices) check(e);
    for (std::size_t i = 0; i < t.parts.size(); ++i) name(t.partRanges[i], t.parts[i]);
  }

  const Parsed& parsed_;
};

TEST(Ranges, everyNodeOfEveryFile) {
  for (const auto& path : allFiles()) {
    const Parsed parsed(readFile(path));
    RangeCheck check(parsed);
    for (const auto& d : parsed.file.declarations) {
      EXPECT_TRUE(parsed.sources.text(d.range).ends_with("}") || parsed.sources.text(d.range).ends_with(";"));
      check.check(d.order);
      check.check(d.constructor);
      for (const auto& s : d.body) check.check(*s);
    }
    EXPECT_GT(check.count, 0U) << path;
  }
}

TEST(Ranges, bytesBehindGreekLettersAndMark) {
  const Parsed parsed("\xEF\xBB\xBFmodel Ω { param αβ = γ + 2; }");
  const auto& s = *parsed.file.declarations.at(0).body.at(0);
  EXPECT_EQ(parsed.sources.text(s.value->range), "γ + 2");
  EXPECT_EQ(parsed.sources.text(s.target.nameRange), "αβ");
  const Position at = parsed.sources[0].position(s.value->range.begin);
  EXPECT_EQ(at.line, 1U);
  EXPECT_EQ(at.column, 22U);
}

} // namespace

} // namespace lmc::test
