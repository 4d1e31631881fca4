#!/usr/bin/env bash
# Packages of this build have programs, documents and completions, depend on the C library alone, and run
# where nothing else is installed.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need cpack
build=${CULINK_BUILD:-$SOURCE/build/release}
[ -e "$build/CPackConfig.cmake" ] || skip "the build makes no packages"
kind=TGZ
if command -v dpkg-deb > /dev/null && command -v dpkg-shlibdeps > /dev/null; then kind=DEB; fi

# Strong compression is for releases. scripts/make-packages.sh makes the other kinds, and those for other machines.
cpack --config "$build/CPackConfig.cmake" -G $kind -B "$WORK/packages" \
  -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip > log 2>&1 || fail "$(tail -20 log)"
rm -rf packages/_CPack_Packages
if [ $kind = DEB ]; then
  says 0 "links and looks" "prints what the documents show" "depends on libc6" -- \
    "$SOURCE/scripts/check-packages.sh" packages/*.deb
  says 0 culink-config.cmake -- dpkg-deb -c packages/*.deb
else
  says 0 /bin/culink /bin/cubin /share/man/man1/cubin.1 /share/doc/culink/docs/cubin.md -- tar -tzf packages/*.tar.gz
fi
# A package that lacks something is found.
mkdir -p broken/usr/bin
cp "$CUBIN" broken/usr/bin
tar -czf broken.tar.gz broken
says 1 "no bin/culink" -- "$SOURCE/scripts/check-packages.sh" broken.tar.gz
