#include "editor/text/Format.h"

#include "editor/text/Items.h"

#include "syntax/parser/Parser.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace lmc::editor {

namespace {

constexpr std::size_t indentation = 2;

std::size_t widthOf(const std::string& text) {
  return columnBehind(text, 0);
}

/// Places items anew: what stood in columns stands in columns again.
class Layout {
public:
  explicit Layout(std::vector<Item> items)
      : items_(std::move(items)), group_(items_.size(), none), offset_(items_.size()), at_(items_.size()) {
    splitLines();
    shifts();
    groups();
    // A column moves right as far as one of its items needs; the columns on its right may follow.
    const std::size_t most = items_.size() + 2;
    for (std::size_t turn = 0; place(); ++turn)
      if (turn > most) throw std::logic_error("columns of a text do not come to rest");
  }

  [[nodiscard]] std::string text(const std::string& end) const {
    std::string out;
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      const Line& line = lines_[l];
      if (l > 0) out += items_[line.begin].line > items_[line.begin - 1].lastLine + 1 ? end + end : end;
      std::size_t column = 0;
      for (std::size_t i = line.begin; i < line.end; ++i) {
        out.append(at_[i] - column, ' ');
        column = write(i, end, out);
      }
    }
    return out.empty() ? out : out + end;
  }

private:
  struct Line {
    std::size_t begin = 0, end = 0; ///< items
    bool statement = false;         ///< begins one, or closes a body
    bool remark = false;            ///< a comment between statements
    std::size_t anchor = none;      ///< a comment behind a statement that it stands below
    std::size_t head = 0;           ///< the line that its statement begins on
    std::ptrdiff_t shift = 0;       ///< of the statement it belongs to
  };

  /// Writes an item; returns the column behind it.
  std::size_t write(std::size_t i, const std::string& end, std::string& out) const {
    const Item& item = items_[i];
    out += item.lines.front();
    const auto by = static_cast<std::ptrdiff_t>(at_[i]) - static_cast<std::ptrdiff_t>(item.column);
    for (std::size_t k = 1; k < item.lines.size(); ++k) out += end + shifted(item.lines[k], by);
    return behind(i);
  }

