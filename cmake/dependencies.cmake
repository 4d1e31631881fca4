# The libraries culink uses, all from the distribution.
find_package(Threads REQUIRED)

# zstd and LZ4 come without CMake files. They are linked by name, so that a static build takes the
# archives; finding them only says early what is missing. A program with copies of its own takes the
# archives where the distribution has them.
foreach(library zstd lz4)
  find_library(culink_${library}_library ${library} REQUIRED)
  find_path(culink_${library}_headers ${library}.h REQUIRED)
  find_library(culink_${library}_archive lib${library}.a)
  set(culink_${library} ${library})
  if(CULINK_SELF_CONTAINED AND culink_${library}_archive)
    set(culink_${library} ${culink_${library}_archive})
  endif()
endforeach()

if(NOT CULINK_STATIC)
  find_package(fmt REQUIRED)
  find_package(yaml-cpp REQUIRED)
  if(NOT TARGET yaml-cpp) # version 0.8 has another name
    add_library(yaml-cpp INTERFACE IMPORTED)
    target_link_libraries(yaml-cpp INTERFACE yaml-cpp::yaml-cpp)
    set_target_properties(yaml-cpp PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                          $<TARGET_PROPERTY:yaml-cpp::yaml-cpp,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
else()
  # Debian's CMake files name the shared libraries. A static build takes the archives beside them
  # under the same target names; fmt comes without an archive and is compiled from its headers.
  add_library(fmt::fmt INTERFACE IMPORTED)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
  find_library(culink_yaml_cpp_archive libyaml-cpp.a REQUIRED)
  add_library(yaml-cpp STATIC IMPORTED)
  set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION ${culink_yaml_cpp_archive})
endif()

# fmt for layers: its headers. What they declare is compiled into culink_support (format_engine.cc).
add_library(culink_fmt INTERFACE)
target_include_directories(culink_fmt SYSTEM INTERFACE
                           $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(culink_fmt INTERFACE
                           $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)

# yaml-cpp for the one layer that uses it: the archive where a program is to have its own copy.
find_library(culink_yaml_cpp_archive libyaml-cpp.a)
add_library(culink_yaml_cpp INTERFACE)
if(CULINK_SELF_CONTAINED AND culink_yaml_cpp_archive)
  target_include_directories(culink_yaml_cpp SYSTEM INTERFACE
                             $<TARGET_PROPERTY:yaml-cpp,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(culink_yaml_cpp INTERFACE ${culink_yaml_cpp_archive})
else()
  target_link_libraries(culink_yaml_cpp INTERFACE yaml-cpp)
endif()
