#!/usr/bin/env bash
# Local functions of one name have a bank of compiler constants each, in relocatable files, and one
# list of resolved relocations together (Q040, Q113). A function whose prevailing definition
# has no constants still has a place in the banks of kernels, of no size.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded constants_of_local_functions

# Each function finds its own constants after two links.
"$CULINK" -arch=sm_80 -r c.cubin b.cubin a.cubin -o own.cubin
"$CULINK" -arch=sm_80 own.cubin -o again.cubin
for number in CD AB CE 11 22 33; do
  "$CUBIN" dump --hex .nv.constant2.ka --hex .nv.constant2.kb --hex .nv.constant2.kc again.cubin > bytes
  tr 'a-f' 'A-F' < bytes | grep -q "$number 00 01 67 45 23 F1 3F"
done
