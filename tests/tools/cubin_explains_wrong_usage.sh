#!/usr/bin/env bash
# A command line that makes no sense exits with 2 and says what to do; asking for help is fine.
. "${BASH_SOURCE%/*}/../common.inc.sh"

expect_status 2 "$CUBIN" 2>err.txt
expect_contains err.txt "usage: cubin" "  usage  " "  prune  " "'cubin <command> --help' has the options"
expect_status 2 "$CUBIN" dump 2>err.txt
expect_contains err.txt "cubin: error: FILE is required" "Try 'cubin dump --help'."
expect_status 2 "$CUBIN" dump --no-such-option x.cubin 2>err.txt
expect_contains err.txt "--no-such-option"
expect_status 2 "$CUBIN" no-such-command 2>err.txt
expect_contains err.txt "cubin: error: unknown command 'no-such-command'"
expect_lacks err.txt "did you mean"
expect_status 2 "$CUBIN" dmup x.cubin 2>err.txt
expect_contains err.txt "cubin: error: unknown command 'dmup'; did you mean 'dump'?" "Try 'cubin --help'."
expect_status 2 "$CUBIN" disas x.cubin 2>err.txt
expect_contains err.txt "did you mean 'disasm'?"
expect_status 2 "$CUBIN" dump --demagnle x.cubin 2>err.txt
expect_contains err.txt "unknown option '--demagnle'; did you mean '--demangle'?" "Try 'cubin dump --help'."
expect_status 2 "$CUBIN" --versoin 2>err.txt
expect_contains err.txt "did you mean '--version'?"

"$CUBIN" --help >help.txt
expect_contains help.txt "dump" "usage"
"$CUBIN" dump --help >help.txt
expect_contains help.txt "--sections" "--json" "Exit status"
"$CUBIN" --version >version.txt
head -1 version.txt | grep -Eq '^cubin [0-9]+\.[0-9]+\.[0-9]+$' || fail "version: $(cat version.txt)"
"$CULINK" --version | sed 1s/culink/cubin/ > culink.txt
expect_same version.txt culink.txt
expect_contains version.txt "nvlink releases it stands for: 12.4.131, 13.0.48, 13.0.88, 13.1.80"
