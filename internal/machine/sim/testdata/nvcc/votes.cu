// votes: for each warp w of the grid over x[0..n) (padding lanes count as 0):
// out[4w] = ballot(x odd), out[4w+1] = any(x > 100), out[4w+2] = all(x >= 0), out[4w+3] = match_any mask of lane 0's value (x mod 4).
// n is a multiple of the block or not; block any multiple of 32; out has 4 words a warp of the grid.
extern "C" __global__ void votes(const int *x, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? x[i] : 0;
    unsigned b = __ballot_sync(0xffffffffu, v & 1);
    int any = __any_sync(0xffffffffu, v > 100), all = __all_sync(0xffffffffu, v >= 0);
    unsigned m = __match_any_sync(0xffffffffu, v & 3);
    if ((threadIdx.x & 31) == 0) {
        out[i / 32 * 4] = b;
        out[i / 32 * 4 + 1] = any;
        out[i / 32 * 4 + 2] = all;
        out[i / 32 * 4 + 3] = m;
    }
}
