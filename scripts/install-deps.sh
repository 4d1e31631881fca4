#!/usr/bin/env bash
# Installs the distribution packages that culink is built and tested with, if any is missing.
#
#   scripts/install-deps.sh [--list] [build|check|test|packages|static [x86_64|aarch64]]
#
# --list    installs nothing; prints the command that would, and fails, if a package is missing
# build     what the programs need
# check     also what the unit tests need
# test      also the optional checkers; one that the distribution lacks is left out, and the tests
#           that need it report themselves as skipped
# packages  also what makes packages, and what tries those for another machine
# static    also the cross compiler and the libraries of that machine, where this is another
#
# Quick when nothing is missing: apt-get runs only to install. Root uses apt-get directly, others
# through sudo; on other systems the missing packages are listed and the script fails.
set -euo pipefail

list=
if [ "${1:-}" = --list ]; then
  list=yes
  shift
fi
required=(g++ cmake ninja-build libzstd-dev liblz4-dev libfmt-dev libyaml-cpp-dev python3)
unit_tests=(libgtest-dev)
optional=()
foreign= # the distribution's name of another machine
case "${1:-build}" in
  build) ;;
  check) required+=("${unit_tests[@]}") ;;
  test)
    required+=("${unit_tests[@]}")
    optional=(libbenchmark-dev clang-16 libclang-rt-16-dev lld-16 clang-format-16 shellcheck codespell file valgrind
              python3-venv chromium nginx-light zsh fish clang-19 clang-tools-19)
    ;;
  packages)
    required+=(dpkg-dev file)
    optional=(rpm qemu-user-static)
    ;;
  static)
    machine=${2:-x86_64}
    if [ "$(uname -m)" != "$machine" ]; then
      case "$machine" in
        x86_64) foreign=amd64 ;;
        aarch64) foreign=arm64 ;;
        *)
          echo "install-deps: static programs are made for x86_64 and aarch64" >&2
          exit 2
          ;;
      esac
      required+=("g++-${machine/_/-}-linux-gnu" "libzstd-dev:$foreign" "liblz4-dev:$foreign")
    fi
    ;;
  *)
    echo "usage: install-deps.sh [--list] [build|check|test|packages|static [x86_64|aarch64]]" >&2
    exit 2
    ;;
esac

is_installed() {
  dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Prints those of its arguments that are not installed.
missing_of() {
  local package
  for package in "$@"; do
    is_installed "$package" || printf '%s\n' "$package"
  done
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  # Not Debian: the compiler and CMake are the judges, CMake names the library it misses.
  for program in c++ cmake ninja python3; do
    if ! command -v "$program" >/dev/null; then
      echo "install-deps: $program not found, and this is not a Debian or Ubuntu system." >&2
      echo "Install with your package manager what Debian calls:" >&2
      echo "  ${required[*]}" >&2
      exit 1
    fi
  done
  exit 0
fi

mapfile -t missing < <(missing_of "${required[@]}")
mapfile -t missing_optional < <(missing_of "${optional[@]}")
# Debian has this package for one machine at a time; another's is unpacked beside the build.
unpacked=
if [ -n "$foreign" ]; then
  unpacked=$(cd "$(dirname "$0")/.." && pwd)/build/packages-$foreign
fi
[ $((${#missing[@]} + ${#missing_optional[@]})) -gt 0 ] ||
  { [ -n "$unpacked" ] && [ ! -d "$unpacked" ]; } || exit 0

if [ -n "$list" ]; then
  [ ${#missing[@]} -gt 0 ] || exit 0
  echo "missing packages; \`make deps\` installs them, or:  sudo apt-get install ${missing[*]}" >&2
  exit 1
fi

run_as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null; then
    run_as_root=(sudo)
  elif [ ${#missing[@]} -eq 0 ]; then
    echo "install-deps: not root and no sudo, going on without: ${missing_optional[*]}" >&2
    exit 0
  else
    echo "install-deps: not root and no sudo; ask an administrator to run:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi
apt_get() {
  "${run_as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"
}

is_known() { apt-cache show "$1" >/dev/null 2>&1; }

# Package lists are fetched when they are needed: something required is missing, or nothing is
# known yet about something optional.
if [ -n "$foreign" ]; then
  "${run_as_root[@]}" dpkg --add-architecture "$foreign"
fi
if [ ${#missing[@]} -gt 0 ] || ! is_known make; then
  apt_get update || echo "install-deps: apt-get update failed, trying the lists at hand" >&2
fi

wanted=("${missing[@]}")
for package in "${missing_optional[@]}"; do
  if is_known "$package"; then
    wanted+=("$package")
  else
    echo "install-deps: this distribution has no $package; what needs it will be skipped" >&2
  fi
done
if [ ${#wanted[@]} -gt 0 ]; then
  echo "install-deps: installing ${wanted[*]}"
  apt_get install --no-install-recommends -y "${wanted[@]}" >/dev/null
fi
if [ -n "$unpacked" ] && [ ! -d "$unpacked" ]; then
  folder=$(mktemp -d)
  (cd "$folder" && apt-get -qq download "libyaml-cpp-dev:$foreign" 2>/dev/null)
  mkdir -p "$unpacked"
  dpkg-deb -x "$folder"/*.deb "$unpacked"
  rm -r "$folder"
fi
