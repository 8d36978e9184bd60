#include "diagnostics/Diagnostics.h"

#include <algorithm>
#include <tuple>

namespace lmc {

Diagnostics::Report Diagnostics::error(Code code, Range range, std::string message) {
  return add(code, Severity::Error, range, std::move(message));
}

Diagnostics::Report Diagnostics::warning(Code code, Range range, std::string message) {
  return add(code, Severity::Warning, range, std::move(message));
}

Diagnostics::Report Diagnostics::add(Code code, Severity severity, Range range, std::string message) {
  const bool known = std::any_of(list_.begin(), list_.end(), [&](const auto& d) {
    return d->range == range && (d->code == code || d->message == message);
  });
  if (known) return Report(nullptr);
  if (severity == Severity::Error) {
    if (full()) {
      if (errors_ == limit_) {
        ++errors_;
        list_.push_back(std::make_unique<Diagnostic>(
            Diagnostic{Code::LIE0099, severity, range, "too many errors; the rest is not shown", {}, {}}));
      }
      return Report(nullptr);
    }
    ++errors_;
  } else {
    if (warnings_ >= limit_) return Report(nullptr);
    ++warnings_;
  }
  list_.push_back(std::make_unique<Diagnostic>(Diagnostic{code, severity, range, std::move(message), {}, {}}));
  return Report(list_.back().get());
}

std::vector<Diagnostic> Diagnostics::takeBack(std::size_t mark) {
  std::vector<Diagnostic> taken;
  for (std::size_t k = mark; k < list_.size(); ++k) {
    --(list_[k]->severity == Severity::Error ? errors_ : warnings_);
    taken.push_back(std::move(*list_[k]));
  }
  list_.resize(std::min(mark, list_.size()));
  return taken;
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> result;
  result.reserve(list_.size());
  for (const auto& d : list_) result.push_back(*d);
  const auto key = [](const Diagnostic& d) {
    return std::tuple(d.code == Code::LIE0099, d.range.source, d.range.begin, d.range.end);
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
  return result;
}

} // namespace lmc
