// cub: the dot product by CUB's DeviceReduce::TransformReduce and the sum, the smallest and
// largest element and its place by DeviceReduce, the results left on the device: the yardstick of
// "gridstride bench dot" and "reduce". It measures as they do: launches in a row behind work that occupies the device, on copies of the input that no
// cache holds together, the median of 11 rounds. Its output is the rows of bench's JSON, so that "gridstride bench plot" takes both.
//
// nvcc -O3 -std=c++17 -arch=native -o cub cub.cu
// ./cub dot float32 268435456 > cub.json
// ./cub reduce float64 1000 10000 100000 1000000
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>

static void check(cudaError_t e, const char *what) {
    if (e != cudaSuccess) {
        fprintf(stderr, "cub: %s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

// fill writes random elements of [-1, 1).
template <typename T> __global__ void fill(T *v, int n, uint64_t seed) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint64_t x = (seed << 40) + i; // splitmix64
        x += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        v[i] = T(double((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1);
    }
}

// Product is the i-th term, in type R.
template <typename T, typename R> struct Product {
    const T *a, *b;
    bool absolute;
    __device__ R operator()(int i) const {
        R x = R(a[i]) * R(b[i]);
        return absolute && x < 0 ? -x : x;
    }
};

// transformReduce adds the terms up, in type R; temp is allocated where it is null.
template <typename T, typename R>
static void transformReduce(void *&temp, size_t &bytes, Product<T, R> product, R *out, int n, cudaStream_t s) {
    thrust::counting_iterator<int> index(0);
    if (!temp) {
        CHECK(cub::DeviceReduce::TransformReduce(nullptr, bytes, index, out, n, cuda::std::plus<R>{}, product, R(0), s));
        CHECK(cudaMalloc(&temp, bytes + 1));
    }
    CHECK(cub::DeviceReduce::TransformReduce(temp, bytes, index, out, n, cuda::std::plus<R>{}, product, R(0), s));
}

// exact is a sum in float64.
template <typename T> static double exact(const T *a, const T *b, int n, bool absolute, cudaStream_t s) {
    void *temp = nullptr;
    size_t bytes = 0;
    double *out, result;
    CHECK(cudaMalloc(&out, sizeof *out));
    transformReduce<T, double>(temp, bytes, {a, b, absolute}, out, n, s);
    CHECK(cudaMemcpyAsync(&result, out, sizeof result, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaFree(out));
    CHECK(cudaFree(temp));
    return result;
}

struct Bench {
    cudaStream_t s;
    char *from, *to; // of the copy that occupies the device
    const size_t copyBytes = size_t(1) << 30;
    float copyMs;
    bool firstRow = true;
    std::string device, driver;

    Bench() {
        CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        CHECK(cudaMalloc(&from, copyBytes));
        CHECK(cudaMalloc(&to, copyBytes));
        for (int i = 0; i < 2; i++) copyMs = time([&] { occupy(0); });
        cudaDeviceProp p;
        CHECK(cudaGetDeviceProperties(&p, 0));
        int version;
        CHECK(cudaDriverGetVersion(&version));
        device = p.name;
        driver = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    }

    void occupy(int launches) {
        int copies = launches == 0 ? 1 : 1 + int(launches * 0.012 / copyMs);
        for (int i = 0; i < copies; i++) CHECK(cudaMemcpyAsync(to, from, copyBytes, cudaMemcpyDeviceToDevice, s));
    }

    template <typename F> float time(F work) {
        cudaEvent_t start, end;
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&end));
        CHECK(cudaEventRecord(start, s));
        work();
        CHECK(cudaEventRecord(end, s));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, end));
        CHECK(cudaEventDestroy(start));
        CHECK(cudaEventDestroy(end));
        return ms;
    }

    // row measures launch(i), which takes input set i, and prints the row; bytes is its input.
    template <typename F> void row(const char *what, const char *about, const char *dtype, int n, double bytes, double error, F launch) {
        launch(0);
        float once = time([&] { launch(0); });
        int repeat = std::max(1, std::min(200, int(5 / std::max(once, 1e-3f))));
        std::vector<double> seconds;
        for (int round = 0; round < 11; round++) {
            occupy(repeat);
            seconds.push_back(1e-3 * time([&] { for (int i = 0; i < repeat; i++) launch(i); }) / repeat);
        }
        std::sort(seconds.begin(), seconds.end());
        printf("%s\n  {\"device\": \"%s\", \"driver\": \"%s\", \"what\": \"%s\", \"variant\": \"cub\", \"about\": \"%s\", \"dtype\": \"%s\", "
               "\"data\": \"random\", \"n\": %d, \"on\": \"device\", \"launches\": %d, \"seconds\": %.4g, \"leastSeconds\": %.4g, "
               "\"mostSeconds\": %.4g, \"rate\": %.4g, \"unit\": \"GB/s\", \"error\": %.2g}",
               firstRow ? "[" : ",", device.c_str(), driver.c_str(), what, about, dtype, n, 11 * repeat, seconds[5], seconds[0], seconds[10],
               bytes / seconds[5] / 1e9, error);
        firstRow = false;
    }
};

