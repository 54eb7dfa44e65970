"""Kernels in Triton with planted bugs, each beside its right version, compiled to PTX and run by CUDA's
driver API: so they need no PyTorch. The comments say what is to be found, at their lines."""

import ctypes
import sys

import numpy as np
import triton
import triton.language as tl
from cuda.bindings import driver
from triton.backends.compiler import GPUTarget

BLOCK = tl.constexpr(256)


@triton.jit
def wrong_reverse(x, y, n):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))
    v = tl.load(y + 255 - i)  # BUG race
    tl.store(x + i, v)


@triton.jit
def right_reverse(x, y, n):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))
    tl.debug_barrier()
    v = tl.load(y + 255 - i)
    tl.store(x + i, v)


@triton.jit
def wrong_scale(x, y, n):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)  # BUG out-of-bounds
    tl.store(y + i, 2 * v, mask=i < n)


@triton.jit
def right_scale(x, y, n):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, 2 * v, mask=i < n)


@triton.jit
def wrong_accumulate(x, y, n):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    w = tl.load(y + i, mask=i < n)
    tl.store(y + i, v + w, mask=i < n)  # BUG uninitialized


@triton.jit
def right_accumulate(x, y, n):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, v, mask=i < n)


@triton.jit
def wrong_total(x, y, n):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0))
    tl.store(y, s)  # BUG race


@triton.jit
def right_total(x, y, n):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0))
    tl.store(y + tl.program_id(0), s)


def ok(result):
    assert result[0] == 0, result[0]
    return result[1] if len(result) == 2 else result[1:]


def run(kernel, x):
    source = triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {})
    made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
    module = ok(driver.cuModuleLoadData(made.asm["ptx"].encode()))
    f = ok(driver.cuModuleGetFunction(module, made.metadata.name.encode()))
    a, b = ok(driver.cuMemAlloc(x.nbytes)), ok(driver.cuMemAlloc(x.nbytes))
    ok(driver.cuMemcpyHtoD(a, x.ctypes.data, x.nbytes))
    values = (int(a), int(b), len(x), 0, 0)  # the last two are memory for Triton itself
    types = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    blocks = (len(x) + 255) // 256
    ok(driver.cuLaunchKernel(f, blocks, 1, 1, 128, 1, 1, made.metadata.shared, 0, (values, types), 0))
    ok(driver.cuCtxSynchronize())


def main(which):
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
    for name, kernel in list(globals().items()):
        if name.startswith(which + "_"):
            run(kernel, np.arange(256 if "reverse" in name else 1000, dtype=np.float32))


main(sys.argv[1])
