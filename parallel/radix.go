package parallel

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel/internal/kernels"
)

// radix is a radix sort of keys.
type radix[K Number] struct {
	w    *Workspace
	keys gridstride.Buffer[K]
	flip uint64
}

// radixPart is a part of the keys in a pass: the keys of from, from first to before end, in tiles.
type radixPart[K Number] struct {
	to, from          gridstride.Buffer[K]
	side              int // of from: 0 where from is the caller's
	first, end, tiles int
	pass              kernels.RadixPassBuffers
}

// room is the working memory of the sort. More is taken first.
func (s *radix[K]) room(more ...part) []part {
	n := s.keys.Len()
	return append(more, partOf[K](n), partOf[uint64](s.bins()), partOf[uint32](kernels.RadixTiles(n)*kernels.Digits))
}

// bins is the number of counts: of each digit of each pass, and two rows to go on from in the next
// part.
func (s *radix[K]) bins() int { return (kernels.Passes[K]() + 2) * kernels.Digits }

// run counts the digits and has move move each part in each pass.
func (s *radix[K]) run(r *room, move func(p radixPart[K]) error) error {
	n, passes := s.keys.Len(), kernels.Passes[K]()
	keys := [2]gridstride.Buffer[K]{s.keys, take[K](r, n)}
	bins := take[uint64](r, s.bins())
	words := take[uint32](r, kernels.RadixTiles(n)*kernels.Digits)
	if r.err != nil {
		return r.err
	}
	if err := s.count(bins, words); err != nil {
		return err
	}
	row := func(r int) gridstride.Buffer[uint64] { return bins.Slice(r*kernels.Digits, (r+1)*kernels.Digits) }
	for p := range passes {
		starts := row(p)
		for first := 0; first < n; first += kernels.RadixPart {
			end := min(first+kernels.RadixPart, n)
			next := row(passes + first/kernels.RadixPart%2)
			pass := kernels.RadixPassBuffers{Starts: starts, Next: next, Ticket: s.w.ticket, Pass: p, Flip: s.flip,
				Words: words.Slice(first/kernels.RadixTile*kernels.Digits, words.Len())}
			err := move(radixPart[K]{keys[1-p%2], keys[p%2], p % 2, first, end, kernels.RadixTiles(end - first), pass})
			if err != nil {
				return err
			}
			starts = next
		}
	}
	if passes%2 == 0 {
		return nil
	}
	return gridstride.Copy(s.w.stream, s.keys, keys[1])
}

// count finds where the keys of each digit of each pass begin, and clears the words.
func (s *radix[K]) count(bins gridstride.Buffer[uint64], words gridstride.Buffer[uint32]) error {
	counts, err := kernelOf[func(K)](s.w, "Sort", kernels.LoadRadixCounts[K])
	if err != nil {
		return err
	}
	starts, err := kernelOf[func(K)](s.w, "Sort", kernels.LoadRadixStarts)
	if err != nil {
		return err
	}
	if err := bins.Zero(s.w.stream); err != nil {
		return err
	}
	if err := words.Zero(s.w.stream); err != nil {
		return err
	}
	grid := gridstride.Grid(kernels.CountBlocks(s.keys.Len()))
	if err := counts.Launch(s.w.stream, grid, bins, s.keys, s.flip); err != nil {
		return err
	}
	return starts.Launch(s.w.stream, gridstride.Grid(kernels.Passes[K]()), bins)
}
