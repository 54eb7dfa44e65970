package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// placed is the expected places of a segment: of each document its words, from a first place on.
type placed map[string]struct {
	first uint32
	words []string
}

func randomPlaced(r *rand.Rand, docs int) placed {
	c := placed{}
	for range docs {
		words := make([]string, r.IntN(30))
		for i := range words {
			words[i] = fmt.Sprint("w", int(20*r.Float64()*r.Float64()))
		}
		d := c[""]
		if d.words = words; r.IntN(10) == 0 {
			d.first = r.Uint32() / 2
		}
		c[fmt.Sprint("d", r.IntN(1_000_000))] = d
	}
	return c
}

// build builds, with every word that ends in 7 left out.
func (c placed) build(t *testing.T) *Segment {
	t.Helper()
	const omitted = 99
	b := NewBuilder(func(n uint32) string { return fmt.Sprint("w", n) })
	b.KeepPlaces()
	for _, id := range slices.Sorted(maps.Keys(c)) {
		b.Begin(id)
		numbers := make([]uint32, len(c[id].words))
		for i, w := range c[id].words {
			if fmt.Sscan(w[1:], &numbers[i]); numbers[i]%10 == 7 {
				numbers[i] = omitted
			}
		}
		b.Words(numbers, c[id].first, omitted)
		b.End(func(dst []byte) []byte { return dst }, func(dst []byte) []byte { return dst })
	}
	s, err := b.Segment()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// check reads all places, in order and in any order.
func (c placed) check(t *testing.T, r *rand.Rand, s *Segment) {
	t.Helper()
	if !s.HasPlaces() {
		t.Fatal("there are no places")
	}
	type posting struct{ block, i int }
	postings := 0
	for w := s.Walk(); w.Next(); {
		want := map[posting][]int{}
		var cursor Cursor
		cursor.Open(s, w.Term())
		for more := true; more; more = cursor.Next() {
			for i, doc := range cursor.Docs() {
				d := c[s.ID(int(doc))]
				for at, word := range d.words {
					if p := (posting{cursor.Block(), i}); word == w.Name() {
						want[p] = append(want[p], int(d.first)+at)
					}
				}
			}
		}
		order := slices.SortedFunc(maps.Keys(want), func(a, b posting) int { return a.block*BlockLen + a.i - b.block*BlockLen - b.i })
		if r.IntN(3) == 0 {
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		var reader PlaceReader
		reader.Open(s, w.Term())
		for _, p := range order {
			if r.IntN(2) == 0 {
				continue
			}
			if got, err := reader.Append(nil, p.block, p.i); err != nil || !slices.Equal(got, want[p]) {
				t.Fatalf("the places of %q in posting %+v are %v, want %v; %v", w.Name(), p, got, want[p], err)
			}
		}
		postings += len(want)
	}
	if postings != int(s.Postings()) {
		t.Fatalf("%d postings have places, of %d", postings, s.Postings())
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	for round := range 40 {
		var sources []Source
		all := placed{}
		for range 1 + r.IntN(4) {
			c := randomPlaced(r, r.IntN([]int{3, 50, 600}[r.IntN(3)]))
			maps.DeleteFunc(c, func(id string, _ struct {
				first uint32
				words []string
			}) bool {
				_, had := all[id]
				return had
			})
			s := c.build(t)
			c.check(t, r, s)
			dead := make([]bool, s.Len())
			for ord := range dead {
				if dead[ord] = round%2 == 0 && r.IntN(3) == 0; !dead[ord] {
					all[s.ID(ord)] = c[s.ID(ord)]
				}
			}
			if r.IntN(2) == 0 {
				s = reopened(t, s)
			}
			sources = append(sources, Source{Segment: s, Dead: func(ord int) bool { return dead[ord] }})
		}
		m, _, err := Merge(context.Background(), sources)
		if err != nil {
			t.Fatal(err)
		}
		all.check(t, r, m)
		all.check(t, r, reopened(t, m))
		all.check(t, r, merged(t, sources))
	}
}

// TestMergeWithoutPlaces merges a segment with places and one without.
func TestMergeWithoutPlaces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 14))
	with, without := randomPlaced(r, 10).build(t), randomCollection(r, 10, 10).build(t)
	for _, sources := range [][]Source{{{Segment: with}, {Segment: without}}, {{Segment: without}, {Segment: with}}} {
		if m := merged(t, sources); m.HasPlaces() {
			t.Error("places of some documents only")
		}
	}
}

// TestDamagedPlaces changes bytes of the places and of blockAt, and writes the right checksums.
// Reading then gives an error or other places. Verify gives an error if the places of a block end
// too early or too late.
func TestDamagedPlaces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 16))
	c := randomPlaced(r, 300)
	found := 0
	for range 400 {
		s := c.build(t)
		switch r.IntN(4) {
		case 0:
			s.blockAt[r.IntN(len(s.blockAt))] = r.Uint32() >> r.IntN(32)
		case 1:
			g := r.IntN(len(s.places.ends.groups))
			s.places.ends.groups[g] = r.Uint64() >> r.IntN(64)
		default:
			s.places.data[r.IntN(len(s.places.data))] = byte(r.Uint32())
		}
		var file bytes.Buffer
		if err := s.Write(&file); err != nil {
			t.Fatal(err)
		}
		s, err := read("segment", file.Bytes())
		if err == nil {
			readPlaces(s)
			err = s.Verify(context.Background(), func([]byte) bool { return true })
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if err != nil {
			found++
		}
	}
	if found < 200 {
		t.Errorf("%d of 400 damages were found", found)
	}
}

// readPlaces reads all places that can be read.
func readPlaces(s *Segment) {
	for w := s.Walk(); w.Next(); {
		var cursor Cursor
		var reader PlaceReader
		cursor.Open(s, w.Term())
		reader.Open(s, w.Term())
		for more := true; more; more = cursor.Next() {
			for i := range cursor.Docs() {
				reader.Append(nil, cursor.Block(), i)
			}
		}
	}
}
