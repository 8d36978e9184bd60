// Machine code of x86-64 with AVX and FMA: the few instructions that straight code on numbers needs.
//
// Operands are in the order of Intel's manual (Software Developer's Manual, volume 2), destination first. Scalars on
// vector registers are doubles; instructions on general registers have 64 bits unless their name says otherwise.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <unordered_map>
#include <vector>

namespace lmc::backends::quick {

/// Number of a general register, as the processor counts them.
enum Register : std::uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };
inline constexpr int registers = 16;

/// An operand in memory: base + index·2^scale + offset, or a constant of the pool, or a symbol.
struct Memory {
  enum class Kind : std::uint8_t { Based, Constant, Symbol } kind = Kind::Based;
  Register base = rsp;
  int index = -1; ///< register; -1: none
  int scale = 0;
  std::int32_t offset = 0;  ///< of a symbol: behind it
  std::size_t constant = 0; ///< position in the pool, in bytes
  std::size_t symbol = 0;   ///< number
};

/// A vector register, or memory.
struct Source {
  int number = -1; ///< register; -1: memory
  Memory memory;
};

/// Conditions as the processor numbers them.
enum Condition : std::uint8_t {
  below = 2,
  aboveEqual,
  equal,
  notEqual,
  belowEqual,
  above,
  negative,
  notNegative,
  parity,
  noParity,
  less,
  greaterEqual,
  lessEqual,
  greater
};

/// Operations by their codes: of two doubles (the root has one),
enum class Scalar : std::uint8_t { Root = 0x51, Add = 0x58, Multiply = 0x59, Subtract = 0x5C, Divide = 0x5E };
/// of two integers,
enum class Arithmetic : std::uint8_t { Add = 0x03, Or = 0x0B, And = 0x23, Subtract = 0x2B, Xor = 0x33, Compare = 0x3B };
/// and by which an integer is shifted.
enum class Shift : std::uint8_t { Left = 4, Right = 5, RightWithSign = 7 };

/// What refers to a symbol: the 32 bits at `place` are its distance, with something added, from there.
struct Relocation {
  std::size_t place;
  std::size_t symbol;
  std::int64_t addend;
};

class Assembler {
public:
  // Doubles.
  void scalar(Scalar what, int to, int a, const Source& b) {
    vex(static_cast<std::uint8_t>(what), map0F, double_, 0, to, a, b);
  }
  void move(int to, const Source& from) {
    if (from.number >= 0)
      vex(0x28, map0F, packed, 0, to, 0, from);
    else
      vex(0x10, map0F, double_, 0, to, 0, from);
  }
  void store(const Memory& to, int from) { vex(0x11, map0F, double_, 0, from, 0, {-1, to}); }
  void xorBits(int to, int a, const Source& b) { vex(0x57, map0F, packed, 0, to, a, b); }
  void andBits(int to, int a, const Source& b) { vex(0x54, map0F, packed, 0, to, a, b); }
  void compare(int a, const Source& b) { vex(0x2E, map0F, packed, 0, a, 0, b); }
  void floor(int to, const Source& from) {
    constexpr std::uint8_t downwards = 9; // without a note of lost digits
    vex(0x0B, map0F3A, packed, 0, to, from.number >= 0 ? from.number : to, from, 1);
    byte(downwards);
  }
  /// Opcodes 0xA9, 0xAB, 0xAD, 0xAF: to = ±(to·a) ± b; 0xB9 … 0xBF: to = ±(a·b) ± to.
  void fused(std::uint8_t opcode, int to, int a, const Source& b) { vex(opcode, map0F38, packed, 1, to, a, b); }
  void fromInteger(int to, Register from) { vex(0x2A, map0F, double_, 1, to, to, {from, {}}); }
  void truncated(Register to, int from) { vex(0x2C, map0F, double_, 1, to, 0, {from, {}}); }
  void bitsToVector(int to, Register from) { vex(0x6E, map0F, packed, 1, to, 0, {from, {}}); }
  void bitsOfVector(Register to, int from) { vex(0x7E, map0F, packed, 1, from, 0, {to, {}}); }

