# What is installed beside programs and libraries: manual pages and completions, which the programs
# write themselves from their tables of options, and a pkg-config file; and packages made of it all.
#
# culink_document(PROGRAM FORM FILE FOLDER): the document FORM of a program, installed as
# FOLDER/FILE. Programs for another machine run by an emulator; without one there are no documents.
set(runs_programs)
if(NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL CMAKE_SYSTEM_PROCESSOR)
  find_program(culink_emulator NAMES qemu-${CMAKE_SYSTEM_PROCESSOR}-static
               qemu-${CMAKE_SYSTEM_PROCESSOR})
  set(runs_programs ${culink_emulator})
endif()
function(culink_document program form file folder)
  if(runs_programs MATCHES NOTFOUND)
    return()
  endif()
  set(made ${PROJECT_BINARY_DIR}/documents/${program}-${form}/${file})
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/documents/${program}-${form}
    COMMAND ${runs_programs} $<TARGET_FILE:${program}> --print-docs ${form} > ${made}
    DEPENDS ${program} VERBATIM)
  add_custom_target(${program}_${form} ALL DEPENDS ${made})
  add_dependencies(programs ${program}_${form})
  install(FILES ${made} DESTINATION ${folder})
endfunction()

culink_document(culink man culink.1 ${CMAKE_INSTALL_MANDIR}/man1)
culink_document(cubin man cubin.1 ${CMAKE_INSTALL_MANDIR}/man1)
culink_document(culink bash culink ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
culink_document(culink zsh _culink ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
culink_document(cubin bash cubin ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
culink_document(cubin zsh _cubin ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
culink_document(cubin fish cubin.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
culink_document(culink fish culink.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# For builds without CMake. The prefix counts from the file's own place, so that an installed tree may be moved.
file(RELATIVE_PATH CULINK_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(CULINK_PC_NEEDED "-lzstd -llz4 -lstdc++ -lm -ldl -lpthread")
function(culink_pkg_config name what flags libraries)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/culink.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(archive "-l:libculink.a ${CULINK_PC_NEEDED}")
set(library ${archive})
if(TARGET culink_shared)
  set(library -lculink)
endif()
culink_pkg_config(culink "C interface" "" "${library}")
culink_pkg_config(culink-static "C interface in an archive" "" "${archive}")
culink_pkg_config(culink-cxx "C++20 interface in an archive" "-std=c++20 " "${archive}")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
        ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# cpack -G DEB, RPM or TGZ in the build folder; scripts/make-packages.sh makes all of them.
set(CPACK_PACKAGE_NAME culink)
set(CPACK_PACKAGE_VENDOR "culink")
set(CPACK_PACKAGE_CONTACT "culink maintainers <maintainers@culink.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_kinds.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB TGZ)
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_PACKAGE_FILE_NAME
    culink-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
if(CULINK_STATIC)
  string(APPEND CPACK_PACKAGE_FILE_NAME -static)
endif()
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE "Apache-2.0 WITH LLVM-exception")
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
# Folders that every system has belong to no package, and rpmbuild's own strip is not for other machines.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /usr/share/man /usr/share/man/man1 /usr/share/bash-completion
    /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions
    /usr/share/fish /usr/share/fish/vendor_completions.d /usr/lib/pkgconfig /usr/lib64/pkgconfig
    /usr/lib/cmake /usr/lib64/cmake)
set(CPACK_RPM_SPEC_MORE_DEFINE
    "%define __os_install_post %{nil}\n%define _build_id_links none\n%define debug_package %{nil}")
if(CULINK_STATIC)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_RPM_PACKAGE_AUTOREQ OFF)
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
include(CPack)
