// Contacts: `contact NAME : left >= right { restitution = e; friction = mu; slip = v; rest = u; }`.
//
// A contact is two constraints whose members hold while it is closed, numbers of the state that say whether it is, and
// events where that changes. What happens there is decided while a model runs (runtime/contacts).
//
// Where the method of a run is declared `on contacts` it steps them itself, and nothing is kept for a member: a contact
// is then expressions of its members' indices (ModelContacts.h).
#include "sema/model/ModelContacts.h"

#include "sema/model/ModelBuilder.h"

#include <algorithm>

namespace lmc::sema {

using sym::Expr;
using syntax::ExprKind;

namespace {

const std::string contactWhat = "a contact";
const std::vector<std::string> contactKeys = {"restitution", "friction", "slip", "rest"};

constexpr double roundOff = 2.220446049250313e-16;
/// A gap is open as long as it is above minus so many roundings of its sides.
constexpr double perSide = 16;
/// Forces that are smaller than this, in units of the forces that act, are rounding: a contact may pull by as much.
constexpr double perForce = 1e-12;
/// A slip has ended below this part of the memory of its direction, which itself is very short.
constexpr double perMemory = 1e-9;

syntax::ExprPtr numeral(Range range, double value, const char* text) {
  auto e = std::make_shared<syntax::Expr>();
  e->kind = ExprKind::Number;
  e->range = range;
  e->text = text;
  e->number = value;
  e->isInteger = true;
  return e;
}

} // namespace

/// The sides and settings of the clauses of one contact.
struct ModelBuilder::ContactParts {
  std::vector<Clause> gaps, lefts, rights;
  std::map<std::string, std::vector<Clause>> settings; ///< those that some clause has, with what holds without them
};

bool ModelBuilder::isContact(const std::string& name) const {
  return std::any_of(contacts_.begin(), contacts_.end(), [&](const Clause& c) {
    const std::string& own = c.statement->target.name;
    return own == name || (hasSlip(*c.statement) && own + ".slip" == name);
  });
}

bool ModelBuilder::hasSlip(const syntax::Statement& contact) {
  return std::any_of(contact.body.begin(), contact.body.end(),
                     [](const syntax::StatementPtr& s) { return s->target.name == "slip"; });
}

void ModelBuilder::buildContacts() {
  Declared groups;
  std::set<std::string> taken;
  for (const Clause& c : contacts_) {
    const syntax::Target& target = c.statement->target;
    const std::string& name = target.name;
    const bool constraint = std::any_of(constraints_.begin(), constraints_.end(),
                                        [&](const Clause& k) { return k.statement->target.name == name; });
    if (byName_.contains(name) || functions_.contains(name) || name == "t" || name == "energy" || constraint ||
        instances_.contains(name)) {
      if (taken.insert(name).second)
        s_.diagnostics.error(Code::LIE0103, target.nameRange,
                             "`" + name + "` is the name of something else; a contact needs one of its own");
      continue;
    }
    named(groups, name).push_back(c);
  }
  for (const auto& [name, clauses] : groups) contactOf(name, clauses);
}

void ModelBuilder::contactOf(const std::string& name, const std::vector<Clause>& clauses) {
  const std::size_t before = s_.diagnostics.errorCount();
  ContactParts parts;
  if (stepsContacts()) return steppedContact(name, clauses);
  Contact contact;
  Constraint gap, slip;
  contact.name = name;
  contact.range = clauses[0].statement->target.nameRange;
  if (!readContact(name, clauses, parts) || !gapOf(name, parts, gap, contact)) return;
  const bool friction = parts.settings.contains("friction");
  if (!lawsOf(name, parts, contact) || (friction && !slipOf(name, parts, slip))) return;
  if (s_.diagnostics.errorCount() > before || hasNoVelocities(contact.range)) return;
  contact.normal = model_->constraints.size();
  if (friction) contact.slip = contact.normal + 1;
  contactState(contact, gap, friction ? &slip : nullptr);
  model_->constraints.push_back(std::move(gap));
  if (friction) model_->constraints.push_back(std::move(slip));
  model_->contacts.push_back(std::move(contact));
}

bool ModelBuilder::hasNoVelocities(Range contact) {
  if (hamiltonian_ == nullptr) return false;
  s_.diagnostics.error(Code::LIE0446, contact, "contacts act on velocities: this model has a Hamiltonian, and momenta")
      .suggest("write the Lagrangian, with `config q : M velocity v;`");
  return true;
}

/// Whether the method of the run, that of the command line first, is declared `on contacts`. Compositions and adjoints
/// of such methods are none.
bool ModelBuilder::stepsContacts() {
  std::string name;
  if (s_.options.method) {
    name = s_.options.method->substr(0, s_.options.method->find_first_of(" ("));
  } else if (simulate_ != nullptr) {
    for (const syntax::Setting& s : simulate_->settings)
      if (s.key == "method" && s.value) name = s.value->kind == ExprKind::Call ? s.value->args[0]->text : s.value->text;
  }
  const std::vector<Found> found = s_.library.find({syntax::DeclKind::Method}, name, source_);
  return !found.empty() && found.front().declaration->kindName == "contacts";
}

/// One value of a clause of a contact, at the indices of its member; empty after an error.
Expr ModelBuilder::steppedValue(const Clause& c, const MemberClause& member, unsigned wrong, int mostEntries) {
  const syntax::Expr& e = *c.statement->value;
  const Value v = evaluator_.evaluate(e, Context{this, member.scope.get(), &member.loops});
  const Expr value = v.isError() ? Expr() : evaluator_.tensor(v, e);
  if (!value) return {};
  if (value->shape.rank > (mostEntries > 1 ? 1 : 0) || (value->shape.rank == 1 && value->shape.rows != mostEntries)) {
    evaluator_.report(Code::LIE0445, e.range, "a number is expected here, not " + value->shape.text());
    return {};
  }
  if (refuse(value, e, wrong, contactWhat, Code::LIE0445) || reportsKinks(value, true, e.range, contactWhat)) return {};
  return asReal(value);
}

void ModelBuilder::steppedContact(const std::string& name, const std::vector<Clause>& clauses) {
  ContactParts parts;
  auto contact = std::make_shared<SteppedContact>();
  contact->name = name;
  contact->range = clauses[0].statement->target.nameRange;
  if (!readContact(name, clauses, parts) || hasNoVelocities(contact->range)) return;
  constexpr unsigned ofLaws = OnDerived | OnInputs | OnMomenta | OnRandom, ofSlip = ofLaws | OnStates;
  for (std::size_t k = 0; k < clauses.size(); ++k) {
    const syntax::Target& target = clauses[k].statement->target;
    const bool family = !target.binders.empty() || !target.indices.empty();
    const std::vector<std::int64_t> extents(family ? 1 : 0, 0);
    const auto m = open(*parts.gaps[k].statement, parts.gaps[k].surroundings, extents, name);
    if (!m) return;
    const auto value = [&](const Clause& c, unsigned wrong, int most = 1) { return steppedValue(c, *m, wrong, most); };
    SteppedContact::Clause own;
    own.loops = m->loops.loops;
    own.index = m->index;
    own.range = clauses[k].statement->value->range;
    own.gap = value(parts.gaps[k], ofSlip | OnVelocities);
    const Expr left = own.gap ? value(parts.lefts[k], ofSlip | OnVelocities) : Expr();
    const Expr right = left ? value(parts.rights[k], ofSlip | OnVelocities) : Expr();
    if (!right) return;
    if ((dependence_.of(own.gap) & OnPoints) == 0) {
      s_.diagnostics.error(Code::LIE0445, own.range,
                           "the gap of a contact depends on configurations; this one does not");
      return;
    }
    own.size = g_.add(g_.function(sym::Op::Abs, left), g_.function(sym::Op::Abs, right));
    const auto law = [&](const char* key, Expr without) {
      const auto it = parts.settings.find(key);
      if (it == parts.settings.end()) return without;
      return isWrongLaw(key, *it->second[k].statement->value) ? Expr() : value(it->second[k], ofLaws);
    };
    own.restitution = law("restitution", g_.number(0));
    own.friction = own.restitution ? law("friction", g_.number(0)) : Expr();
    own.rest = own.friction ? law("rest", g_.number(-1)) : Expr();
    if (!own.rest) return;
    if (const auto it = parts.settings.find("slip"); it != parts.settings.end()) {
      own.slip = value(it->second[k], ofSlip, 2);
      if (!own.slip || isNoSlip(own.slip, *it->second[k].statement->value)) return;
    }
    contact->clauses.push_back(std::move(own));
  }
  model_->stepped.push_back(std::move(contact));
}

bool ModelBuilder::isNoSlip(Expr value, const syntax::Expr& e) {
  if ((dependence_.of(value) & OnVelocities) != 0) return false;
  s_.diagnostics.error(Code::LIE0446, e.range, "the slip of a contact is a velocity; this one contains none");
  return true;
}

/// True, and reported, of a number that no law can have.
bool ModelBuilder::isWrongLaw(const std::string& key, const syntax::Expr& e) {
  // What stands for a `rest` that a clause has not is made here, and no negation.
  const bool negative = e.kind == ExprKind::Negate && e.args[0]->kind == ExprKind::Number && e.args[0]->number > 0;
  const bool elastic = key == "restitution" && e.kind == ExprKind::Number && e.number > 1;
  if (!negative && !elastic) return false;
  s_.diagnostics.error(Code::LIE0447, e.range,
                       elastic ? "a `restitution` above 1 would make energy of nothing: it lies between 0 and 1"
                               : "`" + key + "` is negative here, and must be 0 or more");
  return true;
}

/// Takes the clauses apart; false after an error.
bool ModelBuilder::readContact(const std::string& name, const std::vector<Clause>& clauses, ContactParts& parts) {
  const auto with = [&](const Clause& c, syntax::ExprPtr value) {
    madeStatements_.push_back(*c.statement);
    madeStatements_.back().value = std::move(value);
    madeStatements_.back().body.clear();
    return Clause{&madeStatements_.back(), c.surroundings};
  };
  std::set<std::string> keys;
  for (const Clause& c : clauses) {
    std::set<std::string> own;
    for (const syntax::StatementPtr& s : c.statement->body) {
      const std::string& key = s->target.name;
      if (std::find(contactKeys.begin(), contactKeys.end(), key) == contactKeys.end()) {
        auto r = s_.diagnostics.error(Code::LIE0446, s->target.range, "a contact has no setting `" + key + "`");
        const std::string near = nearest(key, contactKeys);
        if (!near.empty())
          r.suggest(didYouMean(near));
        else
          r.note("its settings are " + listed(contactKeys));
        return false;
      }
      if (!own.insert(key).second) {
        s_.diagnostics.error(Code::LIE0446, s->target.range, "`" + key + "` is given twice");
        return false;
      }
    }
    keys.insert(own.begin(), own.end());
    if (own.contains("friction") != own.contains("slip")) {
      const bool friction = own.contains("friction");
      s_.diagnostics
          .error(Code::LIE0446, c.statement->target.range,
                 friction ? "friction needs the `slip`: the velocity along the surface that it acts against"
                          : "a `slip` without `friction` has no effect")
          .suggest(friction ? "slip = v[1]; or slip = along_ground(velocity_there(X, c), n);" : "friction = 0.3;");
      return false;
    }
  }
  for (const Clause& c : clauses) {
    const syntax::ExprPtr& e = c.statement->value;
    if (!e || e->kind == ExprKind::Error) return false;
    const bool greater = e->kind == ExprKind::Binary && e->op == syntax::BinaryOp::Ge;
    const bool less = e->kind == ExprKind::Binary && e->op == syntax::BinaryOp::Le;
    if (!greater && !less) {
      s_.diagnostics
          .error(Code::LIE0445, e->range, "a contact is an inequality that holds: `left >= right`, or `left <= right`")
          .suggest("contact " + name + " : x[3] >= 0;");
      return false;
    }
    const syntax::ExprPtr left = e->args[greater ? 0 : 1], right = e->args[greater ? 1 : 0];
    auto difference = std::make_shared<syntax::Expr>(*e);
    difference->op = syntax::BinaryOp::Sub;
    difference->args = {left, right};
    parts.gaps.push_back(with(c, difference));
    parts.lefts.push_back(with(c, left));
    parts.rights.push_back(with(c, right));
    for (const std::string& key : keys) {
      syntax::ExprPtr value;
      for (const syntax::StatementPtr& s : c.statement->body)
        if (s->target.name == key) value = s->value;
      if (!value && key == "slip") {
        s_.diagnostics.error(Code::LIE0446, c.statement->target.range,
                             "other members of `" + name + "` have friction: this one needs its `slip`, too");
        return false;
      }
      // Without `rest` the speeds of impacts decide: any number below zero says so.
      if (!value) value = key == "rest" ? numeral(c.statement->range, -1, "-1") : numeral(c.statement->range, 0, "0");
      parts.settings[key].push_back(with(c, value));
    }
  }
  return true;
}

/// One number for each member; nothing after an error.
std::optional<Observable> ModelBuilder::contactNumber(const std::string& name, std::vector<Clause> clauses,
                                                      unsigned wrong) {
  const std::vector<Observable> found = observe(name, clauses, contactWhat);
  if (found.empty()) return std::nullopt;
  const syntax::Expr& e = *clauses[0].statement->value;
  if (found.size() > 1 || found[0].array->shape.rank != 0) {
    evaluator_.report(Code::LIE0445, e.range,
                      "a number is expected here, not " + (found.size() > 1 ? std::string("an element of several parts")
                                                                            : found[0].array->shape.text()));
    return std::nullopt;
  }
  const Expr value = g_.load(found[0].array, indicesOf(memberLoops(g_, found[0].array->extents)));
  for (const Clause& c : clauses)
    if (refuse(value, *c.statement->value, wrong, contactWhat, Code::LIE0445)) return std::nullopt;
  return found[0];
}

bool ModelBuilder::gapOf(const std::string& name, ContactParts& parts, Constraint& gap, Contact& contact) {
  constexpr unsigned wrong = OnDerived | OnInputs | OnStates | OnMomenta | OnRandom | OnVelocities;
  const syntax::Expr& e = *parts.gaps[0].statement->value;
  const auto found = contactNumber(name, parts.gaps, wrong);
  if (!found) return false;
  gap.array = found->array;
  gap.first = found->first;
  const std::vector<Expr> index = indicesOf(memberLoops(g_, gap.array->extents));
  if ((dependence_.of(g_.load(gap.array, index)) & OnPoints) == 0) {
    s_.diagnostics.error(Code::LIE0445, e.range, "the gap of a contact depends on configurations; this one does not");
    return false;
  }
  if (reportsKinks(g_.load(gap.array, index), true, e.range, "the contact")) return false;
  const auto left = contactNumber(name + ".left", parts.lefts, wrong);
  const auto right = left ? contactNumber(name + ".right", parts.rights, wrong) : std::nullopt;
  if (!right) return false;
  gap.name = name;
  gap.range = contact.range;
  gap.equation = e.range;
  contact.equation = e.range;
  contact.size = temp(name + ".size", gap.array->extents, sym::Shape::scalar());
  const std::vector<sym::Loop> loops = memberLoops(g_, gap.array->extents);
  const std::vector<Expr> at = indicesOf(loops);
  const auto sizeOf = [&](const sym::Array* a) { return g_.function(sym::Op::Abs, g_.load(a, at)); };
  model_->program.append({sym::EquationKind::Set,
                          contact.size,
                          loops,
                          {},
                          at,
                          g_.add(sizeOf(left->array), sizeOf(right->array)),
                          nullptr,
                          nullptr});
  return true;
}

/// Restitution, the coefficient of friction, the speed of rest.
bool ModelBuilder::lawsOf(const std::string& name, ContactParts& parts, Contact& contact) {
  constexpr unsigned wrong = OnDerived | OnInputs | OnMomenta | OnRandom;
  const auto number = [&](const char* key, const sym::Array*& array) {
    const auto it = parts.settings.find(key);
    if (it == parts.settings.end()) return true;
    const auto found = contactNumber(name + "." + key, it->second, wrong);
    if (!found) return false;
    array = found->array;
    for (const Clause& c : it->second) {
      if (!isWrongLaw(key, *c.statement->value)) continue;
      return false;
    }
    return true;
  };
  return number("restitution", contact.restitution) && number("friction", contact.coefficient) &&
         number("rest", contact.rest);
}

bool ModelBuilder::slipOf(const std::string& name, ContactParts& parts, Constraint& slip) {
  const std::vector<Observable> found = observe(name + ".slip", parts.settings.at("slip"), contactWhat);
  const syntax::Expr& e = *parts.settings.at("slip")[0].statement->value;
  if (found.empty()) return false;
  const sym::Shape& shape = found[0].array->shape;
  if (found.size() > 1 || shape.rank > 1 || (shape.rank == 1 && shape.rows != 2)) {
    evaluator_
        .report(Code::LIE0446, e.range,
                "the slip of a contact is a number in the plane, or a vector of 2 along the surface in space, not " +
                    (found.size() > 1 ? std::string("an element of several parts") : shape.text()))
        .suggest("along_ground(v, n) gives the two components of v across the normal n");
    return false;
  }
  slip.array = found[0].array;
  slip.name = name + ".slip";
  slip.first = found[0].first;
  slip.velocities = true;
  slip.range = parts.settings.at("slip")[0].statement->target.nameRange;
  slip.equation = e.range;
  const Expr value = g_.load(slip.array, indicesOf(memberLoops(g_, slip.array->extents)));
  constexpr unsigned wrong = OnDerived | OnInputs | OnStates | OnMomenta | OnRandom;
  for (const Clause& c : parts.settings.at("slip"))
    if (refuse(value, *c.statement->value, wrong, "the slip of a contact", Code::LIE0446)) return false;
  if (isNoSlip(value, e)) return false;
  return !reportsKinks(value, true, e.range, "the slip");
}

/// Numbers that only impacts and changes of a contact write, zero at the begin.
const sym::Array* ModelBuilder::contactMemory(const std::string& name, const Constraint& gap, const sym::Shape& shape,
                                              bool shown) {
  DiscreteVariable d;
  d.name = name;
  d.range = gap.range;
  d.parts = {{"", shape}};
  d.shown = shown;
  d.first = gap.first;
  d.arrays = stateArrays(name, d.parts, gap.array->extents);
  const sym::Array* array = d.arrays[0];
  dependence_.mark(array, OnDiscrete);
  sym::Equation zero;
  zero.loops = memberLoops(g_, array->extents);
  zero.index = indicesOf(zero.loops);
  zero.value = g_.zero(shape);
  pending_.push_back({array, std::move(zero), gap.range});
  model_->discretes.push_back(std::move(d));
  return array;
}

void ModelBuilder::contactState(Contact& contact, Constraint& gap, Constraint* slip) {
  const std::string& name = contact.name;
  const sym::Shape number = sym::Shape::scalar();
  contact.mode = contactMemory(name + ".mode", gap, number, true);
  contact.speed = contactMemory(name + ".speed", gap, number, false);
  contact.impulse = contactMemory(name + ".impulse", gap, number, true);
  contact.scale = temp("scale(" + name + ")", gap.array->extents, number);
  dependence_.mark(contact.scale, OnDerived);
  const auto holding = [&](Constraint& c, double above) {
    c.multiplier = temp("multiplier(" + c.name + ")", c.array->extents, c.array->shape);
    dependence_.mark(c.multiplier, OnDerived);
    const sym::Array* active = temp(c.name + ".held", c.array->extents, number);
    sym::Equation e;
    e.array = active;
    e.loops = memberLoops(g_, active->extents);
    e.index = indicesOf(e.loops);
    e.value = g_.select(g_.compare(sym::Op::Lt, g_.number(sym::Number::real(above)), g_.load(contact.mode, e.index)),
                        g_.number(1), g_.number(0));
    model_->program.append(std::move(e));
    c.active = active;
  };
  holding(gap, 0.5);
  if (slip == nullptr) return;
  contact.memory = contactMemory(name + ".direction", gap, slip->array->shape, false);
  contact.friction = contactMemory(slip->name + ".impulse", gap, slip->array->shape, true);
  contact.pivot = temp("pivot(" + name + ")", gap.array->extents, number);
  dependence_.mark(contact.pivot, OnDerived);
  holding(*slip, 1.5);
}

/// Where a gap closes, a closed contact opens, a sticking one slips, a sliding one stops (or has turned by 60 degrees,
/// where the memory of its direction begins anew), and where friction takes all resistance away. Each is a number that
/// falls through zero, 1 in other modes.
void ModelBuilder::contactEvents(std::size_t k) {
  const Contact contact = model_->contacts[k];
  const Constraint& gap = model_->constraints[contact.normal];
  const std::vector<sym::Loop> loops = memberLoops(g_, gap.array->extents);
  const std::vector<Expr> at = indicesOf(loops);
  const Expr mode = g_.load(contact.mode, at), one = g_.number(1);
  const auto small = [&](double factor) { return g_.number(sym::Number::real(factor)); };
  const auto in = [&](double least, double most, Expr value, Expr otherwise) {
    const Expr inside =
        g_.logic(sym::Op::And, g_.compare(sym::Op::Lt, small(least), mode), g_.compare(sym::Op::Lt, mode, small(most)));
    return g_.select(inside, value, otherwise);
  };
  const auto array = [&](const std::string& name, Expr value) {
    const sym::Array* a = temp(name, gap.array->extents, sym::Shape::scalar());
    model_->program.append({sym::EquationKind::Set, a, loops, {}, at, value, nullptr, nullptr});
    return a;
  };
  const auto event = [&](const std::string& name, ContactCause cause, Expr value) {
    Event e;
    e.name = contact.name + name;
    e.array = array(e.name, value);
    e.first = gap.first;
    e.direction = -1;
    e.goesOn = true;
    e.cause = cause;
    e.contact = k;
    model_->events.push_back(std::move(e));
  };
  const Expr g = g_.load(gap.array, at);
  const Expr side = g_.mul(small(perSide * roundOff), g_.load(contact.size, at));
  event("", ContactCause::Closes, in(-0.5, 0.5, g_.add(g, side), one));
  model_->events.back().rate = array(contact.name + "'", in(-0.5, 0.5, tangent_.of(g), g_.number(0)));
  const Expr normal = g_.load(gap.multiplier, at);
  const Expr allowed = g_.add(g_.mul(small(perForce), g_.load(contact.scale, at)), small(1e-290));
  event(".opens", ContactCause::Opens, in(0.5, 2.5, g_.add(normal, allowed), one));
  if (!contact.slip) return;
  const Constraint& slip = model_->constraints[*contact.slip];
  const Expr friction = g_.load(slip.multiplier, at), velocity = g_.load(slip.array, at);
  const Expr memory = g_.load(contact.memory, at), mu = g_.load(contact.coefficient, at);
  const bool plane = slip.array->shape.rank == 0;
  const auto length = [&](Expr v) {
    return plane ? g_.function(sym::Op::Abs, v) : g_.function(sym::Op::Sqrt, g_.inner(v, v));
  };
  event(".slips", ContactCause::Slips,
        in(1.5, 2.5, g_.add(g_.sub(g_.mul(mu, normal), length(friction)), g_.mul(g_.add(one, mu), allowed)), one));
  const Expr short_ = length(memory);
  const Expr along = g_.div(plane ? g_.mul(velocity, memory) : g_.inner(velocity, memory), short_);
  const Expr left = g_.mul(small(perMemory), short_);
  event(".sticks", ContactCause::Sticks, in(0.5, 1.5, g_.add(along, left), one));
  if (!plane)
    event(".turns", ContactCause::Turns,
          in(0.5, 1.5, g_.add(g_.sub(along, g_.mul(small(0.5), length(velocity))), short_), one));
  event(".jams", ContactCause::Jams, in(0.5, 1.5, g_.sub(g_.load(contact.pivot, at), small(1e-9)), one));
}

} // namespace lmc::sema
