// shuffles: per warp, for x[i] = in[i]: out[6i] = value of lane (lane+1)%32 (idx), out[6i+1] = inclusive scan by shfl_up, out[6i+2] = warp sum by
// shfl_xor, out[6i+3] = shfl_down by 3 (own value in the last lanes), out[6i+4] = value of lane 0 of the group of 8 (idx with width 8),
// out[6i+5] = the double 0.5*x[i] shuffled xor 16, times 2, as int. n is a multiple of 32; grid*block == n.
extern "C" __global__ void shuffles(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, x = in[i];
    out[6 * i] = __shfl_sync(~0u, x, lane + 1);
    int s = x;
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(~0u, s, d);
        if (lane >= d) s += y;
    }
    out[6 * i + 1] = s;
    int t = x;
    for (int d = 16; d > 0; d /= 2) t += __shfl_xor_sync(~0u, t, d);
    out[6 * i + 2] = t;
    out[6 * i + 3] = __shfl_down_sync(~0u, x, 3);
    out[6 * i + 4] = __shfl_sync(~0u, x, 0, 8);
    out[6 * i + 5] = (int)(2 * __shfl_xor_sync(~0u, 0.5 * x, 16));
}
