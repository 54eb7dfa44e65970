// device_function: out[i] = collatz steps of in[i] (a call that is not inlined, with a loop) plus fib(i % 12) (recursive), and
// hyp[i] = hypot-like struct result of a function that takes and returns structs. in[i] >= 1. Grid*block covers n.
struct Pair { double x; int steps; };
__device__ __noinline__ int collatz(unsigned long long v) {
    int steps = 0;
    while (v != 1) { v = v % 2 ? 3 * v + 1 : v / 2; steps++; }
    return steps;
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ Pair combine(Pair p, int k) { return Pair{sqrt(p.x * p.x + k), p.steps + k}; }
extern "C" __global__ void device_function(const unsigned *in, int *out, double *hyp, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = collatz(in[i]) + fib(i % 12);
    Pair p = combine(Pair{double(in[i]), 7}, i);
    hyp[i] = p.x + p.steps;
}
