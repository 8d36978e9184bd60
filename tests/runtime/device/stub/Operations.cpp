// What each instruction of PTX does, one row each.
#include "Operations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace lmc::stub {

namespace {

double real(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}
std::uint64_t bits(double x) {
  // A device has one number that is none.
  return std::isnan(x) ? 0x7fffffffffffffffULL : std::bit_cast<std::uint64_t>(x);
}

std::uint64_t get(const Thread& t, const Operand& o) {
  return o.kind == Operand::Kind::Register ? t.registers[o.slot] : o.value;
}
void put(Thread& t, const Instruction& i, std::uint64_t value) {
  t.registers[i.operands[0].slot] = value;
}

/// An operation of numbers of type T in the low bits of registers.
template <typename T, typename F> std::uint64_t apply(std::uint64_t a, std::uint64_t b, F f) {
  if constexpr (std::is_same_v<T, double>)
    return bits(f(real(a), real(b)));
  else
    return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(f(static_cast<T>(a), static_cast<T>(b))));
}

struct Sum {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else
      return a + b;
  }
};
struct Difference {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) - static_cast<std::make_unsigned_t<T>>(b));
    else
      return a - b;
  }
};
struct Product {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(std::uint64_t{static_cast<std::make_unsigned_t<T>>(a)} *
                            static_cast<std::make_unsigned_t<T>>(b));
    else
      return a * b;
  }
};
struct Quotient {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) throw PtxError("a whole number is divided by 0");
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(Difference()(T{0}, a));
    }
    return a / b;
  }
};
struct Rest {
  template <typename T> T operator()(T a, T b) const {
    if (b == 0) throw PtxError("a whole number is divided by 0");
    return b == static_cast<T>(-1) && std::is_signed_v<T> ? T{0} : static_cast<T>(a % b);
  }
};
// Of reals: the other one, where one is no number; -0 is below 0.
struct Least {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, double>) {
      if (std::isnan(a)) return b;
      if (a == b) return std::signbit(a) ? a : b;
    }
    return b < a ? b : a;
  }
};
struct Most {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, double>) {
      if (std::isnan(a)) return b;
      if (a == b) return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
  }
};

template <typename T, typename F> void two(Thread& t, const Instruction& i) {
  put(t, i, apply<T>(get(t, i.operands[1]), get(t, i.operands[2]), F()));
}

enum class Logic : std::uint8_t { And, Or, Xor, Not, Left, Right, Arithmetic };
template <typename T, Logic L> void logic(Thread& t, const Instruction& i) {
  const T a = static_cast<T>(get(t, i.operands[1]));
  const std::uint64_t right = i.operands.size() > 2 ? get(t, i.operands[2]) : 0;
  const T b = static_cast<T>(right);
  constexpr unsigned width = 8 * sizeof(T);
  const auto by = static_cast<unsigned>(std::min<std::uint64_t>(static_cast<std::uint32_t>(right), width));
  T r = 0;
  if constexpr (L == Logic::And) r = a & b;
  if constexpr (L == Logic::Or) r = a | b;
  if constexpr (L == Logic::Xor) r = a ^ b;
  if constexpr (L == Logic::Not) r = static_cast<T>(~a);
  if constexpr (L == Logic::Left) r = by == width ? 0 : static_cast<T>(a << by);
  if constexpr (L == Logic::Right) r = by == width ? 0 : static_cast<T>(a >> by);
  if constexpr (L == Logic::Arithmetic) {
    const auto s = static_cast<std::make_signed_t<T>>(a);
    r = static_cast<T>(s >> std::min(by, width - 1));
  }
  put(t, i, r);
}
template <Logic L> void truth(Thread& t, const Instruction& i) {
  const bool a = get(t, i.operands[1]) != 0, b = i.operands.size() > 2 && get(t, i.operands[2]) != 0;
  put(t, i, L == Logic::And ? a && b : L == Logic::Or ? a || b : L == Logic::Xor ? a != b : !a);
}

