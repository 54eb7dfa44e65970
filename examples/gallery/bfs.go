package main

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/gpu"
)

var bfsExhibit = exhibit{
	name: "bfs", file: "bfs.go", size: 2000, show: showBFS,
	algorithm: "breadth-first search with a queue for each level, after Merrill, Garland and Grimshaw",
	shows:     "`gpu.AtomicCAS`, a queue that threads fill, a launch for each level",
}

// unseen is the level of a vertex that was not reached.
const unseen = -1

// Visit goes from the vertices of one level to the next level's: D. Merrill, M. Garland and A.
// Grimshaw, "Scalable GPU Graph Traversal", PPoPP 2012. The neighbours of vertex u are starts[u] to
// starts[u+1] of ends. Of all threads that come to a vertex, the one that writes its level puts it
// into the queue. The order in the queue differs from run to run, and the levels do not.
//
//gpu:kernel block=128
func Visit(starts, ends, queue []int32, level int32, levels, next, count []int32) {
	for i := range gpu.GridStride(len(queue)) {
		u := queue[i]
		for _, w := range ends[starts[u]:starts[u+1]] {
			if gpu.AtomicCAS(&levels[w], unseen, level) == unseen {
				next[gpu.AtomicAdd(&count[0], 1)] = w
			}
		}
	}
}

// bfsOnHost is the levels of all vertices, by the same algorithm.
func bfsOnHost(starts, ends []int32, root int32) []int32 {
	levels := slices.Repeat([]int32{unseen}, len(starts)-1)
	levels[root] = 0
	for queue, level := []int32{root}, int32(1); len(queue) > 0; level++ {
		var next []int32
		for _, u := range queue {
			for _, w := range ends[starts[u]:starts[u+1]] {
				if levels[w] == unseen {
					levels[w] = level
					next = append(next, w)
				}
			}
		}
		queue = next
	}
	return levels
}

func showBFS(v *visit, n int) {
	hostStarts, hostEnds := graph(n)
	v.input = fmt.Sprintf("%d vertices, %d edges", n, len(hostEnds))
	if n == 0 {
		return // there is no vertex to begin with
	}
	const root = 0
	first := slices.Repeat([]int32{unseen}, n)
	first[root] = 0
	starts, ends, levels := copyOf(v, hostStarts), copyOf(v, hostEnds), copyOf(v, first)
	queue, next, count := room[int32](v, n), room[int32](v, n), room[int32](v, 1)
	if v.err == nil {
		v.err = queue.Slice(0, 1).Write(v.ctx, v.stream, []int32{root})
	}
	kernel := load(v, LoadVisit)
	depth := int32(0)
	for length := 1; length > 0 && v.err == nil; depth++ {
		v.err = count.Zero(v.stream)
		v.launch(func() error {
			grid, queue := blocksFor(length, 128), queue.Slice(0, length)
			return kernel.Launch(v.stream, grid, starts, ends, queue, depth+1, levels, next, count)
		})
		length = 0
		for _, n := range read(v, count) {
			length = int(n)
		}
		queue, next = next, queue
	}
	compare(v, "vertex", levels, bfsOnHost(hostStarts, hostEnds, root))
	v.result = fmt.Sprintf("%d levels", depth)
}
