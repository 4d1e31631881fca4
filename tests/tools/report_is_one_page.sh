#!/usr/bin/env bash
# cubin report writes one page that asks nobody for anything and runs no script but its own.
. "${BASH_SOURCE%/*}/../common.inc.sh"

linked=$SOURCE/examples/vector_math/sm_90/linked.cubin
"$CUBIN" report "$linked" -o page.html
"$CUBIN" report "$linked" -o again.html
expect_same page.html again.html

# The policy names the hashes of the script and the style sheet that are in the page; addresses other
# than the name of SVG are nowhere.
python3 - page.html << 'PYTHON' || fail "the page is not as it should be"
import base64, hashlib, json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
assert policy.startswith("default-src 'none'"), policy
for element, text in re.findall(r"<(script|style)>(.*?)</\1>", page, re.S):
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert f"{element}-src 'sha256-{digest}'" in policy, element
assert page.count("<script") == 2 and page.count("</script") == 2
assert not set(re.findall(r"https?://[^\"' ]*", page)) - {"http://www.w3.org/2000/svg"}
assert not re.search(r"<[^>]* (src|onclick|onload|style)=", page)
data = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S)[1])
assert [image["target"] for image in data["images"]] == ["sm_90"]
PYTHON

# Which functions are there more than once: in an image by their code, in objects also by name.
cat > twins.yaml << 'YAML'
arch: sm_90
functions:
- {name: a, kernel: true, code: nop x4}
- {name: b, kernel: true, code: nop x4}
- {name: c, kernel: true, code: nop x5}
YAML
"$CUBIN" assemble twins.yaml -o twins.cubin
"$CULINK" -arch=sm_90 twins.cubin -o twins.linked
"$CUBIN" report twins.linked -o twins.html
expect_contains twins.html '"duplicates":[1,1,0]'
"$CUBIN" report twins.cubin -o twins.html
expect_contains twins.html '"duplicates":[0,0,0]'
cp twins.cubin again.cubin
"$CUBIN" report twins.cubin again.cubin -o twins.html
[ "$(grep -o '"duplicates":\[1,2,3\]' twins.html | wc -l)" = 2 ] || fail "duplicates in two files"
"$CUBIN" report --compare twins.cubin again.cubin -o twins.html
expect_lacks twins.html '"duplicates":[1'

# Names that would like to be markup.
cat > hostile.yaml << 'YAML'
arch: sm_90
functions:
- {name: "</script><script>alert(1)</script>", kernel: true, code: nop}
- {name: "<!--<b>&amp;\e[2J", code: nop}
- {name: {hex: ff3cc29b}, code: nop}
YAML
"$CUBIN" assemble hostile.yaml -o hostile.cubin
"$CUBIN" report hostile.cubin -o hostile.html
expect_lacks hostile.html "<script>alert" "<!--" "<b>" $'\e'
python3 -c 'open("hostile.html", encoding="utf-8").read()' || fail "no UTF-8"

# Two sides; files without device code; a broken file does not keep others from the page.
"$CUBIN" report "$linked" hostile.cubin --compare -o compare.html
expect_contains compare.html '"compares":1' '"earlier":1'
expect_status 2 "$CUBIN" report "$linked" --compare -o none.html
echo text > text.txt
expect_status 1 "$CUBIN" report text.txt -o none.html
[ ! -e none.html ] || fail "a page of nothing"
expect_status 1 "$CUBIN" report text.txt "$linked" -o some.html
[ -e some.html ] || fail "no page of what could be read"
expect_status 1 "$CUBIN" report "$linked" -o nowhere/page.html