enum class Compare : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };
template <typename T, Compare C> void compare(Thread& t, const Instruction& i) {
  const std::uint64_t x = get(t, i.operands[1]), y = get(t, i.operands[2]);
  if constexpr (std::is_same_v<T, double>) {
    const double a = real(x), b = real(y);
    const bool none = std::isnan(a) || std::isnan(b);
    bool r = C == Compare::Nan ? none : C == Compare::Num ? !none : C >= Compare::Equ && none;
    if (!none) {
      if constexpr (C == Compare::Eq || C == Compare::Equ) r = a == b;
      if constexpr (C == Compare::Ne || C == Compare::Neu) r = a != b;
      if constexpr (C == Compare::Lt || C == Compare::Ltu) r = a < b;
      if constexpr (C == Compare::Le || C == Compare::Leu) r = a <= b;
      if constexpr (C == Compare::Gt || C == Compare::Gtu) r = a > b;
      if constexpr (C == Compare::Ge || C == Compare::Geu) r = a >= b;
    }
    put(t, i, r);
  } else {
    const T a = static_cast<T>(x), b = static_cast<T>(y);
    put(t, i,
        C == Compare::Eq   ? a == b
        : C == Compare::Ne ? a != b
        : C == Compare::Lt ? a < b
        : C == Compare::Le ? a <= b
        : C == Compare::Gt ? a > b
                           : a >= b);
  }
}

void fused(Thread& t, const Instruction& i) {
  put(t, i, bits(std::fma(real(get(t, i.operands[1])), real(get(t, i.operands[2])), real(get(t, i.operands[3])))));
}
void reciprocal(Thread& t, const Instruction& i) {
  put(t, i, bits(1 / real(get(t, i.operands[1]))));
}
void root(Thread& t, const Instruction& i) {
  put(t, i, bits(std::sqrt(real(get(t, i.operands[1])))));
}
// Signs are bits, of what is no number, too.
void negativeReal(Thread& t, const Instruction& i) {
  put(t, i, get(t, i.operands[1]) ^ (std::uint64_t{1} << 63U));
}
void absoluteReal(Thread& t, const Instruction& i) {
  put(t, i, get(t, i.operands[1]) & ~(std::uint64_t{1} << 63U));
}
template <typename T> void negative(Thread& t, const Instruction& i) {
  put(t, i, apply<T>(0, get(t, i.operands[1]), Difference()));
}
template <typename T> void absolute(Thread& t, const Instruction& i) {
  const std::uint64_t a = get(t, i.operands[1]);
  put(t, i, static_cast<T>(a) < 0 ? apply<T>(0, a, Difference()) : a);
}
template <typename T> void productSum(Thread& t, const Instruction& i) {
  put(t, i, apply<T>(apply<T>(get(t, i.operands[1]), get(t, i.operands[2]), Product()), get(t, i.operands[3]), Sum()));
}
template <typename T> void wideProduct(Thread& t, const Instruction& i) {
  using W = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  put(t, i,
      static_cast<std::uint64_t>(W{static_cast<T>(get(t, i.operands[1]))} * W{static_cast<T>(get(t, i.operands[2]))}));
}
/// The upper half of a product.
template <typename T> void highProduct(Thread& t, const Instruction& i) {
  __extension__ using Signed = __int128;
  __extension__ using Unsigned = unsigned __int128;
  using Wide = std::conditional_t<std::is_signed_v<T>, Signed, Unsigned>;
  const Wide product = Wide{static_cast<T>(get(t, i.operands[1]))} * Wide{static_cast<T>(get(t, i.operands[2]))};
  put(t, i, static_cast<std::make_unsigned_t<T>>(product >> (8 * sizeof(T))));
}
template <typename T> void move(Thread& t, const Instruction& i) {
  const Operand& from = i.operands[1];
  put(t, i,
      from.kind == Operand::Kind::Local ? reinterpret_cast<std::uint64_t>(t.local) + from.value
                                        : static_cast<T>(get(t, from)));
}
void choose(Thread& t, const Instruction& i) {
  put(t, i, get(t, i.operands[get(t, i.operands[3]) != 0 ? 1 : 2]));
}
void jump(Thread& t, const Instruction& i) {
  t.next = static_cast<std::size_t>(i.operands[0].value);
}
void leave(Thread& t, const Instruction&) {
  t.ended = true;
}

// --- memory -------------------------------------------------------------------------------------------------------

