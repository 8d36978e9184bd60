// Any bytes as what stands behind --method.
#include "fuzz/targets/Compile.h"

#include "syntax/parser/Parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace lmc;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  lmc::Sources sources;
  lmc::Diagnostics diagnostics;
  (void)lmc::syntax::parseMethodReference(sources, sources.add("--method", text), diagnostics);
  (void)lmc::renderAll(diagnostics, sources, false);
  return 0;
}
