// The picture of a page: shapes with their numbers, where each stands, how fast it is shown.
#pragma once

#include "tool/view/MeasuredBodies.h"
#include "tool/view/Recorder.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lmc::tool {

/// How a page is shown; what is not given is chosen.
struct Showing {
  double fps = 30;
  std::optional<double> speed;                                  ///< model seconds in a second
  std::map<std::string, std::vector<MeasuredBody>> bodies = {}; ///< by the names of shapes
};

/// Numbers as the page reads them: base64 of little-endian float32, of float64.
[[nodiscard]] std::string packed(const std::vector<float>& numbers);
[[nodiscard]] std::string packedTimes(const std::vector<double>& numbers);
[[nodiscard]] std::vector<float> unpacked(const std::string& text);
[[nodiscard]] std::vector<double> unpackedTimes(const std::string& text);

/// The member `scene` of a page (view/README.md); null where there is nothing to draw. Remarks are appended to `notes`.
[[nodiscard]] nlohmann::ordered_json scenePage(const PageRecorder& record, const products::ShownScene& scene,
                                               const Showing& showing, std::vector<std::string>& notes);

} // namespace lmc::tool
