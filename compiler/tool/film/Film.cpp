#include "tool/film/Film.h"

#include "base/Files.h"
#include "base/Installation.h"
#include "runtime/output/OutputFile.h"
#include "runtime/run/Progress.h"
#include "tool/film/Browser.h"
#include "tool/support/Programs.h"
#include "tool/support/Report.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>

namespace lmc::tool {

namespace {

/// How a still or a film is made. Words of ffmpeg behind its input.
struct Format {
  const char* ending;
  FilmKind kind;
  const char* words;
};
constexpr std::array<Format, 8> formats = {{
    {".png", FilmKind::Still, ""},
    {".pdf", FilmKind::Still, ""},
    {".svg", FilmKind::Still, ""},
    {".mp4", FilmKind::Film, "-c:v libx264 -pix_fmt yuv420p -crf 20 -preset medium -movflags +faststart -f mp4"},
    {".webm", FilmKind::Film, "-c:v libvpx-vp9 -pix_fmt yuv420p -crf 30 -b:v 0 -row-mt 1 -f webm"},
    {".webp", FilmKind::Film, "-c:v libwebp_anim -pix_fmt yuv420p -quality 60 -compression_level 6 -loop 0 -f webp"},
    {".gif", FilmKind::Film,
     "-filter_complex split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none -loop 0 -f gif"},
    {".apng", FilmKind::Film, "-c:v apng -plays 0 -pred mixed -f apng"},
}};

constexpr PixelSize usual{1280, 720};
constexpr const char* joiner = "ffmpeg";

/// In a sentence.
std::string endingsOf(const std::vector<Format>& list) {
  std::string text;
  for (std::size_t k = 0; k < list.size(); ++k)
    text += (k == 0 ? "" : k + 1 < list.size() ? ", " : " or ") + std::string(list[k].ending);
  return text;
}

std::string endingsOfStills() {
  std::vector<Format> stills;
  std::copy_if(formats.begin(), formats.end(), std::back_inserter(stills),
               [](const Format& f) { return f.kind == FilmKind::Still; });
  return endingsOf(stills);
}

std::vector<std::string> wordsOf(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text)
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

/// Shows how many pictures of a film are made.
class FilmBar {
public:
  explicit FilmBar(bool visible) : visible_(visible) {}
  FilmBar(const FilmBar&) = delete;
  FilmBar& operator=(const FilmBar&) = delete;
  ~FilmBar() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }
  void reached(std::int64_t k, std::int64_t n) {
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (!visible_ || elapsed < 0.5) return;
    drawn_ = true;
    const std::string where = fmt::format("picture {} of {}", k, n);
    std::fputs(
        ("\r\033[K" + runtime::progressLine(static_cast<double>(k) / static_cast<double>(n), where, elapsed)).c_str(),
        stderr);
    std::fflush(stderr);
  }

private:
  bool visible_, drawn_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace

PixelSize readPixels(const std::string& option, const std::string& text) {
  PixelSize size;
  const char* const end = text.data() + text.size();
  const auto [cross, failure] = std::from_chars(text.data(), end, size.width);
  const bool first = failure == std::errc() && cross != end && *cross == 'x';
  const auto [stop, second] =
      first ? std::from_chars(cross + 1, end, size.height) : std::from_chars_result{end, failure};
  constexpr int least = 16, most = 8192;
  const auto good = [](int n) { return n >= least && n <= most; };
  if (!first || second != std::errc() || stop != end || !good(size.width) || !good(size.height))
    throw UsageError(
        fmt::format("{} wants pixels such as 1280x720, {} to {} each, not `{}`", option, least, most, text));
  return size;
}

double readTimeOf(const std::string& option, const std::string& text) {
  double t = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), t);
  if (failure != std::errc() || stop != text.data() + text.size() || !std::isfinite(t))
    throw UsageError(option + " takes a time, not `" + text + "`");
  return t;
}

std::string FilmFile::endings() {
  return endingsOf({formats.begin(), formats.end()});
}

std::optional<FilmFile> FilmFile::of(const Invocation& call, const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (std::size_t k = 0; k < formats.size(); ++k) {
    if (ending != formats.at(k).ending) continue;
    if (formats.at(k).kind == FilmKind::Film && call[options::stillAt])
      throw UsageError("--at is the time of a still (" + endingsOfStills() + "), and `" + file.string() +
                       "` is a film");
    requireBrowser();
    if (formats.at(k).kind == FilmKind::Film && findProgram(joiner).empty())
      throw InstallationError("films are joined by ffmpeg, which is not installed\n`apt install ffmpeg` brings it");
    return FilmFile(call, file, k);
  }
  for (const auto& [given, name] :
       {std::pair{call[options::stillAt].has_value(), "--at"}, {call[options::size].has_value(), "--size"}})
    if (given)
      throw UsageError(std::string(name) + " is for stills and films (" + endings() + "), and `" + file.string() +
                       "` is neither");
  return std::nullopt;
}

