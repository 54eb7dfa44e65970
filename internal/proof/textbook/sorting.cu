// The kernels of sorting.go, line by line in CUDA C++.

constexpr int sorted = 512;
constexpr int transform = 512;

extern "C" __global__ void Bitonic(const int *in, int *out) {
	__shared__ int v[sorted];
	int first = blockIdx.x * sorted;
	for (int k = threadIdx.x; k < sorted; k += block)
		v[k] = in[first + k];
	__syncthreads();
	for (int size = 2; size <= sorted; size *= 2) {
		for (int d = size / 2; d > 0; d /= 2) {
			int i = 2 * threadIdx.x - (threadIdx.x & (d - 1));
			bool up = (i & size) == 0;
			if ((v[i] > v[i + d]) == up) {
				int x = v[i];
				v[i] = v[i + d];
				v[i + d] = x;
			}
			__syncthreads();
		}
	}
	for (int k = threadIdx.x; k < sorted; k += block)
		out[first + k] = v[k];
}

extern "C" __global__ void SortWarps(const float *in, float *out) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int lane = threadIdx.x % 32;
	float v = in[i];
	for (int size = 2; size <= 32; size *= 2) {
		for (int d = size / 2; d > 0; d /= 2) {
			float w = __shfl_xor_sync(0xffffffff, v, d);
			bool low = (lane & d) == 0;
			bool up = (lane & size) == 0;
			if (low == up)
				v = fminf(v, w);
			else
				v = fmaxf(v, w);
		}
	}
	out[i] = v;
}

extern "C" __global__ void Merge(const int *in, int *out, int n) {
	int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
	if (i + 8 > n)
		return;
	int v[8];
	for (int k = 0; k < 8; k++)
		v[k] = in[i + k];
	for (int p = 1; p < 8; p *= 2) {
		for (int k = p; k >= 1; k /= 2) {
			for (int j = k % p; j < 8 - k; j += 2 * k) {
				for (int l = 0; l < k; l++) {
					if (l + j + k < 8 && (l + j) / (2 * p) == (l + j + k) / (2 * p) && v[l + j] > v[l + j + k]) {
						int x = v[l + j];
						v[l + j] = v[l + j + k];
						v[l + j + k] = x;
					}
				}
			}
		}
	}
	for (int k = 0; k < 8; k++)
		out[i + k] = v[k];
}

extern "C" __global__ void FFT(const float2 *in, float2 *out, const float2 *roots) {
	__shared__ float2 v[transform];
	int t = threadIdx.x, first = blockIdx.x * transform;
	for (int k = t; k < transform; k += block) {
		int at = 0;
		for (int b = 1; b < transform; b *= 2) {
			at *= 2;
			if ((k & b) != 0)
				at++;
		}
		v[at] = in[first + k];
	}
	__syncthreads();
	for (int half = 1; half < transform; half *= 2) {
		int k = t % half;
		int i = 2 * (t - k) + k;
		float2 x = v[i], z = v[i + half], w = roots[k * (transform / 2 / half)];
		float2 y = {z.x * w.x - z.y * w.y, z.x * w.y + z.y * w.x};
		v[i] = {x.x + y.x, x.y + y.y};
		v[i + half] = {x.x - y.x, x.y - y.y};
		__syncthreads();
	}
	for (int k = t; k < transform; k += block)
		out[first + k] = v[k];
}
