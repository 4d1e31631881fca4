#!/usr/bin/env bash
# Makes the packages of a release and tries each in a clean root.
#
#   scripts/make-packages.sh [x86_64|aarch64]...      both without an argument; packages are in build/packages
#
# For the machine it runs on: .deb and .rpm of the release build, with the shared library, and a .tar.gz of
# static programs. For the other one all three hold static programs, which its compiler of the distribution
# can make. What a package needs is installed by scripts/install-deps.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
packages=$PWD/build/packages
[ $# -gt 0 ] || set -- x86_64 aarch64

# make_kinds PRESET KINDS: packages of a build.
make_kinds() {
  cmake --preset "$1" > /dev/null
  cmake --build --preset "$1" -j "$jobs" --target programs
  cpack --config "build/$1/CPackConfig.cmake" -G "$2" -B "$packages" > "$packages/cpack.log" ||
    { cat "$packages/cpack.log" >&2; exit 1; }
}

scripts/install-deps.sh packages
rm -rf "$packages"
mkdir -p "$packages"
kinds=DEB
if command -v rpmbuild > /dev/null; then
  kinds="DEB;RPM"
else
  echo "make-packages: no rpmbuild, so no .rpm (Debian: apt-get install rpm)" >&2
fi
for machine in "$@"; do
  scripts/install-deps.sh static "$machine"
  if [ "$machine" = "$(uname -m)" ]; then
    make_kinds release "$kinds"
    make_kinds "$machine-static" TGZ
  else
    make_kinds "$machine-static" "$kinds;TGZ"
  fi
done
rm -rf "$packages/_CPack_Packages" "$packages/cpack.log"
scripts/check-packages.sh "$packages"/*
