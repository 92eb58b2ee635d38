#!/usr/bin/env bash
# All figures of an NVIDIA GPU in one run: PyTorch's first, ours beside them. Usage, from the
# repository's root, with the program built before: go build -o build/bench ./bench/run
#   bash bench/h200.sh OUTPUT-FOLDER [group ...]
set -u
out=$1
shift
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
timeout 200 python3 bench/pytorch.py "$@" >"$out/pytorch.json" 2>"$out/pytorch.err"
tail -n 3 "$out/pytorch.err"
timeout 360 build/bench -device gpu -pytorch "$out/pytorch.json" -plot "$out/h200.svg" "$@" 2>&1 | tee "$out/bench.txt"
