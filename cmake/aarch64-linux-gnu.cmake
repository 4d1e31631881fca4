# Toolchain for 64-bit ARM Linux. On such a machine this names the native compiler; elsewhere it is
# Debian's g++-aarch64-linux-gnu with the arm64 packages of the libraries
# (scripts/install-deps.sh static aarch64).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
list(APPEND CMAKE_LIBRARY_PATH
     ${CMAKE_CURRENT_LIST_DIR}/../build/packages-arm64/usr/lib/aarch64-linux-gnu)
