package gpusimilar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/similar"
)

// documentsTogether is how many documents Pairs searches by before it goes on with the next ones. All
// tiles are searched by these, and where the device has not the room for all, copied again.
const documentsTogether = 1 << 17

// Pairs yields what x.Pairs yields, bit for bit, of an index, of shards or of a version, and searches
// on the device. The documents are tiles, such as the shards of a version. Documents of all tiles, some
// 131,072 at a time, are queries in one tile after the other, and the best of all tiles are merged. The
// device keeps the tiles, 12 bytes for each term of a document, as long as it has the room for them, and
// the host has one of them in memory.
//
// K is 1 to MaxK-1. A part is found as on the CPU, so that devices and CPUs may share the parts, and
// After goes on after an interruption.
//
// Errors: gridstride.ErrRange for an index with vectors and for a K out of its limits; the errors of
// [similar.Searcher.Tiles], [NewSparse] and [Sparse.Search].
func Pairs(ctx context.Context, h *Handle, x *similar.Searcher, o similar.PairOptions) iter.Seq2[similar.Neighbors, error] {
	return func(yield func(similar.Neighbors, error) bool) {
		p, err := newTiled(h, x, o)
		if err != nil {
			yield(similar.Neighbors{}, err)
			return
		}
		defer func() { _ = p.drop() }()
		for some, err := range p.tiles.Likes(ctx, o, documentsTogether) {
			var best [][]similar.Neighbor
			if err == nil {
				best, err = p.nearest(ctx, some)
			}
			if err != nil {
				yield(similar.Neighbors{}, err)
				return
			}
			for i, id := range some.IDs {
				if !yield(similar.Neighbors{ID: id, Nearest: best[i]}, nil) {
					return
				}
			}
		}
	}
}

// tiled are the tiles of a run of Pairs.
type tiled struct {
	h     *Handle
	o     similar.PairOptions
	tiles *similar.Tiles
	held  []*tile // nil where a tile is not on the device
}

// A tile is on the device.
type tile struct {
	weights *similar.Weights // without rows
	sparse  *Sparse[float64]
}

func newTiled(h *Handle, x *similar.Searcher, o similar.PairOptions) (*tiled, error) {
	call := h.core.Call("Pairs")
	if o.K = cmp.Or(o.K, 10); o.K < 1 || o.K >= MaxK {
		return nil, operand.Errorf(gridstride.ErrRange, "%s: K is %d; want 1 to %d", call, o.K, MaxK-1)
	}
	if !(o.Threshold >= 0) {
		return nil, operand.Errorf(gridstride.ErrRange, "%s: Threshold is %v; want 0 or more", call, o.Threshold)
	}
	if n := x.Options().Vectors.Dimension; n != 0 {
		return nil, operand.Errorf(gridstride.ErrRange, "%s: the index has vectors of %d numbers, and is searched by terms alone", call, n)
	}
	tiles, err := x.Tiles()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", call, err)
	}
	return &tiled{h, o, tiles, make([]*tile, tiles.Len())}, nil
}

// tile returns a tile on the device.
func (p *tiled) tile(ctx context.Context, i int) (*tile, error) {
	if p.held[i] != nil {
		return p.held[i], nil
	}
	w, err := p.tiles.Weights(ctx, i)
	if err != nil {
		return nil, err
	}
	s, err := NewSparse(p.h, len(w.Terms), CSR[float64](w.Rows))
	if err != nil {
		return nil, err
	}
	w.Rows = similar.CSR{}
	p.held[i] = &tile{w, s}
	return p.held[i], nil
}

// search finds the best documents of a tile. If the device has no room for it, all others go.
func (p *tiled) search(ctx context.Context, i int, some *similar.Likes) (t *tile, hits [][]Hit[float64], err error) {
	for first := true; ; first = false {
		if t, err = p.tile(ctx, i); err == nil {
			hits, err = t.sparse.search(ctx, "Pairs", CSR[float64](some.Rows(t.weights)), p.o.K+1, -1, 0)
		}
		if !first || !errors.Is(err, gridstride.ErrOutOfMemory) {
			return t, hits, err
		}
		if err := p.drop(); err != nil {
			return nil, nil, err
		}
	}
}

// drop gives the device's memory back.
func (p *tiled) drop() (err error) {
	for i, t := range p.held {
		if t != nil {
			err = errors.Join(err, t.sparse.Close())
			p.held[i] = nil
		}
	}
	return err
}

// nearest returns the neighbours of documents.
func (p *tiled) nearest(ctx context.Context, some *similar.Likes) ([][]similar.Neighbor, error) {
	best := make([][]similar.Neighbor, len(some.IDs))
	for i := range p.tiles.Len() {
		t, hits, err := p.search(ctx, i, some)
		if err != nil {
			return nil, fmt.Errorf("tile %d: %w", i, err)
		}
		for q := range best {
			best[q] = p.merge(best[q], hits[q], t.weights.IDs, some.IDs[q], some.Scores[q])
		}
	}
	return best, nil
}

// merge returns the best of those that were found for a document, and of its hits in a tile.
func (p *tiled) merge(best []similar.Neighbor, hits []Hit[float64], ids []string, self string, score float64) []similar.Neighbor {
	for _, h := range hits {
		if s := h.Score / score; s > p.o.Threshold && ids[h.Row] != self {
			best = append(best, similar.Neighbor{ID: ids[h.Row], Score: h.Score, Similarity: s})
		}
	}
	slices.SortFunc(best, func(a, b similar.Neighbor) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return best[:min(p.o.K, len(best))]
}
