package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride"
)

// tilesProblem is a vector, on whose tiles the functions of gpu/collective work.
type tilesProblem[T element] struct {
	ss   *bencher
	host []T
	x    inputs[T]
	out  gridstride.Buffer[T]
	bins gridstride.Buffer[uint32]
}

func newTiles[T element](ss *bencher, size Size) (_ *problem, err error) {
	bytes := 2*float64(size.N)*float64(sizeOf[T]()) + float64(tiles(size.N)*tileBins*4)
	if err := ss.fits(bytes); err != nil {
		return nil, err
	}
	p := &tilesProblem[T]{ss: ss, host: first[T](ss.o.Data, size.N)}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.free())
		}
	}()
	if p.x, err = copies(ss.dev, p.host, int(bytes)); err != nil {
		return nil, err
	}
	if p.out, err = gridstride.Make[T](ss.dev, size.N); err != nil {
		return nil, err
	}
	if p.bins, err = gridstride.Make[uint32](ss.dev, tiles(size.N)*tileBins); err != nil {
		return nil, err
	}
	all, err := p.candidates()
	if err != nil {
		return nil, err
	}
	return &problem{candidates: all, full: size.N, free: p.free,
		sized: func(n int) Size { return Size{N: n} },
		work:  func(n int) float64 { return float64(n) * float64(sizeOf[T]()) },
	}, nil
}

// tiles is the number of tiles of n elements.
func tiles(n int) int { return (n + tileSize - 1) / tileSize }

func (p *tilesProblem[T]) free() error { return errors.Join(p.x.free(), p.out.Free(), p.bins.Free()) }

func (p *tilesProblem[T]) candidates() ([]candidate, error) {
	sort, err1 := loadSortTiles[T](p.ss.dev)
	pairs, err2 := loadSortPairs[T](p.ss.dev)
	top, err3 := loadTopOfTiles[T](p.ss.dev)
	histogram, err4 := loadHistogramTiles[T](p.ss.dev)
	matched, err5 := loadHistogramMatched[T](p.ss.dev)
	runs, err6 := loadRunsOfTiles[T](p.ss.dev)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	var sorted []T
	all := []candidate{{variant: "go", about: "slices.Sort of each tile", part: partOnGPU,
		host: func(n int) { sorted = p.onHost(n, tileSize) },
		result: func(_ context.Context, _ *gridstride.Stream, n int) (float64, string, error) {
			return 0, unequal(sorted, p.onHost(n, tileSize)), nil
		}}}
	return append(all,
		p.ofElements("sort", "BlockSort", tileSize, sort.Launch),
		p.ofElements("pairs", "BlockSortByKey, with an index", tileSize, pairs.Launch),
		p.ofElements("topk", fmt.Sprintf("BlockTopK, the largest %d", tileTopK), tileTopK, top.Launch),
		p.ofWords("histogram", fmt.Sprintf("BlockHistogram, of %d bins", tileBins), histogram.Launch, countBins[T]),
		p.ofWords("matched", "BlockHistogramMatched", matched.Launch, countBins[T]),
		p.ofWords("runs", "BlockRunLength", runs.Launch, countRuns[T])), nil
}

// ofElements is a candidate that writes at most most elements of each tile: the smallest or, if
// that is not all of them, the largest.
func (p *tilesProblem[T]) ofElements(name, about string, most int,
	launch func(s *gridstride.Stream, cfg gridstride.Config, x, out gridstride.Buffer[T]) error,
) candidate {
	return candidate{variant: name, about: about,
		launch: func(s *gridstride.Stream, i, n int) error {
			return launch(s, gridstride.Grid(tiles(n)), p.x.at(i, n), p.out.Slice(0, n))
		},
		result: func(ctx context.Context, s *gridstride.Stream, n int) (float64, string, error) {
			got, err := p.out.Slice(0, n).Read(ctx, s, nil)
			return 0, unequal(firstOfTiles(got, most), p.onHost(n, most)), err
		}}
}

// ofWords is a candidate that writes words for each tile, which count computes on the host.
func (p *tilesProblem[T]) ofWords(name, about string,
	launch func(s *gridstride.Stream, cfg gridstride.Config, x gridstride.Buffer[T], bins gridstride.Buffer[uint32]) error,
	count func(tile []T, bins []uint32),
) candidate {
	return candidate{variant: name, about: about,
		launch: func(s *gridstride.Stream, i, n int) error {
			return launch(s, gridstride.Grid(tiles(n)), p.x.at(i, n), p.bins)
		},
		result: func(ctx context.Context, s *gridstride.Stream, n int) (float64, string, error) {
			got, err := p.bins.Slice(0, tiles(n)*tileBins).Read(ctx, s, nil)
			if err != nil {
				return 0, "", err
			}
			want := slices.Clone(got)
			for t := range tiles(n) {
				count(p.host[t*tileSize:min((t+1)*tileSize, n)], want[t*tileBins:][:tileBins])
			}
			return 0, unequal(got, want), nil
		}}
}

// onHost is the first elements of each of the sorted tiles, or the largest where most is not all.
func (p *tilesProblem[T]) onHost(n, most int) []T {
	sorted := slices.Clone(p.host[:n])
	for tile := range slices.Chunk(sorted, tileSize) {
		slices.Sort(tile)
		if most < tileSize {
			slices.Reverse(tile)
		}
	}
	return firstOfTiles(sorted, most)
}

// firstOfTiles is the first elements of each tile.
func firstOfTiles[T element](x []T, most int) (firsts []T) {
	for tile := range slices.Chunk(x, tileSize) {
		firsts = append(firsts, tile[:min(most, len(tile))]...)
	}
	return firsts
}

func countBins[T element](tile []T, bins []uint32) {
	clear(bins)
	for _, x := range tile {
		bins[binOf(x)]++
	}
}

func countRuns[T element](tile []T, bins []uint32) {
	bins[0] = uint32(len(slices.Compact(slices.Clone(tile))))
}

// unequal says where two slices differ.
func unequal[E comparable](got, want []E) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("there are %d numbers, want %d", len(got), len(want))
	}
	return ""
}
