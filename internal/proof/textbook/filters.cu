// The kernels of filters.go, line by line in CUDA C++.

__constant__ float binomial[5] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16};

extern "C" __global__ void Gauss(const float *in, float *out, int width, int height) {
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	float sum = 0;
	for (int dy = -2; dy <= 2; dy++) {
		for (int dx = -2; dx <= 2; dx++) {
			int px = min(max(x + dx, 0), width - 1);
			int py = min(max(y + dy, 0), height - 1);
			sum += binomial[dy + 2] * binomial[dx + 2] * in[py * width + px];
		}
	}
	out[y * width + x] = sum;
}

__device__ void order(unsigned char &a, unsigned char &b) {
	unsigned char least = min(a, b);
	b = max(a, b);
	a = least;
}

extern "C" __global__ void Median(const unsigned char *in, unsigned char *out, int width, int height) {
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	unsigned char v[9];
	for (int dy = -1; dy <= 1; dy++) {
		for (int dx = -1; dx <= 1; dx++) {
			int px = min(max(x + dx, 0), width - 1);
			int py = min(max(y + dy, 0), height - 1);
			v[(dy + 1) * 3 + dx + 1] = in[py * width + px];
		}
	}
	order(v[1], v[2]);
	order(v[4], v[5]);
	order(v[7], v[8]);
	order(v[0], v[1]);
	order(v[3], v[4]);
	order(v[6], v[7]);
	order(v[1], v[2]);
	order(v[4], v[5]);
	order(v[7], v[8]);
	order(v[0], v[3]);
	order(v[5], v[8]);
	order(v[4], v[7]);
	order(v[3], v[6]);
	order(v[1], v[4]);
	order(v[2], v[5]);
	order(v[4], v[7]);
	order(v[4], v[2]);
	order(v[6], v[4]);
	order(v[4], v[2]);
	out[y * width + x] = v[4];
}

extern "C" __global__ void Sobel(const unsigned char *in, unsigned char *out, int width, int height) {
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1)
		return;
	int i = y * width + x;
	int a = in[i - width - 1], b = in[i - width], c = in[i - width + 1];
	int d = in[i - 1], e = in[i + 1];
	int f = in[i + width - 1], g = in[i + width], h = in[i + width + 1];
	int gx = c + 2 * e + h - a - 2 * d - f;
	int gy = f + 2 * g + h - a - 2 * b - c;
	out[i] = min(abs(gx) + abs(gy), 255);
}

extern "C" __global__ void Bilateral(const float *in, float *out, int width, int height, int radius, float near, float like) {
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	float centre = in[y * width + x];
	float sum = 0, weights = 0;
	for (int dy = -radius; dy <= radius; dy++) {
		for (int dx = -radius; dx <= radius; dx++) {
			int px = min(max(x + dx, 0), width - 1);
			int py = min(max(y + dy, 0), height - 1);
			float v = in[py * width + px];
			float w = expf(-(float)(dx * dx + dy * dy) * near - (v - centre) * (v - centre) * like);
			sum += w * v;
			weights += w;
		}
	}
	out[y * width + x] = sum / weights;
}

extern "C" __global__ void Gray(const unsigned char *colours, unsigned char *out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		unsigned r = colours[3 * i], g = colours[3 * i + 1], b = colours[3 * i + 2];
		out[i] = (77 * r + 150 * g + 29 * b) >> 8;
	}
}
