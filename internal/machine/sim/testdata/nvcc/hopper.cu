// hopper: c (64*gridDim.x x 64, f32) = a (64*gridDim.x x k, bf16) * transpose of b (64 x k, bf16), all row-major, k a multiple of 64,
// by a pipeline as CUTLASS has it for sm_90, without TMA: producers and consumers, mbarriers of both blocks of a cluster, wgmma. Each
// block brings half of a tile of b to both.
// hopper_once hands over what a warpgroup has read as CUTLASS does: one thread arrives at each block's mbarrier for all.
// Grid (a multiple of 2), cluster (2), block (256).
#include <cstdint>

constexpr int Stages = 2, Tile = 64 * 128;  // bytes of a tile of 64 rows of 64 elements

struct Storage {
    alignas(1024) char a[Stages][Tile];
    alignas(1024) char b[Stages][Tile];
    uint64_t full[Stages], empty[Stages];
};

__device__ uint32_t address(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void init(uint64_t *bar, int n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(n));
}

__device__ void wait(uint64_t *bar, uint32_t phase) {
    asm volatile(
        "{\n"
        ".reg .pred P1;\n"
        "LAB_WAIT:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
        "@P1 bra DONE;\n"
        "bra LAB_WAIT;\n"
        "DONE:\n"
        "}\n" ::"r"(address(bar)), "r"(phase) : "memory");
}

__device__ uint32_t remote(uint32_t address, uint32_t rank) {
    uint32_t at;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(address), "r"(rank));
    return at;
}

// arrive arrives at the barrier of the block with a rank.
__device__ void arrive(uint64_t *bar, uint32_t rank) {
    asm volatile(
        "{\n"
        ".reg .b32 remAddr32;\n"
        "mapa.shared::cluster.u32  remAddr32, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64  _, [remAddr32];\n"
        "}\n" ::"r"(address(bar)), "r"(rank) : "memory");
}

// place is where 16 bytes of a row lie in a tile.
__device__ uint32_t place(const char *tile, int row, int i) { return address(tile) + row * 128 + (i ^ row % 8) * 16; }

__device__ void copy(char *to, const uint16_t *from, int k, int t) {
    for (int i = t; i < 64 * 8; i += 128)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place(to, i / 8, i % 8)),
                     "l"(from + (size_t)(i / 8) * k + i % 8 * 8) : "memory");
}

// spread copies half of a tile to both blocks of the cluster.
__device__ void spread(char *to, const uint16_t *from, int k, int t, int half) {
    for (int i = t; i < 32 * 8; i += 128) {
        int row = 32 * half + i / 8;
        uint4 v = *reinterpret_cast<const uint4 *>(from + (size_t)row * k + i % 8 * 8);
        for (int rank = 0; rank < 2; rank++)
            asm volatile("st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(remote(place(to, row, i % 8), rank)),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
    }
}

__device__ uint64_t descriptor(const char *tile) {
    return (uint64_t)(address(tile) >> 4 & 0x3fff) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b, int add) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0;\n"
        "}\n" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(a), "l"(b), "r"(add));
}

template <bool Once> __device__ void product(const uint16_t *a, const uint16_t *b, float *c, int k) {
    extern __shared__ __align__(1024) char memory[];
    Storage &s = *reinterpret_cast<Storage *>(memory);
    int group = threadIdx.x / 128, t = threadIdx.x % 128;
    if (threadIdx.x == 0) {
        for (int i = 0; i < Stages; i++) {
            init(&s.full[i], 3 * 128);
            init(&s.empty[i], Once ? 2 : 2 * 128);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int at = 0, i = 0; at < k; at += 64, i++) {
            int stage = i % Stages, phase = i / Stages % 2;
            wait(&s.empty[stage], phase ^ 1);
            copy(s.a[stage], a + (size_t)blockIdx.x * 64 * k + at, k, t);
            spread(s.b[stage], b + at, k, t, blockIdx.x % 2);
            asm volatile("fence.proxy.async;" ::: "memory");
            arrive(&s.full[stage], 0);
            arrive(&s.full[stage], 1);
            asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address(&s.full[stage])) : "memory");
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float d[32];
        for (int at = 0, i = 0; at < k; at += 64, i++) {
            int stage = i % Stages, phase = i / Stages % 2;
            wait(&s.full[stage], phase);
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            uint64_t x = descriptor(s.a[stage]), y = descriptor(s.b[stage]);
            #pragma unroll
            for (int j = 0; j < 4; j++) multiply(d, x + 2 * j, y + 2 * j, at + j);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            for (int rank = 0; rank < 2; rank++)
                if (!Once || t == 32 * rank) arrive(&s.empty[stage], rank);
        }
        for (int i = 0; i < 32; i++) {
            int row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8, col = i / 4 * 8 + t % 4 * 2 + i % 2;
            c[((size_t)blockIdx.x * 64 + row) * 64 + col] = d[i];
        }
    }
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(256, 1) hopper(const uint16_t *a, const uint16_t *b, float *c, int k) {
    product<false>(a, b, c, k);
}

extern "C" __global__ void __launch_bounds__(256, 1) hopper_once(const uint16_t *a, const uint16_t *b, float *c, int k) {
    product<true>(a, b, c, k);
}
