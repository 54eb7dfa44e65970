package collective_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// TestRepeat calls BlockSum in a loop: a call must not overwrite what a slower thread still reads
// of the last.
func TestRepeat(t *testing.T) {
	every(t, func(w *world[int32]) {
		kernel := w.kernel("Repeat")
		in, err := gridstride.CopyOf(w.dev, w.in)
		must(w.t, err)
		out, free := buffers[int32](w, 1)
		grid := w.cfg.GridDim
		w.cfg.GridDim = gridstride.Dim3{X: grid.X * grid.Y * grid.Z, Y: 1, Z: 1}
		must(w.t, kernel.Launch(w.s, w.cfg, in, out[0]))
		compare(w, "BlockSum again", out[0], wholeBlock, func(i, first, last int) int32 {
			var v int32
			for _, x := range w.in[first : last+1] {
				v += x
			}
			for range i/w.threads + 1 {
				v = v % 1000 * int32(w.threads)
			}
			return v % 1000
		})
		must(w.t, in.Free())
		free()
	})
}

// TestRounds calls the scans and the minimum again and again.
func TestRounds(t *testing.T) {
	every(t, func(w *world[int32]) {
		const rounds = 4
		kernel := w.kernel("Rounds")
		in, err := gridstride.CopyOf(w.dev, w.in)
		must(w.t, err)
		out, free := buffers[int32](w, 3)
		must(w.t, kernel.Launch(w.s, w.cfg, in, rounds, out[0], out[1], out[2]))
		for k, round := range []func(v []int32, first int){inclusiveRound, exclusiveRound, leastRound} {
			want := slices.Clone(w.in)
			for first := 0; first < len(want); first += w.threads {
				for range rounds {
					round(want[first:first+w.threads], first)
				}
			}
			compare(w, []string{"inclusive sums", "exclusive sums", "minima"}[k], out[k], wholeBlock,
				func(i, _, _ int) int32 { return want[i] })
		}
		must(w.t, in.Free())
		free()
	})
}

// The rounds of the kernel Rounds, in a block whose first thread is first.

func inclusiveRound(v []int32, _ int) {
	var sum int32
	for i, x := range v {
		sum += x
		v[i] = sum % 1000
	}
}

func exclusiveRound(v []int32, _ int) {
	var total, before int32
	for _, x := range v {
		total += x
	}
	for i, x := range v {
		v[i] = (2*before - total) % 1000
		before += x
	}
}

func leastRound(v []int32, first int) {
	least := slices.Min(v)
	at := int32(first + slices.Index(v, least))
	for i, x := range v {
		v[i] = (2*x - least + at) % 1000
	}
}

// TestFirstWarp has one warp of each block call a warp's function, and the others not.
func TestFirstWarp(t *testing.T) {
	every(t, func(w *world[int32]) {
		kernel := w.kernel("FirstWarp")
		in, err := gridstride.CopyOf(w.dev, w.in)
		must(w.t, err)
		out, free := buffers[int32](w, 1)
		must(w.t, out[0].Zero(w.s))
		must(w.t, kernel.Launch(w.s, w.cfg, in, out[0]))
		compare(w, "WarpSum of the first warp", out[0], wholeBlock, func(i, first, last int) (sum int32) {
			if i >= first+32 {
				return 0
			}
			for _, x := range w.in[first:min(first+32, last+1)] {
				sum += x
			}
			return sum
		})
		must(w.t, in.Free())
		free()
	})
}

