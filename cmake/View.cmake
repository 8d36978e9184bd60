# The page of `lmc view`: its code and libraries in one file, made with npm in the build folder. It is not part of `all`, so
# that nothing but pages waits for npm.
set(view ${CMAKE_SOURCE_DIR}/view)
set(view_build ${CMAKE_BINARY_DIR}/view)
set(view_page ${CMAKE_BINARY_DIR}/share/lmc/view/page.html)
file(GLOB view_sources CONFIGURE_DEPENDS ${view}/src/*)
set(view_tools ${view}/package.json ${view}/package-lock.json)

add_custom_command(OUTPUT ${view_build}/installed
  COMMAND ${CMAKE_COMMAND} -E make_directory ${view_build}
  COMMAND ${CMAKE_COMMAND} -E copy ${view_tools} ${view_build}
  COMMAND ${CMAKE_COMMAND} -E chdir ${view_build} npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${view_build}/installed
  DEPENDS ${view_tools} COMMENT "npm: the libraries of the page" VERBATIM)
add_custom_command(OUTPUT ${view_page}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${view_build}/src
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${view}/src ${view_build}/src
  COMMAND ${CMAKE_COMMAND} -E copy ${view}/build.mjs ${view}/tsconfig.json ${view}/eslint.config.mjs ${view_build}
  COMMAND ${CMAKE_COMMAND} -E chdir ${view_build} node build.mjs ${view_page}
  DEPENDS ${view_build}/installed ${view_sources} ${view}/build.mjs ${view}/tsconfig.json ${view}/eslint.config.mjs
  COMMENT "the page of lmc view" VERBATIM)
add_custom_target(lmc_view_page DEPENDS ${view_page})
