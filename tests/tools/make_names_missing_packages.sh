#!/usr/bin/env bash
# `make` installs nothing: where a package is missing it prints the command that installs it and stops.
. "${BASH_SOURCE%/*}/../common.inc.sh"

mkdir bin
for program in bash uname grep cat env dirname make apt-get; do
  ln -s "$(command -v "$program")" bin/ 2> /dev/null || ln -s "$(command -v true)" "bin/$program"
done
cat > bin/dpkg-query << 'END'
#!/usr/bin/env bash
[ "${!#}" = libfmt-dev ] || echo installed
END
chmod +x bin/dpkg-query
PATH=$WORK/bin expect_status 2 make -C "$SOURCE" --no-print-directory all 2> errors
expect_contains errors "missing packages; \`make deps\` installs them, or:  sudo apt-get install libfmt-dev"
