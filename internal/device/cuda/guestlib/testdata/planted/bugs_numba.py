"""Kernels in numba with planted bugs, each beside its right version. The comments say what is to be
found, at their lines."""

import sys

import numpy as np
from numba import cuda, float32

N = 100
jit = cuda.jit(lineinfo=True)


@jit
def wrong_reverse(x, out):
    tile = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    out[i] = tile[127 - i]  # BUG race


@jit
def right_reverse(x, out):
    tile = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    cuda.syncthreads()
    out[i] = tile[127 - i]


@jit
def wrong_sum(x, out):
    part = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    part[i] = x[i]
    cuda.syncthreads()
    step = 64
    while step > 0:
        if i < step:
            part[i] += part[i + step]  # BUG race
        step //= 2
    if i == 0:
        out[0] = part[0]


@jit
def right_sum(x, out):
    part = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    part[i] = x[i]
    cuda.syncthreads()
    step = 64
    while step > 0:
        if i < step:
            part[i] += part[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        out[0] = part[0]


@jit
def wrong_histogram(x, out):
    i = cuda.grid(1)
    out[int(x[i]) % 4] += 1  # BUG race


@jit
def right_histogram(x, out):
    i = cuda.grid(1)
    cuda.atomic.add(out, int(x[i]) % 4, 1)


@jit
def wrong_scale(x, n):
    i = cuda.grid(1)
    x[i] *= 2  # BUG out-of-bounds


@jit
def right_scale(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] *= 2


@jit
def wrong_difference(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i + 1] - x[i]  # BUG out-of-bounds


@jit
def right_difference(x, out):
    i = cuda.grid(1)
    if i < out.size - 1:
        out[i] = x[i + 1] - x[i]


@jit
def wrong_accumulate(x, out):
    i = cuda.grid(1)
    out[i] += x[i]  # BUG uninitialized


@jit
def right_accumulate(x, out):
    i = cuda.grid(1)
    out[i] = 0
    out[i] += x[i]


@jit
def wrong_halo(x, out):
    tile = cuda.shared.array(130, float32)
    i = cuda.threadIdx.x
    tile[i + 1] = x[i]
    cuda.syncthreads()
    out[i] = tile[i] + tile[i + 2]  # BUG uninitialized


@jit
def right_halo(x, out):
    tile = cuda.shared.array(130, float32)
    i = cuda.threadIdx.x
    tile[i + 1] = x[i]
    if i < 2:
        tile[129 * i] = 0
    cuda.syncthreads()
    out[i] = tile[i] + tile[i + 2]


@jit
def wrong_branch(x, out):
    tile = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    tile[i] = 0
    if i < 100:
        tile[i] = x[i]
        cuda.syncthreads()  # BUG barrier
        out[i] = tile[i]


@jit
def right_branch(x, out):
    tile = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    tile[i] = 0
    if i < 100:
        tile[i] = x[i]
    cuda.syncthreads()
    if i < 100:
        out[i] = tile[i]


@jit
def fill(x, value):
    x[cuda.grid(1)] = value


def streams(right):
    first, second = cuda.stream(), cuda.stream()
    x = cuda.to_device(np.zeros(128, np.float32))
    cuda.synchronize()
    fill[1, 128, first](x, 1)
    if right:
        event = cuda.event()
        event.record(first)
        event.wait(second)
        fill[1, 128, second](x, 2)
    else:
        fill[1, 128, second](x, 2)  # BUG race
    cuda.synchronize()


def main(right):
    kernels = {name[6:]: k for name, k in globals().items() if name.startswith("right_" if right else "wrong_")}
    x = cuda.to_device(np.arange(128, dtype=np.float32))
    for name, kernel in kernels.items():
        if name == "scale":
            kernel[1, 128](cuda.to_device(np.ones(N, np.float32)), N)
        elif name == "difference":
            kernel[1, 128](x, cuda.device_array(128, np.float32))
        elif name == "histogram":
            kernel[1, 128](x, cuda.to_device(np.zeros(4, np.int32)))
        else:
            kernel[1, 128](x, cuda.device_array(128, np.float32))
        cuda.synchronize()
    streams(right)


main(sys.argv[1] == "right")
