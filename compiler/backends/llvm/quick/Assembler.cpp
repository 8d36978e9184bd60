#include "backends/llvm/quick/Assembler.h"

#include <cstring>
#include <limits>

namespace lmc::backends::quick {

namespace {
constexpr std::size_t line = 64;
constexpr int withIndex = 4; ///< says that a byte with base and index follows
} // namespace

void Assembler::word32(std::int32_t x) {
  for (int k = 0; k < 4; ++k) byte(static_cast<std::uint8_t>(static_cast<std::uint32_t>(x) >> 8 * k));
}

void Assembler::put32(std::size_t at, std::int32_t x) {
  std::memcpy(code.data() + at, &x, sizeof x);
}

void Assembler::rex(bool wide, int reg, int index, int base, bool always) {
  const int bits = (wide ? 8 : 0) | (reg > 7 ? 4 : 0) | (index > 7 ? 2 : 0) | (base > 7 ? 1 : 0);
  if (bits != 0 || always) byte(static_cast<std::uint8_t>(0x40 | bits));
}

/// ModR/M, SIB and distance.
void Assembler::operand(int reg, const Memory& m, int behind) {
  const int field = (reg & 7) << 3;
  if (m.kind != Memory::Kind::Based) { // relative to the next instruction
    byte(static_cast<std::uint8_t>(field | 5));
    const std::size_t at = place();
    if (m.kind == Memory::Kind::Constant)
      uses_.push_back({at, m.constant, behind});
    else
      relocations.push_back({at, m.symbol, m.offset - 4 - behind});
    return;
  }
  const bool isShort = m.offset >= -128 && m.offset <= 127;
  const bool none = m.offset == 0 && (m.base & 7) != rbp;
  const int mode = none ? 0 : isShort ? 0x40 : 0x80;
  if (m.index < 0 && (m.base & 7) != rsp) {
    byte(static_cast<std::uint8_t>(mode | field | (m.base & 7)));
  } else {
    byte(static_cast<std::uint8_t>(mode | field | withIndex));
    const int index = m.index < 0 ? rsp : m.index & 7; // the stack pointer is no index: none
    byte(static_cast<std::uint8_t>(m.scale << 6 | index << 3 | (m.base & 7)));
  }
  if (none) return;
  if (isShort)
    byte(static_cast<std::uint8_t>(m.offset));
  else
    word32(m.offset);
}

void Assembler::vex(std::uint8_t opcode, int map, int prefix, int wide, int reg, int second, const Source& s,
                    int behind) {
  const bool isMemory = s.number < 0;
  const bool based = isMemory && s.memory.kind == Memory::Kind::Based;
  const int base = isMemory ? (based ? s.memory.base : 0) : s.number;
  const int index = based && s.memory.index >= 0 ? s.memory.index : 0;
  const auto unless = [](bool high, int bit) { return high ? 0 : bit; };
  const int rest = (~second & 15) << 3 | prefix;
  if (map == map0F && wide == 0 && index < 8 && base < 8) { // the prefix of two bytes
    byte(0xC5);
    byte(static_cast<std::uint8_t>(unless(reg > 7, 0x80) | rest));
  } else {
    byte(0xC4);
    byte(static_cast<std::uint8_t>(unless(reg > 7, 0x80) | unless(index > 7, 0x40) | unless(base > 7, 0x20) | map));
    byte(static_cast<std::uint8_t>(wide << 7 | rest));
  }
  byte(opcode);
  if (isMemory)
    operand(reg, s.memory, behind);
  else
    byte(direct(reg, s.number));
}

void Assembler::plain(std::uint8_t opcode, int reg, Register r, bool wide) {
  rex(wide, reg, 0, r);
  byte(opcode);
  byte(direct(reg, r));
}

void Assembler::plain(std::uint8_t opcode, int reg, const Memory& m, bool wide) {
  const bool based = m.kind == Memory::Kind::Based;
  rex(wide, reg, based && m.index >= 0 ? m.index : 0, based ? m.base : 0);
  byte(opcode);
  operand(reg, m, 0);
}

void Assembler::twoByte(std::uint8_t opcode, int reg, Register r, bool wide) {
  rex(wide, reg, 0, r, true); // with the prefix all registers have their lowest byte
  byte(0x0F);
  byte(opcode);
  byte(direct(reg, r));
}

void Assembler::constant(Register to, std::int64_t value) {
  if (value >= 0 && value <= std::numeric_limits<std::uint32_t>::max()) { // the upper half becomes zero
    rex(false, 0, 0, to);
    byte(static_cast<std::uint8_t>(0xB8 | (to & 7)));
    word32(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
    return;
  }
  if (value >= std::numeric_limits<std::int32_t>::min() && value < 0) {
    plain(0xC7, 0, to, true);
    word32(static_cast<std::int32_t>(value));
    return;
  }
  rex(true, 0, 0, to);
  byte(static_cast<std::uint8_t>(0xB8 | (to & 7)));
  word32(static_cast<std::int32_t>(value));
  word32(static_cast<std::int32_t>(value >> 32));
}

void Assembler::begin() {
  align();
  byte(0x55); // push rbp
  move(rbp, rsp);
  bytes({0x48, 0x83, 0xE4, 0xC0}); // and rsp, -64
  bytes({0x48, 0x81, 0xEC});       // sub rsp, …
  frame_ = place();
}

void Assembler::end() {
  move(rsp, rbp);
  bytes({0x5D, 0xC3}); // pop rbp, ret
}

void Assembler::align() {
  while (code.size() % line != 0) byte(0x90);
}

Memory Assembler::pooled(std::uint64_t bits) {
  Memory m;
  m.kind = Memory::Kind::Constant;
  const auto found = known_.find(bits);
  if (found != known_.end()) {
    m.constant = found->second;
    return m;
  }
  m.constant = pool_.size() * sizeof(std::uint64_t);
  known_.emplace(bits, m.constant);
  pool_.push_back(bits);
  pool_.push_back(0); // masks are read as 16 bytes
  return m;
}

void Assembler::finish() {
  align();
  const std::size_t begin = code.size();
  for (const std::uint64_t word : pool_)
    for (int k = 0; k < 8; ++k) byte(static_cast<std::uint8_t>(word >> 8 * k));
  for (const PoolUse& u : uses_)
    put32(u.place, static_cast<std::int32_t>(static_cast<std::int64_t>(begin + u.constant) -
                                             static_cast<std::int64_t>(u.place + 4) - u.behind));
}

} // namespace lmc::backends::quick
