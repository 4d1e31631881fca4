#!/usr/bin/env bash
# Which shortcuts a finalizer may take (.nv.compat) depends on the instructions of the functions that are
# linked: products of integer matrices of every kind take one away on sm_100, others do not, nor does a
# dead function, unless it uses tcgen05.mma, which is known of the object as a whole.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded integer_matrices --code=mercury
# nvlink schedules code with tcgen05 again; the record does not depend on that.
folder=$SOURCE/tests/golden/integer_matrices/tensors
cp "$folder"/*.cubin .
while read -r label options; do
  # shellcheck disable=SC2086  # several options
  "$CULINK" --emulate=nvlink-13.0.88 --code=mercury $options -o out.cubin
  for file in out.cubin "$folder/$label.expected"; do
    "$CUBIN" text --exact "$file" | grep -F CAN_FASTPATH_FINALIZE
  done > "$label.masks"
  [ "$(wc -l < "$label.masks")" -eq 2 ] || fail "$label: $(cat "$label.masks")"
  [ "$(sort -u "$label.masks" | wc -l)" -eq 1 ] || fail "$label: culink's and nvlink's: $(cat "$label.masks")"
done < "$folder/links"
