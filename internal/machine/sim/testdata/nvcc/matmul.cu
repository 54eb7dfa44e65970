// matmul: C (m x l) = A (m x n) * B (n x l), row-major, 16x16 tiles with ragged edges; the compiler contracts to fma.
// Grid (ceil(l/16), ceil(m/16)), block (16, 16).
template <typename T> __device__ void tiled(const T *a, const T *b, T *c, int m, int n, int l) {
    __shared__ T as[16][16], bs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    T acc = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        as[threadIdx.y][threadIdx.x] = row < m && k0 + threadIdx.x < n ? a[row * n + k0 + threadIdx.x] : T(0);
        bs[threadIdx.y][threadIdx.x] = col < l && k0 + threadIdx.y < n ? b[(k0 + threadIdx.y) * l + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) acc += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < l) c[row * l + col] = acc;
}
extern "C" __global__ void matmul_f32(const float *a, const float *b, float *c, int m, int n, int l) { tiled(a, b, c, m, n, l); }
extern "C" __global__ void matmul_f64(const double *a, const double *b, double *c, int m, int n, int l) { tiled(a, b, c, m, n, l); }
