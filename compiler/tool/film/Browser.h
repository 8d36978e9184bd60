// A browser without a window, driven over its debugging pipe: pictures of pages.
#pragma once

#include "tool/film/Child.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace lmc::tool {

/// A browser that can be driven: $LMC_BROWSER, else a Chromium of the search path. Throws InstallationError where there
/// is none.
void requireBrowser();

/// One page of one browser.
class Browser {
public:
  /// Starts the browser and opens a file in a window of this size. Throws InstallationError, std::runtime_error.
  Browser(const std::filesystem::path& file, int width, int height, double pixels);
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;
  ~Browser();

  /// The value of an expression in the page; a promise is waited for. Throws std::runtime_error where it fails.
  nlohmann::json value(const std::string& expression);
  /// The window as a picture: "png" or "jpeg".
  [[nodiscard]] std::string picture(const std::string& format);
  /// The page as PDF, on a sheet of this size in inches.
  [[nodiscard]] std::string pdf(double width, double height);

private:
  nlohmann::json call(const std::string& method, nlohmann::json parameters);
  nlohmann::json answer(std::int64_t number);

  TemporaryFolder folder_;
  Child child_;
  std::string session_, pending_;
  std::int64_t number_ = 0;
};

} // namespace lmc::tool
