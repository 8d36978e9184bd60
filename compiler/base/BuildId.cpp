#include "base/BuildId.h"

#include <cstring>
#include <elf.h>
#include <link.h>

namespace lmc {

namespace {

struct Search {
  ElfW(Addr) here = 0; ///< an address in the object that is looked for
  std::string found;
};

/// The build id among the notes of a segment.
std::string idIn(const char* notes, std::size_t size) {
  constexpr auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::size_t name = at + sizeof note;
    const std::size_t body = name + padded(note.n_namesz);
    if (body + note.n_descsz > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0)
      return {notes + body, note.n_descsz};
    at = body + padded(note.n_descsz);
  }
  return {};
}

int look(dl_phdr_info* object, std::size_t, void* to) {
  auto& search = *static_cast<Search*>(to);
  bool here = false;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const auto& segment = object->dlpi_phdr[k];
    const auto begin = object->dlpi_addr + segment.p_vaddr;
    here = here || (segment.p_type == PT_LOAD && search.here >= begin && search.here < begin + segment.p_memsz);
  }
  if (!here) return 0;
  for (int k = 0; k < object->dlpi_phnum && search.found.empty(); ++k) {
    const auto& segment = object->dlpi_phdr[k];
    if (segment.p_type != PT_NOTE || segment.p_align > 4) continue; // others are padded otherwise
    search.found = idIn(reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  }
  return 1;
}

} // namespace

std::string buildId() {
  Search search;
  search.here = reinterpret_cast<ElfW(Addr)>(&look);
  dl_iterate_phdr(&look, &search);
  return search.found;
}

std::string buildIdText() {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const char c : buildId()) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte / 16];
    text += digits[byte % 16];
  }
  return text;
}

} // namespace lmc