template <typename T> static void run(Bench &bench, const std::string &what, const char *dtype, int n) {
    double bytes = 2.0 * n * sizeof(T);
    int copies = std::min(64, 1 + int((256 << 20) / std::max(bytes, 1.0)));
    std::vector<T *> a(copies), b(copies);
    for (int i = 0; i < copies; i++) {
        CHECK(cudaMalloc(&a[i], n * sizeof(T) + 1));
        CHECK(cudaMalloc(&b[i], n * sizeof(T) + 1));
        fill<<<1024, 256, 0, bench.s>>>(a[i], n, 1);
        fill<<<1024, 256, 0, bench.s>>>(b[i], n, 2);
    }
    T *out, got;
    CHECK(cudaMalloc(&out, sizeof *out));
    void *temp = nullptr;
    size_t tempBytes = 0;
    auto sum = [&](int i) {
        if (!temp) {
            CHECK(cub::DeviceReduce::Sum(nullptr, tempBytes, a[0], out, n, bench.s));
            CHECK(cudaMalloc(&temp, tempBytes + 1));
        }
        CHECK(cub::DeviceReduce::Sum(temp, tempBytes, a[i % copies], out, n, bench.s));
    };
    auto dot = [&](int i) { transformReduce<T, T>(temp, tempBytes, {a[i % copies], b[i % copies], false}, out, n, bench.s); };
    int64_t *at;
    CHECK(cudaMalloc(&at, sizeof *at));
    auto found = [&](auto search) { // allocates first
        return [&, search](int i) {
            if (!temp) {
                CHECK(search(0));
                CHECK(cudaMalloc(&temp, tempBytes + 1));
            }
            CHECK(search(i));
        };
    };
    auto least = found([&](int i) { return cub::DeviceReduce::Min(temp, tempBytes, a[i % copies], out, n, bench.s); });
    auto most = found([&](int i) { return cub::DeviceReduce::Max(temp, tempBytes, a[i % copies], out, n, bench.s); });
    auto leastAt = found([&](int i) { return cub::DeviceReduce::ArgMin(temp, tempBytes, a[i % copies], out, at, int64_t(n), bench.s); });
    if (what == "dot") {
        dot(0);
        CHECK(cudaMemcpyAsync(&got, out, sizeof got, cudaMemcpyDeviceToHost, bench.s));
        CHECK(cudaStreamSynchronize(bench.s));
        double want = exact(a[0], b[0], n, false, bench.s), magnitude = exact(a[0], b[0], n, true, bench.s);
        bench.row("dot", "CUB's DeviceReduce::TransformReduce", dtype, n, bytes, std::abs(double(got) - want) / std::max(magnitude, 1e-300), dot);
    } else if (what == "min") {
        bench.row("min", "CUB's DeviceReduce::Min", dtype, n, bytes / 2, 0, least);
    } else if (what == "max") {
        bench.row("max", "CUB's DeviceReduce::Max", dtype, n, bytes / 2, 0, most);
    } else if (what == "argmin") {
        bench.row("argmin", "CUB's DeviceReduce::ArgMin", dtype, n, bytes / 2, 0, leastAt);
    } else {
        bench.row("reduce", "CUB's DeviceReduce::Sum", dtype, n, bytes / 2, 0, sum);
    }
    CHECK(cudaFree(at));
    for (int i = 0; i < copies; i++) {
        CHECK(cudaFree(a[i]));
        CHECK(cudaFree(b[i]));
    }
    CHECK(cudaFree(out));
    CHECK(cudaFree(temp));
}

int main(int argc, char **argv) {
    std::string what = argc > 1 ? argv[1] : "", dtype = argc > 2 ? argv[2] : "";
    if (argc < 4 || (what != "dot" && what != "reduce" && what != "min" && what != "max" && what != "argmin") || (dtype != "float32" && dtype != "float64")) {
        fprintf(stderr, "usage: cub dot|reduce|min|max|argmin float32|float64 n...\n");
        return 2;
    }
    Bench bench;
    for (int i = 3; i < argc; i++) {
        long long n = atoll(argv[i]);
        if (n < 1 || n > INT32_MAX) {
            fprintf(stderr, "cub: n is %s: want 1 to 2^31-1\n", argv[i]);
            return 2;
        }
        if (dtype == "float64") run<double>(bench, what, "float64", int(n));
        else run<float>(bench, what, "float32", int(n));
    }
    printf("\n]\n");
}
