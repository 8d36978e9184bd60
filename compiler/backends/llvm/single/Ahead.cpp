// Objects for programs without this compiler: functions with names over one structure of doubles, direct calls to the
// mathematical library, and the routines of runtime/kernels as machine code of the same object.
#include "backends/llvm/single/FunctionEmitter.h"

#include "backends/llvm/KernelAssembly.h"

#include <llvm/IR/Intrinsics.h>

#include <limits>
#include <set>

namespace lmc::backends {

using runtime::Role;

namespace {

/// True if the text of a routine has a line with this label.
bool defines(const std::string& text, const std::string& symbol) {
  return text.find("\n" + symbol + ":") != std::string::npos;
}

/// The assembly of one file as part of another one: nothing is visible outside, and its labels are its own.
std::string localized(const std::string& text, const std::string& file) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t word = line.find_first_not_of(" \t");
    bool dropped = word == std::string::npos;
    for (const char* directive : {".globl", ".hidden", ".file", ".ident"})
      dropped = dropped || line.compare(word, std::string(directive).size(), directive) == 0;
    if (dropped) continue;
    for (std::size_t l = line.find(".L"); l != std::string::npos; l = line.find(".L", l + 2))
      line.insert(l + 2, file + "_");
    out += line + "\n";
  }
  return out;
}

} // namespace

void SingleModuleEmitter::emitAhead() {
  const runtime::Functions& functions = unit_->problem().functions;
  const auto function = [&](int index, const char* suffix) {
    if (index >= 0) emitAheadFunction(static_cast<std::size_t>(index), suffix);
  };
  function(functions.setup, "_setup");
  function(functions.field, "_f");
  function(functions.energy, "_energy");
  function(functions.observe, "_observables");
  function(functions.events, "_events");
  function(functions.trial, "_trial");
  function(functions.ticks, "_samplings");
  for (const unit::ExportedReset& r : unit_->resets) function(r.function, r.suffix.c_str());
  if (functions.trial >= 0) emitAheadError();
  emitCore();
  emitAheadStep();
  emitAheadSteps();
  emitAheadInit();
  emitAheadTables();
}

llvm::Value* SingleModuleEmitter::placeIn(llvm::IRBuilder<>& b, llvm::Value* self, std::int64_t offset) {
  return b.CreateConstInBoundsGEP1_64(types_.real, self, static_cast<std::uint64_t>(offset));
}

std::vector<llvm::Value*> SingleModuleEmitter::basesIn(llvm::IRBuilder<>& b, llvm::Value* self) {
  std::vector<llvm::Value*> bases;
  for (unsigned r = 0; r < runtime::roleCount; ++r) bases.push_back(placeIn(b, self, unit_->base[r]));
  return bases;
}

/// int NAME…(NAME* self, double…). A trial that fails leaves an error that is NaN: its step is not taken.
void SingleModuleEmitter::emitAheadFunction(std::size_t index, const char* suffix) {
  std::vector<llvm::Type*> types(1 + static_cast<std::size_t>(tape_.functions[index].arguments), types_.real);
  types[0] = types_.pointer;
  llvm::Function* const entry = declare(unit_->prefix + suffix, types_.status, types, true);
  FunctionEmitter emitter(*this, entry);
  llvm::IRBuilder<>& b = emitter.builder();
  std::vector<llvm::Value*> arguments = basesIn(b, entry->getArg(0));
  for (unsigned a = 1; a < entry->arg_size(); ++a) arguments.push_back(entry->getArg(a));
  llvm::Value* const status = b.CreateCall(internalFunction(index), arguments);
  if (static_cast<int>(index) == unit_->problem().functions.trial) {
    const runtime::Column c = unit_->problem().numbers(runtime::FieldKind::Error).front();
    llvm::Value* const first = placeIn(b, entry->getArg(0), unit_->place(c.role, c.offset));
    llvm::Value* const nan = types_.constant(std::numeric_limits<double>::quiet_NaN());
    llvm::Value* const failed = b.CreateICmpNE(status, llvm::ConstantInt::get(types_.status, 0));
    b.CreateStore(b.CreateSelect(failed, nan, b.CreateLoad(types_.real, first)), first);
  }
  b.CreateRet(status);
}

