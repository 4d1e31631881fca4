#!/usr/bin/env bash
# --cuda comes before CUDA_HOME, that before CUDA_PATH, that before nvcc in PATH; links through a
# toolchain folder use the compiler and the engine of the toolkit that it was made of, whatever the
# variables say. The toolkits are made up, so that no CUDA is needed.
. "${BASH_SOURCE%/*}/../common.inc.sh"

# toolkit NAME LIBRARIES: one whose programs do nothing but fail in words of their own.
toolkit() {
  local program
  mkdir -p "$1/bin" "$1/$2" "$1/include"
  for program in nvcc ptxas nvlink; do
    printf '#!/bin/sh\necho "%s of %s" >&2\nexit 3\n' $program "$1" > "$1/bin/$program"
    chmod +x "$1/bin/$program"
  done
}
for name in option home path program; do toolkit $name lib64; done
toolkit python/nvidia/cu13 lib
mkdir nothing
export PATH="$WORK/program/bin:/usr/bin:/bin" CUDA_HOME="$WORK/home" CUDA_PATH="$WORK/path"

# is_of FOLDER TOOLKIT: the toolchain folder leads to the toolkit, but for nvlink.
is_of() {
  [ "$(readlink -f "$1/bin/nvcc")" = "$WORK/$2/bin/nvcc" ] || fail "$1 is not of $2"
  [ "$(readlink -f "$1/bin/culink")" = "$(readlink -f "$CULINK")" ] || fail "culink is not culink"
  says 0 culink -- "$1/bin/nvlink" --version
}
says 0 "nvcc:  $WORK/by_option/bin/nvcc" -- "$CULINK" --make-toolchain by_option --cuda=option
is_of by_option option
"$CULINK" --make-toolchain by_home > told
is_of by_home home
CUDA_HOME="" "$CULINK" --make-toolchain by_path > told
is_of by_path path
CUDA_HOME="" CUDA_PATH="" "$CULINK" --make-toolchain by_program > told
is_of by_program program
CUDA_HOME=$WORK/nothing "$CULINK" --make-toolchain by_next > told # where CUDA_HOME has no nvcc
is_of by_next path
# Scripts read the release of the toolkit in the last lines of nvlink --version.
mv home/bin/ptxas ptxas
cat > home/bin/ptxas << 'CODE'
#!/bin/sh
printf 'ptxas: compiler\nCuda compilation tools, release 7.7, V7.7.7\nBuild cuda_7.7\n'
CODE
chmod +x home/bin/ptxas
by_home/bin/nvlink --version > version
[ "$(tail -n 2 version)" = "$(home/bin/ptxas | tail -n 2)" ] || fail "another release: $(cat version)"
[ "$(wc -l < version)" -eq 3 ] || fail "not in nvlink's form: $(cat version)"
mv ptxas home/bin
"$CULINK" --make-toolchain by_home --cuda=by_option > told # made again, of a toolchain folder
is_of by_home option
"$CULINK" --make-toolchain by_home > told
"$CULINK" --make-toolchain of_python --cuda="$WORK/python/nvidia/cu13" > told
is_of of_python python/nvidia/cu13
[ "$(readlink -f of_python/lib64)" = "$WORK/python/nvidia/cu13/lib" ] || fail "no lib64"
says 1 "no CUDA toolkit in nothing: there is no bin/nvcc" -- "$CULINK" --make-toolchain never --cuda=nothing
[ ! -e never ] || fail "made a folder of nothing"

# A folder that leads into the toolkit, which would be changed.
mkdir leads && ln -s "$WORK/home/bin" leads/bin
says 1 "leads/bin is a link" -- "$CULINK" --make-toolchain leads --cuda="$WORK/option"
ln -s "$WORK/home" is_home
mkdir other && touch other/file
says 1 "it is not empty" -- "$CULINK" --make-toolchain other --cuda="$WORK/option"
[ "$(ls other)" = file ] || fail "filled another's folder"
says 1 "it is the CUDA toolkit itself" -- "$CULINK" --make-toolchain is_home --cuda="$WORK/home"
if [ -L home/bin/nvcc ] || [ -L home/bin/nvlink ]; then fail "changed the toolkit"; fi

# One in which culink is gone says so, where nvcc would take another nvlink of PATH.
"$CULINK" --make-toolchain gone > told
ln -sf "$WORK/nowhere" gone/bin/culink
says 1 "gone/bin/nvlink: the culink of this folder is gone: run culink --make-toolchain again" -- gone/bin/nvlink --version
"$CULINK" --make-toolchain gone > told
gone/bin/nvlink --version > version
# A link, as it was made before, becomes the script; a file of somebody else stays.
ln -sf "$WORK/home/bin/nvlink" gone/bin/nvlink
"$CULINK" --make-toolchain gone > told
gone/bin/nvlink --version > version
echo precious > gone/bin/nvlink
says 1 "gone/bin/nvlink: is in the way, and not culink's" -- "$CULINK" --make-toolchain gone
expect_contains home/bin/nvlink "nvlink of home"

# One that was not finished.
mkdir -p begun/bin
"$CULINK" --make-toolchain begun > told
is_of begun home
rm begun/bin/nvlink begun/include 2> error || true
"$CULINK" --make-toolchain begun > told
is_of begun home

# The compiler of PTX.
printf '.version 9.0\n.target sm_90\n.address_size 64\n' > code.ptx
says 1 "ptxas of home" -- "$CULINK" -arch=sm_90 code.ptx -o out
says 1 "ptxas of option" -- "$CULINK" -arch=sm_90 --cuda=option code.ptx -o out
says 1 "ptxas of option" -- by_option/bin/nvlink -arch=sm_90 code.ptx -o out
(cd by_program/bin && says 1 "ptxas of program" -- ./nvlink -arch=sm_90 "$WORK/code.ptx" -o out)

# The engine for sm_100 and later.
link() { "$@" --code=exact -arch=sm_100 "$SOURCE/examples/vector_math/sm_100/"{main,filter}.cubin -o out; }
says 1 "nvlink of home" -- link "$CULINK"
says 1 "nvlink of path" -- link "$CULINK" --cuda=path
says 1 "nvlink of program" -- link by_program/bin/nvlink
says 1 "nvlink of option" -- link by_program/bin/nvlink --finalizer="$WORK/option/bin/nvlink"
# libnvJitLink comes first, in lib of Python's packages as in lib64.
echo "no library" > python/nvidia/cu13/lib/libnvJitLink.so.13
rm python/nvidia/cu13/bin/nvlink
says 1 "cu13" "libnvJitLink.so.13" "cannot be loaded" -- link of_python/bin/nvlink
expect_lacks told "nvlink of home"
