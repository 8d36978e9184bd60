# The extension for VS Code, made with npm in the build folder. It is not part of `all`: nothing but it waits for npm.
# The rules of its code are those of the page.
set(vscode ${CMAKE_SOURCE_DIR}/editors/vscode)
set(vscode_build ${CMAKE_BINARY_DIR}/vscode)
set(vscode_tools ${vscode}/package.json ${vscode}/package-lock.json)
file(GLOB_RECURSE vscode_sources CONFIGURE_DEPENDS ${vscode}/src/* ${vscode}/syntaxes/* ${vscode}/test/*)

add_custom_command(OUTPUT ${vscode_build}/installed
  COMMAND ${CMAKE_COMMAND} -E make_directory ${vscode_build}
  COMMAND ${CMAKE_COMMAND} -E copy ${vscode_tools} ${vscode_build}
  COMMAND ${CMAKE_COMMAND} -E chdir ${vscode_build} npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${vscode_build}/installed
  DEPENDS ${vscode_tools} COMMENT "npm: the libraries of the extension" VERBATIM)
add_custom_command(OUTPUT ${vscode_build}/out/extension.js
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${vscode}/src ${vscode_build}/src
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${vscode}/syntaxes ${vscode_build}/syntaxes
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${vscode}/test ${vscode_build}/test
  COMMAND ${CMAKE_COMMAND} -E copy ${vscode}/build.mjs ${vscode}/tsconfig.json ${vscode}/README.md
          ${CMAKE_SOURCE_DIR}/view/eslint.config.mjs ${vscode}/.vscodeignore ${vscode}/language-configuration.json ${vscode_build}
  COMMAND ${CMAKE_COMMAND} -E chdir ${vscode_build} npm run --silent check
  COMMAND ${CMAKE_COMMAND} -E chdir ${vscode_build} npm run --silent lint
  COMMAND ${CMAKE_COMMAND} -E chdir ${vscode_build} npm run --silent build
  DEPENDS ${vscode_build}/installed ${vscode_sources} ${vscode}/build.mjs ${vscode}/tsconfig.json
          ${CMAKE_SOURCE_DIR}/view/eslint.config.mjs ${vscode}/language-configuration.json
  COMMENT "the extension for VS Code" VERBATIM)
add_custom_target(lmc_vscode DEPENDS ${vscode_build}/out/extension.js)