std::uint64_t addressOf(const Thread& t, const Operand& o) {
  return (o.based ? t.registers[o.slot] : 0) + o.value;
}
void* placeOf(Thread& t, const Operand& o, std::size_t bytes) {
  if (o.kind == Operand::Kind::Local) return t.local + o.value;
  const std::uint64_t address = addressOf(t, o);
  bool inLocal = false;
  for (const Thread* f = &t; f != nullptr && !inLocal; f = f->caller) {
    const auto own = reinterpret_cast<std::uint64_t>(f->local);
    inLocal = address >= own && address + bytes <= own + f->kernel->localBytes;
  }
  if (!inLocal && !(*t.allowed)(address, bytes)) throw PtxError("an illegal address was used");
  if (address % bytes != 0) throw PtxError("a misaligned address was used");
  return reinterpret_cast<void*>(address);
}
void loadParameter(Thread& t, const Instruction& i) {
  std::uint64_t value = 0;
  std::memcpy(&value, t.parameters.data() + i.operands[1].value, i.bytes);
  put(t, i, value);
}
/// Into what the next function that is called gets.
void give(Thread& t, const Instruction& i) {
  const auto number = static_cast<std::size_t>(i.operands[0].value);
  t.given.resize(std::max(t.given.size(), number + 1));
  t.given[number] = get(t, i.operands[1]);
}
void callFunction(Thread& t, const Instruction& i) {
  Thread inner;
  inner.kernel = i.called;
  inner.allowed = t.allowed;
  inner.caller = &t;
  inner.parameters.resize(8 * t.given.size());
  std::memcpy(inner.parameters.data(), t.given.data(), inner.parameters.size());
  t.given.clear();
  carryOut(inner);
}
template <bool Signed> void load(Thread& t, const Instruction& i) {
  Operand place = i.operands.back();
  for (std::size_t k = 0; k + 1 < i.operands.size(); ++k, place.value += i.bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, placeOf(t, place, i.bytes), i.bytes);
    if (Signed && i.bytes < 8) {
      const unsigned shift = 64U - 8U * i.bytes;
      value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
    }
    t.registers[i.operands[k].slot] = value;
  }
}
void store(Thread& t, const Instruction& i) {
  Operand place = i.operands[0];
  for (std::size_t k = 1; k < i.operands.size(); ++k, place.value += i.bytes) {
    const std::uint64_t value = get(t, i.operands[k]);
    std::memcpy(placeOf(t, place, i.bytes), &value, i.bytes);
  }
}

// --- conversions --------------------------------------------------------------------------------------------------

double rounded(double x, char way) {
  return way == 'm' ? std::floor(x) : way == 'p' ? std::ceil(x) : way == 'z' ? std::trunc(x) : std::nearbyint(x);
}
template <char Way> void roundReal(Thread& t, const Instruction& i) {
  put(t, i, bits(rounded(real(get(t, i.operands[1])), Way)));
}
/// Saturates; what is no number becomes 0x8000….
template <typename T, char Way> void toInteger(Thread& t, const Instruction& i) {
  const double x = rounded(real(get(t, i.operands[1])), Way);
  T r{};
  if (std::isnan(x))
    r = static_cast<T>(std::make_unsigned_t<T>{1} << (8 * sizeof(T) - 1));
  else if (x <= static_cast<double>(std::numeric_limits<T>::min()))
    r = std::numeric_limits<T>::min();
  else if (x >= static_cast<double>(std::numeric_limits<T>::max()))
    r = std::numeric_limits<T>::max();
  else
    r = static_cast<T>(x);
  put(t, i, static_cast<std::make_unsigned_t<T>>(r));
}
template <typename T> void toReal(Thread& t, const Instruction& i) {
  put(t, i, bits(static_cast<double>(static_cast<T>(get(t, i.operands[1])))));
}
template <typename To, typename From> void resize(Thread& t, const Instruction& i) {
  const auto x = static_cast<From>(get(t, i.operands[1]));
  put(t, i, static_cast<std::make_unsigned_t<To>>(static_cast<To>(x)));
}

using Table = std::map<std::string, Row>;

