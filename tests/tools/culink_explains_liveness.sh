#!/usr/bin/env bash
# --why-live shows the shortest chain of reasons that the linker recorded: from a kernel, or from what
# takes the address of a function. Of symbols that are not live it says who refers to them.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cat > a.yaml <<'YAML'
arch: sm_90
functions:
- {name: first, kernel: true, code: nop x4, calls: [used], indirect_calls: ["#v"]}
- {name: second, kernel: true, code: nop x4, calls: [detour, of_second]}
- {name: detour, code: nop, calls: [used]}
- {name: of_second, code: nop}
- {name: used, code: nop x2, relocs: [{at: 0x10, type: ABS32_LO_32, to: table}]}
- {name: printer, address_taken: "#i", code: nop, calls: [vprintf, lost]}
- {name: lost, code: nop}
- {name: setter, code: nop, relocs: [{at: 0, type: ABS32_LO_32, to: printer}]}
- {name: target, address_taken: "#v", code: nop, calls: [behind]}
- {name: behind, code: nop}
- {name: unknown_taker, address_taken: "#i", code: nop}
- {name: unused, code: nop, calls: [deeper]}
- {name: deeper, code: nop}
undefined: [vprintf]
globals:
- {name: table, data: "0000000000000000", relocs: [{at: 0, type: "64", to: pointee}]}
- {name: pointee, data: 01000000}
- {name: idle, data: 01000000}
YAML
"$CUBIN" assemble a.yaml -o a.cubin

# asks [OPTION]... NAME: compares what is told about a symbol with standard input
asks() {
  "$CULINK" -arch=sm_90 a.cubin -o out.cubin "${@:1:$#-1}" "--why-live=${*: -1}" 2> told
  diff -u - told || fail "$*: told otherwise"
}

asks second <<'END'
second: kept by
>>> kernel second of a.cubin
END
asks used <<'END'
used: kept by
>>> kernel first of a.cubin
>>> calls used of a.cubin
END
asks behind <<'END'
behind: kept by
>>> kernel first of a.cubin
>>> may call through a pointer target of a.cubin
>>> calls behind of a.cubin
END

# A system call of a function that is live only because its address is taken.
asks vprintf <<'END'
vprintf: kept by
>>> setter of a.cubin
>>> takes the address of printer of a.cubin
>>> calls vprintf
END
asks unknown_taker <<'END'
unknown_taker: kept by
>>> code or data of a.cubin
>>> takes the address of unknown_taker of a.cubin
END

# Variables are kept by code, by other variables, or because all of them are.
asks pointee <<'END'
pointee: kept by
>>> kernel first of a.cubin
>>> calls used of a.cubin
>>> refers to table of a.cubin
>>> refers to pointee of a.cubin
END
asks idle <<'END'
idle: kept because variables are never discarded; no live code refers to it
END

# Not live: nobody refers to it, or nobody who is reached from a kernel.
asks unused <<'END'
unused: not live: nothing refers to it
END
asks deeper <<'END'
deeper: not live: no live kernel reaches what refers to it
>>> called by unused of a.cubin
END
asks lost <<'END'
lost: not live: no live kernel reaches what refers to it
>>> called by printer of a.cubin
END

# Selected kernels.
asks -kernels-used=first first <<'END'
first: kept by
>>> selected kernel first of a.cubin
END
asks -kernels-used=first second <<'END'
second: not live: a kernel that --kernels-used does not name
END
asks -kernels-used=first of_second <<'END'
of_second: not live: no live kernel reaches what refers to it
>>> called by second of a.cubin
END

# All code is kept, but a chain says more where there is one.
for option in -g -r --preserve-relocs; do
  "$CULINK" -arch=sm_90 a.cubin -o out.cubin "$option" --why-live=used,lost,vprintf 2> told
  grep -v '^culink: warning' told > lines || true
  diff -u - lines <<'END' || fail "$option: told otherwise"
used: kept by
>>> kernel first of a.cubin
>>> calls used of a.cubin
lost: kept because all code is (-g, -r, --preserve-relocs); no kernel reaches it
vprintf: kept by
>>> setter of a.cubin
>>> takes the address of printer of a.cubin
>>> calls vprintf
END
done

asks nothing_of_this_name <<'END'
nothing_of_this_name: no symbol of that name
END
