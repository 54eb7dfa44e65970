// The kernels of grids.go, line by line in CUDA C++.

extern "C" __global__ void Heat(const double *in, double *out, int width, int height, double rate) {
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
		int i = y * width + x;
		out[i] = in[i] + rate * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4 * in[i]);
	}
}

extern "C" __global__ void Life(const unsigned char *in, unsigned char *out, int width, int height) {
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	int alive = 0;
	for (int dy = -1; dy <= 1; dy++) {
		for (int dx = -1; dx <= 1; dx++) {
			if (dx != 0 || dy != 0) {
				int nx = (x + dx + width) % width, ny = (y + dy + height) % height;
				alive += in[ny * width + nx];
			}
		}
	}
	out[y * width + x] = 0;
	if (alive == 3 || alive == 2 && in[y * width + x] == 1)
		out[y * width + x] = 1;
}

extern "C" __global__ void Floyd(const int *in, int *out, int n, int k) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < n && j < n)
		out[i * n + j] = min(in[i * n + j], in[i * n + k] + in[k * n + j]);
}

__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

extern "C" __global__ void Lattice(const float *in, float *out, int width, int height, float omega) {
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	int n = width * height;
	float f[9];
	float rho = 0, ux = 0, uy = 0;
	for (int q = 0; q < 9; q++) {
		int px = (x - ex[q] + width) % width;
		int py = (y - ey[q] + height) % height;
		f[q] = in[q * n + py * width + px];
		rho += f[q];
		ux += (float)ex[q] * f[q];
		uy += (float)ey[q] * f[q];
	}
	ux /= rho;
	uy /= rho;
	float square = 1.5f * (ux * ux + uy * uy);
	for (int q = 0; q < 9; q++) {
		float e = 3 * ((float)ex[q] * ux + (float)ey[q] * uy);
		float balance = weight[q] * rho * (1 + e + 0.5f * e * e - square);
		out[q * n + y * width + x] = f[q] + omega * (balance - f[q]);
	}
}
