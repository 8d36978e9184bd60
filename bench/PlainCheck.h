// The plain programs give what the independent references give.
#pragma once

namespace lmc::bench {

/// The largest difference after 200 steps of 1e-3, over all systems.
[[nodiscard]] double plainError();

} // namespace lmc::bench
