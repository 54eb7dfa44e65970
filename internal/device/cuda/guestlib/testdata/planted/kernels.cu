// Kernels in C++ with planted bugs, each beside its right version: which is compiled without WRONG. The
// comments say what is to be found, at their lines.
#ifdef WRONG
#define SYNC
#else
#define SYNC __syncthreads()
#endif

extern "C" __global__ void transpose(float *x, float *y) {
    __shared__ float tile[16][16];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 16 + threadIdx.x];
    SYNC;
    y[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // BUG race
}

extern "C" __global__ void scan(float *x, float *y) {
    __shared__ float part[256];
    int i = threadIdx.y * 16 + threadIdx.x;
    part[i] = x[i];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        float more = i >= step ? part[i - step] : 0; // BUG race
        SYNC;
        part[i] += more;
        __syncthreads();
    }
    y[i] = part[i];
}

extern "C" __global__ void count(float *x, float *y) {
    int i = threadIdx.y * 16 + threadIdx.x;
    if (i == 0)
        y[0] = 0;
    __syncthreads();
    if (x[i] > 100)
#ifdef WRONG
        y[0] += 1; // BUG race
#else
        atomicAdd(y, 1.0f);
#endif
}

extern "C" __global__ void shift(float *x, float *y) {
    int i = threadIdx.y * 16 + threadIdx.x;
#ifdef WRONG
    y[i] = x[i + 1]; // BUG out-of-bounds
#else
    y[i] = i < 255 ? x[i + 1] : 0;
#endif
}

extern "C" __global__ void bins(float *x, float *y) {
    __shared__ int bin[16];
    int i = threadIdx.y * 16 + threadIdx.x;
    if (i < 16)
        bin[i] = 0;
    __syncthreads();
#ifdef WRONG
    atomicAdd(&bin[i / 15], 1); // BUG out-of-bounds
#else
    atomicAdd(&bin[i / 16], 1);
#endif
    __syncthreads();
    if (i < 16)
        y[i] = bin[i];
}

extern "C" __global__ void largest(float *x, float *y) {
    __shared__ float top;
    int i = threadIdx.y * 16 + threadIdx.x;
#ifdef WRONG
    if (i == 256) // which no thread is
#else
    if (i == 0)
#endif
        top = x[0];
    __syncthreads();
    y[i] = x[i] - top; // BUG uninitialized
}

extern "C" __global__ void loop(float *x, float *y) {
    int i = threadIdx.y * 16 + threadIdx.x;
#ifdef WRONG
    int n = i < 128 ? 2 : 1;
#else
    int n = 2;
#endif
    for (int k = 0; k < n; k++) {
        y[i] = x[i] + k;
        __syncthreads(); // BUG barrier
    }
}
