// graph: 20 small kernels that follow each other, in CUDA C++, the yardstick of BenchmarkGraph: launched one by one and as a graph, by the host's time
// and with the wait for the last. Best and median of 21 rounds of 500, in microseconds for the 20, printed as JSON.
// nvcc -O3 -arch=native -o graph graph.cu
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

__global__ void scale(float *x, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}

static const int kernels = 20, repeats = 500, rounds = 21, n = 1024;

template <typename F> void report(const char *name, F run, cudaStream_t s, bool wait, bool last) {
    std::vector<double> us;
    for (int r = 0; r < rounds; r++) {
        auto t0 = std::chrono::steady_clock::now();
        for (int i = 0; i < repeats; i++) {
            run();
            if (wait) cudaStreamSynchronize(s);
        }
        cudaStreamSynchronize(s);
        us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - t0).count() / repeats);
    }
    std::sort(us.begin(), us.end());
    printf("  {\"name\": \"%s/wait=%s\", \"best_us\": %.3f, \"median_us\": %.3f}%s\n", name, wait ? "true" : "false", us[0], us[rounds / 2], last ? "" : ",");
}

int main() {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    float *x;
    cudaMalloc(&x, n * sizeof *x);
    cudaMemset(x, 0, n * sizeof *x);
    auto all = [&] { for (int i = 0; i < kernels; i++) scale<<<4, 256, 0, s>>>(x, n, 1); };
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    all();
    cudaStreamEndCapture(s, &g);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, g, 0);
    printf("[\n");
    report("one-by-one", all, s, false, false);
    report("one-by-one", all, s, true, false);
    report("graph", [&] { cudaGraphLaunch(exec, s); }, s, false, false);
    report("graph", [&] { cudaGraphLaunch(exec, s); }, s, true, true);
    printf("]\n");
    return cudaGetLastError() != cudaSuccess;
}
