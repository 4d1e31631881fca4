#!/usr/bin/env bash
# Kernels that reach an image get a slot for each; the only kernel of a program gets them as soon as
# any code names an image, removed code included (Q016).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded only_kernel_gets_image_slots