/// int NAME_step(NAME* self, double t, double h)
void SingleModuleEmitter::emitAheadStep() {
  llvm::Function* const f =
      declare(unit_->prefix + "_step", types_.status, {types_.pointer, types_.real, types_.real}, true);
  FunctionEmitter emitter(*this, f);
  llvm::IRBuilder<>& b = emitter.builder();
  std::vector<llvm::Value*> arguments = basesIn(b, f->getArg(0));
  llvm::Value* const done = emitter.local(1);
  b.CreateStore(types_.index(0), done);
  for (llvm::Value* a : {static_cast<llvm::Value*>(f->getArg(1)), static_cast<llvm::Value*>(f->getArg(2)),
                         static_cast<llvm::Value*>(types_.index(1)), done, static_cast<llvm::Value*>(b.getFalse())})
    arguments.push_back(a);
  b.CreateRet(b.CreateCall(core_, arguments));
}

/// int NAME_steps(NAME* self, double* t, double h, long n)
void SingleModuleEmitter::emitAheadSteps() {
  llvm::Type* const p = types_.pointer;
  llvm::Function* const f = declare(unit_->prefix + "_steps", types_.status, {p, p, types_.real, types_.integer}, true);
  FunctionEmitter emitter(*this, f);
  llvm::IRBuilder<>& b = emitter.builder();
  b.clearFastMathFlags(); // t + n h rounds like it is written
  llvm::Value* const time = f->getArg(1);
  llvm::Value* const h = f->getArg(2);
  llvm::Value* const start = b.CreateLoad(types_.real, time);
  std::vector<llvm::Value*> arguments = basesIn(b, f->getArg(0));
  llvm::Value* const done = emitter.local(1);
  b.CreateStore(types_.index(0), done);
  for (llvm::Value* a :
       {start, h, static_cast<llvm::Value*>(f->getArg(3)), done, static_cast<llvm::Value*>(b.getFalse())})
    arguments.push_back(a);
  llvm::Value* const status = b.CreateCall(core_, arguments);
  llvm::Value* const count = b.CreateSIToFP(b.CreateLoad(types_.integer, done), types_.real);
  b.CreateStore(b.CreateFAdd(start, b.CreateFMul(count, h)), time);
  b.CreateRet(status);
}

llvm::GlobalVariable* SingleModuleEmitter::constantData(llvm::Constant* data, const std::string& name, bool exported) {
  auto* const global = new llvm::GlobalVariable(
      *module_, data->getType(), true,
      exported ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::PrivateLinkage, data, name);
  global->setDSOLocal(true);
  return global;
}

/// int NAME_init(NAME* self)
void SingleModuleEmitter::emitAheadInit() {
  const unit::Exported& u = *unit_;
  llvm::Function* const f = declare(u.prefix + "_init", types_.status, {types_.pointer}, true);
  FunctionEmitter emitter(*this, f);
  llvm::IRBuilder<>& b = emitter.builder();
  llvm::Value* const self = f->getArg(0);
  const auto fill = [&](Role role, const std::vector<double>& values, const char* name) {
    if (values.empty()) return;
    llvm::GlobalVariable* const data =
        constantData(llvm::ConstantDataArray::get(context_, llvm::ArrayRef<double>(values)), name, false);
    emitter.callExternal(External::CopyMemory, types_.pointer,
                         {placeIn(b, self, u.base[static_cast<std::size_t>(role)]), data,
                          types_.index(static_cast<std::int64_t>(values.size()) * 8)},
                         false);
  };
  fill(Role::Params, u.parameters, "default_parameters");
  std::vector<double> state = u.problem().initialState;
  state.resize(static_cast<std::size_t>(u.problem().sizes[static_cast<std::size_t>(Role::State)])); // nothing is kept
  fill(Role::State, state, "default_state");
  const std::int64_t output =
      u.base[static_cast<std::size_t>(Role::Constants)] - u.base[static_cast<std::size_t>(Role::Output)];
  if (output > 0)
    emitter.callExternal(
        External::SetMemory, types_.pointer,
        {placeIn(b, self, u.base[static_cast<std::size_t>(Role::Output)]), b.getInt32(0), types_.index(output * 8)},
        false);
  b.CreateRet(b.CreateCall(internalFunction(static_cast<std::size_t>(u.problem().functions.setup)), basesIn(b, self)));
}

