package main

import "github.com/gridstride/gridstride/gpu"

// Searches: of trees in arrays, of a sorted array, of all points.

// Search finds a key in a search tree for each thread. A vertex that is no child is -1.
//
//gpu:kernel block=256
func Search(keys, left, right, wanted, found []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(wanted) {
		return
	}
	key, at := wanted[i], int32(0)
	for at >= 0 && keys[at] != key {
		if key < keys[at] {
			at = left[at]
		} else {
			at = right[at]
		}
	}
	found[i] = at
}

// LowerBound finds for each number how many of a sorted array are below it.
//
//gpu:kernel block=256
func LowerBound(sorted, wanted []float32, found []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(wanted) {
		return
	}
	low, high := 0, len(sorted)
	for low < high {
		middle := (low + high) / 2
		if sorted[middle] < wanted[i] {
			low = middle + 1
		} else {
			high = middle
		}
	}
	found[i] = int32(low)
}

// TreeNode is a decision. Feature is -1 in a leaf, whose Value is the answer.
type TreeNode struct {
	Feature     int32
	Value       float32 // the number that the feature is compared with
	Left, Right int32
}

// Forest adds up the answers of decision trees to the features of each thread.
//
//gpu:kernel block=256
func Forest(nodes []TreeNode, roots []int32, features []float32, perItem int, answers []float32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(answers) {
		return
	}
	mine := features[i*perItem : (i+1)*perItem]
	var sum float32
	for _, root := range roots {
		node := nodes[root]
		for node.Feature >= 0 {
			if mine[node.Feature] < node.Value {
				node = nodes[node.Left]
			} else {
				node = nodes[node.Right]
			}
		}
		sum += node.Value
	}
	answers[i] = sum / float32(len(roots))
}

// Nearest finds the point that is nearest to each.
//
//gpu:kernel block=256
func Nearest(points, asked []gpu.Float32x4, nearest []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(asked) {
		return
	}
	p := asked[i]
	least, at := float32(3e38), int32(-1)
	for k := 0; k < len(points); k++ {
		q := points[k]
		d := (p.X-q.X)*(p.X-q.X) + (p.Y-q.Y)*(p.Y-q.Y) + (p.Z-q.Z)*(p.Z-q.Z)
		if d < least {
			least, at = d, int32(k)
		}
	}
	nearest[i] = at
}