  /// A line of a comment that moved as a whole.
  static std::string shifted(const std::string& line, std::ptrdiff_t by) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (by == 0 || first == std::string::npos) return line;
    const auto now = static_cast<std::ptrdiff_t>(columnBehind(std::string_view(line).substr(0, first), 0));
    return std::string(static_cast<std::size_t>(std::max<std::ptrdiff_t>(now + by, 0)), ' ') + line.substr(first);
  }

  /// The column behind an item.
  [[nodiscard]] std::size_t behind(std::size_t i) const {
    const Item& item = items_[i];
    if (item.lines.size() == 1) return columnBehind(item.text(), at_[i]); // comments may contain tabs
    const auto by = static_cast<std::ptrdiff_t>(at_[i]) - static_cast<std::ptrdiff_t>(item.column);
    return widthOf(shifted(item.lines.back(), by));
  }

  void splitLines() {
    bool open = false; // a statement has begun that has not ended
    std::size_t head = 0;
    for (std::size_t i = 0; i < items_.size();) {
      Line line;
      line.begin = i;
      while (i < items_.size() && (i == line.begin || !items_[i].first)) ++i;
      line.end = i;
      const Item& first = items_[line.begin];
      line.statement = !first.isComment() && first.begins;
      line.remark = first.isComment() && !open;
      if (line.statement || line.remark) head = lines_.size();
      line.head = head;
      if (line.statement && first.column > 0) indented_.insert(first.body);
      lines_.push_back(line);
      for (std::size_t k = line.begin; k < line.end; ++k)
        if (!items_[k].isComment())
          open = !(items_[k].is("{") || items_[k].is("}") || (items_[k].is(";") && !items_[k].inBrackets));
    }
  }

  [[nodiscard]] std::size_t indentOf(const Line& line) const { return indentation * items_[line.begin].depth; }

  /// A comment in the first column of a body that is indented: it stays there.
  [[nodiscard]] bool staysFirst(const Line& line) const {
    const Item& first = items_[line.begin];
    return first.isComment() && first.column == 0 && first.body != none && indented_.contains(first.body);
  }

  /// How far the statements move by their indentation.
  void shifts() {
    std::size_t remark = none; // a comment that one of the next line may stand below
    for (Line& line : lines_) {
      const std::size_t last = line.end - 1;
      if (line.remark && remark != none && items_[remark].column == items_[line.begin].column) line.anchor = remark;
      remark = isTrailing(last) || line.anchor != none ? last : none;
    }
    for (Line& line : lines_) {
      const Line& head = lines_[line.head];
      const bool still = belowFirstOfBody(head) != none || head.anchor != none || staysFirst(head);
      const auto now = static_cast<std::ptrdiff_t>(indentOf(head));
      line.shift = still ? 0 : now - static_cast<std::ptrdiff_t>(items_[head.begin].column);
    }
  }

  /// The first item of the body around a line, if it stands behind the `{` and the line begins below it; else none.
  [[nodiscard]] std::size_t belowFirstOfBody(const Line& line) const {
    const Item& first = items_[line.begin];
    if (first.body == none || first.is("}")) return none;
    const std::size_t inside = first.body + 1;
    const bool here = inside < line.begin && !items_[inside].first && !items_[inside].isComment() &&
                      items_[inside].column == first.column;
    return here ? inside : none;
  }

  [[nodiscard]] bool isTrailing(std::size_t i) const {
    return items_[i].isComment() && items_[i].last && !items_[i].first;
  }

  /// A sign that stands below its like in statements of one body.
  [[nodiscard]] bool isSign(const Item& item) const { return !item.inBrackets && (item.is("=") || item.is(":")); }

  [[nodiscard]] std::size_t root(std::size_t i) {
    while (group_[i] != i) i = group_[i] = group_[group_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { group_[root(b)] = root(a); }

  /// Finds what stands in columns.
  void groups() {
    std::map<std::tuple<std::size_t, std::string, std::size_t>, std::size_t> signs;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      if (item.first || (!item.isComment() && item.least == 0)) continue;
      group_[i] = i;
      if (!isSign(item)) continue;
      const auto [it, fresh] = signs.try_emplace({item.body, item.text(), item.column}, i);
      if (!fresh) join(it->second, i);
    }
    joinColumns();
    settleGroups();
  }

  using Columns = std::unordered_map<std::size_t, std::size_t>; ///< items by their columns

  /// What may stand in columns of neighbours.
  [[nodiscard]] Columns byColumn(const Line& line) const {
    Columns found;
    for (std::size_t i = line.begin; i < line.end; ++i)
      if (group_[i] != none && !isSign(items_[i])) found[items_[i].column] = i;
    return found;
  }

  /// Joins what stands in one column of lines that follow one another. A minus stands in the column, or its number
  /// does: those that stand below one another alike.
  void joinColumns() {
    std::vector<std::pair<Columns, Columns>> pairs;
    for (std::size_t l = 1; l < lines_.size(); ++l)
      if (items_[lines_[l].begin].line == items_[lines_[l].begin - 1].lastLine + 1)
        pairs.emplace_back(byColumn(lines_[l - 1]), byColumn(lines_[l]));
    for (const auto& [upper, lower] : pairs)
      for (const auto& [column, i] : upper)
        if (const auto k = lower.find(column); k != lower.end() && items_[i].negates && items_[k->second].negates)
          join(i, k->second);
    placeMinuses(pairs);
    for (const auto& [upper, lower] : pairs)
      for (const auto& [column, i] : upper)
        for (const std::size_t at : {column - 1, column, column + 1}) {
          const auto k = lower.find(at);
          if (k == lower.end() || column + offset_[i] != at + offset_[k->second]) continue;
          if (isTrailing(i) == isTrailing(k->second)) join(i, k->second);
        }
  }

  void placeMinuses(const std::vector<std::pair<Columns, Columns>>& pairs) {
    std::unordered_set<std::size_t> itself, number; // by their roots: what stands in a column of others
    const auto look = [&](std::size_t minus, const Columns& others) {
      const auto isOther = [&](std::size_t column) {
        const auto it = others.find(column);
        return it != others.end() && !items_[it->second].negates && !isTrailing(it->second);
      };
      if (!items_[minus].negates) return;
      if (isOther(items_[minus].column)) itself.insert(root(minus));
      if (isOther(items_[minus].column + 1)) number.insert(root(minus));
    };
    for (const auto& [upper, lower] : pairs) {
      for (const auto& [column, i] : upper) look(i, lower);
      for (const auto& [column, k] : lower) look(k, upper);
    }
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (group_[i] != none && items_[i].negates && number.contains(root(i)) && !itself.contains(root(i)))
        offset_[i] = 1;
  }

  /// Leaves groups in which something is kept in its column, and says which column.
  void settleGroups() {
    std::unordered_map<std::size_t, std::size_t> sizes;
    std::unordered_map<std::size_t, bool> kept;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (group_[i] == none) continue;
      const std::size_t r = root(i);
      ++sizes[r];
      if (items_[i].gap > items_[i].most || isTrailing(i)) kept[r] = true;
    }
    std::vector<std::size_t> settled(items_.size(), none);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (group_[i] == none) continue;
      const std::size_t r = root(i);
      if (kept[r] && (sizes[r] > 1 || isTrailing(i))) settled[i] = r;
    }
    group_ = std::move(settled);
    for (const Line& line : lines_)
      for (std::size_t i = line.begin; i < line.end; ++i) {
        if (group_[i] == none) continue;
        const auto wanted = static_cast<std::ptrdiff_t>(items_[i].column + offset_[i]) + line.shift;
        std::size_t& column = columns_[group_[i]];
        column = std::max(column, static_cast<std::size_t>(std::max<std::ptrdiff_t>(wanted, 0)));
      }
  }

  /// Places all items; true if a column had to move.
  bool place() {
    bool moved = false;
    Below below; // of the statement
    for (const Line& line : lines_) {
      if (line.statement || line.remark) below.clear();
      const std::size_t first = line.begin;
      at_[first] = firstColumn(line, below);
      for (std::size_t i = first + 1; i < line.end; ++i) {
        const std::size_t gap = std::clamp(items_[i].gap, items_[i].least, items_[i].most);
        at_[i] = behind(i - 1) + gap;
        if (group_[i] == none) continue;
        std::size_t& column = columns_[group_[i]];
        if (column < at_[i] + offset_[i]) {
          column = at_[i] + offset_[i];
          moved = true;
        }
        at_[i] = column - offset_[i];
      }
      for (std::size_t i = first; i < line.end; ++i) below[items_[i].column] = i;
    }
    return moved;
  }

  using Below = std::unordered_map<std::size_t, std::size_t>; ///< items by their columns

  [[nodiscard]] std::size_t firstColumn(const Line& line, const Below& below) const {
    const Item& first = items_[line.begin];
    const std::size_t indent = indentOf(line);
    if (staysFirst(line)) return 0;
    if (line.statement || line.remark) {
      if (line.anchor != none) return at_[line.anchor];
      const std::size_t inside = belowFirstOfBody(line);
      return inside != none ? at_[inside] : indent;
    }
    const Line& head = lines_[line.head];
    const bool closes = first.is(")") || first.is("]");
    const std::size_t least = at_[head.begin] + (closes ? 0 : indentation);
    if (const auto it = below.find(first.column); it != below.end()) return std::max(at_[it->second], least);
    const auto wanted = static_cast<std::ptrdiff_t>(at_[head.begin]) + static_cast<std::ptrdiff_t>(first.column) -
                        static_cast<std::ptrdiff_t>(items_[head.begin].column);
    return std::max(static_cast<std::size_t>(std::max<std::ptrdiff_t>(wanted, 0)), least);
  }

  std::vector<Item> items_;
  std::vector<Line> lines_;
  std::unordered_set<std::size_t> indented_; ///< bodies with statements that do not begin in the first column: there
                                             ///< comments may
  std::vector<std::size_t> group_;  ///< of each item, named by one of its members; none: it stands in no column
  std::vector<std::size_t> offset_; ///< how far before the column of its group an item stands
  std::unordered_map<std::size_t, std::size_t> columns_; ///< of groups
  std::vector<std::size_t> at_;                          ///< the new column of each item
};

