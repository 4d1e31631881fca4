#!/usr/bin/env bash
# Slots of samplers stay empty in kernels that reach textures only (Q070).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded sampler_slots_without_samplers
