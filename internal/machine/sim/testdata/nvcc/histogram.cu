// histogram: bins[v] += number of bytes of value v among data[0..n), through a shared histogram a block.
// Any grid, block 256; bins has 256 elements and is zero before.
extern "C" __global__ void histogram(const unsigned char *data, unsigned *bins, size_t n) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    if (local[threadIdx.x]) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
