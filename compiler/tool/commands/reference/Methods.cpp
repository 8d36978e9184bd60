// `lmc methods`: the time steppers of the library.
#include "tool/library/Listing.h"
#include "tool/library/MethodsPage.h"
#include "tool/support/SharedOptions.h"

namespace lmc::tool {

namespace {

constexpr Flag measureFlag("--measure", "prove and measure the orders of all, for the file that is kept");
constexpr Option<> formOption("--format", "text|markdown", "form of the list",
                              {.completion = Completion::Words, .standard = "text"});

int showMethods(Context& context) {
  const Invocation& call = context.call;
  if (call[measureFlag]) return measureMethods(context);
  const std::string format = call.orStandard(formOption);
  if (format == "markdown") return methodsPage(context);
  if (format != "text") throw UsageError("--format is text or markdown, not `" + format + "`");
  return listMethods(context);
}

} // namespace

extern const Command methodsCommand = {
    .name = "methods",
    .place = 5,
    .argument = "NAME",
    .argumentWords = "lmc methods 2>/dev/null | awk 'NR > 1 { print $1 }'",
    .summary = "the time steppers of the library; with a name, its source",
    .examples = "lmc methods",
    .options = OptionList(measureFlag, formOption, options::json),
    .run = showMethods,
};

} // namespace lmc::tool
