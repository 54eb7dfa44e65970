// The kernels of trees.go, line by line in CUDA C++.

extern "C" __global__ void Search(const int *keys, const int *left, const int *right, const int *wanted, int *found, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int key = wanted[i], at = 0;
	while (at >= 0 && keys[at] != key) {
		if (key < keys[at])
			at = left[at];
		else
			at = right[at];
	}
	found[i] = at;
}

extern "C" __global__ void LowerBound(const float *sorted, const float *wanted, int *found, int size, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int low = 0, high = size;
	while (low < high) {
		int middle = (low + high) / 2;
		if (sorted[middle] < wanted[i])
			low = middle + 1;
		else
			high = middle;
	}
	found[i] = low;
}

struct TreeNode {
	int feature;
	float value;
	int left, right;
};

extern "C" __global__ void Forest(const TreeNode *nodes, const int *roots, const float *features, int perItem, float *answers, int trees, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	const float *mine = features + i * perItem;
	float sum = 0;
	for (int t = 0; t < trees; t++) {
		TreeNode node = nodes[roots[t]];
		while (node.feature >= 0) {
			if (mine[node.feature] < node.value)
				node = nodes[node.left];
			else
				node = nodes[node.right];
		}
		sum += node.value;
	}
	answers[i] = sum / trees;
}

extern "C" __global__ void Nearest(const float4 *points, const float4 *asked, int *nearest, int size, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 p = asked[i];
	float least = 3e38f;
	int at = -1;
	for (int k = 0; k < size; k++) {
		float4 q = points[k];
		float d = (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z);
		if (d < least)
			least = d, at = k;
	}
	nearest[i] = at;
}
