#!/usr/bin/env bash
# A newcomer installs, makes the first link, meets the first error and reads the first map, as
# README says and with what it shows; no CUDA is needed. Beside the programs there are manual pages,
# completions and a pkg-config file.
. "${BASH_SOURCE%/*}/../common.inc.sh"
build=${CULINK_BUILD:-$SOURCE/build/release}

cmake --install "$build" --prefix "$WORK/prefix" > install.log
export PATH=$WORK/prefix/bin:$PATH
[ "$(command -v culink)" = "$WORK/prefix/bin/culink" ] || fail "culink is not installed"
expect_contains "$SOURCE/README.md" "First link, first error, first map" "culink -arch" "-Map=" "undefined symbol"
python3 -B "$SOURCE/scripts/update_shown_outputs.py" --check "$WORK/prefix/bin" ||
  fail "README shows what the installed programs do not print"

# What other tests show of the programs holds for those that are installed.
for program in culink cubin; do expect_same prefix/bin/$program "$build/bin/$program"; done

# Every option of --help is in the manual page and in each completion, and no other.
culink --help | grep -o '^  --[A-Za-z0-9-]*' | tr -d ' ' | sort > options
[ "$(wc -l < options)" -gt 50 ] || fail "--help lists few options"
share=prefix/share
sed -n 's/^\\fB\\-\\-\([A-Za-z0-9\\-]*\)\\fR.*/--\1/p' $share/man/man1/culink.1 | sed 's/[\]//g' | sort > in_man
sed -n 's/.* -l \([A-Za-z0-9-]*\).*/--\1/p' $share/fish/vendor_completions.d/culink.fish | sort > in_fish
sed -n "s/^  '\(--[A-Za-z0-9-]*\).*/\1/p" $share/zsh/site-functions/_culink | sort > in_zsh
grep -o "options='[^']*'" $share/bash-completion/completions/culink | grep -o -- '--[A-Za-z0-9-]*' |
  sort > in_bash
culink --print-docs markdown | sed -n 's/^| `\(--[A-Za-z0-9-]*\).*/\1/p' | sort > in_markdown
for form in man fish zsh bash markdown; do expect_same options in_$form; done
bash -n $share/bash-completion/completions/culink
for command in $(cubin --help | sed -n '/^Commands:/,$s/^  \([a-z]*\) .*/\1/p'); do
  expect_contains $share/man/man1/cubin.1 ".SH cubin $command"
done

# The completion itself completes.
# shellcheck disable=SC1091,SC2034
completed=$(. $share/bash-completion/completions/culink; COMP_WORDS=(culink --error-format "=" "") \
  COMP_CWORD=3; _culink; echo "${COMPREPLY[*]}")
[ "$completed" = "text json nvlink" ] || fail "completes to '$completed'"
# shellcheck disable=SC1091,SC2034
completed=$(. $share/bash-completion/completions/culink; COMP_WORDS=(culink -arch "=" "sm_10") \
  COMP_CWORD=3; _culink; echo "${COMPREPLY[*]}")
[[ "$completed" == *"sm_100 "* ]] || fail "completes to '$completed'"

# The documents come with the programs.
diff -r "$SOURCE/docs" $share/doc/culink/docs || fail "other documents are installed"

if command -v pkg-config > /dev/null && command -v c++ > /dev/null; then
  pc=$(dirname "$(find prefix -name culink.pc)")
  # shellcheck disable=SC2046  # several words
  c++ "$SOURCE/examples/link_in_memory/link_in_memory.cc" -o linker \
    $(PKG_CONFIG_PATH=$WORK/$pc pkg-config --cflags --libs culink-cxx)
  objects=$SOURCE/examples/vector_math/sm_90
  says 0 "36 registers" -- ./linker sm_90 "$objects/main.cubin" "$objects/filter.cubin" out.cubin
fi
