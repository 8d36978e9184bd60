#include "runtime/steps/JumpSteps.h"

#include "runtime/run/Grid.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {
Problem beginningAt(Problem p, double first) {
  p.timeFrom = first;
  return p;
}
} // namespace

JumpSteps::JumpSteps(const Problem& problem, Workspace& workspace, double first)
    : problem_(beginningAt(problem, first)), workspace_(workspace), events_(problem_, workspace),
      jumps_(problem_, workspace, events_),
      contacts_(problem_.contactSteps != nullptr ? std::make_unique<ContactStepper>(problem_, workspace.bases())
                                                 : nullptr),
      pieces_(workspace, contacts_.get()) {}

JumpSteps::Outcome JumpSteps::failed(std::int32_t status, double t) const {
  if (status == Ok) return {};
  if (events_.undefined().empty()) return {status, t, contacts_ ? contacts_->cause() : std::string(), {}};
  return {status,
          events_.undefinedAt(),
          fmt::format("the event {} is not a number, so it is not known whether it happens", events_.undefined()),
          {}};
}

JumpSteps::Outcome JumpSteps::told(Jumps::Outcome o, double t) const {
  if (o.stop) return {Ok, t, {}, std::move(o.stop)};
  if (o.cause.empty()) return failed(o.status, t);
  return {o.status, t, std::move(o.cause), {}};
}

JumpSteps::Outcome JumpSteps::begin(double t, Begin how) {
  if (contacts_) {
    contacts_->forget();
    if (const std::int32_t status = contacts_->begin(t); status != Ok) return failed(status, t);
  }
  if (events_.any())
    if (const std::int32_t status = events_.begin(t); status != Ok) return failed(status, t);
  if (Outcome o = told(jumps_.begin(t), t); !o.goesOn()) return o;
  bool hit = false;
  std::vector<double> before;
  if (Outcome o = told(jumps_.start(t, hit, before), t); !o.goesOn()) return o;
  if (how == Begin::Anew) return jump(t, false, jumps_.due(t));
  jumps_.skip(t);
  return {};
}

JumpSteps::Memory JumpSteps::memory() const {
  const std::span<double> y = workspace_.state();
  return {{y.begin(), y.end()}, events_.memory(), jumps_.memory()};
}

JumpSteps::Outcome JumpSteps::restore(double t, const Memory& memory) {
  putBack(memory.state);
  if (events_.any())
    if (const std::int32_t status = events_.begin(t, memory.signs); status != Ok) return failed(status, t);
  if (Outcome o = told(jumps_.begin(t), t); !o.goesOn()) return o;
  jumps_.restore(memory.jumps);
  return {};
}

JumpSteps::Outcome JumpSteps::changed(double t) {
  bool caused = false;
  Outcome o = told(jumps_.changed(t, caused), t);
  return o.goesOn() && caused ? told(jumps_.react(t), t) : o;
}

void JumpSteps::putBack(const std::vector<double>& state) {
  std::copy(state.begin(), state.end(), workspace_.state().begin());
}

std::int32_t JumpSteps::part(double t, double h, bool counts) {
  std::int64_t taken = 0;
  return pieces_.part(t, h, step_, taken, counts);
}

JumpSteps::Outcome JumpSteps::piece(double from, double& end, bool whole, double origin, double h, std::int64_t k,
                                    bool& happened) {
  happened = false;
  const double length = end - from;
  pieces_.remember();
  std::int64_t done = 0;
  std::int32_t status = whole ? pieces_.steps(origin, h, k, 1, done) : part(from, length, true);
  if (status != Ok || !events_.any()) return failed(status, from);
  const auto to = [&](double theta) {
    pieces_.putBack();
    return part(from, theta, false);
  };
  status = events_.look(from, length, end, to, happened);
  if (status != Ok) return failed(status, from);
  if (!events_.stuck().empty())
    return {EventsCrowd,
            from,
            fmt::format("the event {} happens again and again behind this time, with less and less time between",
                        events_.stuck()),
            {}};
  if (!happened) {
    events_.accept();
    return {};
  }
  EventFound found;
  status = events_.locate(from, length, to, found);
  end = found.time;
  return failed(status, from);
}

JumpSteps::Outcome JumpSteps::jump(double t, bool happened, bool sampled) {
  Outcome o;
  if (happened) o = told(jumps_.react(t), t);
  if (!o.goesOn() || !sampled) return o;
  bool caused = false;
  o = told(jumps_.sample(t, caused), t);
  return o.goesOn() && caused ? told(jumps_.react(t), t) : o;
}

JumpSteps::Outcome JumpSteps::step(double origin, double h, std::int64_t k, PieceListener* listener) {
  step_ = h;
  const double left = origin + static_cast<double>(k) * h, right = origin + static_cast<double>(k + 1) * h;
  const std::vector<double> first(workspace_.state().begin(), workspace_.state().end());
  Outcome o;
  for (double from = left; from < right;) {
    const double due = jumps_.next();
    const bool cut = due < right && !sameTime(due, right);
    double end = cut ? due : right;
    bool happened = false;
    o = piece(from, end, !cut && from == left, origin, h, k, happened);
    if (!o.goesOn()) break;
    const bool sampled = jumps_.due(end);
    const StepPiece piece{from, end, pieces_.remembered(), happened, sampled};
    if (listener != nullptr) o = failed(listener->ended(piece), end);
    if (o.goesOn()) o = jump(end, happened, sampled);
    if (o.goesOn() && listener != nullptr) o = failed(listener->carriedOut(piece), end);
    if (!o.goesOn()) break;
    from = end;
  }
  if (o.status != Ok) putBack(first);
  return o;
}

} // namespace lmc::runtime
