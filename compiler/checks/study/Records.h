// What is known about the methods of the library: proved and measured orders, measured properties, in a file that is
// made once.
//
// Measuring takes a while, so the results are kept in runtime/steppers/orders.json. A record belongs to the text of its
// method and to the problems on which it was measured; `./dev orders` makes those again whose text has changed.
#pragma once

#include "checks/study/Properties.h"
#include "checks/study/Verdict.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lmc::study {

struct MethodRecord {
  std::string name;
  std::string fingerprint; ///< of the method, its tableau and the problems
  int declared = 0;
  int evaluations = 0, exponentials = 0;  ///< per step
  int proved = 0;                         ///< 0: not proved
  bool numerical = false;                 ///< Proof up to rounded coefficients
  std::string reason;                     ///< why not proved
  int embedded = 0;                       ///< proved order of the second approximation; 0: none
  std::map<std::string, double> measured; ///< by problem
  MethodProperties properties;
  std::string propertyFingerprint; ///< of the method, its tableau and the models of its properties
  /// The measured order farthest from the declared one; nothing if none was measured.
  [[nodiscard]] std::optional<double> worst() const;
};

using Records = std::map<std::string, MethodRecord>;

/// runtime/steppers/orders.json below the library's root.
[[nodiscard]] std::filesystem::path recordFile(const std::filesystem::path& libraryRoot);
/// The records of a file; none if there is no such file. Throws std::runtime_error if it is not as `toText` writes it.
[[nodiscard]] Records readRecords(const std::filesystem::path& file);
[[nodiscard]] std::string toText(const Records& records);

/// The texts of the problems, one after the other.
[[nodiscard]] std::string problemTexts(const std::filesystem::path& libraryRoot);
/// What a record's fingerprint must be to be of use: of the method's text, its tableau's and the problems'.
[[nodiscard]] std::string fingerprint(sema::Compilation& compilation, const sema::Found& method,
                                      const std::string& problems);
[[nodiscard]] MethodRecord record(const Verdict& verdict, const std::string& fingerprint);

} // namespace lmc::study
