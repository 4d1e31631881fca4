#!/usr/bin/env bash
# Tries packages (.deb, .rpm, .tar.gz) in a clean root: only the C library and its loader are there, and only if
# the package depends on them.
#
#   scripts/check-packages.sh PACKAGE...
#
# Each package has to hold the programs, manual pages, completions and documents, to depend on nothing but
# the C library, and its programs have to run: by an emulator (qemu) where they are for another machine.
# Those for this one also have to print what the documents show. Where root runs this, dpkg and rpm install
# packages for this machine and remove them again, in a root with a shell and ldconfig.
# Entering a root takes user namespaces; without them programs run outside, which is said.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)

fail() {
  echo "check-packages: $*" >&2
  exit 1
}

# unpack PACKAGE FOLDER: its files, and in `needs` what it depends on.
unpack() {
  case "$1" in
    *.deb)
      dpkg-deb -x "$1" "$2"
      needs=$(dpkg-deb -f "$1" Depends | tr ',' '\n' | sed 's/ *([^)]*)//; s/ //g' | sort -u | paste -sd' ')
      ;;
    *.rpm)
      rpm2archive - < "$1" | tar -xz -C "$2"
      needs=$(rpm -qpR "$1" | sed '/^rpmlib/d; /^\/bin\/sh/d; s/(.*//' | sort -u | paste -sd' ')
      ;;
    *.tar.gz)
      mkdir -p "$2/usr"
      tar -xzf "$1" -C "$2/usr" --strip-components=1
      needs=
      ;;
    *) fail "$1: not a package" ;;
  esac
}

# run PROGRAM WORD...: in the root.
run() {
  local program=$1
  shift
  if [ -n "$emulator" ]; then
    "$emulator" "$root/usr/bin/$program" "$@"
  elif [ -n "$enters" ]; then
    unshare -r chroot "$root" "/usr/bin/$program" "$@"
  else
    "$root/usr/bin/$program" "$@"
  fi
}

# copy_files ROOT FILE...: to the same places.
copy_files() {
  local to=$1 file
  shift
  for file in "$@"; do
    mkdir -p "$to/$(dirname "$file")"
    cp -L "$file" "$to/$file"
  done
}

# copy_libraries ROOT PROGRAM...: what they load.
copy_libraries() {
  local to=$1
  shift
  # shellcheck disable=SC2046  # several files
  copy_files "$to" $(ldd "$@" 2> /dev/null | grep -o '/[^ ]*' | grep '\.so' | sort -u)
}

# install_and_remove PACKAGE: by the program that people use for it. Fails where that does, or leaves something.
install_and_remove() {
  local place=$work/installed
  rm -rf "$place"
  copy_files "$place" /bin/sh /sbin/ldconfig* # Ubuntu has a script before it
  copy_libraries "$place" /bin/sh /sbin/ldconfig
  mkdir -p "$place/etc"
  case "$1" in
    *.deb)
      mkdir -p "$place"/var/lib/dpkg/{info,updates,triggers}
      : > "$place/var/lib/dpkg/status"
      : > "$place/var/lib/dpkg/available"
      dpkg --root="$place" --log=/dev/null --force-depends -i "$1" || return 1
      ;;
    *) rpm --root "$place" --nodeps --ignorearch -i "$1" || return 1 ;;
  esac
  cmp "$place/usr/bin/culink" "$root/usr/bin/culink" || return 1
  case "$1" in
    *.deb) dpkg --root="$place" --log=/dev/null --force-depends -r culink || return 1 ;;
    *) rpm --root "$place" --nodeps -e culink || return 1 ;;
  esac
  find "$place/usr" -name '*cu[bl]in*' | grep . && return 1
  return 0
}

enters=yes
unshare -r true 2> /dev/null || enters=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package in "$@"; do
  root=$work/root
  rm -rf "$root"
  mkdir "$root"
  unpack "$package" "$root"
  for file in bin/culink bin/cubin share/man/man1/culink.1 share/man/man1/cubin.1 \
    share/bash-completion/completions/culink share/bash-completion/completions/cubin \
    share/zsh/site-functions/_culink share/zsh/site-functions/_cubin \
    share/fish/vendor_completions.d/culink.fish share/fish/vendor_completions.d/cubin.fish \
    share/doc/culink/README.md share/doc/culink/LICENSE share/doc/culink/CHANGELOG.md \
    share/doc/culink/docs/cubin.md share/doc/culink/docs/schemas/cubin-usage.json include/culink.h; do
    [ -s "$root/usr/$file" ] || [ -s "$root/usr/$file.gz" ] || fail "$package: no $file"
  done
  for need in $needs; do
    case "$need" in
      libc6 | libc.so.6 | ld-linux-x86-64.so.2 | libm.so.6 | libdl.so.2 | libpthread.so.0 | rtld) ;;
      *) fail "$package: depends on $need" ;;
    esac
  done
  emulator=""
  how="in a root of its own"
  machine=$(od -An -tu2 -j18 -N2 "$root/usr/bin/cubin" | tr -d ' ')
  case "$machine:$(uname -m)" in
    62:x86_64 | 183:aarch64) [ -n "$enters" ] || how="outside: there are no user namespaces" ;;
    *)
      other=aarch64
      [ "$machine" = 183 ] || other=x86_64
      emulator=$(command -v qemu-$other-static || command -v qemu-$other || true) how="by an emulator"
      ;;
  esac
  if [ "$machine" = 183 ] && [ "$(uname -m)" != aarch64 ] && [ -z "$emulator" ]; then
    echo "$(basename "$package"): has its files; programs not run, there is no qemu"
    continue
  fi
  if [ -n "$needs" ]; then # the C library, and nothing else
    copy_libraries "$root" "$root/usr/bin/cubin" "$root/usr/bin/culink"
  fi
  cp "$source"/examples/vector_math/sm_90/{main,filter}.cubin "$root"
  if [ -n "$enters" ] && [ -z "$emulator" ]; then inside=; else inside=$root; fi
  run culink --no-cache -arch=sm_90 "$inside/main.cubin" "$inside/filter.cubin" -o "$inside/linked.cubin" ||
    fail "$package: culink does not link"
  run cubin verify "$inside/linked.cubin" > "$work/log" || fail "$package: $(cat "$work/log")"
  run cubin usage --sort=registers -n 1 "$inside/linked.cubin" > "$work/log"
  grep -q _Z6smoothPKfPfi "$work/log" || fail "$package: cubin usage: $(cat "$work/log")"
  diff -r "$source/docs" "$root/usr/share/doc/culink/docs" > "$work/log" || fail "$package: other documents: $(cat "$work/log")"
  if [ -z "$emulator" ]; then
    python3 -B "$source/scripts/update_shown_outputs.py" --check "$root/usr/bin" > "$work/log" || fail "$package: $(cat "$work/log")"
    how+=", prints what the documents show"
    if [ "$(id -u)" = 0 ] && [[ $package != *.tar.gz ]]; then
      install_and_remove "$package" > "$work/log" 2>&1 || fail "$package: installing: $(cat "$work/log")"
      how+=", installs and goes"
    fi
  fi
  echo "$(basename "$package"): links and looks, $how; depends on ${needs:-nothing}"
done
