// Products by warps with nvcuda::wmma: each warp gives a tile of d, which is a * b + c. A lies by rows and b by columns, or the
// other way where the kernel's name ends with t. Sizes are multiples of the tiles. Grid (columns/N, rows/M), block (32).
#include <mma.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
using namespace nvcuda;

template <int M, int N, int K, class T, class E, class S, class LA, class LB>
__device__ void tile(const E *a, const E *b, const S *c, S *d, int n, int k, int lda, int ldb, int stepA, int stepB, int startA, int startB) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> x;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> y;
    wmma::fragment<wmma::accumulator, M, N, K, S> sum;
    size_t at = (size_t)blockIdx.y * M * n + blockIdx.x * N;
    wmma::load_matrix_sync(sum, c + at, n, wmma::mem_row_major);
    a += (size_t)blockIdx.y * startA;
    b += (size_t)blockIdx.x * startB;
#pragma unroll 1
    for (int i = 0; i < k; i += K, a += stepA, b += stepB) {
        wmma::load_matrix_sync(x, a, lda);
        wmma::load_matrix_sync(y, b, ldb);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(d + at, sum, n, wmma::mem_row_major);
}

#define KERNEL(NAME, M, N, K, T, E, S) \
    extern "C" __global__ void NAME(const E *a, const E *b, const S *c, S *d, int m, int n, int k) { \
        tile<M, N, K, T, E, S, wmma::row_major, wmma::col_major>(a, b, c, d, n, k, k, k, K, K, M * k, N * k); \
    } \
    extern "C" __global__ void NAME##_t(const E *a, const E *b, const S *c, S *d, int m, int n, int k) { \
        tile<M, N, K, T, E, S, wmma::col_major, wmma::row_major>(a, b, c, d, n, k, m, n, K * m, K * n, M, N); \
    }

KERNEL(wmma_f16, 16, 16, 16, half, half, float)
KERNEL(wmma_f16_m32, 32, 8, 16, half, half, float)
KERNEL(wmma_f16_m8, 8, 32, 16, half, half, float)
KERNEL(wmma_f16_f16, 16, 16, 16, half, half, half)
KERNEL(wmma_bf16, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, float)
KERNEL(wmma_tf32, 16, 16, 8, wmma::precision::tf32, float, float)
KERNEL(wmma_s8, 16, 16, 16, signed char, signed char, int)
KERNEL(wmma_u8_m32, 32, 8, 16, unsigned char, unsigned char, int)
KERNEL(wmma_f64, 8, 8, 4, double, double, double)

// wmma_shared goes through shared memory, which four warps of a block fill by asynchronous copies, and scales the sum's elements
// where they lie. D has 32 by 32 elements in a block of 128 threads, of 64 elements of k at a time.
#include <cuda_pipeline.h>
extern "C" __global__ void wmma_shared(const half *a, const half *b, float *d, int n, int k, float alpha) {
    constexpr int depth = 64, pitch = depth + 8;
    __shared__ __align__(32) half x[2][32 * pitch], y[2][32 * pitch];
    int t = threadIdx.x, warp = t / 32, row = blockIdx.y * 32, col = blockIdx.x * 32;
    auto fetch = [&](int stage, int at) {
        for (int i = t; i < 32 * depth / 8; i += 128) {
            int r = i / (depth / 8), e = i % (depth / 8) * 8;
            __pipeline_memcpy_async(&x[stage][r * pitch + e], a + (size_t)(row + r) * k + at + e, 16);
            __pipeline_memcpy_async(&y[stage][r * pitch + e], b + (size_t)(col + r) * k + at + e, 16);
        }
        __pipeline_commit();
    };
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    fetch(0, 0);
#pragma unroll 1
    for (int at = 0, stage = 0; at < k; at += depth, stage ^= 1) {
        if (at + depth < k) fetch(stage ^ 1, at + depth); else __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < depth; i += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> p;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> q;
            wmma::load_matrix_sync(p, &x[stage][warp / 2 * 16 * pitch + i], pitch);
            wmma::load_matrix_sync(q, &y[stage][warp % 2 * 16 * pitch + i], pitch);
            wmma::mma_sync(sum, p, q, sum);
        }
        __syncthreads();
    }
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= alpha;
    wmma::store_matrix_sync(d + (size_t)(row + warp / 2 * 16) * n + col + warp % 2 * 16, sum, n, wmma::mem_row_major);
}
