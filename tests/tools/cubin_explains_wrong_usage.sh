#!/usr/bin/env bash
# A command line that makes no sense exits with 2 and says what to do; asking for help is fine.
. "${BASH_SOURCE%/*}/../common.inc.sh"

says 2 "usage: cubin" "  usage  " "  prune  " "'cubin <command> --help' has the options" -- "$CUBIN"
says 2 "cubin: error: FILE is required" "Try 'cubin dump --help'." -- "$CUBIN" dump
says 2 "--no-such-option" -- "$CUBIN" dump --no-such-option x.cubin
says 2 "cubin: error: unknown command 'no-such-command'" -- "$CUBIN" no-such-command
expect_lacks told "did you mean"
says 2 "cubin: error: unknown command 'dmup'; did you mean 'dump'?" "Try 'cubin --help'." -- "$CUBIN" dmup x.cubin
says 2 "did you mean 'disasm'?" -- "$CUBIN" disas x.cubin
says 2 "unknown option '--demagnle'; did you mean '--demangle'?" "Try 'cubin dump --help'." -- \
  "$CUBIN" dump --demagnle x.cubin
says 2 "did you mean '--version'?" -- "$CUBIN" --versoin

says 0 "dump" "usage" -- "$CUBIN" --help
says 0 "--sections" "--json" "Exit status" -- "$CUBIN" dump --help
"$CUBIN" --version >version.txt
head -1 version.txt | grep -Eq '^cubin [0-9]+\.[0-9]+\.[0-9]+$' || fail "version: $(cat version.txt)"
"$CULINK" --version | sed 1s/culink/cubin/ > culink.txt
expect_same version.txt culink.txt
expect_contains version.txt "nvlink releases it stands for: 12.4.131, 13.0.48, 13.0.88, 13.1.80"
