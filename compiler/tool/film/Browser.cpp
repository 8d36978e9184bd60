#include "tool/film/Browser.h"

#include "base/Installation.h"
#include "tool/support/Base64.h"
#include "tool/support/Programs.h"

#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

namespace lmc::tool {

using nlohmann::json;

namespace {

constexpr double patience = 120; // seconds

std::string browserName() {
  if (const char* const own = std::getenv("LMC_BROWSER"); own != nullptr && *own != '\0') {
    if (!findProgram(own).empty()) return own;
    throw InstallationError(std::string("there is no program `") + own + "`, which LMC_BROWSER names as the browser");
  }
  for (const char* const name : {"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"})
    if (!findProgram(name).empty()) return name;
  throw InstallationError("pictures of a scene are made by a browser without a window, which is not installed\n"
                          "`apt install chromium-headless-shell` brings it");
}

std::vector<std::string> commandOf(const std::filesystem::path& folder, int width, int height) {
  std::vector<std::string> command = {browserName(),
                                      "--headless",
                                      "--remote-debugging-pipe",
                                      "--enable-unsafe-swiftshader",
                                      "--hide-scrollbars",
                                      "--disable-background-networking",
                                      "--disable-component-update",
                                      "--no-first-run",
                                      "--disable-extensions",
                                      "--mute-audio",
                                      "--disable-dev-shm-usage",
                                      "--window-size=" + std::to_string(width) + "," + std::to_string(height),
                                      "--user-data-dir=" + (folder / "profile").string(),
                                      "about:blank"};
  if (geteuid() == 0) command.insert(command.begin() + 1, "--no-sandbox"); // it has none for root
  return command;
}

} // namespace

void requireBrowser() {
  (void)browserName();
}

Browser::Browser(const std::filesystem::path& file, int width, int height, double pixels)
    : child_(commandOf(folder_.path(), width, height), 3, 4, folder_.path() / "errors") {
  const json target = call("Target.createTarget", {{"url", "about:blank"}});
  const json session = call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}});
  session_ = session.at("sessionId").get<std::string>();
  call("Page.enable", json::object());
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", pixels}, {"mobile", false}});
  call("Emulation.setEmulatedMedia",
       {{"features", json::array({{{"name", "prefers-color-scheme"}, {"value", "light"}}})}});
  call("Page.navigate", {{"url", "file://" + std::filesystem::absolute(file).string()}});
  for (int k = 0; !value("document.readyState === 'complete' && typeof window.lmc === 'object'").get<bool>(); ++k) {
    if (k > 20 * patience) throw std::runtime_error("the browser does not load the page");
    usleep(50000);
  }
}

Browser::~Browser() = default;

json Browser::answer(std::int64_t number) {
  for (;;) {
    const std::size_t end = pending_.find('\0');
    if (end == std::string::npos) {
      const std::string more = child_.read(patience);
      if (more.empty())
        throw InstallationError("the browser that draws the pictures, `" + browserName() +
                                "`, is gone or does not answer; LMC_BROWSER names another Chromium");
      pending_ += more;
      continue;
    }
    json message = json::parse(pending_.substr(0, end), nullptr, false);
    pending_.erase(0, end + 1);
    if (message.is_object() && message.value("id", std::int64_t{0}) == number) return message;
  }
}

json Browser::call(const std::string& method, json parameters) {
  json request = {{"id", ++number_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) request["sessionId"] = session_;
  if (!child_.write(request.dump() + '\0')) throw std::runtime_error("the browser that draws the pictures is gone");
  json message = answer(number_);
  if (message.contains("error"))
    throw std::runtime_error("the browser refuses " + method + ": " + message["error"].value("message", ""));
  return message.value("result", json::object());
}

json Browser::value(const std::string& expression) {
  const json result =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (result.contains("exceptionDetails"))
    throw std::runtime_error("a script of the page failed: " + result["exceptionDetails"].value("text", ""));
  return result.at("result").value("value", json());
}

std::string Browser::picture(const std::string& format) {
  json parameters = {{"format", format}};
  if (format == "jpeg") parameters["quality"] = 95;
  return bytesOf(call("Page.captureScreenshot", std::move(parameters)).at("data").get<std::string>());
}

std::string Browser::pdf(double width, double height) {
  return bytesOf(call("Page.printToPDF", {{"paperWidth", width},
                                          {"paperHeight", height},
                                          {"marginTop", 0},
                                          {"marginBottom", 0},
                                          {"marginLeft", 0},
                                          {"marginRight", 0},
                                          {"printBackground", true},
                                          {"pageRanges", "1"}})
                     .at("data")
                     .get<std::string>());
}

} // namespace lmc::tool
