#!/usr/bin/env bash
# Where a later definition of a weak function replaces an earlier one of other code, nvlink takes what call
# frames, lines and registers say about the earlier one for places in the later one's code (Q106).
# The next link of a relocatable file makes call frames anew that it left unfinished, as they are
# where a second name of a function comes first; lines and registers are those of no code then (Q107).
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc nvlink ptxas
golden=$SOURCE/tests/golden

# Another body, so that places in the code are others. The later one is longer, so that nvlink finds
# something at each of them.
sed 's/add.s32 %x, %x, 2000;/mul.lo.s32 %x, %x, %x; xor.b32 %x, %x, 77; mul.lo.s32 %x, %x, %x;/' \
  "$golden/frames_of_weak_definitions/new.ptx" > new.ptx
cp "$golden/frames_of_weak_definitions/old.ptx" .
for options in -lineinfo -g; do
  for file in old new; do
    ptxas -c -arch=sm_100 $options $file.ptx -o $file.cubin
  done
  for more in "" -g -r; do
    # shellcheck disable=SC2086  # none or one
    links_as_nvlink -arch=sm_100 $more old.cubin new.cubin
  done
  mv expected.cubin relocatable.cubin # of -r
  links_as_nvlink -arch=sm_100 relocatable.cubin
done

cp "$golden/alias_before_its_function/"{user,owner}.cubin .
links_as_nvlink -arch=sm_100 -r user.cubin owner.cubin
mv expected.cubin relocatable.cubin
links_as_nvlink -arch=sm_100 relocatable.cubin
links_as_nvlink -arch=sm_100 -r relocatable.cubin
for file in user owner; do
  ptxas -c -arch=sm_100 -g "$golden/alias_before_its_function/$file.ptx" -o $file.cubin
done
links_as_nvlink -arch=sm_100 user.cubin owner.cubin
links_as_nvlink -arch=sm_100 -r user.cubin owner.cubin
