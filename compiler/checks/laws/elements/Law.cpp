#include "checks/laws/elements/Law.h"

#include <cmath>
#include <fmt/format.h>

namespace lmc::laws {

std::string describe(Place place) {
  switch (place) {
  case Place::Origin:
    return "at the identity";
  case Place::Ordinary:
    return "at ordinary elements";
  case Place::Small:
    return "at small elements (1e-4)";
  case Place::Near:
    return "near the identity (1e-8)";
  case Place::Far:
    return "far out";
  }
  return {};
}

namespace {

std::string number(double x) {
  return fmt::format("{:.4g}", x == 0 ? 0.0 : x); // no -0
}

std::string row(const double* first, int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += (k > 0 ? ", " : "") + number(first[k]);
  return "[" + text + "]";
}

std::string tensor(const double* first, const sym::Shape& shape) {
  if (shape.rank == 0) return number(*first);
  if (shape.rank == 1) return row(first, shape.rows);
  std::string text;
  for (int i = 0; i < shape.rows; ++i)
    text += (i > 0 ? ", " : "") + row(first + static_cast<std::ptrdiff_t>(i) * shape.cols, shape.cols);
  return "[" + text + "]";
}

double largest(const Vector& v) {
  return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

} // namespace

std::string describe(const Quantity& q) {
  const double* first = q.value.data();
  if (q.parts == nullptr || q.parts->empty()) {
    const auto n = static_cast<int>(q.value.size());
    return q.name + " = " + (n == 1 ? number(*first) : row(first, n));
  }
  if (q.parts->size() == 1) return q.name + " = " + tensor(first, q.parts->front().shape);
  std::string text;
  for (const sema::Part& p : *q.parts) {
    text += (text.empty() ? "" : ", ") + p.name + " = " + tensor(first, p.shape);
    first += p.shape.size();
  }
  return q.name + " = (" + text + ")";
}

void Tests::record(Place place, bool holds, double defect, const std::function<Violation()>& violation) {
  ++count_;
  ++counts_[static_cast<int>(place)];
  if (!(defect <= defect_)) defect_ = defect;
  if (holds) return;
  ++failures_[static_cast<int>(place)];
  if (!violation_ || place < violation_->place) violation_ = violation();
}

void Tests::compare(Place place, const std::vector<Quantity>& at, const Quantity& left, const Quantity& right,
                    double size) {
  const double difference = largest(left.value - right.value);
  const double defect = difference / std::max(size, 1.0);
  measured_ = true;
  record(place, defect <= tolerance, defect, [&] { return Violation{place, at, left, right, difference}; });
}

void Tests::vanishes(Place place, const std::vector<Quantity>& at, const Quantity& value, double size) {
  const Quantity zero{"0", Vector::Zero(value.value.size()), value.parts};
  compare(place, at, value, zero, size);
}

void Tests::expect(bool holds, Place place, const std::vector<Quantity>& at, const std::string& otherwise) {
  if (!holds && statement_.empty()) statement_ = otherwise;
  record(place, holds, 0, [&] { return Violation{place, at, {}, {}, 0}; });
}

void Tests::hint(const std::string& text) {
  hints_.push_back(text);
}

bool Tests::passedAt(Place place) const {
  const int k = static_cast<int>(place);
  return counts_[k] > 0 && failures_[k] == 0;
}

} // namespace lmc::laws
