// copy: the speed of copies between host and device in CUDA C++, the yardstick of BenchmarkCopy: cudaMemcpyAsync from and to pinned memory, and the same
// from and to ordinary memory, best and median of 21 copies each, printed as JSON.
// nvcc -O3 -arch=native -o copy copy.cu
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const int rounds = 21;

template <typename F> void report(const char *name, size_t bytes, F copy, cudaStream_t s, bool last) {
    std::vector<double> gbs;
    for (int r = 0; r < rounds + 2; r++) {
        auto t0 = std::chrono::steady_clock::now();
        copy();
        cudaStreamSynchronize(s);
        double sec = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
        if (r >= 2) gbs.push_back(bytes / sec / 1e9);
    }
    std::sort(gbs.begin(), gbs.end());
    printf("  {\"name\": \"%s\", \"bytes\": %zu, \"best_gb_s\": %.3f, \"median_gb_s\": %.3f}%s\n", name, bytes, gbs[rounds - 1], gbs[rounds / 2], last ? "" : ",");
}

int main() {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    const size_t sizes[] = {4096, 1 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30};
    char *pinned, *dev;
    char *pageable = (char *)malloc(1 << 30);
    cudaMallocHost(&pinned, 1 << 30);
    cudaMalloc(&dev, 1 << 30);
    memset(pageable, 1, 1 << 30);
    memset(pinned, 2, 1 << 30);
    printf("[\n");
    for (size_t n : sizes) {
        bool last = n == sizes[5];
        report("pinned to device", n, [&] { cudaMemcpyAsync(dev, pinned, n, cudaMemcpyHostToDevice, s); }, s, false);
        report("device to pinned", n, [&] { cudaMemcpyAsync(pinned, dev, n, cudaMemcpyDeviceToHost, s); }, s, false);
        report("pageable to device", n, [&] { cudaMemcpyAsync(dev, pageable, n, cudaMemcpyHostToDevice, s); }, s, false);
        report("device to pageable", n, [&] { cudaMemcpyAsync(pageable, dev, n, cudaMemcpyDeviceToHost, s); }, s, last);
    }
    printf("]\n");
    return cudaGetLastError() != cudaSuccess;
}
