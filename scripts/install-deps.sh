#!/usr/bin/env bash
# Installs the distribution packages that culink is built and tested with, if any is missing.
#
#   scripts/install-deps.sh [build|test|static]
#
# build   what the programs and the unit tests need
# test    also the optional checkers; one that the distribution lacks is left out, and the tests
#         that need it report themselves as skipped
# static  also the cross compiler and x86-64 libraries, on a machine of another kind
#
# Quick when nothing is missing: apt-get runs only to install. Root uses apt-get directly, others
# through sudo; on other systems the missing packages are listed and the script fails.
set -euo pipefail

required=(g++ cmake ninja-build libzstd-dev liblz4-dev libfmt-dev libyaml-cpp-dev
          nlohmann-json3-dev libcli11-dev libgtest-dev libbenchmark-dev python3)
optional=()
case "${1:-build}" in
  build) ;;
  test) optional=(clang-16 libclang-rt-16-dev clang-format-16 shellcheck codespell file) ;;
  static)
    if [ "$(uname -m)" != x86_64 ]; then
      required+=(g++-x86-64-linux-gnu libzstd-dev:amd64 liblz4-dev:amd64 libfmt-dev:amd64
                 libyaml-cpp-dev:amd64)
    fi
    ;;
  *)
    echo "usage: install-deps.sh [build|test|static]" >&2
    exit 2
    ;;
esac

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
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
[ $((${#missing[@]} + ${#missing_optional[@]})) -gt 0 ] || exit 0

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
if [[ "${missing[*]}" == *:amd64* ]]; then
  "${run_as_root[@]}" dpkg --add-architecture amd64
fi
if [ ${#missing[@]} -gt 0 ] || ! is_known make; then
  apt_get update || echo "install-deps: apt-get update failed, trying the lists at hand" >&2
fi

wanted=("${missing[@]}")
for package in "${missing_optional[@]}"; do
  if is_known "$package"; then
    wanted+=("$package")
  else
    echo "install-deps: this distribution has no $package; tests that use it will be skipped" >&2
  fi
done
[ ${#wanted[@]} -gt 0 ] || exit 0
echo "install-deps: installing ${wanted[*]}"
apt_get install --no-install-recommends -y "${wanted[@]}" >/dev/null
