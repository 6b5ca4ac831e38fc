#!/bin/sh
# `nproc` on a machine with RIVER_PROCESSORS processors.
echo "nproc $$" >>"${0%/*}/../seen" 2>/dev/null
echo "${RIVER_PROCESSORS:-1}"
