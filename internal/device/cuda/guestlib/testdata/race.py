import numpy as np
from numba import cuda, float32


@cuda.jit(lineinfo=True)
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@cuda.jit(lineinfo=True)
def reverse(x, out):
    tile = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    out[i] = tile[127 - i]


x = np.arange(1001, dtype=np.float32)
out = np.zeros_like(x)
add[8, 128](x, 2 * x, out)
assert (out == 3 * x).all()
reverse[1, 128](x, out)
