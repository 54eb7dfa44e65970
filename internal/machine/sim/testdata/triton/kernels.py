# Kernels in Triton, of gridstride's own writing, whose PTX the simulator runs.
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, lda, bk, bn, ldc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SUM: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    col = tl.program_id(1) * BN + tl.arange(0, BN)
    at = tl.arange(0, BK)
    pa = a + row[:, None] * lda + at[None, :]
    pb = b + at[:, None] * bk + col[None, :] * bn
    total = tl.zeros((BM, BN), SUM)
    for i in range(0, tl.cdiv(k, BK)):
        left = k - i * BK
        x = tl.load(pa, mask=(row[:, None] < m) & (at[None, :] < left), other=0.0)
        y = tl.load(pb, mask=(at[:, None] < left) & (col[None, :] < n), other=0.0)
        total = tl.dot(x, y, total)
        pa += BK
        pb += BK * bk
    tl.store(c + row[:, None] * ldc + col[None, :], total.to(c.dtype.element_ty), mask=(row[:, None] < m) & (col[None, :] < n))


@triton.jit
def persistent(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr):
    da = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[BM, BK])
    db = tl.make_tensor_descriptor(b, shape=[n, k], strides=[k, 1], block_shape=[BN, BK])
    dc = tl.make_tensor_descriptor(c, shape=[m, n], strides=[n, 1], block_shape=[BM, BN])
    across = tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, BM) * across, PROGRAMS):
        row, col = tile // across * BM, tile % across * BN
        total = tl.zeros((BM, BN), tl.float32)
        for i in range(0, tl.cdiv(k, BK)):
            x = da.load([row, i * BK])
            y = db.load([col, i * BK])
            total = tl.dot(x, y.T, total)
        dc.store([row, col], total.to(c.dtype.element_ty))


@triton.jit
def described(da, db, dc, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr):
    across = tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, BM) * across, PROGRAMS):
        row, col = tile // across * BM, tile % across * BN
        total = tl.zeros((BM, BN), tl.float32)
        for i in range(0, tl.cdiv(k, BK)):
            x = da.load([row, i * BK])
            y = db.load([col, i * BK])
            total = tl.dot(x, y.T, total)
        dc.store([row, col], total.to(dc.dtype))


@triton.jit
def softmax(x, y, rows, cols, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + row * cols + at, e / tl.sum(e, axis=0), mask=at < cols)


@triton.jit
def attention(q, k, v, o, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    base = tl.program_id(1) * n * D
    d = tl.arange(0, D)
    x = tl.load(q + base + row[:, None] * D + d[None, :], mask=row[:, None] < n, other=0.0)
    most = tl.full((BM,), -1e30, tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for at in range(0, tl.minimum(n, (tl.program_id(0) + 1) * BM), BN):
        col = at + tl.arange(0, BN)
        y = tl.load(k + base + col[None, :] * D + d[:, None], mask=col[None, :] < n, other=0.0)
        s = tl.dot(x, y) * scale
        s = tl.where((row[:, None] >= col[None, :]) & (col[None, :] < n), s, -1e30)
        new = tl.maximum(most, tl.max(s, axis=1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(most - new)
        weight = weight * shrink + tl.sum(p, axis=1)
        z = tl.load(v + base + col[:, None] * D + d[None, :], mask=col[:, None] < n, other=0.0)
        total = tl.dot(p.to(z.dtype), z, total * shrink[:, None])
        most = new
    tl.store(o + base + row[:, None] * D + d[None, :], (total / weight[:, None]).to(o.dtype.element_ty), mask=row[:, None] < n)


@triton.jit
def scatter(x, index, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    i = tl.load(index + at, mask=at < n, other=0)
    tl.atomic_add(y + i, v, mask=at < n)


@triton.jit
def sorted_scan(x, y, z, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(y + at, tl.sort(v))
    tl.store(z + at, tl.cumsum(v, 0))
