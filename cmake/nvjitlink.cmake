# The libraries with nvJitLink's functions: libnvJitLink.so.13 and libnvJitLink.so.12. They are made of
# the same objects; each has the names of its releases, which are second names of the functions, and
# its own version node and number. They are no libraries to link a program with, so no package names
# them, and they are installed where no loader finds them by itself: `culink --make-jit-folder` makes
# a folder in which it does.
set(culink_jit_functions Create Destroy AddData AddFile Complete GetLinkedCubinSize GetLinkedCubin
    GetLinkedPtxSize GetLinkedPtx GetLinkedLTOIRSize GetLinkedLTOIR GetErrorLogSize GetErrorLog
    GetInfoLogSize GetInfoLog)

# What programs of our own (tests) link beside the layer to have the functions.
set(CULINK_JIT_MAJOR 13)
set(CULINK_JIT_MINOR 5)
configure_file(${PROJECT_SOURCE_DIR}/src/driver/nvjitlink/release.cc.in
               ${PROJECT_BINARY_DIR}/nvjitlink/release.cc @ONLY)
add_library(culink_jit_release STATIC EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/nvjitlink/release.cc)
target_link_libraries(culink_jit_release PRIVATE culink_options)

# culink_jit_library(MAJOR MINOR): the library of the releases MAJOR.0 to MAJOR.MINOR.
function(culink_jit_library CULINK_JIT_MAJOR CULINK_JIT_MINOR)
  if(CULINK_STATIC)
    return()
  endif()
  set(target culink_nvjitlink_${CULINK_JIT_MAJOR})
  set(release ${PROJECT_BINARY_DIR}/nvjitlink/release_${CULINK_JIT_MAJOR}.cc)
  configure_file(${PROJECT_SOURCE_DIR}/src/driver/nvjitlink/release.cc.in ${release} @ONLY)
  culink_shared_library(${target} LAYER nvjitlink OUTPUT_NAME nvJitLink
                        SOVERSION ${CULINK_JIT_MAJOR} VERSION ${CULINK_JIT_MAJOR}
                        VERSION_SCRIPT src/driver/nvjitlink/nvjitlink_${CULINK_JIT_MAJOR}.map
                        DESTINATION ${CMAKE_INSTALL_LIBDIR}/culink/jit PRIVATE)
  target_sources(${target} PRIVATE ${release})
  # Both have a link libnvJitLink.so beside them.
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR}/lib/culink/jit-${CULINK_JIT_MAJOR})
  foreach(function ${culink_jit_functions})
    foreach(minor RANGE ${CULINK_JIT_MINOR})
      target_link_options(${target} PRIVATE
        LINKER:--defsym=__nvJitLink${function}_${CULINK_JIT_MAJOR}_${minor}=nvJitLink${function})
    endforeach()
  endforeach()
endfunction()

culink_jit_library(12 9)
culink_jit_library(13 5)
