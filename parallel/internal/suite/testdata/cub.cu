// cub: one algorithm of CUB on one size, the median device time of 11 rounds in microseconds. Each
// round is launches in a row, behind a copy that occupies the device. What sorts in place copies its
// input first, and the time of the copy is taken off. TestSpeed runs it by turns with package parallel.
//
// nvcc -O3 -std=c++17 -arch=native -o cub cub.cu
// ./cub sort-uint32 268435456
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <functional>
#include <map>
#include <string>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t e = (call);                                                            \
        if (e != cudaSuccess) {                                                            \
            fprintf(stderr, "cub: %s: %s\n", #call, cudaGetErrorString(e));                \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

struct Record {
    uint16_t key;
    bool flag;
    float price;
    int32_t id;
};
struct ByKey {
    __device__ bool operator()(const Record &a, const Record &b) const { return a.key < b.key; }
};
struct Below {
    int32_t limit;
    __device__ bool operator()(int32_t x) const { return x < limit; }
};

static cudaStream_t s;
static char *from, *to;
static const size_t copyBytes = size_t(1) << 28;

static float timed(std::function<void()> work) {
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMemcpyAsync(to, from, copyBytes, cudaMemcpyDeviceToDevice, s));
    CHECK(cudaMemcpyAsync(from, to, copyBytes, cudaMemcpyDeviceToDevice, s));
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

static double median(std::function<void()> launch) {
    timed(launch);
    float once = timed(launch);
    int repeat = std::max(1, std::min(20, int(5 / std::max(once, 1e-3f))));
    std::vector<double> us;
    for (int round = 0; round < 11; round++)
        us.push_back(1e3 * timed([&] { for (int i = 0; i < repeat; i++) launch(); }) / repeat);
    std::sort(us.begin(), us.end());
    return us[5];
}

// word is the i-th of random numbers: splitmix64's.
__device__ uint64_t word(uint64_t i) {
    uint64_t x = i + 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}
template <typename T> __device__ T make(uint64_t i, uint64_t below) { return below ? T(word(i) % below) : T(word(i)); }
template <> __device__ float make<float>(uint64_t i, uint64_t) { return float(word(i) >> 40) * 0x1p-24f - 0.5f; }
template <> __device__ double make<double>(uint64_t i, uint64_t) { return double(word(i) >> 11) * 0x1p-53 - 0.5; }
template <> __device__ Record make<Record>(uint64_t i, uint64_t) { return {uint16_t(word(i)), false, float(i), int32_t(i)}; }
template <typename T> __global__ void fill(T *v, size_t n, uint64_t below, int run) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += gridDim.x * size_t(blockDim.x)) v[i] = make<T>(i / run, below);
}

template <typename T> static T *filled(size_t n, uint64_t below = 0, int run = 1) {
    T *v;
    CHECK(cudaMalloc(&v, n * sizeof(T) + 16));
    fill<T><<<1024, 256, 0, s>>>(v, n, below, run);
    CHECK(cudaGetLastError());
    return v;
}

static void *temp;
static size_t tempBytes;
// twice asks for the memory that a call needs, and is the call.
template <typename F> static std::function<void()> call(F f) {
    CHECK(f(nullptr, tempBytes));
    CHECK(cudaMalloc(&temp, tempBytes + 1));
    return [f] { CHECK(f(temp, tempBytes)); };
}

