#!/usr/bin/env bash
# Objects of 13.0 and 13.4 together: records that only one release writes are dropped, or stand for a
# value that is merged (Q151). old.cubin is what ptxas 13.0 made of a kernel without code.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded compatibility_of_two_releases
