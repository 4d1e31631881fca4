# culink_shared_library(TARGET LAYER NAME OUTPUT_NAME NAME SOVERSION N VERSION V VERSION_SCRIPT FILE
#                       [DESTINATION FOLDER] [PRIVATE]): a shared library of all objects of a layer
# and of what they need of the layers below. The objects are those of the static libraries, which are compiled
# position-independent and with hidden visibility; a function is exported if it has default
# visibility and the version script lists it, and by that name in a version node only. Nothing of C++
# is exported: a program may have another libstdc++, fmt or zstd, or another culink, beside this one.
#
# A PRIVATE one is installed, but none for other builds to link with.
#
# Static programs (CULINK_STATIC) come without shared libraries: their compilers often lack them.
function(culink_shared_library target)
  if(CULINK_STATIC)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 library "PRIVATE"
                        "LAYER;OUTPUT_NAME;SOVERSION;VERSION;VERSION_SCRIPT;DESTINATION" "")
  set(script ${PROJECT_SOURCE_DIR}/${library_VERSION_SCRIPT})
  add_library(${target} SHARED $<TARGET_OBJECTS:culink_${library_LAYER}>)
  get_target_property(below culink_${library_LAYER} LINK_LIBRARIES)
  target_link_libraries(${target} PRIVATE ${below})
  target_link_options(${target} PRIVATE LINKER:--version-script=${script} LINKER:--exclude-libs,ALL
                      LINKER:--gc-sections LINKER:--as-needed)
  if(CULINK_SELF_CONTAINED)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  if(NOT CULINK_SANITIZE) # whose functions are in the program that loads the library
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${library_OUTPUT_NAME}
                        SOVERSION ${library_SOVERSION} VERSION ${library_VERSION}
                        LINKER_LANGUAGE CXX LINK_DEPENDS ${script}
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  add_dependencies(programs ${target})
  target_include_directories(${target} INTERFACE
                             $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(NOT library_DESTINATION)
    set(library_DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  if(library_PRIVATE)
    install(TARGETS ${target} LIBRARY DESTINATION ${library_DESTINATION} NAMELINK_SKIP)
    return()
  endif()
  install(TARGETS ${target} EXPORT culink LIBRARY DESTINATION ${library_DESTINATION})
endfunction()
