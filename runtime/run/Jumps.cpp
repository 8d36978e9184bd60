#include "runtime/run/Jumps.h"

#include "runtime/run/Grid.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <utility>

namespace lmc::runtime {

namespace {

/// Events without time between them, after which a run is given up.
constexpr std::int64_t mostAtOnce = 100;
constexpr std::size_t longestLog = 1000;

bool at(double due, double t) {
  return std::isfinite(due) && (due <= t || sameTime(due, t));
}

} // namespace

Jumps::Jumps(const Problem& problem, Workspace& workspace, EventWatch& events)
    : problem_(problem), workspace_(workspace), events_(events) {
  if (!problem.jumps()) return;
  for (const Tick& tick : problem.ticks) counts_.push_back({tick.name});
  for (std::size_t k = 0; k < problem.events().size(); ++k) counts_.push_back({events[k].entry.name()});
  if (problem.restoration) restorer_ = problem.restoration();
  const ContactRules& rules = problem.contacts;
  if (!rules.list.empty() && problem.functions.contacts >= 0)
    contacts_.emplace(
        rules, ContactMemory{[&workspace, &problem](double t) { return workspace.call(problem.functions.contacts, t); },
                             workspace.state(), workspace.output()});
}

Jumps::Outcome Jumps::contact(double t, const std::vector<ContactEvent>& causes) {
  if (!contacts_) return {};
  Contacts::Outcome o = contacts_->resolve(t, causes);
  if (o.status == Ok && listener_ != nullptr) o.status = listener_->afterContacts(o.impacts, t);
  return {o.status, std::move(o.cause), {}};
}

void Jumps::listen(JumpListener& listener) {
  listener_ = &listener;
  if (contacts_) contacts_->keepImpacts();
}

std::vector<Jumps::Due> Jumps::dueList(double t) const {
  std::vector<Due> list;
  for (std::size_t k = 0; k < timers_.size(); ++k)
    if (at(timers_[k].next(), t)) list.push_back({k, timers_[k].over});
  return list;
}

Jumps::Outcome Jumps::start(double t, bool& hit, std::vector<double>& before) {
  hit = false;
  if (!contacts_) return {};
  before.assign(workspace_.state().begin(), workspace_.state().end());
  Contacts::Outcome o = contacts_->resolve(t, {});
  if (o.status == Ok && listener_ != nullptr) o.status = listener_->afterContacts(o.impacts, t);
  if (o.status != Ok) return {o.status, std::move(o.cause), {}};
  hit = !o.hit.empty();
  for (std::size_t k = 0; k < problem_.events().size(); ++k) {
    const EventOutput& e = events_[k];
    if (e.cause != ContactCause::Closes || std::find(o.hit.begin(), o.hit.end(), e.contact) == o.hit.end()) continue;
    count(counts_[timers_.size() + k], t);
    log_.push_back({e.entry.name(), t});
  }
  return {events_.begin(t), {}, {}};
}

void Jumps::attach(HostSamplings& host) {
  host_ = &host;
  if (!restorer_ && problem_.restoration) restorer_ = problem_.restoration();
}

/// The first of its times that is not before t.
Jumps::Outcome Jumps::start(Timer& timer, double t, const std::string& name) const {
  const double size = std::max({std::abs(timer.first), std::abs(problem_.timeFrom), std::abs(problem_.timeTo)});
  if (!std::isfinite(timer.interval) || !std::isfinite(timer.first))
    return {NonFinite, fmt::format("the times of `{}` are no numbers", name), {}};
  if (!(timer.interval > 16 * std::numeric_limits<double>::epsilon() * size))
    return {NonFinite,
            fmt::format("the interval of `{}` is {}: {}", name, timer.interval,
                        timer.interval > 0 ? fmt::format("too short to be seen among times of {}", size)
                                           : "it is a time above zero"),
            {}};
  if (timer.first < t) timer.over = static_cast<std::int64_t>((t - timer.first) / timer.interval);
  while (timer.over > 0 && timer.next() > t) --timer.over;
  while (timer.next() < t && !sameTime(timer.next(), t)) ++timer.over;
  return {};
}

Jumps::Outcome Jumps::begin(double t) {
  timers_.clear();
  hostTimers_.clear();
  for (std::size_t k = 0; host_ != nullptr && k < host_->times().size(); ++k) {
    const HostSamplings::Times& own = host_->times()[k];
    if (own.tick >= 0) continue;
    const std::string name = fmt::format("every {} (host)", own.interval);
    HostTimer h{k, {own.interval, std::isnan(own.first) ? problem_.timeFrom : own.first, 0}, {name}};
    if (Outcome o = start(h.timer, t, name); !o.goesOn()) return o;
    hostTimers_.push_back(std::move(h));
  }
  if (problem_.ticks.empty()) return {};
  const std::int32_t status = workspace_.call(problem_.functions.ticks, t);
  if (status != Ok) return {status, {}, {}};
  for (const Tick& tick : problem_.ticks) {
    Timer timer;
    timer.interval = workspace_.numbers(tick.interval)[0];
    timer.first = tick.first.there() ? workspace_.numbers(tick.first)[0] : problem_.timeFrom;
    if (Outcome o = start(timer, t, tick.name); !o.goesOn()) return o;
    timers_.push_back(timer);
  }
  return {};
}

std::vector<JumpCount> Jumps::counts() const {
  std::vector<JumpCount> all = counts_;
  for (const HostTimer& h : hostTimers_) all.push_back(h.count);
  return all;
}

double Jumps::next() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Timer& timer : timers_) next = std::min(next, timer.next());
  for (const HostTimer& h : hostTimers_) next = std::min(next, h.timer.next());
  return next;
}