/// double NAME_error(const NAME* self): the root of the largest square, NaN if one is NaN.
void SingleModuleEmitter::emitAheadError() {
  llvm::Function* const f = declare(unit_->prefix + "_error", types_.real, {types_.pointer}, true);
  FunctionEmitter emitter(*this, f);
  llvm::IRBuilder<>& b = emitter.builder();
  llvm::Value* most = types_.constant(0);
  for (const runtime::Column& c : unit_->problem().numbers(runtime::FieldKind::Error)) {
    llvm::Value* const x = b.CreateLoad(types_.real, placeIn(b, f->getArg(0), unit_->place(c.role, c.offset)));
    most = b.CreateSelect(b.CreateOr(b.CreateFCmpOGT(x, most), b.CreateFCmpUNO(x, x)), x, most); // NaN stays
  }
  b.CreateRet(b.CreateIntrinsic(llvm::Intrinsic::sqrt, {types_.real}, {most}));
}

/// const char* const NAME_column_names[], const int NAME_column_places[]
void SingleModuleEmitter::emitAheadTables() {
  std::vector<llvm::Constant*> names;
  std::vector<std::int32_t> places;
  for (const runtime::Column& c : unit_->problem().columns()) {
    names.push_back(constantData(llvm::ConstantDataArray::getString(context_, c.entry.name()), "name", false));
    places.push_back(static_cast<std::int32_t>(unit_->place(c.role, c.offset)));
  }
  auto* const type = llvm::ArrayType::get(types_.pointer, names.size());
  constantData(llvm::ConstantArray::get(type, names), unit_->prefix + "_column_names", true);
  constantData(llvm::ConstantDataArray::get(context_, llvm::ArrayRef<std::int32_t>(places)),
               unit_->prefix + "_column_places", true);
}

/// Objects for other programs call by name.
llvm::Value* SingleModuleEmitter::externalAddress(llvm::IRBuilder<>& b, External f, llvm::FunctionType* type) {
  if (table_ != nullptr) return ModuleEmitter::externalAddress(b, f, type);
  const char* const name = externalName(f);
  llvm::Value* const callee = module_->getOrInsertFunction(name, type).getCallee();
  if (std::string(name).starts_with("lmc_")) {
    routines_.insert(name);
    llvm::cast<llvm::Function>(callee)->setDSOLocal(true);
  }
  return callee;
}

llvm::Value* SingleModuleEmitter::stateScratch(llvm::IRBuilder<>& b, llvm::Value* state) {
  return unit_ == nullptr ? nullptr : placeIn(b, state, unit_->before - unit_->base[stateRole]);
}

/// The routines that are called, with those that they call.
void SingleModuleEmitter::appendRoutines() {
  std::set<std::string> done;
  std::vector<std::string> wanted(routines_.begin(), routines_.end());
  std::string text;
  while (!wanted.empty()) {
    const std::string symbol = wanted.back();
    wanted.pop_back();
    for (const KernelAssembly& k : kernelAssembly) {
      const std::string assembly = k.text;
      if (!defines(assembly, symbol) || !done.insert(k.name).second) continue;
      text += localized(assembly, k.name);
      for (std::size_t at = assembly.find("lmc_"); at != std::string::npos; at = assembly.find("lmc_", at + 1)) {
        const std::size_t end = assembly.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at);
        if (const std::string other = assembly.substr(at, end - at); !defines(assembly, other)) wanted.push_back(other);
      }
    }
  }
  if (!text.empty()) module_->appendModuleInlineAsm(text);
}

} // namespace lmc::backends
