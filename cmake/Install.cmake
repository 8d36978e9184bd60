# What an installation holds, and where (compiler/base/Installation.h finds it again, wherever it is moved).
# Installing does not build the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Modules that the tool and the library open themselves are no libraries for others.
set(LMC_INSTALL_MODULEDIR lib/lmc)
set(LMC_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/lmc)

install(TARGETS lmc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
get_property(modules GLOBAL PROPERTY LMC_MODULES)
# The module of MPI is for `cmake --install BUILD --component mpi` and the package lmc-mpi (tools/mpi_package.py): the
# package lmc needs no MPI.
if(TARGET lmc_mpi)
  list(REMOVE_ITEM modules lmc_mpi)
  install(TARGETS lmc_mpi LIBRARY DESTINATION ${LMC_INSTALL_MODULEDIR} COMPONENT mpi EXCLUDE_FROM_ALL)
endif()
install(TARGETS ${modules} LIBRARY DESTINATION ${LMC_INSTALL_MODULEDIR})
install(DIRECTORY stdlib DESTINATION share/lmc)
install(DIRECTORY runtime/steppers runtime/problems DESTINATION share/lmc/runtime)
# The page of `lmc view`, where it was made (the target lmc_view_page).
install(FILES ${CMAKE_BINARY_DIR}/share/lmc/view/page.html DESTINATION share/lmc/view OPTIONAL)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The pages stand as they do in the source, so that their links hold; the reference, if it was generated (`./dev docs`).
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.webp" PATTERN "*.lie" PATTERN "*.ipynb"
        PATTERN api EXCLUDE)
# For Vim, Neovim and Emacs; the extension for VS Code is a package of its own (the target lmc_vscode).
install(DIRECTORY editors/vim editors/emacs DESTINATION share/lmc/editors)
install(FILES editors/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/editors)
install(FILES bench/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
install(FILES README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_BINARY_DIR}/docs/api/html DESTINATION ${CMAKE_INSTALL_DOCDIR}/reference OPTIONAL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# The library for host programs: headers, CMake package, pkg-config.
install(TARGETS lmc_shared EXPORT lmcTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT lmcTargets NAMESPACE lmc:: DESTINATION ${LMC_INSTALL_CMAKEDIR})
set(LMC_INSTALL_TOOL ${CMAKE_INSTALL_BINDIR}/lmc)
configure_package_config_file(cmake/lmcConfig.cmake.in ${CMAKE_BINARY_DIR}/lmcConfig.cmake
  INSTALL_DESTINATION ${LMC_INSTALL_CMAKEDIR} PATH_VARS LMC_INSTALL_TOOL)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lmcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/lmcConfig.cmake ${CMAKE_BINARY_DIR}/lmcConfigVersion.cmake
        DESTINATION ${LMC_INSTALL_CMAKEDIR})
# The prefix is the folder that the file is found in, so that an installation can be moved.
file(RELATIVE_PATH LMC_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" LMC_PC_PREFIX "\${pcfiledir}/${LMC_PC_PREFIX}")
configure_file(cmake/lmc.pc.in ${CMAKE_BINARY_DIR}/lmc.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/lmc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The Python package, for `cmake --install BUILD --component python`, python3-lmc and the wheel (tools/python_package.py).
install(DIRECTORY python/lmc DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# The manual page and the completions are printed by the tool itself, so that they say what it does.
set(manual ${CMAKE_BINARY_DIR}/share/man/man1/lmc.1)
set(bash_completion ${CMAKE_BINARY_DIR}/share/bash-completion/completions/lmc)
set(zsh_completion ${CMAKE_BINARY_DIR}/share/zsh/vendor-completions/_lmc)
set(fish_completion ${CMAKE_BINARY_DIR}/share/fish/vendor_completions.d/lmc.fish)
foreach(page "manual;manual" "bash_completion;completion;bash" "zsh_completion;completion;zsh" "fish_completion;completion;fish")
  list(GET page 0 file)
  list(SUBLIST page 1 -1 command)
  get_filename_component(folder ${${file}} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${${file}} COMMAND lmc ${command} > ${${file}} DEPENDS lmc lmc_commands VERBATIM)
endforeach()
add_custom_target(lmc_pages ALL DEPENDS ${manual} ${bash_completion} ${zsh_completion} ${fish_completion})
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${bash_completion} DESTINATION share/bash-completion/completions)
install(FILES ${zsh_completion} DESTINATION share/zsh/vendor-completions)
install(FILES ${fish_completion} DESTINATION share/fish/vendor_completions.d)
