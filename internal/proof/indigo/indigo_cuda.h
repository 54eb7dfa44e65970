// Stands in for indigo_cuda.h of the Indigo suite, so that clang compiles the suite's kernels to PTX
// without the CUDA toolkit: what they use of CUDA, out of clang's builtins. The suite's host program
// is left out: the test does what it does.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))

#include <__clang_cuda_builtin_vars.h>

extern "C" int printf(const char*, ...);
extern "C" void qsort(void*, __SIZE_TYPE__, __SIZE_TYPE__, int (*)(const void*, const void*));

#define BOTH __attribute__((host, device)) static inline
#define DEVICE __attribute__((device)) static inline

BOTH int min(int x, int y) { return x < y ? x : y; }
BOTH int max(int x, int y) { return x > y ? x : y; }

DEVICE int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
DEVICE int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
DEVICE int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
DEVICE int atomicOr(int* p, int v) { return __nvvm_atom_or_gen_i(p, v); }
DEVICE int atomicExch(int* p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }

DEVICE int __shfl_xor_sync(unsigned mask, int v, int lanes) { return __nvvm_shfl_sync_bfly_i32(mask, v, lanes, 31); }
DEVICE int __shfl_up_sync(unsigned mask, int v, unsigned delta) { return __nvvm_shfl_sync_up_i32(mask, v, delta, 0); }
DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
DEVICE int __popc(unsigned v) { return __builtin_popcount(v); }
