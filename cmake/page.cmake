# The pages of `cubin report` and `culink --report`: the files of src/inspect/page/web as one text in the library.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(web ${PROJECT_SOURCE_DIR}/src/inspect/page/web)
set(embed ${PROJECT_SOURCE_DIR}/cmake/embed_page.py)
file(GLOB web_files CONFIGURE_DEPENDS ${web}/*.html ${web}/*.css ${web}/*.js)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/page/web_parts.cc
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/page
                   COMMAND Python3::Interpreter ${embed} ${web} ${PROJECT_BINARY_DIR}/page/web_parts.cc
                   DEPENDS ${embed} ${web_files} VERBATIM)
target_sources(culink_page PRIVATE ${PROJECT_BINARY_DIR}/page/web_parts.cc)
