// Any bytes as what the cache keeps of a run.
#include "tool/runs/RunArchive.h"

#include <cstdlib>

namespace {

struct Kept {
  std::string name;
  std::vector<std::string> names;
  std::vector<std::vector<double>> tables;
  std::optional<std::vector<std::string>> texts;
  double time = 0;
  std::int64_t steps = 0;
};

template <typename A> void archive(A& a, Kept& k) {
  using lmc::tool::archive;
  archive(a, k.name);
  archive(a, k.names);
  archive(a, k.tables);
  archive(a, k.texts);
  archive(a, k.time);
  archive(a, k.steps);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  lmc::tool::ArchiveReader reader({reinterpret_cast<const char*>(bytes), size});
  Kept kept;
  archive(reader, kept);
  if (reader.bad()) return 0;
  // What was read is what is written.
  lmc::tool::ArchiveWriter writer;
  archive(writer, kept);
  if (writer.bytes.size() > size) std::abort();
  return 0;
}
