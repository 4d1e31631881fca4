#!/usr/bin/env bash
# Engines let a program leave dynamic shared memory undefined, but no shared variable with a size. An object
# whose shared variables are defined by another file is linked as nvlink does it, the variable's address in
# code that the engine has made. The engine gives the answers that libnvJitLink 13.0.88 gave for each object.
. "${BASH_SOURCE%/*}/../common.inc.sh"
golden=$SOURCE/tests/golden/shared_variables_of_other_files
cat > nvlink << CODE
#!/usr/bin/env bash
debug=
while [ "\$1" != -o ]; do
  [ "\$1" != -g ] || debug=-g
  object=\$1
  shift
done
! "$CUBIN" dump --symbols "\$object" | grep -E '0x100 .* UND +sized\$' || { echo "it has a size"; exit 1; }
name=owner
! grep -q text.user "\$object" || name=user
! grep -q nvlink "\$object" || name=r
cp "$golden/\$name\$debug.answer" "\$2"
CODE
chmod +x nvlink
links_as_recorded shared_variables_of_other_files --code=exact --finalizer="$PWD/nvlink"
for label in plain debug again; do
  options=$(sed -n "s/^$label //p" "$golden/links")
  # shellcheck disable=SC2086  # several options
  "$CULINK" --check --finalizer="$PWD/nvlink" $options -o out.cubin
done
