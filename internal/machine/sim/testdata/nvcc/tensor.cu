// Products by tensor cores of sm_80, as CUTLASS has them: each warp gives a tile of c, which is a * b with b by columns. Sizes are
// multiples of the tiles. Grid (columns/8, rows of a tile), block (32).
#include <cstdint>

__device__ uint32_t address(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

// tensor_f64: a tile of 8 x 8.
extern "C" __global__ void tensor_f64(const double *a, const double *b, double *c, int n, int k) {
    int lane = threadIdx.x, row = blockIdx.y * 8, col = blockIdx.x * 8;
    double d0 = 0, d1 = 0;
    for (int at = 0; at < k; at += 4)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d0), "+d"(d1)
                     : "d"(a[(size_t)(row + lane / 4) * k + at + lane % 4]), "d"(b[(size_t)(col + lane / 4) * k + at + lane % 4]));
    double2 *out = reinterpret_cast<double2 *>(c + (size_t)(row + lane / 4) * n + col + lane % 4 * 2);
    *out = make_double2(d0, d1);
}

__device__ void store(float *c, int n, int row, int col, int lane, const float (&d)[4]) {
    for (int i = 0; i < 4; i++) c[(size_t)(row + lane / 4 + i / 2 * 8) * n + col + lane % 4 * 2 + i % 2] = d[i];
}

// tensor_tf32: a tile of 16 x 8.
extern "C" __global__ void tensor_tf32(const float *a, const float *b, float *c, int n, int k) {
    int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
    float d[4] = {};
    for (int at = 0; at < k; at += 8) {
        uint32_t x[4], y[2];
        for (int i = 0; i < 4; i++)
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x[i]) : "f"(a[(size_t)(row + lane / 4 + i % 2 * 8) * k + at + lane % 4 + i / 2 * 4]));
        for (int i = 0; i < 2; i++)
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y[i]) : "f"(b[(size_t)(col + lane / 4) * k + at + lane % 4 + i * 4]));
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    store(c, n, row, col, lane, d);
}

// tensor_s8: a tile of 16 x 8, with 32 elements of k at a time.
extern "C" __global__ void tensor_s8(const int8_t *a, const int8_t *b, int *c, int n, int k) {
    int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
    int d[4] = {};
    for (int at = 0; at < k; at += 32) {
        uint32_t x[4], y[2];
        for (int i = 0; i < 4; i++)
            x[i] = *reinterpret_cast<const uint32_t *>(a + (size_t)(row + lane / 4 + i % 2 * 8) * k + at + lane % 4 * 4 + i / 2 * 16);
        for (int i = 0; i < 2; i++)
            y[i] = *reinterpret_cast<const uint32_t *>(b + (size_t)(col + lane / 4) * k + at + lane % 4 * 4 + i * 16);
        asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    for (int i = 0; i < 4; i++) c[(size_t)(row + lane / 4 + i / 2 * 8) * n + col + lane % 4 * 2 + i % 2] = d[i];
}

// tensor_bf16: a tile of 16 x 8 from shared memory, where tiles of 16 elements of k come by asynchronous copies in two stages.
extern "C" __global__ void tensor_bf16(const uint16_t *a, const uint16_t *b, float *c, int n, int k) {
    __shared__ __align__(16) uint16_t x[2][16][24], y[2][8][24];  // rows of 48 bytes, in different banks
    int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
    float d[4] = {};
    auto fetch = [&](int stage, int at) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(&x[stage][lane / 2][lane % 2 * 8])),
                     "l"(a + (size_t)(row + lane / 2) * k + at + lane % 2 * 8));
        if (lane < 16)
            asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 16;" ::"r"(address(&y[stage][lane / 2][lane % 2 * 8])),
                         "l"(b + (size_t)(col + lane / 2) * k + at + lane % 2 * 8));
        asm volatile("cp.async.commit_group;" ::);
    };
    fetch(0, 0);
    for (int at = 0, stage = 0; at < k; at += 16, stage ^= 1) {
        if (at + 16 < k) {
            fetch(stage ^ 1, at + 16);
            asm volatile("cp.async.wait_group %0;" ::"n"(1));
        } else {
            asm volatile("cp.async.wait_group %0;" ::"n"(0));
        }
        __syncwarp();
        uint32_t p[4], q[2];
        asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(p[0]), "=r"(p[1]), "=r"(p[2]), "=r"(p[3]) : "r"(address(&x[stage][lane % 16][lane / 16 * 8])));
        asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];"
                     : "=r"(q[0]), "=r"(q[1]) : "r"(address(&y[stage][lane % 8][lane / 8 % 2 * 8])));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]));
        __syncwarp();
    }
    store(c, n, row, col, lane, d);
}
