#!/usr/bin/env bash
# The Python package is built, installed in an environment that has nothing else, and works there
# without PATH and without variables: its tests, the sessions of the documents, the programs. With the
# argument `quick` the files of the build folder go into it, with `full` all is compiled anew.
. "${BASH_SOURCE%/*}/../common.inc.sh"
how=${1:-quick}
build=${CULINK_BUILD:-$SOURCE/build/release}
need cmake python3 c++
[ -e "$build/lib/libculink.so.0" ] || [ "$how" = full ] || skip "no shared library in this build"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "Python is older than 3.9"
if grep -q '^CULINK_SANITIZE:STRING=.' "$build/CMakeCache.txt" 2> /dev/null; then
  skip "the library was built with sanitizers"
fi

python3 -m venv maker > log 2>&1 || skip "python3 -m venv makes no environment"
# The packages that pyproject.toml asks for, from where pip finds them.
sed -n 's/^requires = \[\(.*\)\]$/\1/p' "$SOURCE/pyproject.toml" | tr -d '" ' | tr ',' '\n' > requires
[ -s requires ] || fail "pyproject.toml requires nothing"
maker/bin/pip install -q --retries 1 --timeout 15 -r requires > log 2>&1 ||
  skip "pip cannot install $(tr '\n' ' ' < requires)"

export SKBUILD_BUILD_DIR=$WORK/made
if [ "$how" = quick ]; then
  export SKBUILD_CMAKE_ARGS="-DCULINK_PREBUILT=$build"
fi
maker/bin/pip wheel -v --no-build-isolation --no-deps -w wheels "$SOURCE" > log 2>&1 ||
  fail "no wheel: $(tail -50 log)"
compgen -G 'wheels/culink-*-py3-none-linux_*.whl' > /dev/null || fail "not for all versions: $(ls wheels)"

python3 -m venv --copies clean
clean/bin/pip install -q --no-index --no-deps wheels/culink-*.whl
package=$(clean/bin/python -Ic 'import os, culink; print(os.path.dirname(culink.__file__))')
# Nothing but the C library is needed beside them.
for file in "$package/libculink.so.0" clean/bin/culink clean/bin/cubin; do
  ldd "$file" > needed
  grep -vE 'linux-vdso|ld-linux|lib(c|m|dl|pthread)\.so' needed > foreign || true
  [ ! -s foreign ] || fail "$file needs $(cat foreign)"
done
[ -e "$package/py.typed" ] || fail "no py.typed in the package"

# Elsewhere, with what a clean machine has.
mkdir elsewhere
cp -r "$SOURCE/examples" "$SOURCE/python/tests" "$SOURCE/docs/python.md" elsewhere
cd elsewhere
# shellcheck disable=SC2016  # fences
sed -n '/^```python$/,/^```$/p' "$SOURCE/README.md" > README.md
clean() {
  env -i CULINK_EXAMPLES="$PWD/examples" "$@"
}
clean ../clean/bin/python -IB -m unittest discover -s tests > log 2>&1 || fail "$(tail -50 log)"
grep -qE '^Ran [1-9][0-9]+ tests' log || fail "few tests ran: $(cat log)"
# With a toolkit, if there is one: link-time optimisation.
cuda=${CUDA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /none)")")")}
if compgen -G "$cuda/lib*/libnvJitLink.so.13" > /dev/null; then
  clean CULINK_TEST_CUDA="$cuda" CULINK_LTO_INPUTS="$SOURCE/tests/lto/recorded" \
    ../clean/bin/python -IB -m unittest discover -s tests -k CompiledAtLinkTime > log 2>&1 || fail "$(tail -50 log)"
  expect_contains log "Ran 3 tests"
  expect_lacks log skipped
fi
clean ../clean/bin/python -IB - > log 2>&1 << 'PYTHON' || fail "$(cat log)"
import doctest, culink
for where in ("python.md", "README.md"):
    failed, run = doctest.testfile(where, module_relative=False)
    assert run > 0 and failed == 0, where
failed, run = doctest.testmod(culink)
assert run > 0 and failed == 0
PYTHON
clean ../clean/bin/culink -arch=sm_90 examples/vector_math/sm_90/{main,filter}.cubin -o linked.cubin
clean ../clean/bin/cubin verify linked.cubin > log || fail "$(cat log)"
cd ..

# Types hold together, as far as a checker of types can tell; it is large, so not in the quick test.
if [ "$how" = full ] && maker/bin/pip install -q --retries 1 --timeout 15 mypy > log 2>&1; then
  maker/bin/mypy --strict --python-executable clean/bin/python --no-error-summary -p culink > log 2>&1 ||
    fail "$(cat log)"
fi
