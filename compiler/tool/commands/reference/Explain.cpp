// `lmc explain`: what a diagnostic means.
#include "tool/support/Command.h"

#include "diagnostics/Diagnostics.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using nlohmann::ordered_json;

ordered_json toObject(const CodeInfo& entry) {
  return {{"code", entry.name},
          {"title", entry.title},
          {"explanation", entry.explanation},
          {"bad", entry.bad},
          {"good", entry.good}};
}

/// A paragraph in lines of at most 80 characters, broken at blanks.
std::string wrapped(std::string_view text) {
  constexpr std::size_t width = 80;
  std::string out, line, word;
  const auto take = [&] {
    if (word.empty()) return;
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    word.clear();
  };
  for (const char c : text) {
    if (c == ' ' || c == '\n')
      take();
    else
      word += c;
    if (c == '\n' && !line.empty()) {
      out += line + "\n";
      line.clear();
    }
  }
  take();
  return line.empty() ? out : out + line + "\n";
}

std::string example(const char* title, std::string_view text) {
  if (text.empty()) return {};
  std::string out = fmt::format("\n{}:\n\n", title);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    out += line.empty() ? "\n" : fmt::format("    {}\n", line);
    begin = end + 1;
  }
  return out;
}

int list(const Invocation& call) {
  ordered_json objects = ordered_json::array();
  std::string lines;
  for (const CodeInfo& entry : allCodes()) {
    objects.push_back(toObject(entry));
    lines += fmt::format("{}  {}\n", entry.name, entry.title);
  }
  print(call[options::json] ? ordered_json{{"codes", objects}}.dump(2) + "\n" : lines);
  return Done;
}

int explainCodes(Context& context) {
  context.stage = "explaining a diagnostic";
  const Invocation& call = context.call;
  const std::string name = oneName(call);
  if (name.empty()) return list(call);
  const CodeInfo* entry = findCode(name);
  if (entry == nullptr) {
    std::vector<std::string> names;
    for (const CodeInfo& known : allCodes()) names.emplace_back(known.name);
    const std::string near = nearest(name, names);
    throw UsageError("there is no diagnostic `" + name + "`" +
                     (near.empty() ? std::string() : "; did you mean `" + near + "`?") + "\n`lmc " + call.command +
                     "` lists all of them");
  }
  if (call[options::json]) {
    print(toObject(*entry).dump(2) + "\n");
    return Done;
  }
  print(fmt::format("{}: {}\n\n", entry->name, entry->title) + wrapped(entry->explanation) +
        example("Wrong", entry->bad) + example("Right", entry->good));
  return Done;
}

} // namespace

extern const Command explainCommand = {
    .name = "explain",
    .place = 7,
    .argument = "CODE",
    .argumentWords = "lmc explain 2>/dev/null | awk '{ print $1 }'",
    .summary = "what a diagnostic means, with a bad and a good example",
    .examples = "lmc explain LIE0602",
    .options = OptionList(options::json),
    .run = explainCodes,
};

} // namespace lmc::tool