template <typename T> void integers(Table& table, const std::string& type) {
  table["add." + type] = {&two<T, Sum>, 3};
  table["sub." + type] = {&two<T, Difference>, 3};
  table["mul.lo." + type] = {&two<T, Product>, 3};
  table["mad.lo." + type] = {&productSum<T>, 4};
  table["div." + type] = {&two<T, Quotient>, 3};
  table["rem." + type] = {&two<T, Rest>, 3};
  table["min." + type] = {&two<T, Least>, 3};
  table["max." + type] = {&two<T, Most>, 3};
  table["setp.lt." + type] = {&compare<T, Compare::Lt>, 3};
  table["setp.le." + type] = {&compare<T, Compare::Le>, 3};
  table["setp.gt." + type] = {&compare<T, Compare::Gt>, 3};
  table["setp.ge." + type] = {&compare<T, Compare::Ge>, 3};
  for (const std::string& t : {type, std::string("b") + type.substr(1)}) {
    table["setp.eq." + t] = {&compare<T, Compare::Eq>, 3};
    table["setp.ne." + t] = {&compare<T, Compare::Ne>, 3};
  }
  table["shr." + type] = {&logic < std::make_unsigned_t<T>, std::is_signed_v<T> ? Logic::Arithmetic : Logic::Right >,
                          3};
  table["cvt.rn.f64." + type] = {&toReal<T>, 2};
  for (const char* way : {"rzi", "rmi", "rpi", "rni"})
    table[std::string("cvt.") + way + "." + type + ".f64"] = {way[1] == 'z'   ? &toInteger<T, 'z'>
                                                              : way[1] == 'm' ? &toInteger<T, 'm'>
                                                              : way[1] == 'p' ? &toInteger<T, 'p'>
                                                                              : &toInteger<T, 'n'>,
                                                              2};
  if constexpr (std::is_signed_v<T>) {
    table["neg." + type] = {&negative<T>, 2};
    table["abs." + type] = {&absolute<T>, 2};
  }
  if constexpr (sizeof(T) >= 4) table["mul.hi." + type] = {&highProduct<T>, 3};
  if constexpr (sizeof(T) <= 4) table["mul.wide." + type] = {&wideProduct<T>, 3};
}

template <typename T> void bitPatterns(Table& table, const std::string& width) {
  table["and.b" + width] = {&logic<T, Logic::And>, 3};
  table["or.b" + width] = {&logic<T, Logic::Or>, 3};
  table["xor.b" + width] = {&logic<T, Logic::Xor>, 3};
  table["not.b" + width] = {&logic<T, Logic::Not>, 2};
  table["shl.b" + width] = {&logic<T, Logic::Left>, 3};
  for (const char* letter : {"b", "u", "s"}) {
    table["mov." + (letter + width)] = {&move<T>, 2};
    table["selp." + (letter + width)] = {&choose, 4};
  }
}

template <typename To, typename From> void conversion(Table& table, const std::string& to, const std::string& from) {
  table["cvt." + to + "." + from] = {&resize<To, From>, 2};
}

template <typename From> void conversions(Table& table, const std::string& from) {
  conversion<std::int16_t, From>(table, "s16", from);
  conversion<std::uint16_t, From>(table, "u16", from);
  conversion<std::int32_t, From>(table, "s32", from);
  conversion<std::uint32_t, From>(table, "u32", from);
  conversion<std::int64_t, From>(table, "s64", from);
  conversion<std::uint64_t, From>(table, "u64", from);
}

