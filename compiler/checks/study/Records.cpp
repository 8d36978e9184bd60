#include "checks/study/Records.h"

#include "base/Files.h"
#include "methods/checked/CheckMethod.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::study {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

/// FNV-1a, 64 bits.
void mix(std::uint64_t& hash, std::string_view text) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
}

double rounded(double order) {
  return std::round(order * 1000) / 1000; // as far as a measured order means something
}

ordered_json toObject(const MethodRecord& r) {
  ordered_json o = {{"name", r.name},
                    {"fingerprint", r.fingerprint},
                    {"declared", r.declared},
                    {"evaluations", r.evaluations},
                    {"exponentials", r.exponentials}};
  if (r.proved > 0)
    o["proved"] = r.proved;
  else
    o["reason"] = r.reason;
  if (r.numerical) o["numerical"] = true;
  if (r.embedded > 0) o["embedded"] = r.embedded;
  o["measured"] = ordered_json::object();
  for (const auto& [problem, order] : r.measured) o["measured"][problem] = order;
  if (r.propertyFingerprint.empty()) return o;
  const auto known = [](const std::optional<bool>& x) { return x ? ordered_json(*x) : ordered_json(nullptr); };
  o["properties"] = {{"fingerprint", r.propertyFingerprint},
                     {"symplectic", known(r.properties.symplectic)},
                     {"momentum", known(r.properties.momentum)},
                     {"time_symmetric", known(r.properties.timeSymmetric)},
                     {"energy", nullptr}};
  if (r.properties.energy) o["properties"]["energy"] = name(*r.properties.energy);
  return o;
}

/// A record that lacks one of the properties is as good as none: it is to be measured again.
void readProperties(const ordered_json& o, MethodRecord& r) {
  for (const char* key : {"symplectic", "momentum", "time_symmetric", "energy"})
    if (!o.contains(key)) return;
  const auto known = [&o](const char* key) {
    const ordered_json& x = o.at(key);
    return x.is_null() ? std::optional<bool>() : std::optional<bool>(x.get<bool>());
  };
  r.propertyFingerprint = o.at("fingerprint");
  r.properties = {known("symplectic"), known("momentum"), known("time_symmetric"), std::nullopt};
  if (!o.at("energy").is_null()) r.properties.energy = outcomeOf(o.at("energy"));
}

} // namespace

std::optional<double> MethodRecord::worst() const {
  std::optional<double> worst;
  for (const auto& [problem, order] : measured) {
    if (!worst || std::abs(order - declared) > std::abs(*worst - declared)) worst = order;
  }
  return worst;
}

fs::path recordFile(const fs::path& libraryRoot) {
  return libraryRoot / "runtime" / "steppers" / "orders.json";
}

Records readRecords(const fs::path& file) {
  Records records;
  if (!fs::exists(file)) return records;
  try {
    const ordered_json document = ordered_json::parse(readFile(file).value_or(""));
    for (const ordered_json& o : document.at("methods")) {
      MethodRecord r;
      r.name = o.at("name");
      r.fingerprint = o.at("fingerprint");
      r.declared = o.at("declared");
      r.evaluations = o.at("evaluations");
      r.exponentials = o.at("exponentials");
      r.proved = o.value("proved", 0);
      r.numerical = o.value("numerical", false);
      r.reason = o.value("reason", std::string());
      r.embedded = o.value("embedded", 0);
      for (const auto& [problem, order] : o.at("measured").items()) r.measured[problem] = order;
      if (o.contains("properties")) readProperties(o.at("properties"), r);
      records[r.name] = std::move(r);
    }
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error("`" + file.string() + "` is not as it was written: " + error.what());
  }
  return records;
}

std::string toText(const Records& records) {
  std::string text = "{\n  \"methods\": [";
  for (const auto& [name, r] : records)
    text += (r.name == records.begin()->first ? "\n    " : ",\n    ") + toObject(r).dump();
  return text + "\n  ]\n}\n";
}

std::string problemTexts(const fs::path& libraryRoot) {
  return textsOf(problemFiles(libraryRoot));
}

std::string fingerprint(sema::Compilation& compilation, const sema::Found& method, const std::string& problems) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  mix(hash, compilation.sources().text(method.declaration->range));
  const auto checked = methods::checkMethod(compilation, method);
  if (checked && checked->tableau) mix(hash, compilation.sources().text(checked->tableau->tableau.range));
  mix(hash, problems);
  return fmt::format("{:016x}", hash);
}

MethodRecord record(const Verdict& v, const std::string& fingerprint) {
  MethodRecord r;
  r.name = v.method;
  r.fingerprint = fingerprint;
  r.declared = v.declared;
  r.evaluations = v.evaluations;
  r.exponentials = v.exponentials;
  r.reason = v.proof.reason;
  if (v.proof.proved()) {
    r.proved = v.proof.next.order;
    r.numerical = v.proof.next.numerical;
  }
  if (v.proof.embedded) r.embedded = v.proof.embedded->order;
  for (const Measured& m : v.measured) {
    if (m.convergence.asymptotic) r.measured[m.problem] = rounded(*m.convergence.order);
  }
  return r;
}

} // namespace lmc::study