// TestLastBlock counts the last blocks: there is one for each ticket, and it sees what all the
// others have written, launch after launch.
func TestLastBlock(t *testing.T) {
	const tickets, launches = 3, 2
	dev := gputest.Device(t)
	kernel := kernel(t, load(t, dev), "Last")
	s := dev.Stream()
	for _, shape := range []struct{ grid, block gridstride.Dim3 }{
		{gridstride.Dim3{X: 1, Y: 1, Z: 1}, gridstride.Dim3{X: 1, Y: 1, Z: 1}},
		{gridstride.Dim3{X: 7, Y: 1, Z: 1}, gridstride.Dim3{X: 33, Y: 1, Z: 1}},
		{gridstride.Dim3{X: 3, Y: 5, Z: 1}, gridstride.Dim3{X: 4, Y: 4, Z: 4}},
		{gridstride.Dim3{X: 1, Y: 2, Z: 6}, gridstride.Dim3{X: 1, Y: 64, Z: 1}},
	} {
		blocks := shape.grid.X * shape.grid.Y * shape.grid.Z
		zeros := func(n int) gridstride.Buffer[int32] {
			b, err := gridstride.CopyOf(dev, make([]int32, n))
			must(t, err)
			return b
		}
		ticket, err := gridstride.CopyOf(dev, make([]uint32, tickets))
		must(t, err)
		marks, last, seen := zeros(tickets*blocks), zeros(tickets), zeros(tickets)
		cfg := gridstride.Config{GridDim: shape.grid, BlockDim: shape.block}
		for range launches {
			must(t, kernel.Launch(s, cfg, ticket, marks, last, seen))
		}
		for k, got := range read(t, s, last) {
			if got != launches {
				t.Errorf("grid %v: of %d launches, %d blocks are the last by ticket %d", shape.grid, launches, got, k)
			}
		}
		for k, got := range read(t, s, seen) {
			if want := int32(blocks * (1 + 2)); got != want { // marks of 1, then of 2
				t.Errorf("grid %v, ticket %d: the last blocks see %d of %d marks", shape.grid, k, got, want)
			}
		}
		must(t, ticket.Free())
		for _, b := range []gridstride.Buffer[int32]{marks, last, seen} {
			must(t, b.Free())
		}
	}
}

func read[T any](t *testing.T, s *gridstride.Stream, b gridstride.Buffer[T]) []T {
	t.Helper()
	host, err := b.Read(t.Context(), s, nil)
	must(t, err)
	return host
}

// TestSpecial has sums, minima and maxima of numbers that are none, of infinities and of zeros of
// both signs.
func TestSpecial(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	dev := gputest.Device(t)
	kernel := kernel(t, load(t, dev), "Reduce_float64")
	s := dev.Stream()
	const threads = 70
	for name, test := range map[string]struct {
		others        float64
		at            map[int]float64
		sum, min, max float64
	}{
		"NaN":               {1, map[int]float64{64: nan, 0: -inf}, nan, nan, nan},
		"NaN in a lane":     {inf, map[int]float64{31: nan}, nan, nan, nan},
		"infinities":        {1, map[int]float64{5: inf, 69: -inf}, nan, -inf, inf},
		"an infinity":       {1, map[int]float64{33: inf}, inf, 1, inf},
		"one negative zero": {0, map[int]float64{69: zero}, 0, zero, 0},
		"one positive zero": {zero, map[int]float64{3: 0}, 0, zero, 0},
		"overflow":          {math.MaxFloat64, nil, inf, math.MaxFloat64, math.MaxFloat64},
	} {
		host := make([]float64, threads)
		for i := range host {
			host[i] = test.others
		}
		for i, x := range test.at {
			host[i] = x
		}
		in, err := gridstride.CopyOf(dev, host)
		must(t, err)
		var out [6]gridstride.Buffer[float64]
		for i := range out {
			out[i], err = gridstride.Make[float64](dev, threads)
			must(t, err)
		}
		must(t, kernel.Launch(s, gridstride.Grid(1).Block(threads), in, out[0], out[1], out[2], out[3], out[4], out[5]))
		for i, want := range []float64{test.sum, test.min, test.max} {
			for thread, got := range read(t, s, out[3+i]) {
				if math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
					t.Errorf("%s: Block%s of thread %d is %v, want %v", name, []string{"Sum", "Min", "Max"}[i],
						thread, got, want)
					break
				}
			}
		}
		for _, b := range append(out[:], in) {
			must(t, b.Free())
		}
	}
}