  // Integers and addresses.
  void move(Register to, Register from) { plain(0x89, from, to, true); }
  void load(Register to, const Memory& m) { plain(0x8B, to, m, true); }
  void load32(Register to, const Memory& m) { plain(0x8B, to, m, false); }
  void store(const Memory& m, Register from) { plain(0x89, from, m, true); }
  void store32(const Memory& m, Register from) { plain(0x89, from, m, false); }
  void address(Register to, const Memory& m) { plain(0x8D, to, m, true); }
  void constant(Register to, std::int64_t value);
  void arithmetic(Arithmetic what, Register to, Register from, bool wide = true) {
    plain(static_cast<std::uint8_t>(what), to, from, wide);
  }
  void multiply(Register to, Register from) { twoByte(0xAF, to, from, true); }
  void shift(Register to, Shift how, std::uint8_t by) {
    plain(0xC1, static_cast<int>(how), to, true);
    byte(by);
  }
  void negate(Register r) { plain(0xF7, 3, r, true); }
  void test(Register r) { plain(0x85, r, r, true); }
  /// rdx:rax over r, with the sign or without; quotient in rax, remainder in rdx.
  void divide(Register r, bool sign) {
    if (sign)
      bytes({0x48, 0x99});
    else
      arithmetic(Arithmetic::Xor, rdx, rdx, false);
    plain(0xF7, sign ? 7 : 6, r, true);
  }
  void extend32(Register to, Register from) { plain(0x63, to, from, true); }
  void cut32(Register to, Register from) { plain(0x8B, to, from, false); }
  void set(Condition c, Register to) { // 0 or 1, of all bits
    rex(false, 0, 0, to, true);
    bytes({0x0F, static_cast<std::uint8_t>(0x90 + c), direct(0, to)});
    twoByte(0xB6, to, to, false);
  }
  void moveIf(Condition c, Register to, Register from) { twoByte(static_cast<std::uint8_t>(0x40 + c), to, from, true); }

  // Control. Places of jumps are filled in by `jumpTo`.
  [[nodiscard]] std::size_t jump() {
    byte(0xE9);
    return place();
  }
  [[nodiscard]] std::size_t jumpIf(Condition c) {
    bytes({0x0F, static_cast<std::uint8_t>(0x80 + c)});
    return place();
  }
  void jumpTo(std::size_t jump, std::size_t target) {
    put32(jump, static_cast<std::int32_t>(static_cast<std::int64_t>(target) - static_cast<std::int64_t>(jump + 4)));
  }
  void call(std::size_t symbol) {
    byte(0xE8);
    relocations.push_back({place(), symbol, -4});
  }
  void call(Register target) { plain(0xFF, 2, target, false); }
  void begin(); ///< of a function: rbp is the frame of the caller, rsp begins with a line of memory
  void end();
  void setFrame(std::int32_t size) { put32(frame_, size); } ///< of the function that was begun last
  void trap() { bytes({0x0F, 0x0B}); }

  /// Where a double, or 16 bytes of one and zeros, stands in the pool of constants.
  [[nodiscard]] Memory pooled(std::uint64_t bits);
  /// Puts the pool behind the code and lets instructions refer to it.
  void finish();

  [[nodiscard]] std::size_t size() const { return code.size(); }
  void align();

  std::vector<std::uint8_t> code;
  std::vector<Relocation> relocations;

private:
  static constexpr int map0F = 1, map0F38 = 2, map0F3A = 3;
  static constexpr int packed = 1, double_ = 3; ///< prefixes 66 and F2

  void byte(std::uint8_t b) { code.push_back(b); }
  void bytes(std::initializer_list<std::uint8_t> list) { code.insert(code.end(), list); }
  void word32(std::int32_t x);
  void put32(std::size_t at, std::int32_t x);
  std::size_t place() {
    word32(0);
    return code.size() - 4;
  }
  static std::uint8_t direct(int reg, int number) {
    return static_cast<std::uint8_t>(0xC0 | (reg & 7) << 3 | (number & 7));
  }
  void rex(bool wide, int reg, int index, int base, bool always = false);
  void operand(int reg, const Memory& m, int behind);
  void vex(std::uint8_t opcode, int map, int prefix, int wide, int reg, int second, const Source& s, int behind = 0);
  void plain(std::uint8_t opcode, int reg, Register r, bool wide);
  void plain(std::uint8_t opcode, int reg, const Memory& m, bool wide);
  void twoByte(std::uint8_t opcode, int reg, Register r, bool wide);

  std::vector<std::uint64_t> pool_;
  std::unordered_map<std::uint64_t, std::size_t> known_; ///< places in the pool, in bytes
  struct PoolUse {
    std::size_t place;    ///< of the distance
    std::size_t constant; ///< in bytes
    int behind;           ///< bytes of the instruction that follow the distance
  };
  std::vector<PoolUse> uses_;
  std::size_t frame_ = 0;
};

} // namespace lmc::backends::quick
