"""Kernels of Triton, run without a GPU and without torch: each result is compared with numpy's."""

import ctypes
import sys

import numpy as np
import triton
import triton.language as tl
from triton import knobs


def ptx_as_binary(backend=None, stages=None, options=None, language=None, capability=None):
    if stages is not None:
        stages["cubin"] = lambda ptx, metadata: ptx.encode()
    return "ptx", "ptx"


knobs.runtime.add_stages_inspection_hook = ptx_as_binary
cuda = ctypes.CDLL("libcuda.so.1")


class Array:
    """An array of the device: what Triton asks of a tensor is its type and its address."""

    def __init__(self, host):
        triton.runtime.driver.active.get_current_target()  # makes a context
        self.host, self.dtype, self.address = host, str(host.dtype), ctypes.c_uint64()
        bytes_ = ctypes.c_size_t(host.nbytes)
        assert cuda.cuMemAlloc_v2(ctypes.byref(self.address), bytes_) == 0
        assert cuda.cuMemcpyHtoD_v2(self.address, host.ctypes.data_as(ctypes.c_void_p), bytes_) == 0

    def data_ptr(self):
        return self.address.value

    def get(self):
        to, n = self.host.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.host.nbytes)
        assert cuda.cuMemcpyDtoH_v2(to, self.address, n) == 0
        return self.host


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def past(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n), i < n + 1)


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + tl.program_id(0) * n + i, e / tl.sum(e, 0), i < n)


@triton.jit
def scan(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i, i < n, other=0), 0), i < n)


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(x + i, i < n, other=0), 1, i < n)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = (tl.program_id(0) * BM + tl.arange(0, BM))[:, None]
    n = (tl.program_id(1) * BN + tl.arange(0, BN))[None, :]
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        x = tl.load(a + m * K + k[None, :], (m < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + k[:, None] * N + n, (k[:, None] < K) & (n < N), other=0.0)
        sum = tl.dot(x, y, sum)
    tl.store(c + m * N + n, sum, (m < M) & (n < N))


def main():
    rng = np.random.default_rng(1)
    n = 1001
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    out = Array(np.zeros(n, np.float32))
    if "past" in sys.argv:
        past[(8,)](Array(x), out, n, BLOCK=128)
        return out.get()
    add[(8,)](Array(x), Array(y), out, n, BLOCK=128)
    np.testing.assert_array_equal(out.get(), x + y)
    rows = rng.random((5, 77), np.float32)
    out = Array(np.zeros_like(rows))
    softmax[(5,)](Array(rows), out, 77, BLOCK=128)
    e = np.exp(rows - rows.max(1, keepdims=True))
    np.testing.assert_allclose(out.get(), e / e.sum(1, keepdims=True), rtol=1e-5)
    whole = rng.integers(0, 13, n).astype(np.int32)
    out = Array(np.zeros_like(whole))
    scan[(1,)](Array(whole), out, n, BLOCK=1024)
    np.testing.assert_array_equal(out.get(), np.cumsum(whole))
    out = Array(np.zeros(13, np.int32))
    histogram[(8,)](Array(whole), out, n, BLOCK=128)
    np.testing.assert_array_equal(out.get(), np.bincount(whole, minlength=13))
    for kind, tolerance in (np.float16, 1e-3), (np.float32, 2e-3):
        a, b = rng.random((70, 50)).astype(kind), rng.random((50, 90)).astype(kind)
        out = Array(np.zeros((70, 90), np.float32))
        matmul[(3, 3)](Array(a), Array(b), out, 70, 90, 50, BM=32, BN=32, BK=32)
        np.testing.assert_allclose(out.get(), a.astype(np.float64) @ b.astype(np.float64), rtol=tolerance)
    print("right")


main()
