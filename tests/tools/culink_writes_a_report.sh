#!/usr/bin/env bash
# culink --report writes a page of a link: inputs, what was discarded and why, messages, and times only
# where they were asked for.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cp "$SOURCE"/examples/weak_templates/sm_90/{backward,forward}.cubin .
"$CULINK" -arch=sm_90 backward.cubin forward.cubin -o linked.cubin --report=page.html
"$CULINK" -arch=sm_90 backward.cubin forward.cubin -o linked.cubin --report=again.html --threads=1
expect_same page.html again.html
"$CULINK" -arch=sm_90 backward.cubin forward.cubin -o plain.cubin
expect_same linked.cubin plain.cubin

expect_contains page.html '"inputs":["backward.cubin","forward.cubin"]' '"file":"linked.cubin"' \
  'Stack\u003cint, 4\u003e::pop()' '"the copy of backward.cubin is linked"' '"steps":[]'

"$CULINK" -arch=sm_90 backward.cubin forward.cubin -o linked.cubin --report=times.html --stats >stats.txt
expect_contains times.html '"steps":["open",'

# Under nvcc the output has a passing name, and the page is called as the user called it.
"$CULINK" -arch=sm_90 backward.cubin forward.cubin -o tmpxft_00000001_a_dlink.cubin --report=app.%a.html
expect_contains app.sm_90.html '"file":"app.sm_90"'
expect_lacks app.sm_90.html tmpxft

# Messages are in the page as well as on the console.
cp "$SOURCE/examples/vector_math/sm_90/main.cubin" .
"$CULINK" -arch=sm_90 backward.cubin forward.cubin -lnothing -o linked.cubin --report=page.html 2>messages.txt
expect_contains messages.txt "warning"
expect_contains page.html '"severities":["warning"]'

# A link that fails leaves the page of the one before alone; one that cannot be written is an error.
cp page.html before.html
not "$CULINK" -arch=sm_90 main.cubin -o linked.cubin --report=page.html 2>/dev/null
expect_same page.html before.html
not "$CULINK" -arch=sm_90 backward.cubin -o linked.cubin --report=nowhere/page.html 2>messages.txt
expect_contains messages.txt "nowhere/page.html"
