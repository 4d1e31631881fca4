# culink_layer(NAME LIBRARIES...): the static library culink_NAME of all sources in src/NAME.
# Globbing keeps the folder the only list of its files; CONFIGURE_DEPENDS notices new ones.
add_library(culink_options INTERFACE)
target_compile_options(culink_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       -Wno-missing-field-initializers $<$<BOOL:${CULINK_WERROR}>:-Werror>)
target_include_directories(culink_options INTERFACE ${PROJECT_SOURCE_DIR}/src
                           ${PROJECT_SOURCE_DIR}/include)
if(CULINK_SANITIZE)
  target_compile_options(culink_options INTERFACE -fsanitize=${CULINK_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(culink_options INTERFACE -fsanitize=${CULINK_SANITIZE})
endif()
if(CULINK_STATIC)
  target_link_options(culink_options INTERFACE -static)
endif()

function(culink_layer name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc
       ${PROJECT_SOURCE_DIR}/src/${name}/*.h)
  add_library(culink_${name} STATIC ${sources})
  target_link_libraries(culink_${name} PUBLIC culink_options ${ARGN})
endfunction()
