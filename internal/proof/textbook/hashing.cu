// The kernels of hashing.go, line by line in CUDA C++.

__device__ unsigned spread(unsigned h) {
	h ^= h >> 16;
	h *= 0x85ebca6b;
	h ^= h >> 13;
	h *= 0xc2b2ae35;
	return h ^ h >> 16;
}

extern "C" __global__ void Insert(const unsigned *keys, unsigned *table, unsigned *counts, int size, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned key = keys[i];
	int at = spread(key) & (size - 1);
	for (;;) {
		unsigned old = atomicCAS(&table[at], 0, key);
		if (old == 0 || old == key)
			break;
		at = (at + 1) & (size - 1);
	}
	atomicAdd(&counts[at], 1);
}

extern "C" __global__ void Lookup(const unsigned *table, const unsigned *values, const unsigned *keys, unsigned *found, int size, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned key = keys[i];
	int at = spread(key) & (size - 1);
	while (table[at] != 0 && table[at] != key)
		at = (at + 1) & (size - 1);
	found[i] = 0;
	if (table[at] == key)
		found[i] = values[at];
}

extern "C" __global__ void FNV(const unsigned char *text, unsigned long long *hashes, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned long long h = 14695981039346656037ull;
	for (int k = i * record; k < (i + 1) * record; k++) {
		h ^= text[k];
		h *= 1099511628211ull;
	}
	hashes[i] = h;
}

__device__ unsigned rotate(unsigned x, int k) { return x << k | x >> (32 - k); }

extern "C" __global__ void XXHash(const unsigned *words, unsigned *hashes, int n) {
	const unsigned p1 = 2654435761u, p2 = 2246822519u, p3 = 3266489917u;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	const unsigned *mine = words + i * (record / 4);
	unsigned v[4] = {p1 + p2, p2, 0, 0 - p1};
	for (int k = 0; k < record / 4; k++)
		v[k % 4] = rotate(v[k % 4] + mine[k] * p2, 13) * p1;
	unsigned h = rotate(v[0], 1) + rotate(v[1], 7) + rotate(v[2], 12) + rotate(v[3], 18);
	h += record;
	h ^= h >> 15;
	h *= p2;
	h ^= h >> 13;
	h *= p3;
	hashes[i] = h ^ h >> 16;
}
