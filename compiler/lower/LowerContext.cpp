#include "lower/LowerContext.h"

#include "sym/Print.h"

namespace lmc::lower {

tape::Value Scalars::local(Scalar s) {
  if (!s.setup || inSetup_) return s.id;
  if (const auto c = setup_->constant(s.id)) return function_->real(*c);
  if (const auto k = setup_->constantInt(s.id)) {
    return setup_->type(s.id) == tape::Type::Bool ? function_->boolean(*k != 0) : function_->integer(*k);
  }
  if (const auto it = imported_.find(s.id); it != imported_.end() && function_->visible(it->second)) return it->second;
  tape::Value v = tape::none;
  if (const auto it = parameterLoads_.find(s.id); it != parameterLoads_.end()) {
    v = function_->load(it->second.first, function_->integer(it->second.second), false);
  } else {
    const auto slot = slots_.emplace(s.id, static_cast<std::int64_t>(slots_.size())).first->second;
    v = function_->load(constantsBuffer_, function_->integer(slot), false);
    switch (setup_->type(s.id)) { // truth values and integers are exported as reals
    case tape::Type::Bool:
      v = function_->pure(tape::Op::Ne, tape::Type::Bool, {v, function_->real(0)});
      break;
    case tape::Type::Int:
      v = function_->pure(tape::Op::FloorToInt, tape::Type::Int, {v});
      break;
    default:
      break;
    }
  }
  imported_[s.id] = v;
  return v;
}

void Scalars::storeSlots() {
  for (const auto& [value, slot] : slots_) {
    tape::Value v = value;
    if (setup_->type(v) == tape::Type::Bool) v = setup_->select(v, setup_->real(1), setup_->real(0));
    if (setup_->type(v) == tape::Type::Int) v = setup_->pure(tape::Op::IntToReal, tape::Type::Real, {v});
    setup_->store(constantsBuffer_, setup_->integer(slot), v);
  }
}

const Place& ExpressionLowering::placeOf(const sym::Array* a) {
  if (!places.contains(a)) {
    Place zeros;
    zeros.storage = ArrayStorage::Registers;
    zeros.registers.assign(static_cast<std::size_t>(a->size()), s_.real(0));
    places[a] = std::move(zeros);
  }
  return places.at(a);
}

void ExpressionLowering::note(const sym::Equation& e, const std::vector<Scalar>& v, Builder& setup) {
  std::string element = e.array->name;
  for (const sym::Expr& i : e.index)
    if (const auto k = s_.constantInt(scalar(i))) element += "[" + std::to_string(*k) + "]";
  constexpr std::size_t most = 400; // a comment of one line is made of it
  std::string equation = sym::print(e, sym::Notation::Text, most);
  for (std::size_t k = 0; k < v.size(); ++k) {
    const bool own = v[k].setup == s_.inSetup() || v[k].setup;
    if (!own || s_.constant(v[k]) || s_.constantInt(v[k])) continue;
    Builder& builder = v[k].setup ? setup : s_.builder();
    builder.note(v[k].id, v.size() == 1 ? element : element + "[" + std::to_string(k + 1) + "]", std::move(equation));
    equation.clear();
  }
}

} // namespace lmc::lower