/// How lines end: as the first one does.
std::string lineEnd(const std::string& text) {
  const std::size_t at = text.find('\n');
  return at != std::string::npos && at > 0 && text[at - 1] == '\r' ? "\r\n" : "\n";
}

/// The tokens as text, and comments without the blanks at both ends of their lines.
std::vector<std::string> substance(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  const SourceId id = sources.add("", text);
  std::vector<std::string> all;
  for (Item& item : itemsOf(text, syntax::tokensOf(sources, id, diagnostics))) {
    all.push_back(std::string(1, static_cast<char>('0' + static_cast<int>(item.kind))) + item.lines.front());
    for (std::size_t k = 1; k < item.lines.size(); ++k)
      all.push_back("+" + item.lines[k].substr(std::min(item.lines[k].find_first_not_of(" \t"), item.lines[k].size())));
  }
  return all;
}

} // namespace

std::optional<std::string> formatted(const Sources& sources, SourceId id, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errorCount();
  (void)syntax::parse(sources, id, diagnostics);
  if (diagnostics.errorCount() > before) return std::nullopt;
  const std::string& text = sources[id].text();
  Diagnostics reported; // a second time
  const std::vector<syntax::Token> tokens = syntax::tokensOf(sources, id, reported);
  const Layout layout(itemsOf(text, tokens));
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  std::string result = (text.starts_with(mark) ? std::string(mark) : std::string()) + layout.text(lineEnd(text));
  if (substance(result) != substance(text))
    throw std::logic_error("formatting `" + sources[id].name() + "` would change more than blanks");
  return result;
}

} // namespace lmc::editor
