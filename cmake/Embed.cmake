# Writes C++ tables of texts: cmake -DOUT=FILE -DNAMESPACE=N -DTYPE=T -DTABLE=NAME -DFILES=a;b -P embed.cmake
set(text "// Generated.\n#pragma once\n\nnamespace ${NAMESPACE} {\nstruct ${TYPE} {\n  const char* name;\n  const char* text;\n};\ninline constexpr ${TYPE} ${TABLE}[] = {\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND text "    {\"${name}\", R\"lmc(${content})lmc\"},\n")
endforeach()
string(APPEND text "};\n} // namespace ${NAMESPACE}\n")
file(WRITE ${OUT} "${text}")
