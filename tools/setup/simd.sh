#!/bin/bash
# Runs a command with Go's experiment simd, under which generated CPU code runs eight invocations at a time;
# says so where the toolchain or the machine has none.
set -eu
if [ "$(go env GOARCH)" = amd64 ] && GOEXPERIMENT=simd go list simd/archsimd >/dev/null 2>&1; then
	echo "with GOEXPERIMENT=simd:"
	GOEXPERIMENT=simd "$@"
else
	echo "not run: $* with GOEXPERIMENT=simd, which this Go ($(go env GOVERSION), $(go env GOARCH)) does not have"
fi
