// reduction: out[b] = sum of in over block b's grid-stride share, in shared memory with sequential addressing.
// Launch with any grid and a block of 256; out has gridDim.x elements.
extern "C" __global__ void reduction(const float *in, float *out, int n) {
    __shared__ float cache[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = cache[0];
}
