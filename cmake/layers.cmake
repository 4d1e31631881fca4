# culink_layer(NAME [FAST] [PRIVATE] FOLDERS ... LIBRARIES ...): the static library culink_NAME of all sources
# in these folders of src; tests/tidy says which of them may include which. A FAST one is optimised: links spend
# their time in it. Others are compiled with -O1, which takes two thirds of the time. It is a part of the
# installed archive unless it is PRIVATE: of use to our programs only.
# Globbing keeps the folder the only list of its files; CONFIGURE_DEPENDS notices new ones.
# The global property CULINK_LAYERS lists the libraries for those who take them all.
#
# culink_options carries what every compilation here needs.
add_library(culink_options INTERFACE)
target_compile_options(culink_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       -Wno-missing-field-initializers $<$<BOOL:${CULINK_WERROR}>:-Werror>)
target_compile_features(culink_options INTERFACE cxx_std_20)
target_compile_definitions(culink_options INTERFACE CULINK_VERSION="${PROJECT_VERSION}")
target_include_directories(culink_options INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
if(CULINK_SANITIZE)
  target_compile_options(culink_options INTERFACE -fsanitize=${CULINK_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(culink_options INTERFACE -fsanitize=${CULINK_SANITIZE})
endif()
include(${CMAKE_CURRENT_LIST_DIR}/hardening.cmake)
if(CULINK_FUZZ AND NOT CULINK_FUZZ_ENGINE)
  # A program with all layers and sanitizers has 100 MB: lld links it in a third of the time.
  find_program(CULINK_LLD NAMES ld.lld HINTS /usr/lib/llvm-16/bin)
  if(CULINK_LLD)
    target_link_options(culink_options INTERFACE --ld-path=${CULINK_LLD})
  endif()
endif()
if(CULINK_FUZZ AND CULINK_FUZZ_COVERAGE AND NOT CULINK_FUZZ_ENGINE)
  # The layers' own edges guide the search (below); only the fuzz targets link libFuzzer's main function.
  target_link_options(culink_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CULINK_STATIC)
  target_link_options(culink_options INTERFACE -static)
  target_compile_definitions(culink_options INTERFACE CULINK_STATIC_PROGRAM)
endif()

# Without a compiler cache a build usually starts from nothing. Compiling all files of a layer at once,
# which parses their headers once, then takes a third of the time. With ccache, each file alone; this
# also shows that each includes what it needs.
set(culink_fast_options)
set(culink_other_options $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # else -O1 clears memory byte by byte
  list(APPEND culink_other_options $<$<CONFIG:Release>:-ftree-loop-distribute-patterns>)
endif()
if(NOT DEFINED CMAKE_UNITY_BUILD AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 60)
  # By default g++ inlines less the more it compiles at once, and links take a twentieth longer.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(culink_fast_options
        "$<$<CONFIG:Release>:--param=inline-unit-growth=300;--param=large-unit-insns=200000>")
  endif()
  # The headers that most files include are parsed once for each set of options.
  foreach(kind fast other)
    set(empty ${PROJECT_BINARY_DIR}/headers_${kind}.cc)
    file(CONFIGURE OUTPUT ${empty} CONTENT "")
    add_library(culink_headers_${kind} OBJECT EXCLUDE_FROM_ALL ${empty})
    target_link_libraries(culink_headers_${kind} PRIVATE culink_options culink_fmt)
    target_compile_options(culink_headers_${kind} PRIVATE ${culink_${kind}_options})
    target_precompile_headers(culink_headers_${kind} PRIVATE <algorithm> <array> <functional> <map> <memory>
                              <optional> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)
  endforeach()
endif()

function(culink_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "FAST;PRIVATE" "" "FOLDERS;LIBRARIES")
  foreach(folder ${layer_FOLDERS})
    file(GLOB more CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cc
         ${PROJECT_SOURCE_DIR}/src/${folder}/*.h)
    set_source_files_properties(${more} PROPERTIES UNITY_GROUP ${folder})
    list(APPEND sources ${more})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY CULINK_SOURCES ${sources})
  add_library(culink_${name} STATIC ${sources})
  target_link_libraries(culink_${name} PUBLIC culink_options ${layer_LIBRARIES})
  set(kind other)
  if(layer_FAST)
    set(kind fast)
  endif()
  target_compile_options(culink_${name} PRIVATE ${culink_${kind}_options})
  if(TARGET culink_headers_${kind})
    target_link_libraries(culink_${name} PRIVATE culink_fmt) # the same definitions
    target_precompile_headers(culink_${name} REUSE_FROM culink_headers_${kind})
  endif()
  if(CULINK_FUZZ AND CULINK_FUZZ_COVERAGE AND NOT CULINK_FUZZ_ENGINE)
    target_compile_options(culink_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  set_property(GLOBAL APPEND PROPERTY CULINK_LAYERS culink_${name})
  if(NOT layer_PRIVATE)
    set_property(GLOBAL APPEND PROPERTY CULINK_ARCHIVE_OBJECTS $<TARGET_OBJECTS:culink_${name}>)
  endif()
endfunction()

# culink_archive(): libculink.a, the objects of all layers that are not private.
function(culink_archive)
  get_property(objects GLOBAL PROPERTY CULINK_ARCHIVE_OBJECTS)
  add_library(culink_static STATIC ${objects})
  target_compile_features(culink_static INTERFACE cxx_std_20)
  target_include_directories(culink_static INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(culink_static INTERFACE zstd lz4 ${CMAKE_DL_LIBS} Threads::Threads)
  set_target_properties(culink_static PROPERTIES OUTPUT_NAME culink LINKER_LANGUAGE CXX)
  add_dependencies(programs culink_static)
  install(TARGETS culink_static EXPORT culink ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# Fails if a source in src belongs to no layer.
function(culink_expect_all_sources_in_layers)
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cc ${PROJECT_SOURCE_DIR}/src/*.h)
  get_property(listed GLOBAL PROPERTY CULINK_SOURCES)
  list(REMOVE_ITEM all ${listed})
  if(all)
    message(FATAL_ERROR "in no layer: ${all}")
  endif()
endfunction()

# culink_program(NAME LIBRARIES...): the program of all sources in tools/NAME. The target `programs` builds
# them all, with the libraries and documents that are installed beside them.
add_custom_target(programs)
function(culink_program name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/${name}/*.cc
       ${PROJECT_SOURCE_DIR}/tools/${name}/*.h)
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools/${name})
  target_link_libraries(${name} PRIVATE culink_options ${ARGN})
  target_compile_options(${name} PRIVATE ${culink_other_options})
  add_dependencies(programs ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${name}_program)
  install(TARGETS ${name} EXPORT culink RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# culink_install_package(): public headers, and what find_package(culink) needs to offer the libraries, and
# the programs as culink::culink_program and culink::cubin_program.
function(culink_install_package)
  include(CMakePackageConfigHelpers)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/culink)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/culink
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
  install(FILES ${PROJECT_SOURCE_DIR}/include/culink.h ${PROJECT_SOURCE_DIR}/include/culink.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT culink NAMESPACE culink:: FILE culink-targets.cmake DESTINATION ${folder})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/culink-config.cmake.in
                                culink-config.cmake INSTALL_DESTINATION ${folder})
  write_basic_package_version_file(culink-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/culink-config.cmake
          ${PROJECT_BINARY_DIR}/culink-config-version.cmake DESTINATION ${folder})
endfunction()
