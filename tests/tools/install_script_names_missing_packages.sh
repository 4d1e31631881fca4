#!/usr/bin/env bash
# Without apt-get the install script says which program is missing and what to install.
. "${BASH_SOURCE%/*}/../common.inc.sh"

mkdir bin
for program in bash id uname; do
  ln -s "$(command -v "$program")" bin/
done
PATH=$WORK/bin expect_status 1 bash "$SOURCE/scripts/install-deps.sh" build 2> errors
expect_contains errors "c++ not found" "not a Debian" "libfmt-dev"
says 2 "usage: install-deps.sh" -- bash "$SOURCE/scripts/install-deps.sh" nonsense
