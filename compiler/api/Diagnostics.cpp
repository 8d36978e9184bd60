#include "api/Access.h"

namespace lmc::v1 {

namespace {

Position positionOf(const lmc::Source& source, std::uint32_t offset) {
  const lmc::Position at = source.position(offset);
  return {at.line, at.column, std::min(offset, static_cast<std::uint32_t>(source.text().size()))};
}

SourceRange rangeOf(const lmc::Range& range, const Sources& sources) {
  const lmc::Source& source = sources[range.source];
  return {source.name(), positionOf(source, range.begin), positionOf(source, std::max(range.begin, range.end))};
}

} // namespace

std::vector<Diagnostic> detail::Access::diagnostics(const Diagnostics& all, const Sources& sources) {
  std::vector<Diagnostic> list;
  for (const lmc::Diagnostic& d : all.sorted()) {
    Diagnostic one;
    one.code = info(d.code).name;
    one.severity = d.severity == lmc::Severity::Error ? Severity::Error : Severity::Warning;
    one.message = d.message;
    one.suggestion = d.suggestion;
    // What concerns no text at all (there is no file) has an empty range.
    if (sources.size() > 0) {
      one.range = rangeOf(d.range, sources);
      one.plain_ = render(d, sources, false);
      one.colored_ = render(d, sources, true);
    }
    for (const lmc::Note& note : d.notes) {
      Note copy{note.message, std::nullopt};
      if (note.range) copy.range = rangeOf(*note.range, sources);
      one.notes.push_back(std::move(copy));
    }
    list.push_back(std::move(one));
  }
  return list;
}

} // namespace lmc::v1
