# culink_layer(NAME LIBRARIES...): the static library culink_NAME of all sources in src/NAME.
# Globbing keeps the folder the only list of its files; CONFIGURE_DEPENDS notices new ones.
# The global property CULINK_LAYERS lists the libraries for those who take them all.
add_library(culink_options INTERFACE)
target_compile_options(culink_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       -Wno-missing-field-initializers $<$<BOOL:${CULINK_WERROR}>:-Werror>)
target_compile_definitions(culink_options INTERFACE CULINK_VERSION="${PROJECT_VERSION}")
target_include_directories(culink_options INTERFACE ${PROJECT_SOURCE_DIR}/src
                           ${PROJECT_SOURCE_DIR}/include)
if(CULINK_SANITIZE)
  target_compile_options(culink_options INTERFACE -fsanitize=${CULINK_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(culink_options INTERFACE -fsanitize=${CULINK_SANITIZE})
endif()
if(CULINK_FUZZ)
  # Coverage for libFuzzer everywhere; only a fuzz target links its main function.
  target_compile_options(culink_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(culink_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CULINK_STATIC)
  target_link_options(culink_options INTERFACE -static)
endif()

function(culink_layer name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc
       ${PROJECT_SOURCE_DIR}/src/${name}/*.h)
  add_library(culink_${name} STATIC ${sources})
  target_link_libraries(culink_${name} PUBLIC culink_options ${ARGN})
  set_property(GLOBAL APPEND PROPERTY CULINK_LAYERS culink_${name})
endfunction()

# culink_program(NAME LIBRARIES...): the program of all sources in tools/NAME. The target
# `programs` builds them all.
add_custom_target(programs)
function(culink_program name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/${name}/*.cc
       ${PROJECT_SOURCE_DIR}/tools/${name}/*.h)
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools/${name})
  target_link_libraries(${name} PRIVATE culink_options ${ARGN})
  add_dependencies(programs ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
