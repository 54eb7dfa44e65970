package main

import (
	"math"
	"slices"
	"sort"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

func (z *sizes) trees() []*problem {
	grid := func(n int) gridstride.Config { return gridstride.Grid(over(n, block)).Block(block) }
	return []*problem{
		newProblem("Search", grid(z.many/16), z.search),
		newProblem("LowerBound", grid(z.many/8), z.lowerBound),
		newProblem("Forest", grid(z.records/4), z.forest),
		newProblem("Nearest", grid(z.records/8), z.nearest),
	}
}

// searchTree is a search tree of keys that were inserted in their order. Those that are in it already
// are unused.
func searchTree(keys []int32) (left, right []int32) {
	left, right = make([]int32, len(keys)), make([]int32, len(keys))
	for i := range keys {
		left[i], right[i] = -1, -1
	}
	for i := int32(1); i < int32(len(keys)); i++ {
		for at := int32(0); keys[at] != keys[i]; {
			child := &right[at]
			if keys[i] < keys[at] {
				child = &left[at]
			}
			if *child < 0 {
				*child = i
			}
			at = *child
		}
	}
	return left, right
}

func (z *sizes) search(w *workshop) {
	n := z.many / 64
	hk, hw := integers[int32](n, 0, int64(2*n)), integers[int32](z.many/16, 0, int64(2*n))
	hl, hr := searchTree(hk)
	keys, left, right, wanted := copyOf(w, hk), copyOf(w, hl), copyOf(w, hr), copyOf(w, hw)
	found := resultOf[int32](w, len(hw))
	w.want = func(i int) float64 { return float64(slices.Index(hk, hw[i])) }
	w.args([]any{keys, left, right, wanted, found}, []any{keys, left, right, wanted, found, int32(len(hw))})
}

func (z *sizes) lowerBound(w *workshop) {
	hs, hw := uniform(z.many/16, 0, 1), uniform(z.many/8, 0, 1)
	slices.Sort(hs)
	sorted, wanted, found := copyOf(w, hs), copyOf(w, hw), resultOf[int32](w, len(hw))
	w.want = func(i int) float64 {
		return float64(sort.Search(len(hs), func(k int) bool { return hs[k] >= hw[i] }))
	}
	w.args([]any{sorted, wanted, found}, []any{sorted, wanted, found, int32(len(hs)), int32(len(hw))})
}

// randomForest is decision trees of a depth.
func randomForest(trees, depth, features int) (nodes []TreeNode, roots []int32) {
	perTree := 2<<depth - 1
	values, asks := uniform(trees*perTree, 0, 1), integers[int32](trees*perTree, 0, int64(features))
	for i, v := range values {
		root, k := i/perTree*perTree, i%perTree
		if k == 0 {
			roots = append(roots, int32(i))
		}
		n := TreeNode{Feature: asks[i], Value: v, Left: int32(root + 2*k + 1), Right: int32(root + 2*k + 2)}
		if 2*k+1 >= perTree {
			n.Feature, n.Left, n.Right = -1, -1, -1
		}
		nodes = append(nodes, n)
	}
	return nodes, roots
}

func (z *sizes) forest(w *workshop) {
	const perItem = 13
	hn, hr := randomForest(50, 7, perItem)
	hf := uniform(z.records/4*perItem, 0, 1)
	nodes, roots, features, answers := copyOf(w, hn), copyOf(w, hr), copyOf(w, hf), resultOf[float32](w, z.records/4)
	w.want = func(i int) float64 {
		sum := 0.0
		for _, at := range hr {
			for hn[at].Feature >= 0 {
				if hf[i*perItem+int(hn[at].Feature)] < hn[at].Value {
					at = hn[at].Left
				} else {
					at = hn[at].Right
				}
			}
			sum += float64(hn[at].Value)
		}
		return sum / float64(len(hr))
	}
	w.args([]any{nodes, roots, features, perItem, answers},
		[]any{nodes, roots, features, int32(perItem), answers, int32(len(hr)), int32(z.records / 4)})
}

// points are n random points.
func points(n int) []gpu.Float32x4 {
	x, out := uniform(3*n, -1, 1), make([]gpu.Float32x4, n)
	for i := range out {
		out[i] = gpu.Float32x4{X: x[3*i], Y: x[3*i+1], Z: x[3*i+2]}
	}
	return out
}

func (z *sizes) nearest(w *workshop) {
	hp, ha := points(z.graph), points(z.records/8)
	from, asked, nearest := copyOf(w, hp), copyOf(w, ha), resultOf[int32](w, len(ha))
	w.strays = checked / 100 // two points may be equally near, apart from rounding
	w.want = func(i int) float64 {
		least, at := math.Inf(1), -1
		for k, p := range hp {
			d := math.Hypot(math.Hypot(float64(p.X)-float64(ha[i].X), float64(p.Y)-float64(ha[i].Y)), float64(p.Z)-float64(ha[i].Z))
			if d < least {
				least, at = d, k
			}
		}
		return float64(at)
	}
	w.args([]any{from, asked, nearest}, []any{from, asked, nearest, int32(len(hp)), int32(len(ha))})
}