template <typename T> static double sum(int n) {
    T *in = filled<T>(n, 100), *out = filled<T>(1);
    return median(call([=](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, in, out, n, s); }));
}
template <typename T> static double scan(int n) {
    T *in = filled<T>(n, 100), *out = filled<T>(n);
    return median(call([=](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, in, out, n, s); }));
}
// refreshed is the time of a call on a copy of its input.
template <typename T> static double refreshed(T *dst, const T *src, size_t n, std::function<void()> launch) {
    auto copy = [=] { CHECK(cudaMemcpyAsync(dst, src, n * sizeof(T), cudaMemcpyDeviceToDevice, s)); };
    return median([=] { copy(); launch(); }) - median(copy);
}
template <typename K> static double sort(int n, uint64_t below) {
    K *in = filled<K>(n, below), *keys = filled<K>(n), *other = filled<K>(n);
    auto f = call([=](void *t, size_t &b) {
        cub::DoubleBuffer<K> d(keys, other);
        return cub::DeviceRadixSort::SortKeys(t, b, d, n, 0, int(8 * sizeof(K)), s);
    });
    return refreshed(keys, in, n, f);
}
template <typename K, typename V> static double pairs(int n) {
    K *in = filled<K>(n), *keys = filled<K>(n), *other = filled<K>(n);
    V *values = filled<V>(n), *otherValues = filled<V>(n);
    auto f = call([=](void *t, size_t &b) {
        cub::DoubleBuffer<K> d(keys, other);
        cub::DoubleBuffer<V> v(values, otherValues);
        return cub::DeviceRadixSort::SortPairs(t, b, d, v, n, 0, int(8 * sizeof(K)), s);
    });
    return refreshed(keys, in, n, f);
}

int main(int argc, char **argv) {
    std::map<std::string, std::function<double(int)>> all;
    all["sum-int32"] = sum<int32_t>;
    all["sum-float32"] = sum<float>;
    all["sum-float64"] = sum<double>;
    all["scan-int32"] = scan<int32_t>;
    all["scan-float32"] = scan<float>;
    all["scan-float64"] = scan<double>;
    all["sort-uint32"] = [](int n) { return sort<uint32_t>(n, 0); };
    all["sort-uint32-few"] = [](int n) { return sort<uint32_t>(n, 16); };
    all["sort-uint64"] = [](int n) { return sort<uint64_t>(n, 0); };
    all["sort-float32"] = [](int n) { return sort<float>(n, 0); };
    all["pairs-uint32-uint32"] = pairs<uint32_t, uint32_t>;
    all["sortby-record"] = [](int n) {
        Record *in = filled<Record>(n), *x = filled<Record>(n);
        return refreshed(x, in, n, call([=](void *t, size_t &b) { return cub::DeviceMergeSort::StableSortKeys(t, b, x, n, ByKey{}, s); }));
    };
    all["select-int32"] = [](int n) {
        int32_t *in = filled<int32_t>(n, 100), *out = filled<int32_t>(n), *count = filled<int32_t>(1);
        return median(call([=](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, in, out, count, n, Below{50}, s); }));
    };
    all["unique-int32"] = [](int n) {
        int32_t *in = filled<int32_t>(n, 1000, 5), *out = filled<int32_t>(n), *count = filled<int32_t>(1);
        return median(call([=](void *t, size_t &b) { return cub::DeviceSelect::Unique(t, b, in, out, count, n, s); }));
    };
    all["runs-int32"] = [](int n) {
        int32_t *in = filled<int32_t>(n, 1000, 5), *out = filled<int32_t>(n), *count = filled<int32_t>(1);
        int64_t *lengths = filled<int64_t>(n);
        return median(call([=](void *t, size_t &b) { return cub::DeviceRunLengthEncode::Encode(t, b, in, out, lengths, count, n, s); }));
    };
    for (int bins : {256, 65536})
        all["histogram-" + std::to_string(bins)] = [=](int n) {
            int32_t *in = filled<int32_t>(n, bins);
            unsigned long long *counts = filled<unsigned long long>(bins);
            return median(call([=](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, in, counts, bins + 1, 0, bins, n, s); }));
        };
    if (argc != 3 || !all.count(argv[1]) || atoi(argv[2]) < 1) {
        fprintf(stderr, "usage: cub algorithm n, with one of");
        for (auto &a : all) fprintf(stderr, " %s", a.first.c_str());
        fprintf(stderr, "\n");
        return 2;
    }
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&from, copyBytes));
    CHECK(cudaMalloc(&to, copyBytes));
    printf("%.4g\n", all[argv[1]](atoi(argv[2])));
}
