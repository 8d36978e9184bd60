// A readable listing of a tape: one instruction per line, blocks indented, buffers by name.
#include "tape/Shares.h"
#include "tape/TapeOps.h"
#include "tape/Tiles.h"

#include <array>
#include <charconv>
#include <cmath>

namespace lmc::tape {

namespace {

/// The shortest text that reads back as the same number.
std::string text(double x) {
  if (std::isnan(x)) return "nan";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
  return {digits.data(), end};
}

class Printer {
public:
  explicit Printer(const Module& m) : module_(m) {}

  std::string run() {
    for (int r = 0; r < runtime::roleCount; ++r)
      out_ += std::string("role ") + std::string(name(static_cast<runtime::Role>(r))) + " size " +
              std::to_string(module_.roleSize[r]) + "\n";
    for (const Buffer& b : module_.buffers) {
      out_ += "buffer " + b.name + " in " + std::string(name(b.role)) + " at " + std::to_string(b.offset);
      out_ += " size " + std::to_string(b.size) + "\n";
    }
    for (const Function& f : module_.functions) function(f);
    if (module_.step >= 0) out_ += "step " + functionName(module_.step) + "\n";
    return std::move(out_);
  }

private:
  void function(const Function& f) {
    out_ += "function " + f.name + "(" + std::to_string(f.arguments) + ") {\n";
    function_ = &f;
    if (!f.blocks.empty()) block(0, 1);
    out_ += "}\n";
  }

  void block(std::int32_t index, int depth) {
    if (index < 0 || static_cast<std::size_t>(index) >= function_->blocks.size() || depth > 200) {
      out_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "<no such block>\n";
      return;
    }
    for (const Instr& i : function_->blocks[static_cast<std::size_t>(index)].code) instruction(i, depth);
  }

  void instruction(const Instr& i, int depth) {
    const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
    out_ += indent;
    if (i.result != none) out_.append("%").append(std::to_string(i.result)).append(" = ");
    out_ += info(i.op).name;
    immediate(i);
    if (i.buffer >= 0) out_.append(" ").append(bufferName(i.buffer));
    for (const std::int32_t b : i.buffers) out_.append(" ").append(bufferName(b));
    for (const Value v : i.args) out_.append(" %").append(std::to_string(v));
    if (i.block >= 0) {
      out_ += " {\n";
      block(i.block, depth + 1);
      out_ += indent + "}";
    }
    out_ += "\n";
  }

  void immediate(const Instr& i) {
    switch (info(i.op).immediate) {
    case Immediate::None:
      break;
    case Immediate::RealConstant:
      out_.append(" ").append(text(i.real));
      break;
    case Immediate::Truth:
      out_ += i.imm != 0 ? " true" : " false";
      break;
    case Immediate::Number:
      out_.append(" ").append(std::to_string(i.imm));
      break;
    case Immediate::Direction:
      out_ += i.imm < 0 ? " down" : i.imm == independentTurns ? " independent" : i.imm == ownedTurns ? " owned" : " up";
      break;
    case Immediate::Order:
      out_ += i.imm != 0 ? " in order" : "";
      break;
    case Immediate::Function:
      out_.append(" ").append(functionName(i.imm));
      break;
    case Immediate::Routine:
      out_.append(" ").append(kernelName(i.imm));
      break;
    }
  }

  [[nodiscard]] std::string bufferName(std::int32_t b) const {
    if (static_cast<std::size_t>(b) >= module_.buffers.size()) return "<buffer " + std::to_string(b) + ">";
    return module_.buffers[static_cast<std::size_t>(b)].name;
  }

  [[nodiscard]] std::string functionName(std::int64_t f) const {
    if (f < 0 || static_cast<std::size_t>(f) >= module_.functions.size()) return "<function " + std::to_string(f) + ">";
    return module_.functions[static_cast<std::size_t>(f)].name;
  }

  static std::string kernelName(std::int64_t k) {
    if (k < 0 || k >= kernelCount) return "<kernel " + std::to_string(k) + ">";
    return std::string(info(static_cast<KernelId>(k)).name);
  }

  const Module& module_;
  const Function* function_ = nullptr;
  std::string out_;
};

} // namespace

std::string print(const Module& module) {
  return Printer(module).run();
}

} // namespace lmc::tape
