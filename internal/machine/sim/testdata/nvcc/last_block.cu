// last_block: *out = sum of in in one launch. Each block stores its partial sum, fences and draws a ticket; the block that draws
// the last one adds the partials and resets the counter. partial has gridDim.x elements, *ticket is 0 before and after.
// Any grid, block 128. (NVIDIA's threadFenceReduction pattern, written anew.)
extern "C" __global__ void last_block(const int *in, int n, volatile int *partial, unsigned *ticket, int *out) {
    __shared__ int cache[128];
    __shared__ bool last;
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    cache[t] = sum;
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (t < s) cache[t] += cache[t + s];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = cache[0];
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int total = 0;
        for (int b = 0; b < gridDim.x; b++) total += partial[b];
        *out = total;
    }
}
