// C identifiers for the names of a model, and the layout of the structure.
#include "unit/Unit.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>

namespace lmc::unit {

namespace {

const std::set<std::string>& reserved() {
  static const std::set<std::string> words = {"auto",       "break",     "case",      "char",          "const",
                                              "continue",   "default",   "do",        "double",        "else",
                                              "enum",       "extern",    "float",     "for",           "goto",
                                              "if",         "inline",    "int",       "long",          "register",
                                              "restrict",   "return",    "short",     "signed",        "sizeof",
                                              "static",     "struct",    "switch",    "typedef",       "union",
                                              "unsigned",   "void",      "volatile",  "while",         "alignas",
                                              "alignof",    "and",       "and_eq",    "asm",           "bitand",
                                              "bitor",      "bool",      "catch",     "class",         "compl",
                                              "concept",    "consteval", "constexpr", "constinit",     "co_await",
                                              "co_return",  "co_yield",  "decltype",  "delete",        "explicit",
                                              "export",     "false",     "friend",    "mutable",       "namespace",
                                              "new",        "noexcept",  "not",       "not_eq",        "nullptr",
                                              "operator",   "or",        "or_eq",     "private",       "protected",
                                              "public",     "requires",  "template",  "this",          "thread_local",
                                              "throw",      "true",      "try",       "typeid",        "typename",
                                              "using",      "virtual",   "wchar_t",   "xor",           "xor_eq",
                                              "signbit",    "isnan",     "isinf",     "isfinite",      "NAN",
                                              "INFINITY",   "HUGE_VAL",  "NULL",      "EOF",           "errno",
                                              "main",       "linux",     "unix",      "static_assert", "char8_t",
                                              "char16_t",   "char32_t",  "stdin",     "stdout",        "stderr",
                                              "fpclassify", "isnormal",  "isless",    "isgreater",     "M_PI",
                                              "M_E"};
  return words;
}

/// Functions and types of the C library, and names of the written code, that a type cannot be named after.
const std::set<std::string>& libraryFunctions() {
  static const std::set<std::string> words = {
      "acos",    "asin",         "atan",    "atan2",   "cbrt",    "ceil",    "copysign",  "cos",      "cosh",
      "erf",     "exp",          "exp2",    "fabs",    "fdim",    "floor",   "fma",       "fmax",     "fmin",
      "fmod",    "frexp",        "gamma",   "hypot",   "j0",      "j1",      "jn",        "ldexp",    "lgamma",
      "log",     "log2",         "logb",    "modf",    "pow",     "rint",    "round",     "scalb",    "sin",
      "sinh",    "sqrt",         "tan",     "tanh",    "tgamma",  "trunc",   "y0",        "y1",       "yn",
      "abs",     "atof",         "atol",    "exit",    "printf",  "fprintf", "remainder", "free",     "rand",
      "time",    "clock",        "index",   "drem",    "finite",  "isnan",   "isinf",     "div",      "abort",
      "malloc",  "self",         "remove",  "labs",    "system",  "random",  "select",    "rename",   "calloc",
      "realloc", "atoi",         "strtod",  "qsort",   "bsearch", "getenv",  "raise",     "signal",   "puts",
      "putc",    "getc",         "scanf",   "memcpy",  "memset",  "size_t",  "ptrdiff_t", "double_t", "float_t",
      "time_t",  "int8_t",       "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",  "uint32_t", "uint64_t",
      "number",  "print_sample", "argv",    "lmc"};
  return words;
}

/// The letters from U+0391 on; U+03B1 and on have the same names.
std::string greek(unsigned code) {
  static const std::vector<std::string> names = {"alpha",   "beta", "gamma", "delta",  "epsilon", "zeta", "eta",
                                                 "theta",   "iota", "kappa", "lambda", "mu",      "nu",   "xi",
                                                 "omicron", "pi",   "rho",   "sigma",  "sigma",   "tau",  "upsilon",
                                                 "phi",     "chi",  "psi",   "omega"};
  const bool capital = code < 0x03B1;
  std::string name = names.at(code - (capital ? 0x0391U : 0x03B1U));
  if (capital) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

} // namespace

bool isIdentifier(const std::string& text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (text.empty() || !letter(text[0]) || text[0] == '_') return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); }) &&
         !reserved().contains(text) && !libraryFunctions().contains(text) && !text.starts_with("lmc_");
}

std::string identifier(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    if (std::isalnum(c) != 0 && c < 0x80) {
      out += text[k];
    } else if (c == '\'') {
      out += out.ends_with("_dot") || out.ends_with("_ddot") ? "dot" : "_dot";
    } else if ((c == 0xCE || c == 0xCF) && k + 1 < text.size()) {
      const unsigned code = (c & 0x1FU) << 6U | (static_cast<unsigned char>(text[++k]) & 0x3FU);
      if (!out.empty() && out.back() != '_') out += '_';
      out += greek(code);
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  while (out.ends_with('_')) out.pop_back();
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out = "x" + out;
  if (reserved().contains(out)) out += '_';
  return out;
}

std::string upper(const std::string& text) {
  std::string out = text;
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

void arrange(Exported& unit) {
  std::map<runtime::Role, std::set<std::string>> taken;
  std::map<runtime::Role, std::int64_t> covered;
  unit.members.clear();
  for (const runtime::Field& f : unit.fields()) {
    const std::string plain = identifier(f.kind == runtime::FieldKind::Rate ? f.of + "'" : f.name);
    std::string member = plain;
    for (int k = 2; !taken[f.role].insert(member).second; ++k) member = plain + "_" + std::to_string(k);
    unit.members.push_back(member);
    if (f.offset != covered[f.role]) throw std::logic_error("the field `" + f.name + "` leaves a gap");
    covered[f.role] += f.count();
  }
  const auto& sizes = unit.unit.module.roleSize;
  std::int64_t next = 0;
  for (const runtime::Role role : {runtime::Role::Params, runtime::Role::State, runtime::Role::Output,
                                   runtime::Role::Constants, runtime::Role::Work}) {
    const auto r = static_cast<std::size_t>(role);
    const bool named = role != runtime::Role::Constants && role != runtime::Role::Work;
    if (named && covered[role] < sizes[r]) throw std::logic_error("memory without a field");
    unit.base[r] = next;
    next += named ? covered[role] : sizes[r];
  }
  unit.before = next;
  unit.size = next + covered[runtime::Role::State];
}

} // namespace lmc::unit
