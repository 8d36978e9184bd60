#include "present/writers/Symbols.h"

#include <algorithm>
#include <array>
#include <map>

namespace lmc::present {

namespace {

/// A word without primes, digits and subscripts.
std::string letter(const std::string& base) {
  static const std::map<std::string, std::string> unicode = {
      {"α", "\\alpha"}, {"β", "\\beta"},  {"γ", "\\gamma"}, {"δ", "\\delta"}, {"θ", "\\theta"},  {"λ", "\\lambda"},
      {"μ", "\\mu"},    {"ξ", "\\xi"},    {"π", "\\pi"},    {"ρ", "\\rho"},   {"φ", "\\varphi"}, {"ψ", "\\psi"},
      {"ω", "\\omega"}, {"Ω", "\\Omega"}, {"Σ", "\\Sigma"}, {"Γ", "\\Gamma"}, {"Π", "\\Pi"}};
  static const std::array<const char*, 33> greek = {
      "alpha", "beta",  "gamma",  "delta", "epsilon", "zeta",  "eta", "theta", "iota",  "kappa", "lambda",
      "mu",    "nu",    "xi",     "rho",   "sigma",   "tau",   "phi", "chi",   "psi",   "omega", "Gamma",
      "Delta", "Theta", "Lambda", "Xi",    "Pi",      "Sigma", "Phi", "Psi",   "Omega", "pi",    "Upsilon"};
  if (std::any_of(greek.begin(), greek.end(), [&](const char* g) { return base == g; }))
    return base == "phi" ? "\\varphi" : base == "epsilon" ? "\\varepsilon" : "\\" + base;
  if (const auto it = unicode.find(base); it != unicode.end()) return it->second;
  if (base.size() == 1) return base;
  std::string escaped;
  for (const char c : base)
    escaped += c == '_' ? std::string("\\_") : c == ' ' ? std::string("\\ ") : std::string(1, c);
  return "\\mathrm{" + escaped + "}";
}

bool isNumber(const std::string& s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string subscript(const std::string& s) {
  return isNumber(s) ? s : letter(s);
}

struct Parts {
  std::string base;
  std::string sub; ///< as it is set
};

Parts partsOf(const std::string& name) {
  constexpr std::string_view slope = "dH/d";
  if (name.starts_with(slope) || name.starts_with("dL/d")) {
    const Parts of = partsOf(name.substr(slope.size()));
    const std::string low = of.base + (of.sub.empty() ? "" : "_{" + of.sub + "}");
    return {"\\tfrac{\\partial " + name.substr(1, 1) + "}{\\partial " + low + "}", ""};
  }
  if (const std::size_t dot = name.find('.'); dot != std::string::npos && dot > 0) { // a part: q.R' is dot(q)_R
    const std::size_t end = name.find_last_not_of('\'') + 1;
    Parts p = partsOf(name.substr(0, dot) + name.substr(end));
    p.sub += (p.sub.empty() ? "" : ", ") + subscript(name.substr(dot + 1, end - dot - 1));
    return p;
  }
  std::string base = name;
  std::size_t primes = 0;
  while (!base.empty() && base.back() == '\'') {
    base.pop_back();
    ++primes;
  }
  std::size_t digits = base.size();
  while (digits > 1 && base[digits - 1] >= '0' && base[digits - 1] <= '9') --digits;
  std::string digit = base.substr(digits);
  base.resize(digits);
  Parts p;
  if (const std::size_t cut = base.find('_'); cut != std::string::npos && cut > 0 && cut + 1 <= base.size()) {
    const std::string word = base.substr(cut + 1) + digit;
    if (!word.empty()) p.sub = subscript(word);
    base.resize(cut);
  } else if (!digit.empty()) {
    p.sub = digit;
  }
  p.base = letter(base);
  if (primes == 1) p.base = "\\dot{" + p.base + "}";
  if (primes == 2) p.base = "\\ddot{" + p.base + "}";
  for (std::size_t k = 3; k <= primes; ++k) p.base += k == 3 ? "'''" : "'";
  return p;
}

} // namespace

std::string symbol(const std::string& name) {
  const Parts p = partsOf(name);
  return p.sub.empty() ? p.base : p.base + "_{" + p.sub + "}";
}

std::string symbol(const std::string& name, const std::string& index) {
  constexpr std::string_view slope = "dH/d";
  if (name.starts_with(slope) || name.starts_with("dL/d"))
    return "\\tfrac{\\partial " + name.substr(1, 1) + "}{\\partial " + symbol(name.substr(slope.size()), index) + "}";
  const Parts p = partsOf(name);
  return p.base + "_{" + (p.sub.empty() ? "" : p.sub + ", ") + index + "}";
}

} // namespace lmc::present
