#include "base/Harmless.h"

namespace lmc {

std::string harmless(std::string text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) text[k] = '?';
    // U+0080 to U+009F in UTF-8: some terminals obey them, too.
    if (byte >= 0x80 && byte < 0xA0 && k > 0 && static_cast<unsigned char>(text[k - 1]) == 0xC2)
      text.replace(k - 1, 2, "??");
  }
  return text;
}

} // namespace lmc
