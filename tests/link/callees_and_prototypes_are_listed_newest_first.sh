#!/usr/bin/env bash
# In .nv.callgraph the callees and prototypes of one function stand newest first; an executable keeps
# repetitions, -r does not; a function has one prototype, the last one read, or none. In
# patched.cubin h1 is named where h2 and h3 were (Q027).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded callees_and_prototypes_are_listed_newest_first
