// The kernels of twelve.go, line by line in CUDA C++.

constexpr int square = 32;
constexpr int rows = 8;
constexpr int bins = 256;
constexpr int bodies = 256;

// What gpu/collective does for a block of 256 threads, as its comments say.
template <class Op> __device__ float blockReduce(float v, Op op) {
	__shared__ float warps[8];
	for (int d = 16; d > 0; d /= 2)
		v = op(v, __shfl_down_sync(0xffffffff, v, d));
	if (threadIdx.x % 32 == 0)
		warps[threadIdx.x / 32] = v;
	__syncthreads();
	v = warps[0];
	for (int w = 1; w < 8; w++)
		v = op(v, warps[w]);
	__syncthreads();
	return v;
}
__device__ float blockSum(float v) {
	return blockReduce(v, [](float a, float b) { return a + b; });
}
__device__ float blockMax(float v) {
	return blockReduce(v, [](float a, float b) { return fmaxf(a, b); });
}

extern "C" __global__ void Saxpy(float a, const float *x, float *y, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

extern "C" __global__ void Dot(const float *x, const float *y, float *parts, int n) {
	float sum = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i] * y[i];
	sum = blockSum(sum);
	if (threadIdx.x == 0)
		parts[blockIdx.x] = sum;
}

extern "C" __global__ void Histogram(const unsigned char *data, unsigned *counts, int n) {
	__shared__ unsigned local[bins];
	local[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&local[data[i]], 1);
	__syncthreads();
	atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void SpMV(const int *starts, const int *columns, const float *values, const float *x, float *y, int n) {
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	if (row < n) {
		float sum = 0;
		for (int k = starts[row] + lane; k < starts[row + 1]; k += 32)
			sum += values[k] * x[columns[k]];
		for (int d = 16; d > 0; d /= 2)
			sum += __shfl_down_sync(0xffffffff, sum, d);
		if (lane == 0)
			y[row] = sum;
	}
}

extern "C" __global__ void Product(const float *a, const float *b, float *c, int n) {
	__shared__ float ta[square][square], tb[square][square];
	int row = blockIdx.y * square + threadIdx.y;
	int col = blockIdx.x * square + threadIdx.x;
	float sum = 0;
	for (int t = 0; t < n; t += square) {
		ta[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
		tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
		__syncthreads();
		for (int k = 0; k < square; k++)
			sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
		__syncthreads();
	}
	c[row * n + col] = sum;
}

extern "C" __global__ void Transpose(const float *in, float *out, int n) {
	__shared__ float tile[square][square + 1];
	int x = blockIdx.x * square + threadIdx.x;
	int y = blockIdx.y * square + threadIdx.y;
	for (int j = 0; j < square; j += rows)
		tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
	__syncthreads();
	x = blockIdx.y * square + threadIdx.x;
	y = blockIdx.x * square + threadIdx.y;
	for (int j = 0; j < square; j += rows)
		out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void Scan(const float *x, float *y, int n) {
	__shared__ float sums[2][block];
	int i = blockIdx.x * block + threadIdx.x;
	int t = threadIdx.x, from = 0;
	if (i < n)
		sums[0][t] = x[i];
	else
		sums[0][t] = 0;
	__syncthreads();
	for (int d = 1; d < block; d *= 2) {
		int to = 1 - from;
		if (t >= d)
			sums[to][t] = sums[from][t] + sums[from][t - d];
		else
			sums[to][t] = sums[from][t];
		from = to;
		__syncthreads();
	}
	if (i < n)
		y[i] = sums[from][t];
}

extern "C" __global__ void Mandelbrot(int *times, int width, int height, int most, float left, float top, float step) {
	int px = blockIdx.x * blockDim.x + threadIdx.x;
	int py = blockIdx.y * blockDim.y + threadIdx.y;
	if (px >= width || py >= height)
		return;
	float re = left + (float)px * step, im = top - (float)py * step;
	float x = 0, y = 0;
	int n = 0;
	while (n < most && x * x + y * y <= 4) {
		float next = x * x - y * y + re;
		y = 2 * x * y + im;
		x = next;
		n++;
	}
	times[py * width + px] = n;
}

extern "C" __global__ void Softmax(const float *x, float *y, int columns) {
	const float *row = x + blockIdx.x * columns;
	float *out = y + blockIdx.x * columns;
	float largest = -INFINITY;
	for (int i = threadIdx.x; i < columns; i += block)
		largest = fmaxf(largest, row[i]);
	largest = blockMax(largest);
	float sum = 0;
	for (int i = threadIdx.x; i < columns; i += block)
		sum += expf(row[i] - largest);
	sum = blockSum(sum);
	for (int i = threadIdx.x; i < columns; i += block)
		out[i] = expf(row[i] - largest) / sum;
}

__device__ float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

extern "C" __global__ void BlackScholes(const float *spot, const float *strike, const float *years, float *call, float *put, float rate, float volatility, int n) {
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float s = spot[i], k = strike[i], t = years[i];
		float root = sqrtf(t);
		float d1 = (logf(s / k) + (rate + volatility * volatility / 2) * t) / (volatility * root);
		float d2 = d1 - volatility * root;
		float n1 = normal(d1), n2 = normal(d2);
		float worth = k * expf(-rate * t);
		call[i] = s * n1 - worth * n2;
		put[i] = worth * (1 - n2) - s * (1 - n1);
	}
}

extern "C" __global__ void Stencil(const float *in, float *out, int nx, int ny, int nz, float c0, float c1) {
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
		return;
	for (int z = 1; z < nz - 1; z++) {
		int i = (z * ny + y) * nx + x;
		out[i] = c0 * in[i] + c1 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]);
	}
}

extern "C" __global__ void NBody(const float4 *at, float4 *pull, float softening, int n) {
	__shared__ float4 tile[bodies];
	int i = blockIdx.x * bodies + threadIdx.x;
	float4 self = {};
	if (i < n)
		self = at[i];
	float ax = 0, ay = 0, az = 0;
	for (int first = 0; first < n; first += bodies) {
		int j = first + threadIdx.x;
		if (j < n)
			tile[threadIdx.x] = at[j];
		__syncthreads();
		for (int j = 0; j < min(bodies, n - first); j++) {
			float4 o = tile[j];
			float dx = o.x - self.x, dy = o.y - self.y, dz = o.z - self.z;
			float inv = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
			float s = o.w * inv * inv * inv;
			ax += dx * s;
			ay += dy * s;
			az += dz * s;
		}
		__syncthreads();
	}
	if (i < n)
		pull[i] = float4{ax, ay, az, 0};
}
