#include "runtime/derivatives/JumpMotion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::runtime {

namespace {

/// Of the largest value of an event in the length of a step: events whose rate is smaller graze.
constexpr double grazing = 1e-9;
/// Events at one time whose times change differently, in units of these changes.
constexpr double sameChange = 1e-6;

double sizeOfRow(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

} // namespace

JumpMotion::JumpMotion(LinearizedWorkspace& workspace, double t)
    : w_(workspace), p_(workspace.problem()), columns_(columnsOf(p_)),
      steps_(p_.problem, workspace.memory(), std::isnan(p_.problem.timeFrom) ? t : p_.problem.timeFrom),
      impacts_(workspace) {
  steps_.jumps().listen(*this);
}

void JumpMotion::add(const JumpMatrix& map) {
  total_ = chained(map, total_, columns_);
}

std::int32_t JumpMotion::beforeReset(int function, int member, double t) {
  if (passages_ == nullptr) return Ok;
  const Computed& reset = p_.jumps->resets[static_cast<std::size_t>(function)];
  pending_.clear();
  for (std::size_t j = 0; j < columns_.count(); ++j) {
    const UnitDirection d(columns_, j);
    const std::int32_t status = w_.change(reset.function, t, member, d.state, d.inputs, d.parameters, d.time);
    if (status != Ok) return status;
    const std::span<double> change = w_.memory().numbers(reset.result);
    pending_.emplace_back(change.begin(), change.end());
  }
  return Ok;
}

std::int32_t JumpMotion::afterReset(double) {
  if (passages_ == nullptr) return Ok;
  JumpMatrix map{columns_.state, std::vector<double>(columns_.state * columns_.count(), 0.0)};
  for (std::size_t j = 0; j < columns_.count(); ++j)
    if (const std::int32_t status = w_.coordinates(pending_[j], map.column(j)); status != Ok) return status;
  add(map);
  return Ok;
}

std::int32_t JumpMotion::afterContacts(const std::vector<ContactImpact>& impacts, double t) {
  if (passages_ == nullptr) return Ok;
  const std::vector<double> behind(w_.state().begin(), w_.state().end());
  JumpMatrix map;
  std::int32_t status = Ok;
  for (const ContactImpact& impact : impacts) {
    status = impacts_.of(impact, t, map);
    if (status == SingularMatrix)
      throw NoDerivative(t, "contacts that slide at an impact have impulses that are not unique, so that their "
                            "derivatives are not known");
    if (status == Ok) add(map);
    if (status != Ok) break;
  }
  std::copy(behind.begin(), behind.end(), w_.state().begin());
  if (status == Ok) status = impacts_.hold(t, map);
  if (status == Ok) add(map);
  return status;
}

std::int32_t JumpMotion::statusOf(const JumpSteps::Outcome& o) {
  if (o.stop)
    throw NoDerivative(o.time, "the event `" + o.stop->name +
                                   "` ends the motion, and behind it there is nothing to "
                                   "differentiate");
  if (o.status != Ok && !o.cause.empty()) throw NoDerivative(o.time, o.cause);
  return o.status;
}

/// A jump whose time is given, without a piece before it.
template <class Carry> std::int32_t JumpMotion::still(double t, Carry carry) {
  total_ = identityOf(columns_);
  Passage p;
  p.from = t;
  p.begin.assign(w_.state().begin(), w_.state().end());
  JumpLinear jump;
  jump.time = t;
  jump.timing.assign(columns_.count(), 0.0);
  const std::int32_t status = statusOf(carry());
  if (passages_ == nullptr) return status;
  jump.map = total_;
  p.jump = std::move(jump);
  passages_->push_back(std::move(p));
  return status;
}

std::int32_t JumpMotion::begin(double t, JumpSteps::Begin how, std::vector<Passage>* passages) {
  passages_ = passages;
  return still(t, [&] { return steps_.begin(t, how); });
}

std::int32_t JumpMotion::changed(double t, std::vector<Passage>* passages) {
  passages_ = passages;
  return still(t, [&] { return steps_.changed(t); });
}

std::int32_t JumpMotion::step(double origin, double h, std::int64_t k, std::vector<Passage>& passages) {
  passages_ = &passages;
  return statusOf(steps_.step(origin, h, k, this));
}

std::int32_t JumpMotion::step(double origin, double h, std::int64_t k) {
  passages_ = nullptr;
  return statusOf(steps_.step(origin, h, k));
}

std::int32_t JumpMotion::restore(double t, const JumpSteps::Memory& memory) {
  return statusOf(steps_.restore(t, memory));
}

std::int32_t JumpMotion::ended(const StepPiece& piece) {
  if (!piece.happened && !piece.sampled) return Ok;
  jump_ = {};
  jump_.time = piece.end;
  total_ = identityOf(columns_);
  // S_h, read at the state before the jump.
  const std::vector<double> there(w_.state().begin(), w_.state().end());
  std::copy_n(piece.begin.begin(), w_.state().size(), w_.state().begin());
  const std::array<double, 2> longer{0, 1};
  std::int32_t status = w_.forward(LinearizedMap::Step, piece.from, piece.end - piece.from, {}, {}, {}, longer);
  const std::span<const double> image = w_.image(LinearizedMap::Step);
  jump_.length.assign(image.begin(), image.end());
  std::copy(there.begin(), there.end(), w_.state().begin());
  if (status == Ok && piece.happened) status = timeEvents(piece);
  if (status == Ok && piece.happened && piece.sampled)
    throw NoDerivative(piece.end, "the event `" + jump_.name +
                                      "` happens just when a sampling is due: nearby it comes before or after it");
  return status == Ok && piece.sampled ? timeSamplings(piece.end) : status;
}

std::int32_t JumpMotion::carriedOut(const StepPiece& piece) {
  Passage p;
  p.from = piece.from;
  p.length = piece.end - piece.from;
  p.begin.assign(piece.begin.begin(), piece.begin.begin() + static_cast<std::ptrdiff_t>(w_.state().size()));
  if (piece.happened || piece.sampled) {
    jump_.map = total_;
    p.jump = std::move(jump_);
  }
  passages_->push_back(std::move(p));
  return Ok;
}

/// tau+ of the events that have happened at the end of a piece, where the state is.
std::int32_t JumpMotion::timeEvents(const StepPiece& piece) {
  const double end = piece.end;
  JumpLinear& jump = jump_;
  const EventWatch& watch = steps_.events();
  const std::vector<double> there(w_.state().begin(), w_.state().end());
  const auto changes = [&](const UnitDirection& d, std::vector<double>& values) {
    const Computed& events = p_.jumps->events;
    const std::int32_t status = w_.change(events.function, end, 1, d.state, d.inputs, d.parameters, d.time);
    const std::span<double> numbers = w_.memory().numbers(events.result);
    values.assign(numbers.begin(), numbers.end());
    return status;
  };
  // Along the motion: by the length of the piece, and the time with it.
  UnitDirection along(columns_, columns_.time());
  along.state = jump.length;
  std::vector<double> rates, values;
  std::int32_t status = changes(along, rates);
  std::vector<std::vector<double>> slopes(columns_.count());
  for (std::size_t j = 0; j < columns_.time() && status == Ok; ++j) {
    status = changes(UnitDirection(columns_, j), values);
    slopes[j] = values;
  }
  if (status != Ok) return status;
  std::copy(there.begin(), there.end(), w_.state().begin());
  const std::vector<std::size_t>& happened = watch.happened();
  for (const std::size_t k : happened) {
    const std::string& name = watch[k].entry.name();
    if (!watch[k].goesOn) return statusOf({Ok, end, {}, EventFound{name, end}});
    const double least = grazing * watch.largest(k) / std::max(std::abs(end - piece.from), std::abs(end) * 1e-12);
    if (watch.touches(k) || !(std::abs(rates[k]) > least))
      throw NoDerivative(end, "the event `" + name +
                                  "` only grazes zero: whether, and when, it happens nearby is not "
                                  "a smooth function of the state");
    std::vector<double> own(columns_.count(), 0.0);
    for (std::size_t j = 0; j < columns_.time(); ++j) own[j] = -slopes[j][k] / rates[k];
    if (jump.timing.empty()) {
      jump.timing = std::move(own);
      jump.name = name;
      continue;
    }
    std::vector<double> off = own;
    for (std::size_t j = 0; j < off.size(); ++j) off[j] -= jump.timing[j];
    if (sizeOfRow(off) > sameChange * (sizeOfRow(own) + sizeOfRow(jump.timing)))
      throw NoDerivative(end, "the events `" + jump.name + "` and `" + name +
                                  "` happen at one time, and nearby one after the other: in which order decides about "
                                  "the derivative");
  }
  return Ok;
}

/// tau+ of the samplings that are due: their times depend on parameters alone.
std::int32_t JumpMotion::timeSamplings(double t) {
  JumpLinear& jump = jump_;
  const std::vector<Jumps::Due> due = steps_.jumps().dueList(t);
  std::vector<double> timing(columns_.count(), 0.0);
  bool first = true;
  for (const Jumps::Due& d : due) {
    std::vector<double> own(columns_.count(), 0.0);
    for (std::size_t j = 0; j < columns_.parameters; ++j) {
      const std::size_t column = columns_.state + columns_.inputs + j;
      const UnitDirection direction(columns_, column);
      const std::int32_t status = w_.change(p_.jumps->ticks.function, t, 1, direction.state, direction.inputs,
                                            direction.parameters, direction.time);
      if (status != Ok) return status;
      Workspace& w = w_.memory();
      own[column] = static_cast<double>(d.over) * w.numbers(p_.jumps->intervals[d.tick])[0];
      if (p_.jumps->firsts[d.tick].there()) own[column] += w.numbers(p_.jumps->firsts[d.tick])[0];
    }
    std::vector<double> off = own;
    for (std::size_t j = 0; j < off.size(); ++j) off[j] -= timing[j];
    if (!first && sizeOfRow(off) > sameChange * (sizeOfRow(own) + sizeOfRow(timing)))
      throw NoDerivative(t, "samplings fall together here, and do so for these parameters alone");
    timing = std::move(own);
    if (first) jump.name = p_.problem.ticks[d.tick].name;
    first = false;
  }
  jump.timing = std::move(timing);
  return Ok;
}

} // namespace lmc::runtime
