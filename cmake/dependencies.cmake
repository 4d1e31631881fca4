# The libraries culink uses, all from the distribution. Debian's CMake files name the shared ones;
# a static build takes the archives beside them under the same target names.
find_package(Threads REQUIRED)

# culink_find(PACKAGE TARGET LIBRARY): TARGET becomes the library, shared or as an archive.
function(culink_find package target library)
  if(NOT CULINK_STATIC)
    find_package(${package} REQUIRED GLOBAL)
    return()
  endif()
  find_library(culink_archive_${library} lib${library}.a REQUIRED)
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${culink_archive_${library}})
endfunction()

culink_find(fmt fmt::fmt fmt)
culink_find(yaml-cpp yaml-cpp yaml-cpp)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
