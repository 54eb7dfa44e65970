// launch: the time of a launch of an empty kernel in CUDA C++, the yardstick of BenchmarkLaunches: 10,000 launches on one stream and the wait for the
// last, through the runtime's <<<>>> and through the driver API; and that of BenchmarkWait: 10,000 times a launch and the wait for it. Best and median of
// 21 rounds, printed as JSON.
// nvcc -O3 -arch=native -o launch launch.cu -lcuda
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cuda.h>
#include <vector>

__global__ void empty() {}

static const int launches = 10000, rounds = 21;

template <typename F> void report(const char *name, F launch, cudaStream_t s, bool last) {
    std::vector<double> us;
    for (int r = 0; r < rounds; r++) {
        auto t0 = std::chrono::steady_clock::now();
        for (int i = 0; i < launches; i++) launch();
        cudaStreamSynchronize(s);
        us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - t0).count() / launches);
    }
    std::sort(us.begin(), us.end());
    printf("  {\"name\": \"%s\", \"best_us\": %.4f, \"median_us\": %.4f}%s\n", name, us[0], us[rounds / 2], last ? "" : ",");
}

int main() {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    empty<<<1, 1, 0, s>>>();
    cudaStreamSynchronize(s);
    cudaFunction_t f;
    cudaGetFuncBySymbol(&f, (const void *)empty);
    printf("[\n");
    report("cuda-runtime", [&] { empty<<<1, 1, 0, s>>>(); }, s, false);
    report("cuda-driver", [&] { cuLaunchKernel((CUfunction)f, 1, 1, 1, 1, 1, 1, 0, (CUstream)s, nullptr, nullptr); }, s, false);
    report("cuda-runtime, each waited for", [&] { empty<<<1, 1, 0, s>>>(); cudaStreamSynchronize(s); }, s, true);
    printf("]\n");
    return cudaGetLastError() != cudaSuccess;
}
