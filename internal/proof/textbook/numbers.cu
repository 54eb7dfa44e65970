// The kernels of numbers.go, line by line in CUDA C++.

constexpr int sieved = 8192;

extern "C" __global__ void Collatz(unsigned long long first, int *steps, int size) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= size)
		return;
	unsigned long long n = first + i;
	int count = 0;
	while (n != 1) {
		if (n % 2 == 0)
			n /= 2;
		else
			n = 3 * n + 1;
		count++;
	}
	steps[i] = count;
}

extern "C" __global__ void Sieve(const int *primes, int *counts, int n) {
	__shared__ unsigned marks[sieved / 32];
	__shared__ int total;
	int t = threadIdx.x, first = blockIdx.x * sieved;
	marks[t] = 0;
	if (t == 0)
		total = 0;
	__syncthreads();
	for (int k = t; k < n; k += block) {
		int p = primes[k];
		int from = max((first + p - 1) / p * p, p * p);
		for (int m = from - first; m < sieved; m += p)
			atomicOr(&marks[m / 32], 1u << (m % 32));
	}
	__syncthreads();
	atomicAdd(&total, __popc(~marks[t]));
	__syncthreads();
	if (t == 0)
		counts[blockIdx.x] = total;
}

extern "C" __global__ void Walk(unsigned seed, int steps, int *far, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned state = seed + i * 2654435761u;
	int at = 0, most = 0;
	for (int k = 0; k < steps; k++) {
		state = state * 1664525 + 1013904223;
		if (state >> 31 == 0)
			at++;
		else
			at--;
		most = max(max(most, at), -at);
	}
	far[i] = most;
}

extern "C" __global__ void Powers(const unsigned *bases, unsigned exponent, unsigned modulus, unsigned *powers, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned long long base = bases[i] % modulus, power = 1;
	for (unsigned e = exponent; e > 0; e /= 2) {
		if (e % 2 == 1)
			power = power * base % modulus;
		base = base * base % modulus;
	}
	powers[i] = power;
}

extern "C" __global__ void Euclid(const int *a, const int *b, int *divisors, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int x = a[i], y = b[i];
		while (y != 0) {
			int rest = x % y;
			x = y;
			y = rest;
		}
		divisors[i] = x;
	}
}

extern "C" __global__ void Dates(const int *days, int *dates, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int z = days[i] + 719468;
	int era = z / 146097;
	int day = z % 146097;
	int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	day -= 365 * year + year / 4 - year / 100;
	int month = (5 * day + 2) / 153;
	day -= (153 * month + 2) / 5 - 1;
	year += era * 400;
	if (month < 10) {
		month += 3;
	} else {
		month -= 9;
		year++;
	}
	dates[i] = year * 10000 + month * 100 + day;
}

extern "C" __global__ void Hamming(const unsigned long long *list, const unsigned long long *asked, int *least, int size, int n) {
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		int best = 64;
		for (int k = 0; k < size; k++)
			best = min(best, __popcll(list[k] ^ asked[i]));
		least[i] = best;
	}
}