/// Nine hours of 30 pictures a second. A wrong digit in --fps or --speed would let it draw for days.
constexpr int mostPictures = 1'000'000;

bool FilmFile::film(Browser& browser, const std::filesystem::path& folder) const {
  const nlohmann::json range = browser.value("lmc.range()");
  const double from = range.at("from").get<double>(), to = range.at("to").get<double>();
  const double advance = range.at("speed").get<double>() / range.at("fps").get<double>(); // of a picture
  const double pictures = std::floor((to - from) / advance + 1e-9) + 1;
  if (!(pictures <= mostPictures))
    throw UsageError(
        fmt::format("a film of {:.3g} pictures is more than anybody sees, {} at most: with another --fps or "
                    "--speed it has fewer",
                    pictures, mostPictures));
  const auto count = static_cast<std::int64_t>(pictures);
  const std::filesystem::path made = folder / "film", errors = folder / "ffmpeg";
  const Format& format = formats.at(format_);
  std::vector<std::string> command = {joiner,       "-y",
                                      "-loglevel",  "error",
                                      "-f",         "image2pipe",
                                      "-framerate", fmt::format("{}", range.at("fps").get<double>()),
                                      "-c:v",       "png",
                                      "-i",         "-",
                                      "-an",        "-map_metadata",
                                      "-1",         "-fflags",
                                      "+bitexact",  "-flags:v",
                                      "+bitexact"};
  for (const std::string& word : wordsOf(format.words)) command.push_back(word);
  command.push_back(made.string());
  Child child(command, 0, -1, errors);
  FilmBar bar(showsProgress(*call_));
  for (std::int64_t k = 0; k < count; ++k) {
    browser.value(fmt::format("lmc.frame({:.17g}), new Promise(f => requestAnimationFrame(() => f(1)))",
                              std::min(to, from + static_cast<double>(k) * advance)));
    if (!child.write(browser.picture("png"))) break;
    bar.reached(k + 1, count);
  }
  if (child.finish() != 0) throw std::runtime_error("ffmpeg could not make the film: " + readFile(errors).value_or(""));
  runtime::writeWhole(file_, readFile(made).value_or(""), false);
  return true;
}

bool FilmFile::drawing(Browser& browser) const {
  const nlohmann::json made = browser.value("lmc.vector()");
  if (!made.contains("svg")) {
    complain("the picture cannot be drawn as SVG: " + made.value("reason", "") +
             "; `-o NAME.png` and `.pdf` have no such limit");
    return false;
  }
  runtime::writeWhole(file_, made.at("svg").get<std::string>() + "\n", false);
  return true;
}

bool FilmFile::write(const std::string& page) const {
  const TemporaryFolder folder;
  const std::filesystem::path shown = folder.path() / "page.html";
  runtime::writeWhole(shown, page, false);
  const FilmKind kind = formats.at(format_).kind;
  PixelSize size = (*call_)[options::size].value_or(usual);
  if (const PixelSize even{size.width / 2 * 2, size.height / 2 * 2};
      kind == FilmKind::Film && (even.width != size.width || even.height != size.height)) {
    warn(fmt::format("films have an even number of pixels: {}x{}", even.width, even.height));
    size = even;
  }
  Browser browser(shown, size.width, size.height, kind == FilmKind::Still ? 2 : 1);
  if (!browser.value("lmc.film()").get<bool>()) {
    complain("the model has no picture, so there is nothing to show in `" + file_.string() + "`");
    return false;
  }
  if (kind == FilmKind::Film) return film(browser, folder.path());
  const nlohmann::json range = browser.value("lmc.range()");
  const double from = range.at("from").get<double>(), to = range.at("to").get<double>();
  const double t = (*call_)[options::stillAt].value_or(to);
  if (const double rounding = 1e-9 * std::max(std::abs(from), std::abs(to)); t < from - rounding || t > to + rounding)
    throw UsageError(fmt::format("--at {} lies outside of the run, which goes from {} to {}", t, from, to));
  browser.value(fmt::format("lmc.frame({:.17g}), new Promise(f => requestAnimationFrame(() => f(1)))", t));
  const std::string_view ending = formats.at(format_).ending;
  if (ending == ".svg") return drawing(browser);
  runtime::writeWhole(
      file_, ending == ".pdf" ? browser.pdf(size.width / 96.0, size.height / 96.0) : browser.picture("png"), false);
  return true;
}

} // namespace lmc::tool
