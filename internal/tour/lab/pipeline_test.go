package lab

import (
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/tour/picture"
)

// doubled copies rounds of x to two places by turns, and adds one while the other is copied.
const doubled = head + `//gpu:kernel block=64 target=sm_80
func Sums(x []gpu.Float32x4, sums []float32, rounds int) {
	places := gpu.Shared[[2][64]gpu.Float32x4]()
	tid := gpu.ThreadIdx.X
	start := func(round int) {
		if round < rounds {
			gpu.CpAsync(&places[round%2][tid], &x[round*64+tid], gpu.CacheGlobal)
		}
		gpu.CpAsyncCommitGroup()
	}
	start(0)
	var sum float32
	for round := range rounds {
		start(round + 1)
		gpu.CpAsyncWaitGroup(1)
		v := places[round%2][tid]
		sum += v.X + v.Y + v.Z + v.W
	}
	sums[tid] = sum
}
`

// tracksOf are the works of an agent of each warp.
func tracksOf(p *picture.Pipeline, agent string) (list [][]picture.Work) {
	for _, t := range p.Tracks {
		if t.Agent == agent {
			list = append(list, t.Works)
		}
	}
	return list
}

// TestPipeline has two copies of a warp under way at once, each from its request to the wait for it, and
// no warp in two works at once.
func TestPipeline(t *testing.T) {
	t.Parallel()
	r := newLab().Compile(doubled).Run(t.Context(), doubledLaunch, nil)
	p := r.Pictures.Pipeline
	if r.Error != "" || p == nil {
		t.Fatal(r.Error, p)
	}
	copies := tracksOf(p, "cp.async")
	if len(copies) != 2 {
		t.Fatalf("%d agents copy", len(copies))
	}
	for _, works := range copies {
		if len(works) != 5 {
			t.Errorf("%d copies", len(works))
		}
		for i, w := range works {
			if w.Kind != "copy" || w.Bytes != 32*16 || w.Open || w.Line == 0 {
				t.Errorf("%+v", w)
			}
			if i > 0 && works[i-1].At+works[i-1].Count <= w.At {
				t.Errorf("the copies %+v and %+v do not overlap", works[i-1], w)
			}
		}
	}
	for _, works := range tracksOf(p, "") {
		if !slices.IsSortedFunc(works, func(a, b picture.Work) int { return a.At + a.Count - b.At - 1 }) {
			t.Errorf("a warp does two things at once: %+v", works)
		}
	}
}

var doubledLaunch = Launch{Grid: []int{1}, Args: []string{"f32x4[320]=ramp", "f32[64]", "s64=5"}}

// unawaited asks for a copy and does not wait for it.
const unawaited = head + `//gpu:kernel block=32 target=sm_80
func K(x []gpu.Float32x4) {
	place := gpu.Shared[[32]gpu.Float32x4]()
	gpu.CpAsync(&place[gpu.ThreadIdx.X], &x[gpu.ThreadIdx.X], gpu.CacheGlobal)
}
`

// TestUnawaited says that nothing waits for a copy.
func TestUnawaited(t *testing.T) {
	t.Parallel()
	r := newLab().Compile(unawaited).Run(t.Context(), Launch{Grid: []int{1}, Args: []string{"f32x4[32]=ramp"}}, nil)
	if r.Error != "" {
		t.Fatal(r.Error)
	}
	if works := tracksOf(r.Pictures.Pipeline, "cp.async"); len(works) != 1 || len(works[0]) != 1 || !works[0][0].Open {
		t.Errorf("%+v", works)
	}
}