bool Jumps::due(double t) const {
  return at(next(), t);
}

void Jumps::count(JumpCount& c, double t) {
  if (c.count++ == 0) c.first = t;
  c.last = t;
}

Jumps::Outcome Jumps::reset(int function, int member, const std::string& name, double t) {
  if (function < 0) return {};
  const int number = problem_.functions.resets[static_cast<std::size_t>(function)];
  std::int32_t status = listener_ == nullptr ? std::int32_t{Ok} : listener_->beforeReset(function, member, t);
  remember();
  if (status == Ok) status = workspace_.call(number, t, static_cast<double>(member));
  if (status != Ok) return {status, {}, {}};
  if (!workspace_.finite())
    return {NonFinite, fmt::format("behind the reset of `{}` the state is not finite", name), {}};
  const std::string why = restored(t);
  if (why.empty()) return {listener_ == nullptr ? std::int32_t{Ok} : listener_->afterReset(t), {}, {}};
  return {ResetWrong, fmt::format("the reset of `{}` leads to no state of the model: {}", name, why), {}};
}

void Jumps::remember() {
  if (restorer_) before_.assign(workspace_.state().begin(), workspace_.state().end());
}

/// As if all contacts were open: what a reset makes of the closed ones is found behind it.
std::string Jumps::restored(double t) {
  if (!restorer_ || !restorer_->concerns(before_, workspace_.state())) return {};
  std::vector<double> modes;
  for (const ContactRule& c : problem_.contacts.list)
    modes.push_back(std::exchange(workspace_.state()[static_cast<std::size_t>(c.mode)], 0.0));
  std::string why = restorer_->restore(workspace_.params(), workspace_.state(), t);
  for (std::size_t k = 0; k < modes.size(); ++k)
    workspace_.state()[static_cast<std::size_t>(problem_.contacts.list[k].mode)] = modes[k];
  return why;
}

Jumps::Outcome Jumps::sample(double t, bool& caused) {
  caused = false;
  for (std::size_t k = 0; k < timers_.size(); ++k) {
    if (!at(timers_[k].next(), t)) continue;
    ++timers_[k].over;
    count(counts_[k], t);
    if (Outcome o = reset(problem_.ticks[k].reset, 1, problem_.ticks[k].name, t); !o.goesOn()) return o;
    for (std::size_t h = 0; host_ != nullptr && h < host_->times().size(); ++h)
      if (host_->times()[h].tick == static_cast<int>(k))
        if (Outcome o = sampleHost(h, t); !o.goesOn()) return o;
  }
  for (HostTimer& h : hostTimers_) {
    if (!at(h.timer.next(), t)) continue;
    ++h.timer.over;
    count(h.count, t);
    if (Outcome o = sampleHost(h.which, t); !o.goesOn()) return o;
  }
  return changed(t, caused);
}

