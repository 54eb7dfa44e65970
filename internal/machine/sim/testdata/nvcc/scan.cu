// scan: out = inclusive prefix sum of in within each block of 512 elements (Hillis-Steele, two shared buffers, dynamic shared
// memory of 2*blockDim.x ints). Elements past n are not touched. Any grid that covers n, block 512.
extern "C" __global__ void scan(const int *in, int *out, int n) {
    extern __shared__ int buf[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, cur = 0;
    buf[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int nxt = 1 - cur;
        int v = buf[cur * blockDim.x + t];
        if (t >= d) v += buf[cur * blockDim.x + t - d];
        buf[nxt * blockDim.x + t] = v;
        cur = nxt;
        __syncthreads();
    }
    if (i < n) out[i] = buf[cur * blockDim.x + t];
}
