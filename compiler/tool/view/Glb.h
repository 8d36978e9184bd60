// The picture of a run for other viewers: glTF 2.0 in one binary file (Khronos Group, glTF 2.0 specification).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lmc::tool {

/// Of the member `scene` of a page (view/README.md): a node for each member, named by its shape, with an animation that
/// takes as long as the page shows it. Grounds are left out, labels are names of empty nodes; a trail is the whole
/// path.
[[nodiscard]] std::string glbOf(const nlohmann::ordered_json& scene, const std::string& title);

} // namespace lmc::tool
