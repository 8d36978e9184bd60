#include "tape/TapeOps.h"

#include <array>
#include <cmath>
#include <limits>

namespace lmc::tape {

namespace {

constexpr Type V = Type::Void;
constexpr Type R = Type::Real;
constexpr Type I = Type::Int;
constexpr Type B = Type::Bool;

// In the order of enum Op.
constexpr std::array<OpInfo, opCount> table = {{
    {"real", R, ""},    {"int", I, ""},       {"bool", B, ""},    {"argument", R, ""},   {"add", R, "rr"},
    {"sub", R, "rr"},   {"mul", R, "rr"},     {"div", R, "rr"},   {"neg", R, "r"},       {"sqrt", R, "r"},
    {"abs", R, "r"},    {"floor", R, "r"},    {"min", R, "rr"},   {"max", R, "rr"},      {"exp", R, "r"},
    {"log", R, "r"},    {"sin", R, "r"},      {"cos", R, "r"},    {"tan", R, "r"},       {"asin", R, "r"},
    {"acos", R, "r"},   {"atan", R, "r"},     {"atan2", R, "rr"}, {"sinh", R, "r"},      {"cosh", R, "r"},
    {"tanh", R, "r"},   {"pow", R, "rr"},     {"powint", R, "r"}, {"stumpff", R, "r"},   {"iadd", I, "ii"},
    {"isub", I, "ii"},  {"imul", I, "ii"},    {"idiv", I, "ii"},  {"imod", I, "ii"},     {"ineg", I, "i"},
    {"imin", I, "ii"},  {"imax", I, "ii"},    {"iabs", I, "i"},   {"inttoreal", R, "i"}, {"floortoint", I, "r"},
    {"lt", B, "rr"},    {"le", B, "rr"},      {"eq", B, "rr"},    {"ne", B, "rr"},       {"ilt", B, "ii"},
    {"ile", B, "ii"},   {"ieq", B, "ii"},     {"ine", B, "ii"},   {"and", B, "bb"},      {"or", B, "bb"},
    {"not", B, "b"},    {"select", V, "btt"}, {"load", R, "i"},   {"store", V, "ir"},    {"accum", V, "ir"},
    {"fill", V, ""},    {"loop", I, "ii"},    {"if", V, "b"},     {"call", V, "*"},      {"kernel", V, ""},
    {"failif", V, "b"}, {"breakif", V, "b"},
}};

constexpr std::array<KernelInfo, kernelCount> kernels = {{
    {"cholesky_factor", 2, 2, "md", "ww", "lmc_cholesky_factor"},
    {"cholesky_solve", 3, 2, "mds", "rrw", "lmc_cholesky_solve"},
    {"lu_factor", 2, 1, "mv", "ww", "lmc_lu_factor"},
    {"lu_solve", 3, 2, "mvs", "rrw", "lmc_lu_solve"},
    {"lu_determinant", 3, 1, "mv1", "www", "lmc_lu_determinant"},
    {"matrix_exponential", 3, 1, "mwv", "www", "lmc_matrix_exponential"},
    {"newton_change", 3, 1, "mvv", "www", "lmc_newton_change"},
    {"gmres_begin", 3, 2, "vs1", "rww", "lmc_gmres_begin"},
    {"gmres_step", 3, 2, "vs1", "rww", "lmc_gmres_step"},
    {"gmres_end", 3, 2, "vs1", "wrw", "lmc_gmres_end"},
}};

static_assert(table[static_cast<int>(Op::Stumpff)].name == "stumpff");
static_assert(table[static_cast<int>(Op::BreakIf)].name == "breakif");

} // namespace

const OpInfo& info(Op op) {
  return table[static_cast<std::size_t>(op)];
}

const KernelInfo& info(KernelId kernel) {
  return kernels[static_cast<std::size_t>(kernel)];
}

std::string_view name(Role role) {
  constexpr std::array<std::string_view, roleCount> names = {"params", "constants", "state", "work", "output"};
  return names[static_cast<std::size_t>(role)];
}

std::string_view name(Type type) {
  constexpr std::array<std::string_view, 4> names = {"void", "real", "int", "bool"};
  return names[static_cast<std::size_t>(type)];
}

std::int64_t floorToInt(double x) {
  constexpr double limit = 9223372036854775808.0; // 2^63
  const double f = std::floor(x);
  if (f >= limit) return std::numeric_limits<std::int64_t>::max();
  if (f < -limit) return std::numeric_limits<std::int64_t>::min();
  return std::isnan(f) ? 0 : static_cast<std::int64_t>(f);
}

} // namespace lmc::tape
