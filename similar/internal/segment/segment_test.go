package segment

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// collection is the expected contents of a segment, in maps.
type collection map[string]map[string]uint32

func randomCollection(r *rand.Rand, docs, words int) collection {
	c := collection{}
	for range docs {
		counts := map[string]uint32{}
		for range r.IntN(40) {
			counts[fmt.Sprint("w", int(float64(words)*r.Float64()*r.Float64()))]++
		}
		if r.IntN(30) == 0 {
			counts["often"] = 1 + r.Uint32N(70_000)
		}
		c[fmt.Sprint("d", r.IntN(1_000_000))] = counts
	}
	return c
}

func (c collection) build(t *testing.T) *Segment {
	t.Helper()
	var names []string
	b := NewBuilder(func(n uint32) string { return names[n] })
	s, err := c.buildWith(b, &names)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// buildWith builds with a builder whose names it adds to.
func (c collection) buildWith(b *Builder, names *[]string) (*Segment, error) {
	for _, id := range slices.Sorted(maps.Keys(c)) {
		b.Begin(id)
		for w, n := range c[id] {
			number := slices.Index(*names, w)
			if number < 0 {
				number = len(*names)
				*names = append(*names, w)
			}
			b.Terms(slices.Repeat([]uint32{uint32(number)}, int(n)))
		}
		b.End(func(dst []byte) []byte { return append(dst, headOf(id)...) }, func(dst []byte) []byte { return append(dst, textOf(id)...) })
	}
	return b.Segment()
}

func headOf(id string) string { return "head of " + id }

// textOf is short, and for one id of 20 longer than a block.
func textOf(id string) string {
	return strings.Repeat("text of "+id, 1+map[bool]int{true: 5000}[strings.HasSuffix(id, "99")])
}

// check holds a segment to the maps in every way that it can be read.
func (c collection) check(t *testing.T, s *Segment) {
	t.Helper()
	ids := slices.Sorted(maps.Keys(c))
	if s.Len() != len(ids) {
		t.Fatalf("%d documents, want %d", s.Len(), len(ids))
	}
	inverse := map[string]map[uint32]uint32{}
	var r Reader
	r.Reset(s)
	for ord, id := range ids {
		checkDocument(t, s, &r, ord, id, c[id])
		for w, n := range c[id] {
			if inverse[w] == nil {
				inverse[w] = map[uint32]uint32{}
			}
			inverse[w][uint32(ord)] = n
		}
	}
	words := slices.Sorted(maps.Keys(inverse))
	if s.Terms() != len(words) {
		t.Fatalf("%d terms, want %d", s.Terms(), len(words))
	}
	walker, before := s.Walk(), map[uint32]Term{}
	for _, w := range words {
		term, ok := s.FindTerm(w)
		if !ok || s.TermName(term.Rank) != w || !walker.Next() || walker.Name() != w || walker.Term() != term {
			t.Fatalf("term %q is %+v, %v, with the name %q", w, term, ok, s.TermName(term.Rank))
		}
		for _, other := range []string{w + "\x00", w[:len(w)-1] + "~"} {
			if _, ok := s.FindTerm(other); ok && inverse[other] == nil {
				t.Fatalf("the term %q was found, which no document has", other)
			}
		}
		checkList(t, s, term, inverse[w])
		before[term.Rank] = term
	}
	for rank := range uint32(max(1, len(words)) - 1) {
		if before[rank].DF < before[rank+1].DF {
			t.Fatalf("the term of rank %d is less frequent than the next", rank)
		}
	}
	for _, none := range []string{"", "a", "w", "w~", "~"} {
		if _, ok := s.FindTerm(none); ok || walker.Next() {
			t.Errorf("the term %q was found, which no document has", none)
		}
	}
}

func checkDocument(t *testing.T, s *Segment, r *Reader, ord int, id string, counts map[string]uint32) {
	t.Helper()
	if n, ok := s.Find(id, ord/2); !ok || n != ord || s.ID(ord) != id {
		t.Fatalf("document %q is %d, %v", id, n, ok)
	}
	head, err := r.Head(ord)
	text, textErr := r.Text(ord)
	if err != nil || textErr != nil || string(head) != headOf(id) || string(text) != textOf(id) {
		t.Fatalf("document %q has the head %q, %v and the text %.20q, %v", id, head, err, text, textErr)
	}
	if n, ok := s.Find(id+"~", 0); ok || n < ord {
		t.Fatalf("%q~ was found, at %d", id, n)
	}
	length := uint32(0)
	for _, n := range counts {
		length += n
	}
	row, err := s.Row(ord, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Lengths()[ord] != length || s.Unique(ord) != len(counts) || len(row) != len(counts) {
		t.Fatalf("document %q has length %d, %d terms, %d in its row; want %d, %d", id, s.Lengths()[ord], s.Unique(ord), len(row), length, len(counts))
	}
	for i, e := range row {
		if counts[s.TermName(e.Rank())] != e.Count() || i > 0 && row[i-1].Rank() >= e.Rank() {
			t.Fatalf("document %q has the row %v", id, row)
		}
	}
}

func checkList(t *testing.T, s *Segment, term Term, want map[uint32]uint32) {
	t.Helper()
	docs := slices.Sorted(maps.Keys(want))
	var c Cursor
	c.Open(s, term)
	var got []uint32
	for more := true; more; more = c.Next() {
		for i, d := range c.Docs() {
			got = append(got, d)
			p := Pair{c.TFs()[i], s.Lengths()[d]}
			if p.TF != want[d] || !c.BlockBound().covers(p) || !c.Bound().covers(p) || d > c.Last() {
				t.Fatalf("term %+v: posting %d %+v, want %d; bounds %+v %+v", term, d, p, want[d], c.BlockBound(), c.Bound())
			}
		}
	}
	if !slices.Equal(got, docs) || c.DF() != len(docs) || int(term.DF) != len(docs) {
		t.Fatalf("term %+v has documents %v, want %v", term, got, docs)
	}
	for _, stride := range []int{1, 7, 100, 300} {
		c.Open(s, term)
		for i := 0; i < len(docs); i += stride {
			if !c.Seek(docs[i]) {
				t.Fatalf("term %+v: document %d was not reached", term, docs[i])
			}
			if j, ok := slices.BinarySearch(c.Docs(), docs[i]); !ok || c.TFs()[j] != want[docs[i]] {
				t.Fatalf("term %+v: document %d is not in its block", term, docs[i])
			}
		}
	}
	if n := len(docs); c.DF() > BlockLen && c.Seek(docs[n-1]+1) {
		t.Fatalf("term %+v: there is a block after the last document", term)
	}
}

// covers checks the promise of a Bound.
func (b Bound) covers(p Pair) bool {
	return slices.ContainsFunc(b[:], func(q Pair) bool { return (q.TF == 0 || q.TF >= p.TF) && q.Length <= p.Length })
}

func TestBuild(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, docs := range []int{0, 1, 2, 31, 33, 127, 128, 129, 400, 1000} {
		c := randomCollection(r, docs, 1+docs/4)
		c.check(t, c.build(t))
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		var sources []Source
		want := collection{}
		ids := map[string][2]int{}
		for i := range r.IntN(6) {
			c := randomCollection(r, r.IntN(200), 50)
			maps.DeleteFunc(c, func(id string, _ map[string]uint32) bool { return want[id] != nil })
			s := c.build(t)
			dead := make([]bool, s.Len())
			for ord := range dead {
				if dead[ord] = round%2 == 0 && r.IntN(3) == 0; !dead[ord] {
					want[s.ID(ord)] = c[s.ID(ord)]
					ids[s.ID(ord)] = [2]int{i, ord}
				}
			}
			sources = append(sources, Source{Segment: s, Dead: func(ord int) bool { return dead[ord] }})
		}
		m, ords, err := Merge(context.Background(), sources)
		if err != nil {
			t.Fatal(err)
		}
		want.check(t, m)
		want.check(t, reopened(t, m))
		want.check(t, merged(t, sources))
		for id, at := range ids {
			if n := ords[at[0]][at[1]]; n == Gone || m.ID(int(n)) != id {
				t.Fatalf("document %q went to %d", id, n)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := randomCollection(r, 10, 10).build(t)
	if _, _, err := Merge(ctx, []Source{{Segment: s}}); err == nil {
		t.Error("a cancelled merge gave a segment")
	}
}

func TestPack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for w := uint(0); w <= 32; w++ {
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 31, 33, 127, 128} {
			values, got := make([]uint32, n), make([]uint32, n)
			for i := range values {
				values[i] = uint32(r.Uint64() & (1<<w - 1))
			}
			b := pack(nil, values, w)
			if len(b) != packed(n, w) {
				t.Fatalf("%d values of %d bits take %d bytes, want %d", n, w, len(b), packed(n, w))
			}
			b = append(b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
			if unpack(got, b, w); !slices.Equal(got, values) {
				t.Fatalf("%d values of %d bits: %v, want %v", n, w, got, values)
			}
		}
	}
}

func TestShortLength(t *testing.T) {
	t.Parallel()
	last := uint16(0)
	for n := uint64(0); n < 1<<32; n += 1 + n/1000 {
		code := shortLength(uint32(n))
		if l := uint64(longLength(code)); l > n || l < n-n/1000 || cmp.Less(code, last) {
			t.Fatalf("length %d is kept as %d", n, l)
		}
		last = code
	}
}

// merged merges segments into a file and opens that.
func merged(t *testing.T, sources []Source) *Segment {
	t.Helper()
	return opened(t, func(w io.Writer) error {
		_, err := MergeTo(context.Background(), sources, w)
		return err
	})
}

// reopened writes a segment to a file and opens that.
func reopened(t *testing.T, s *Segment) *Segment {
	t.Helper()
	return opened(t, s.Write)
}

func opened(t *testing.T, write func(io.Writer) error) *Segment {
	t.Helper()
	name := filepath.Join(t.TempDir(), "segment")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := Open(name)
	if err == nil {
		err = s.Verify(context.Background(), func([]byte) bool { return true })
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOtherByteOrder reads arrays as a processor with the other order of bytes does, and from
// memory that is not aligned.
func TestOtherByteOrder(t *testing.T) {
	t.Parallel()
	want := []uint32{1, 0xfffefdfc, 7}
	b := bytesOf(want)
	if got, whole := arrayOf[uint32](append([]byte{0}, b...)[1:]); !whole || !slices.Equal(got, want) {
		t.Errorf("read %x, want %x", got, want)
	}
	swapped := make([]byte, len(b))
	swapInto(swapped, b, 4)
	if got, whole := arrayOf[uint32](swapped); !whole || !slices.Equal(got, []uint32{1 << 24, 0xfcfdfeff, 7 << 24}) {
		t.Errorf("swapped to %x", got)
	}
}

// TestEveryByte changes each bit of a file, one at a time, and cuts it at each length.
func TestEveryByte(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(25, 26))
	var file bytes.Buffer
	if err := randomPlaced(r, 12).build(t).Write(&file); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	verify := func(b []byte) error {
		s, err := read("segment", b)
		if err != nil {
			return err
		}
		return s.Verify(context.Background(), func([]byte) bool { return true })
	}
	if err := verify(whole); err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for bit := range 8 {
			whole[i] ^= 1 << bit
			if err := verify(whole); !errors.Is(err, ErrDamaged) {
				t.Fatalf("bit %d of byte %d of %d is changed: %v", bit, i, len(whole), err)
			}
			whole[i] ^= 1 << bit
		}
		if err := verify(whole[:i]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d of %d: %v", i, len(whole), err)
		}
	}
}
