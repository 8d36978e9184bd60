// `lmc export --c`: C99 source and a header.
#include "backends/c/Source.h"
#include "tool/shared/AheadFiles.h"
#include "tool/support/Commands.h"
#include "tool/support/Options.h"

namespace lmc::tool {

int exportModel(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  if (!call.exportC) throw UsageError("'lmc export' wants the form of what is written: --c for C99 source");
  const AheadNames names = aheadNames(call, {".c"});
  context.stage = "exporting '" + file + "'";
  int status = Done;
  const auto unit = aheadUnit(call, names, status);
  if (!unit) return status;
  writeFile(names.header, ahead::header(*unit));
  writeFile(names.file, ahead::source(*unit, names.header.filename().string(), call.withMain));
  tellFiles(call, {names.file, names.header});
  return Done;
}

} // namespace lmc::tool
