# Toolchain for x86-64 Linux. On an x86-64 machine this names the native compiler; elsewhere it is
# Debian's g++-x86-64-linux-gnu with the amd64 packages of the libraries
# (scripts/install-deps.sh static x86_64).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER x86_64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
list(APPEND CMAKE_LIBRARY_PATH
     ${CMAKE_CURRENT_LIST_DIR}/../build/packages-amd64/usr/lib/x86_64-linux-gnu)
