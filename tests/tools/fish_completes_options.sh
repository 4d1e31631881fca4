#!/usr/bin/env bash
# In fish, commands of cubin and options of both programs complete by name, and those with a few values by value.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need fish

"$CULINK" --print-docs fish > culink.fish
"$CUBIN" --print-docs fish > cubin.fish
completed() { HOME=$WORK fish --no-config -c "source ${1%% *}.fish; complete -C '$1'" | cut -f1; }
says 0 --error-format -- completed 'culink --error-f'
says 0 text json nvlink -- completed 'culink --error-format='
says 0 auto always never -- completed 'culink --color '
says 0 template packing -- completed 'cubin size --by='
says 0 disasm -- completed 'cubin dis'
completed 'culink --no-such-thing' > values
expect_lacks values --
