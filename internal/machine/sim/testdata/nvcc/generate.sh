#!/usr/bin/env bash
# Compiles the kernels of this folder to PTX with nvcc, on a machine that has the CUDA toolkit: generate.sh OUTPUT_FOLDER.
# The PTX is committed beside its source: NAME.ptx (optimised, with line information) and debug/NAME.ptx (-G, a few of them).
set -euo pipefail
cd "$(dirname "$0")"
out=$1
mkdir -p "$out/debug"
for cu in *.cu; do
  case $cu in
  tensor.cu | wmma.cu) arch=compute_80 ;;
  hopper.cu) arch=compute_90a ;;
  *) arch=compute_75 ;;
  esac
  lines=-lineinfo
  [ "$cu" = wmma.cu ] && lines=-w  # those of NVIDIA's headers are most of the file
  nvcc -ptx -arch=$arch $lines -o "$out/${cu%.cu}.ptx" "$cu"
done
for cu in reduction.cu device_function.cu dispatch.cu votes.cu; do
  nvcc -ptx -arch=compute_90 -G -o "$out/debug/${cu%.cu}.ptx" "$cu"
done
# Folders of the machine that compiled have no business in the text.
sed -i -E 's|(\.file[[:space:]]+[0-9]+ ")[^"]*/|\1|' "$out"/*.ptx "$out"/debug/*.ptx
nvcc --version | tail -n 2
