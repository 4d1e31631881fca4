#!/usr/bin/env bash
# In fish, options of culink complete by name, and those with a few values by value.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need fish

"$CULINK" --print-docs fish > culink.fish
completed() { HOME=$WORK fish --no-config -c "source culink.fish; complete -C '$1'" | cut -f1; }
completed 'culink --error-f' > names
expect_contains names --error-format
completed 'culink --error-format=' > values
expect_contains values text json nvlink
completed 'culink --color ' > values
expect_contains values auto always never
completed 'culink --no-such-thing' > values
expect_lacks values --
