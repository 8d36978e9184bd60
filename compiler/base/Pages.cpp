#include "base/Pages.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lmc {

namespace {

// Since Linux 5.14; headers may be older.
constexpr int populateRead = 22, populateWrite = 23;

/// Blocks of so many bytes come from the system each by itself: as many as the C library arrives at when it counts what
/// is given back.
constexpr int ownBlock = 32 << 20;

std::atomic<bool> heapKept = false;

/// The whole pages among so many bytes from a place on.
void bringIn(char* begin, std::size_t bytes, int how) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
  if (bytes < before + page) return;
  (void)madvise(begin + before, (bytes - before) / page * page, how); // or they come one by one
}

int bringInObject(dl_phdr_info* object, std::size_t, void* place) {
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  bool own = false;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)& p = object->dlpi_phdr[k];
    const std::uintptr_t begin = object->dlpi_addr + p.p_vaddr;
    own = own || (p.p_type == PT_LOAD && begin <= at && at < begin + p.p_memsz);
  }
  for (int k = 0; own && k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)& p = object->dlpi_phdr[k];
    const auto from = static_cast<std::ptrdiff_t>(object->dlpi_addr + p.p_vaddr) - static_cast<std::ptrdiff_t>(at);
    if (p.p_type == PT_LOAD && (p.p_flags & PF_W) == 0)
      bringIn(static_cast<char*>(place) + from, p.p_filesz, populateRead);
  }
  return own ? 1 : 0;
}

} // namespace

void bringInCode(const void* place) {
  (void)dl_iterate_phdr(bringInObject, const_cast<void*>(place));
}

void keepHeap() {
#ifdef __GLIBC__
  constexpr int most = 2 * ownBlock; // of memory without use that stays with the process
  // Either of them alone would stop the C library from raising the other as blocks are freed.
  heapKept = mallopt(M_MMAP_THRESHOLD, ownBlock) == 1 && mallopt(M_TRIM_THRESHOLD, most) == 1;
#endif
}

void bringInHeap() {
  thread_local bool done = false; // a thread may read models again and again
  if (!heapKept || done) return;
  done = true;
  constexpr std::size_t piece = std::size_t{1} << 20, count = 6;
  static_assert(piece < ownBlock);
  std::array<void*, count> pieces{};
  for (void*& memory : pieces) {
    memory = std::malloc(piece);
    if (memory != nullptr) bringIn(static_cast<char*>(memory), piece, populateWrite);
  }
  for (void* const memory : pieces) std::free(memory); // they become one block again
}

} // namespace lmc
