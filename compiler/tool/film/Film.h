// Pictures and films of the scene of a page. The page itself draws, in a browser without a window; ffmpeg joins the
// pictures of a film.
#pragma once

#include "tool/support/Invocation.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lmc::tool {

/// A number of pixels by another: 1280x720.
struct PixelSize {
  int width = 0, height = 0;
};
[[nodiscard]] PixelSize readPixels(const std::string& option, const std::string& text);
/// Model time.
[[nodiscard]] double readTimeOf(const std::string& option, const std::string& text);

namespace options {

constexpr Option<PixelSize> size("--size", "WxH", "pixels of a film or a still", readPixels, {.standard = "1280x720"});
constexpr Option<double> stillAt("--at", "T", "the time that a still shows", readTimeOf,
                                 {.standard = "the end of the run"});

} // namespace options

enum class FilmKind : std::uint8_t { Still, Film };

/// A file for a still or a film. That the programs are there is looked at before anything is computed.
class FilmFile {
public:
  /// Nothing: the ending of the name is neither of a still nor of a film.
  [[nodiscard]] static std::optional<FilmFile> of(const Invocation& call, const std::filesystem::path& file);
  /// ".png, .pdf, .svg, .mp4, .webm, …"
  [[nodiscard]] static std::string endings();

  /// Makes the file of a page's text. False where there is nothing to show, or it was interrupted: said. Throws
  /// OutputError, InstallationError, std::runtime_error.
  [[nodiscard]] bool write(const std::string& page) const;

private:
  FilmFile(const Invocation& call, std::filesystem::path file, std::size_t format)
      : call_(&call), file_(std::move(file)), format_(format) {}
  [[nodiscard]] bool drawing(class Browser& browser) const;
  [[nodiscard]] bool film(class Browser& browser, const std::filesystem::path& folder) const;

  const Invocation* call_;
  std::filesystem::path file_;
  std::size_t format_;
};

} // namespace lmc::tool
