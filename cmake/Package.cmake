# `cpack -G DEB` in the build folder (or `./dev package`) makes a Debian package.
set(CPACK_PACKAGE_NAME lmc)
set(CPACK_PACKAGE_VENDOR lmc)
set(CPACK_PACKAGE_CONTACT "lmc developers <lmc@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"A small language for mechanical systems on manifolds (rotations, spheres, products of them), and a compiler for it: it
derives the equations of motion from a Lagrangian, turns one time step of a Lie group method into machine code, and runs
it. With the library for host programs in C++ and C.")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "lmc-mpi, cmake, pkg-config, g++, ffmpeg, chromium-headless-shell")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
