// stencil: out[i] = sum over k=-3..3 of weight[k+3]*in[i+k], zero outside 0..n-1; the weights {1,2,3,4,3,2,1} are in constant memory.
// Any grid that covers n, block 128. Sums are exact for small integer inputs.
__constant__ float weight[7] = {1, 2, 3, 4, 3, 2, 1};
extern "C" __global__ void stencil(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float s[128 + 6];
    int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x + 3;
    s[t] = i < n ? in[i] : 0;
    if (threadIdx.x < 3) {
        s[t - 3] = i >= 3 && i - 3 < n ? in[i - 3] : 0;
        s[t + 128] = i + 128 < n ? in[i + 128] : 0;
    }
    __syncthreads();
    if (i >= n) return;
    float v = 0;
    for (int k = -3; k <= 3; k++) v += weight[k + 3] * s[t + k];
    out[i] = v;
}
