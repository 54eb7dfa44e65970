package similar

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// MaxParts is the largest PairOptions.Parts.
const MaxParts = 1 << 16

// checkPart says what is wrong with Part and Parts.
func (o *PairOptions) checkPart() error {
	switch {
	case o.Parts < 0 || o.Parts > MaxParts:
		return fmt.Errorf("similar: %d parts of the pairs; want 0 to %d", o.Parts, MaxParts)
	case o.Part < 0 || o.Part >= max(o.Parts, 1):
		return fmt.Errorf("similar: part %d of %d of the pairs; parts count from 0", o.Part, max(o.Parts, 1))
	}
	return nil
}

// inPart calls yield with the documents of a part of the pairs, by id, until it returns false.
//
// A document has as much work as it has different terms, and one. It belongs to part ⌊wn/W⌋ of n,
// where w is the work of the documents before it, and W the work of all. So parts are ranges of ids, and
// depend on the documents alone, whatever segments and shards they are in.
func (v *view) inPart(ctx context.Context, o PairOptions, yield func(found) bool) error {
	if o.Parts < 2 {
		v.byID(o.After)(yield)
		return nil
	}
	total, before := uint64(0), uint64(0)
	var row []segment.RowTerm
	for i, p := range v.parts {
		for ord := range p.Len() {
			if p.isDead(ord) {
				continue
			}
			w, err := v.work(ctx, found{part: i, ord: uint32(ord)}, &row)
			if err != nil {
				return err
			}
			total += w
		}
	}
	for f := range v.byID("") {
		hi, lo := bits.Mul64(before, uint64(o.Parts))
		part, _ := bits.Div64(hi, lo, total)
		if part > uint64(o.Part) {
			return nil
		}
		if part == uint64(o.Part) && v.parts[f.part].ID(int(f.ord)) > o.After && !yield(f) {
			return nil
		}
		w, err := v.work(ctx, f, &row)
		if err != nil {
			return err
		}
		before += w
	}
	return nil
}

// work estimates the work of finding the neighbours of a document, whose row it reads.
func (v *view) work(ctx context.Context, f found, row *[]segment.RowTerm) (w uint64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if *row, err = v.parts[f.part].Row(int(f.ord), (*row)[:0]); err != nil {
		return 0, fmt.Errorf("similar: %w", err)
	}
	return 1 + uint64(len(*row)), nil
}
