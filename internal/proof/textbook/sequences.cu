// The kernels of sequences.go, line by line in CUDA C++.

constexpr int query = 128;
constexpr int word = 24;

extern "C" __global__ void Align(const unsigned char *queries, const unsigned char *targets, int *scores, int length) {
	__shared__ int diagonals[3][query + 1];
	__shared__ int best;
	int t = threadIdx.x;
	unsigned char q = queries[blockIdx.x * query + t];
	for (int d = 0; d < 3; d++) {
		diagonals[d][t + 1] = 0;
		if (t == 0)
			diagonals[d][0] = 0;
	}
	if (t == 0)
		best = 0;
	__syncthreads();
	int most = 0;
	for (int d = 0; d < query + length - 1; d++) {
		int now = d % 3, last = (d + 2) % 3, older = (d + 1) % 3;
		int j = d - t;
		if (j >= 0 && j < length) {
			int score = -1;
			if (targets[blockIdx.x * length + j] == q)
				score = 2;
			int h = max(max(0, diagonals[older][t] + score), max(diagonals[last][t] - 1, diagonals[last][t + 1] - 1));
			diagonals[now][t + 1] = h;
			most = max(most, h);
		}
		__syncthreads();
	}
	atomicMax(&best, most);
	__syncthreads();
	if (t == 0)
		scores[blockIdx.x] = best;
}

extern "C" __global__ void Levenshtein(const unsigned char *a, const unsigned char *b, int *edits, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int row[word + 1];
	for (int k = 0; k <= word; k++)
		row[k] = k;
	for (int j = 0; j < word; j++) {
		unsigned char letter = b[i * word + j];
		int corner = row[0];
		row[0] = j + 1;
		for (int k = 0; k < word; k++) {
			int cost = corner;
			if (a[i * word + k] != letter)
				cost++;
			corner = row[k + 1];
			row[k + 1] = min(cost, min(corner + 1, row[k] + 1));
		}
	}
	edits[i] = row[word];
}

extern "C" __global__ void Automaton(const unsigned char *text, const unsigned char *next, unsigned char *states, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned char state = 0;
	for (int k = i * record; k < (i + 1) * record; k++)
		state = next[state * 256 + text[k]];
	states[i] = state;
}

struct CRCTable {
	unsigned of[256];
	constexpr CRCTable() : of() {
		for (unsigned i = 0; i < 256; i++) {
			unsigned c = i;
			for (int k = 0; k < 8; k++)
				c = c >> 1 ^ 0xedb88320 * (c & 1);
			of[i] = c;
		}
	}
};
__constant__ CRCTable crcTable;

extern "C" __global__ void Checksums(const unsigned char *text, unsigned *sums, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned sum = ~0u;
	for (int k = 0; k < record; k++)
		sum = crcTable.of[(unsigned char)sum ^ text[i * record + k]] ^ sum >> 8;
	sums[i] = ~sum;
}

extern "C" __global__ void Segments(const int *x, const bool *heads, int *sums, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int lane = threadIdx.x % 32;
	int sum = 0;
	bool head = true;
	if (i < n)
		sum = x[i], head = heads[i];
	for (int d = 1; d < 32; d *= 2) {
		int s = __shfl_up_sync(0xffffffff, sum, d);
		bool h = __shfl_up_sync(0xffffffff, head, d);
		if (lane >= d && !head) {
			sum += s;
			head = h;
		}
	}
	if (i < n)
		sums[i] = sum;
}
