# Writes Version.h: versions of lmc and LLVM and a hash of the code generator's sources, so that an object made by an
# older code generator is never taken from the cache. Arguments: -DSOURCES (list) -DPREFIX -DTEMPLATE -DOUTPUT.
set(all "")
foreach(file ${SOURCES})
  file(SHA256 ${file} digest)
  string(APPEND all ${digest})
endforeach()
string(SHA256 digest "${all}")
set(version "${PREFIX} ${digest}")
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
