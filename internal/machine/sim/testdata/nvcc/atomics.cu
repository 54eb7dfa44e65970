// atomics: every thread i in 0..n-1 applies each atomic to a cell of its own kind. Before: u all zero but u[2] = 0xffffffff, u[3] = 0xffffffff;
// after: u[0] = n, u[1] = max i, u[2] = min i = 0, u[3] = and of ~i, u[4] = or of i, u[5] = xor of i, u[6] = some i (exch),
// u[7] = n mod 7 (atomicInc with bound 6), u[8] = n (through a CAS loop), l[0] = sum of i as 64 bit, l[1] = max, f[0] = n * 0.5f, d[0] = n * 0.25,
// s[0] = min of -i. Any grid and block.
extern "C" __global__ void atomics(unsigned *u, unsigned long long *l, float *f, double *d, int *s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&u[0], 1u);
    atomicMax(&u[1], (unsigned)i);
    atomicMin(&u[2], (unsigned)i);
    atomicAnd(&u[3], ~(unsigned)i);
    atomicOr(&u[4], (unsigned)i);
    atomicXor(&u[5], (unsigned)i);
    atomicExch(&u[6], (unsigned)i);
    atomicInc(&u[7], 6u);
    unsigned old = u[8], seen;
    do { seen = old; old = atomicCAS(&u[8], seen, seen + 1); } while (old != seen);
    atomicAdd(&l[0], (unsigned long long)i);
    atomicMax(&l[1], (unsigned long long)i);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    atomicMin(s, -i);
}
