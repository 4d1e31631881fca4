#!/usr/bin/env bash
# A script called nvlink in the toolkit may run culink, which would ask that script again, and so on.
# The link that it starts ends with one error, and so does the link that has started it.
. "${BASH_SOURCE%/*}/../common.inc.sh"

mkdir -p toolkit/bin
cat > toolkit/bin/nvlink << 'CODE'
#!/usr/bin/env bash
export DEPTH=$((${DEPTH:-0} + 1))
echo "$DEPTH" >> started
[ "$DEPTH" -lt 4 ] || exit 9
exec "$CULINK" "$@"
CODE
chmod +x toolkit/bin/nvlink
export CUDA_HOME=$WORK/toolkit
cp "$SOURCE/tests/golden/capsule_directives/kernel.cubin" .

expect_status 1 timeout 60 "$CULINK" -arch=sm_100 --code=exact kernel.cubin -o out.cubin 2> errors
expect_contains errors "toolkit/bin/nvlink ended with 1" "another link runs this one as its compiler"
[ "$(grep -c '^culink: error: ' errors)" -eq 1 ] || fail "several errors: $(cat errors)"
[ "$(sort -u started)" = 1 ] || fail "an engine has started another one: $(cat started)"

# For another chip of the family, too.
: > started
timeout 60 "$CULINK" -arch=sm_103 kernel.cubin -o out.cubin 2> errors || true
[ "$(sort -u started)" = 1 ] || fail "an engine has started another one: $(cat started)"