void memory(Table& table) {
  const std::pair<const char*, std::uint8_t> types[] = {{"b8", 1},  {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2},
                                                        {"s16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"b64", 8},
                                                        {"u64", 8}, {"s64", 8}, {"f64", 8}};
  for (const auto& [type, bytes] : types) {
    const Action get = type[0] == 's' ? &load<true> : &load<false>;
    table[std::string("ld.param.") + type] = {&loadParameter, 2, bytes};
    for (const std::string space : {"", ".global", ".global.nc", ".local"})
      for (const auto& [many, count] : {std::pair{"", 1}, {".v2", 2}, {".v4", 4}}) {
        table["ld" + space + many + "." + type] = {get, static_cast<std::uint8_t>(count + 1), bytes};
        table["st" + space + many + "." + type] = {&store, static_cast<std::uint8_t>(count + 1), bytes};
      }
  }
  for (const char* address : {"cvta.to.global.u64", "cvta.global.u64", "cvta.to.local.u64", "cvta.local.u64"})
    table[address] = {&move<std::uint64_t>, 2};
}

void reals(Table& table) {
  table["add.rn.f64"] = {&two<double, Sum>, 3};
  table["sub.rn.f64"] = {&two<double, Difference>, 3};
  table["mul.rn.f64"] = {&two<double, Product>, 3};
  table["div.rn.f64"] = {&two<double, Quotient>, 3};
  table["fma.rn.f64"] = {&fused, 4};
  table["min.f64"] = {&two<double, Least>, 3};
  table["max.f64"] = {&two<double, Most>, 3};
  table["rcp.rn.f64"] = {&reciprocal, 2};
  table["sqrt.rn.f64"] = {&root, 2};
  table["neg.f64"] = {&negativeReal, 2};
  table["abs.f64"] = {&absoluteReal, 2};
  table["mov.f64"] = {&move<std::uint64_t>, 2};
  table["selp.f64"] = {&choose, 4};
  table["cvt.rmi.f64.f64"] = {&roundReal<'m'>, 2};
  table["cvt.rpi.f64.f64"] = {&roundReal<'p'>, 2};
  table["cvt.rzi.f64.f64"] = {&roundReal<'z'>, 2};
  table["cvt.rni.f64.f64"] = {&roundReal<'n'>, 2};
#define LMC_COMPARE(name, way) table["setp." name ".f64"] = {&compare<double, Compare::way>, 3};
  LMC_COMPARE("eq", Eq)
  LMC_COMPARE("ne", Ne)
  LMC_COMPARE("lt", Lt)
  LMC_COMPARE("le", Le)
  LMC_COMPARE("gt", Gt)
  LMC_COMPARE("ge", Ge)
  LMC_COMPARE("equ", Equ)
  LMC_COMPARE("neu", Neu)
  LMC_COMPARE("ltu", Ltu)
  LMC_COMPARE("leu", Leu)
  LMC_COMPARE("gtu", Gtu)
  LMC_COMPARE("geu", Geu)
  LMC_COMPARE("num", Num)
  LMC_COMPARE("nan", Nan)
#undef LMC_COMPARE
}

Table makeTable() {
  Table table;
  integers<std::int16_t>(table, "s16");
  integers<std::uint16_t>(table, "u16");
  integers<std::int32_t>(table, "s32");
  integers<std::uint32_t>(table, "u32");
  integers<std::int64_t>(table, "s64");
  integers<std::uint64_t>(table, "u64");
  bitPatterns<std::uint16_t>(table, "16");
  bitPatterns<std::uint32_t>(table, "32");
  bitPatterns<std::uint64_t>(table, "64");
  conversions<std::int8_t>(table, "s8");
  conversions<std::uint8_t>(table, "u8");
  conversions<std::int16_t>(table, "s16");
  conversions<std::uint16_t>(table, "u16");
  conversions<std::int32_t>(table, "s32");
  conversions<std::uint32_t>(table, "u32");
  conversions<std::int64_t>(table, "s64");
  conversions<std::uint64_t>(table, "u64");
  memory(table);
  reals(table);
  table["and.pred"] = {&truth<Logic::And>, 3};
  table["or.pred"] = {&truth<Logic::Or>, 3};
  table["xor.pred"] = {&truth<Logic::Xor>, 3};
  table["not.pred"] = {&truth<Logic::Not>, 2};
  table["mov.pred"] = {&move<std::uint64_t>, 2};
  table["st.param.b64"] = {&give, 2};
  table["call.uni"] = {&callFunction, 0};
  table["bra"] = {&jump, 1};
  table["bra.uni"] = {&jump, 1};
  table["ret"] = {&leave, 0};
  return table;
}

} // namespace

const Row* rowOf(const std::string& operation) {
  static const Table table = makeTable();
  const auto found = table.find(operation);
  return found == table.end() ? nullptr : &found->second;
}

} // namespace lmc::stub
