# Tables of what stands in one file each: commands of the tool, formats of output files. A file Name.cpp defines an
# object `name` + a suffix; the table, made of the names of the files, refers to each by name, so no linker drops it, a
# file without its object does not link, and none is forgotten.

# lmc_table(RESULT FUNCTION TYPE HEADER NAMESPACE FILES …): a source file with `std::span<const TYPE* const> FUNCTION()`,
# in the order of the members `place` and `name`.
function(lmc_table result function type header namespace)
  set(declarations)
  set(members)
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME_WE)
    string(TOLOWER ${name} name)
    string(APPEND declarations "extern const ${type} ${name}${type};\n")
    list(APPEND members "&${name}${type}")
  endforeach()
  list(LENGTH members count)
  list(JOIN members ", " members)
  set(made ${CMAKE_BINARY_DIR}/tables/${function}.cpp)
  file(CONFIGURE OUTPUT ${made} @ONLY CONTENT
"#include \"@header@\"

#include <algorithm>
#include <array>
#include <string_view>

namespace @namespace@ {

@declarations@
std::span<const @type@* const> @function@() {
  static const auto table = [] {
    std::array<const @type@*, @count@> all = {@members@};
    std::sort(all.begin(), all.end(), [](const @type@* x, const @type@* y) {
      return x->place != y->place ? x->place < y->place : std::string_view(x->name) < y->name;
    });
    return all;
  }();
  return table;
}

} // namespace @namespace@
")
  set(${result} ${made} PARENT_SCOPE)
endfunction()
