// The kernels of matrices.go, line by line in CUDA C++.

constexpr int group = 32;
constexpr int unknown = 64;

extern "C" __global__ void DotInt8(const signed char *a, const signed char *x, int *y, int columns, int n) {
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	if (row >= n)
		return;
	int sum = 0;
	for (int k = lane; k < columns; k += 32)
		sum += a[row * columns + k] * x[k];
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_down_sync(0xffffffff, sum, d);
	if (lane == 0)
		y[row] = sum;
}

extern "C" __global__ void DotQ4(const unsigned char *weights, const float *scales, const float *x, float *y, int columns, int n) {
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	if (row >= n)
		return;
	int groups = columns / group;
	float sum = 0;
	for (int g = lane; g < groups; g += 32) {
		float part = 0;
		for (int k = 0; k < group / 2; k++) {
			unsigned char b = weights[(row * groups + g) * (group / 2) + k];
			part += (float)((b & 15) - 8) * x[g * group + k];
			part += (float)((b >> 4) - 8) * x[g * group + group / 2 + k];
		}
		sum += scales[row * groups + g] * part;
	}
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_down_sync(0xffffffff, sum, d);
	if (lane == 0)
		y[row] = sum;
}

extern "C" __global__ void Columns(const float *a, const float *x, float *y, int height, int n) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= n)
		return;
	float sum = 0;
	for (int i = 0; i < height; i++)
		sum += a[i * n + j] * x[i];
	y[j] = sum;
}

extern "C" __global__ void Eliminate(const double *in, double *out, int n, int k) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= n || j >= n)
		return;
	double v = in[i * n + j];
	if (i > k && j >= k)
		v -= in[i * n + k] / in[k * n + k] * in[k * n + j];
	out[i * n + j] = v;
}

extern "C" __global__ void Solve(const float *a, const float *b, float *x) {
	__shared__ float solution[unknown];
	int t = threadIdx.x;
	const float *mine = a + blockIdx.x * unknown * unknown;
	float rest = b[blockIdx.x * unknown + t];
	for (int k = 0; k < unknown; k++) {
		if (t == k)
			solution[k] = rest / mine[k * unknown + k];
		__syncthreads();
		if (t > k)
			rest -= mine[t * unknown + k] * solution[k];
	}
	x[blockIdx.x * unknown + t] = solution[t];
}

extern "C" __global__ void Horner(const double *coefficients, const double *x, double *y, int terms, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	double sum = 0;
	for (int k = 0; k < terms; k++)
		sum = sum * x[i] + coefficients[k];
	y[i] = sum;
}
