#include "editor/text/Items.h"

#include <algorithm>

namespace lmc::editor {

using syntax::Token;
using syntax::TokenKind;

std::size_t columnBehind(std::string_view text, std::size_t column) {
  constexpr std::size_t tab = 8;
  for (const char c : text) {
    if (c == '\t')
      column += tab - column % tab;
    else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)
      ++column;
  }
  return column;
}

namespace {

bool isBreak(char c) {
  return c == '\n' || c == '\r';
}

/// The lines of a text, which end by \n, \r\n or \r.
std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!isBreak(text[i])) {
      lines.back() += text[i];
      continue;
    }
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
    lines.emplace_back();
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(" \t\f") + 1);
  return lines;
}

/// Where items stand in the text.
class Places {
public:
  explicit Places(std::string_view text) : text_(text), at_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  /// Goes on to an item that begins at an offset and ends at another one.
  void place(Item& item, const Token& token) {
    const std::size_t lineBefore = line_;
    const std::size_t columnBefore = column_;
    advance(token.begin);
    item.line = line_;
    item.column = column_;
    item.first = fresh_ || line_ != lineBefore;
    item.gap = item.first ? 0 : column_ - columnBefore;
    fresh_ = false;
    advance(token.end);
    item.lastLine = line_;
  }

private:
  void advance(std::size_t to) {
    while (at_ < to) {
      const std::size_t begin = at_;
      while (at_ < to && !isBreak(text_[at_])) ++at_;
      column_ = columnBehind(text_.substr(begin, at_ - begin), column_);
      if (at_ == to) return;
      at_ += text_[at_] == '\r' && at_ + 1 < to && text_[at_ + 1] == '\n' ? 2 : 1;
      ++line_;
      column_ = 0;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 0, column_ = 0;
  bool fresh_ = true;
};

/// True where an operand has ended: a sign behind it stands between two operands.
bool endsOperand(const Item& item) {
  if (item.kind == TokenKind::Name || item.kind == TokenKind::Number || item.kind == TokenKind::String) return true;
  return item.is(")") || item.is("]") || item.is("'");
}

bool isOneOf(const Item& item, std::initializer_list<std::string_view> signs) {
  return std::any_of(signs.begin(), signs.end(), [&](std::string_view s) { return item.is(s); });
}

/// Says of each item where it stands and which blanks it has.
class Grammar {
public:
  explicit Grammar(std::vector<Item>& items) : items_(items) {}

  void run() {
    for (at_ = 0; at_ < items_.size(); ++at_) {
      Item& item = items_[at_];
      if (item.is("}") && !bodies_.empty()) closeBody();
      item.body = bodies_.empty() ? none : bodies_.back();
      item.depth = bodies_.size();
      item.inBrackets = !brackets_.empty();
      if (item.isComment()) {
        comment(item);
        continue;
      }
      item.begins = begins_;
      if (item.begins) firstWord_ = item.text();
      blanks(item);
      follow(item);
      previous_ = at_;
    }
  }

private:
  enum class Bracket : std::uint8_t { Index, List, Call, Reduction, Group };
  struct Open {
    Bracket kind;
    bool free;  ///< the author chooses blanks of sums
    bool bound; ///< behind `in`
    bool type;  ///< where a type is read
  };

  [[nodiscard]] const Item* previous() const { return previous_ == none ? nullptr : &items_[previous_]; }
  [[nodiscard]] bool previousEndsOperand() const { return previous() != nullptr && endsOperand(*previous()); }
  [[nodiscard]] bool free() const {
    return bound_ || (!brackets_.empty() && (brackets_.back().free || brackets_.back().bound));
  }

  /// What closes a body begins as a statement does.
  void closeBody() {
    bodies_.pop_back();
    brackets_.clear();
    begins_ = true;
  }

  static void blank(Item& item, std::size_t least, std::size_t most) {
    item.least = least;
    item.most = most;
  }

  /// As the author has it, one at most.
  static void chosen(Item& item) {
    blank(item, std::min<std::size_t>(item.gap, 1), std::min<std::size_t>(item.gap, 1));
  }

  void comment(Item& item) {
    const bool line = item.text().starts_with("//") || item.last;
    if (line || at_ == 0 || items_[at_ - 1].is(";") || items_[at_ - 1].is("{"))
      blank(item, 1, 1);
    else
      chosen(item);
  }

  /// The blanks of a sign between two operands where the author chooses: the same on both sides.
  [[nodiscard]] std::size_t evenly(std::size_t operation) const {
    const Item& item = items_[operation];
    if (!item.first) return std::min<std::size_t>(item.gap, 1);
    return operation + 1 < items_.size() ? std::min<std::size_t>(items_[operation + 1].gap, 1) : 1;
  }

  void blanks(Item& item) {
    const Item* const before = previous();
    if (at_ > 0 && items_[at_ - 1].isComment()) return chosen(item);
    if (before == nullptr) return;
    if (behind(item, *before)) return;
    if (isOneOf(item, {";", ",", ")", "]", "'", ".", "..", "^"})) return blank(item, 0, 0);
    if (item.is("(") || item.is("[")) return opening(item, *before);
    if (item.is(":")) return colon(item);
    if (isOneOf(item, {"*", "/"}) && previousEndsOperand()) return blank(item, 0, 0);
    if (isOneOf(item, {"\u00D7", "\u00B7"})) return blank(item, evenly(at_), evenly(at_));
    if (isOneOf(item, {"+", "-"}) && previousEndsOperand() && free()) return blank(item, evenly(at_), evenly(at_));
  }

  /// The blanks that the item before decides; false if it does not.
  bool behind(Item& item, const Item& before) {
    if (isOneOf(before, {"(", "[", ".", "..", "^"}) || unary_) return blank(item, 0, 0), true;
    if (isOneOf(before, {"*", "/"}) && binary_) return blank(item, 0, 0), true;
    if (binary_ && (isOneOf(before, {"\u00D7", "\u00B7"}) || (isOneOf(before, {"+", "-"}) && free_)))
      return blank(item, evenly(previous_), evenly(previous_)), true;
    if (before.is("{") && item.is("}")) return blank(item, 0, 0), true;
    if (before.is("{") || item.is("}") || item.is("{")) return blank(item, 1, 1), true;
    if (before.is(";") && !item.is(";")) return blank(item, 1, brackets_.empty() ? 2 : 1), true;
    if (before.is(",") && !isOneOf(item, {")", "]", ","})) {
      const Bracket kind = brackets_.empty() ? Bracket::Group : brackets_.back().kind;
      if (kind == Bracket::Index || kind == Bracket::List || (!brackets_.empty() && brackets_.back().free))
        return chosen(item), true;
      return blank(item, 1, 1), true;
    }
    return false;
  }

  void opening(Item& item, const Item& before) const {
    const bool discrete = before.kind == TokenKind::Word && before.text() == "lagrangian"; // `discrete lagrangian(q)`
    const bool postfix = endsOperand(before) || (item.is("(") && (before.reduces || discrete));
    if (postfix) blank(item, 0, 0);
  }

  /// `x : T`, and `sum(i in 1..N: x)`.
  void colon(Item& item) const {
    if (brackets_.empty()) return;
    if (brackets_.back().kind == Bracket::Reduction) return blank(item, 0, 0);
    chosen(item);
  }

  void follow(Item& item) {
    const bool operand = previousEndsOperand();
    binary_ = operand && isOneOf(item, {"+", "-", "*", "/", "\u00D7", "\u00B7"});
    unary_ = item.negates = !operand && item.is("-");
    free_ = free();
    begins_ = false;
    if (item.kind == TokenKind::Word) word(item);
    if (item.is("(") || item.is("[")) return open(item);
    if (isOneOf(item, {")", "]"})) {
      if (!brackets_.empty()) brackets_.pop_back();
      return;
    }
    if (isOneOf(item, {",", ":"})) endOfBound();
    if (!brackets_.empty() && (item.is(":") || item.is(",") || item.is("=")))
      brackets_.back().type = item.is(":") && brackets_.back().kind != Bracket::Reduction;
    if (item.is(":") && brackets_.empty()) type_ = firstWord_ != "constraint" && firstWord_ != "solve";
    if (item.is("=")) type_ = false;
    if (item.is("{")) {
      bodies_.push_back(at_);
      reset();
    }
    if (item.is("}") || (item.is(";") && brackets_.empty())) reset();
  }

  void reset() {
    brackets_.clear();
    bound_ = type_ = false;
    begins_ = true;
  }

  void word(const Item& item) {
    if (item.text() == "in") {
      (brackets_.empty() ? bound_ : brackets_.back().bound) = true;
    } else if (item.text() == "where") {
      endOfBound();
    } else if (item.text() == "velocity" || item.text() == "momentum") {
      type_ = false;
    } else if (item.text() == "group" || item.text() == "manifold") {
      type_ = true;
    }
  }

  void endOfBound() { (brackets_.empty() ? bound_ : brackets_.back().bound) = false; }

  void open(const Item& item) {
    const Item* const before = previous();
    const bool postfix = before != nullptr && endsOperand(*before);
    const bool power = before != nullptr && before->is("^");
    const bool freeAround = !brackets_.empty() && brackets_.back().free;
    Bracket kind = item.is("[") ? (postfix ? Bracket::Index : Bracket::List) : postfix ? Bracket::Call : Bracket::Group;
    if (item.is("(") && before != nullptr && before->reduces) kind = Bracket::Reduction;
    const bool isFree = kind == Bracket::Index || power || freeAround || bound_ ||
                        (!brackets_.empty() && brackets_.back().bound) ||
                        ((brackets_.empty() ? type_ : brackets_.back().type) && kind == Bracket::Call);
    brackets_.push_back({kind, isFree, false, false});
  }

  std::vector<Item>& items_;
  std::size_t at_ = 0;
  std::size_t previous_ = none; ///< comments aside
  std::vector<std::size_t> bodies_;
  std::vector<Open> brackets_;
  std::string firstWord_;
  bool begins_ = true;
  bool binary_ = false, unary_ = false; ///< what the sign before is
  bool free_ = false;                   ///< where it stands the author chooses
  bool bound_ = false;                  ///< behind `in` of `for`
  bool type_ = false;                   ///< where a type is read
};

} // namespace

std::vector<Item> itemsOf(std::string_view text, const std::vector<Token>& tokens) {
  std::vector<Item> items;
  items.reserve(tokens.size());
  Places places(text);
  for (const Token& t : tokens) {
    Item item;
    item.kind = t.kind;
    item.reduces = t.reduces;
    const std::string_view own = text.substr(t.begin, t.end - t.begin);
    if (item.isComment())
      item.lines = linesOf(own);
    else
      item.lines = {std::string(own)};
    places.place(item, t);
    items.push_back(std::move(item));
  }
  for (std::size_t i = 0; i < items.size(); ++i) items[i].last = i + 1 == items.size() || items[i + 1].first;
  Grammar(items).run();
  return items;
}

} // namespace lmc::editor
