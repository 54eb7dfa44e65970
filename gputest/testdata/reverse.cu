// Writes 0, 1, … to out, the last first. The block has 64 threads.
extern "C" __global__ void reverse(int *out, int barrier) {
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = t;
	if (barrier) __syncthreads();
	out[t] = s[63 - t];
}
