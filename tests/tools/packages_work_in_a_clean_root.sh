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
  "$SOURCE/scripts/check-packages.sh" packages/*.deb > checked || fail "$(cat checked)"
  expect_contains checked "links and looks" "prints what the documents show" "depends on libc6"
  says 0 culink-config.cmake -- dpkg-deb -c packages/*.deb
else
  tar -tzf packages/*.tar.gz > names
  expect_contains names /bin/culink /bin/cubin /share/man/man1/cubin.1 /share/doc/culink/docs/cubin.md
fi
# A package that lacks something is found.
mkdir -p broken/usr/bin
cp "$CUBIN" broken/usr/bin
tar -czf broken.tar.gz broken
not "$SOURCE/scripts/check-packages.sh" broken.tar.gz 2> log
expect_contains log "no bin/culink"