/// Behind it manifolds and constraints hold again, and what a method has kept is forgotten, as behind a block.
Jumps::Outcome Jumps::sampleHost(std::size_t which, double t) {
  remember();
  host_->at(which, t, workspace_);
  const std::span<double> state = workspace_.state();
  std::fill(state.begin() + static_cast<std::ptrdiff_t>(problem_.initialState.size()), state.end(), 0.0);
  if (!workspace_.finite())
    return {NonFinite, "behind what the host has done at a sample time the state is not finite", {}};
  const std::string why = restored(t);
  if (why.empty()) return {};
  return {ResetWrong, "what the host has done at a sample time leads to no state of the model: " + why, {}};
}

void Jumps::skip(double t) {
  for (Timer& timer : timers_)
    if (at(timer.next(), t)) ++timer.over;
  for (HostTimer& h : hostTimers_)
    if (at(h.timer.next(), t)) ++h.timer.over;
}

Jumps::Outcome Jumps::changed(double t, bool& caused) {
  caused = false;
  if (!events_.any()) return {};
  if (Outcome o = contact(t, {}); !o.goesOn()) return o;
  const std::int32_t status = events_.settleSampling(t);
  if (status != Ok) return {status, {}, {}};
  caused = !events_.happened().empty();
  return {};
}

Jumps::Outcome Jumps::one(std::size_t event, double t) {
  const EventOutput& e = events_[event];
  if (!e.goesOn && !passesStops_) return {Ok, {}, EventFound{e.entry.name(), t}};
  count(counts_[timers_.size() + event], t);
  if (log_.size() < longestLog) log_.push_back({e.entry.name(), t});
  return reset(e.reset, e.member, e.entry.name(), t);
}

Jumps::Outcome Jumps::react(double t) {
  std::set<std::string> names;
  crowd_ = sameTime(t, last_) ? crowd_ : 0;
  last_ = t;
  std::set<int> opened; // at this time: that rounding has left a gap below zero is no impact
  for (;;) {
    std::vector<std::size_t> now = events_.happened();
    std::erase_if(now, [&](std::size_t k) {
      return events_[k].cause == ContactCause::Closes && opened.contains(events_[k].contact);
    });
    if (now.empty()) break;
    std::vector<ContactEvent> causes;
    for (const std::size_t k : now) {
      names.insert(events_[k].entry.name());
      if (events_[k].cause == ContactCause::Opens) opened.insert(events_[k].contact);
      if (events_[k].cause != ContactCause::None) causes.push_back({events_[k].contact, events_[k].cause});
      if (Outcome o = one(k, t); !o.goesOn()) return o;
    }
    if (Outcome o = contact(t, causes); !o.goesOn()) return o;
    const std::int32_t status = events_.settle(t);
    if (status != Ok) return {status, {}, {}};
    if (++crowd_ < mostAtOnce) continue;
    return {
        EventsCrowd, fmt::format("{} events happen without time between them: {}", crowd_, fmt::join(names, ", ")), {}};
  }
  return {};
}

Jumps::Memory Jumps::memory() const {
  Memory m;
  for (const Timer& timer : timers_) m.ticks.push_back(static_cast<double>(timer.over));
  for (const JumpCount& c : counts_) m.counts.insert(m.counts.end(), {static_cast<double>(c.count), c.first, c.last});
  m.last = last_;
  m.crowd = crowd_;
  return m;
}

void Jumps::restore(const Memory& m) {
  for (std::size_t k = 0; k < std::min(timers_.size(), m.ticks.size()); ++k)
    timers_[k].over = static_cast<std::int64_t>(m.ticks[k]);
  for (std::size_t k = 0; k < counts_.size() && 3 * k + 2 < m.counts.size(); ++k) {
    counts_[k].count = static_cast<std::int64_t>(m.counts[3 * k]);
    counts_[k].first = m.counts[3 * k + 1];
    counts_[k].last = m.counts[3 * k + 2];
  }
  last_ = m.last;
  crowd_ = m.crowd;
}

} // namespace lmc::runtime
