package segment

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPatched packs values, a few of them large.
func TestPatched(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 2000 {
		values, got := make([]uint32, r.IntN(257)), make([]uint32, 256)
		low, high, rare := r.IntN(33), r.IntN(33), 1+r.IntN(40)
		for i := range values {
			values[i] = uint32(r.Uint64() & (1<<low - 1))
			if r.IntN(rare) == 0 {
				values[i] = uint32(r.Uint64() & (1<<high - 1))
			}
		}
		b := appendPatched([]byte{1, 2, 3}, values)[3:]
		size := len(b)
		if all := 1 + packed(len(values), width(values)); size > all {
			t.Fatalf("round %d: %d bytes, and %d without exceptions", round, size, all)
		}
		b = append(b, slices.Repeat([]byte{0xff}, padding)...)
		got = got[:len(values)]
		if n, ok := readPatched(got, b); !ok || n != size || patchedBytes(b, len(values)) != size || !slices.Equal(got, values) {
			t.Fatalf("round %d: %d of %d bytes: %v, want %v", round, n, size, got, values)
		}
	}
}

// TestPieces writes pieces of very different lengths.
func TestPieces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{0, 1, 31, 32, 33, 64, 1000} {
		var w piecesWriter
		var want []string
		for range n {
			piece := strings.Repeat("x", int(math.Exp2(12*r.Float64()*r.Float64()*r.Float64()))-1)
			w.data.bytes = append(w.data.bytes, piece...)
			w.end()
			want = append(want, piece)
		}
		for _, again := range []bool{true, false} {
			p := w.pieces(3, again)
			all := uint64(len(p.data) - 3)
			if p.ends.shaped(n+32, all) || !p.ends.shaped(n, all-1) && n > 0 || p.ends.check(nil) && n > 0 || !p.ends.shaped(n, all) || !p.ends.check(nil) || string(p.data[len(p.data)-3:]) != "\x00\x00\x00" {
				t.Fatalf("%d pieces: their number or the zeros behind them are others", n)
			}
			for i, piece := range want {
				if got := string(p.at(i)); got != piece {
					t.Fatalf("piece %d of %d is %d bytes long, want %d", i, n, len(got), len(piece))
				}
			}
		}
	}
}

// FuzzRow writes rows with any gaps and counts: data is numbers of a byte for their bits, and
// these.
func FuzzRow(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 20, 9, 31, 200, 3, 3, 0, 0, 0, 1, 1, 1})
	f.Add(slices.Repeat([]byte{0, 0}, 100))
	f.Add(slices.Repeat([]byte{17, 255}, 20))
	f.Fuzz(func(t *testing.T, data []byte) { checkRow(t, data) })
}

func checkRow(t *testing.T, data []byte) {
	var row []RowTerm
	next := uint64(0)
	for i := 0; i+1 < len(data); i += 2 {
		rank := next + uint64(data[i+1])<<(data[i]%32)
		if next = rank + 1; next > math.MaxUint32 {
			break
		}
		row = append(row, rowTerm(uint32(rank), uint32(1+uint64(data[i]/32)<<(data[i+1]%29))))
	}
	var w writer
	w.reset()
	w.addRow([]RowTerm{rowTerm(5, 6)})
	w.addRow(row)
	s, err := w.segment(true)
	if err != nil {
		t.Fatal(err)
	}
	from, to := s.rows.ends.bounds(1)
	got, ok := readRow(s.rows.data[from:to+padding], []RowTerm{1}, math.MaxUint32+1)
	if got = got[1:]; !ok || !slices.Equal(got, row) || s.Unique(1) != len(row) {
		t.Fatalf("%v\nis read as\n%v", row, got)
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		data := make([]byte, r.IntN(300))
		wide := 1 + r.IntN(32)
		for i := range data {
			data[i] = byte(r.IntN(256))
			if i%2 == 0 {
				data[i] = byte(r.IntN(wide)) + byte(r.IntN(8)*r.IntN(2))<<5
			}
		}
		checkRow(t, data)
	}
}

// TestZipfRow tests the size of a row's code in its best case: a document of 100 words by Zipf's
// law costs about as much as its entropy.
func TestZipfRow(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 14))
	p := make([]float64, 20_000) // of a rank: that a document has the term
	entropy, terms := 0.0, 0.0
	for rank := range p {
		p[rank] = 1 - math.Exp(-7.3/float64(rank+1))
		entropy -= (1-p[rank])*math.Log2(1-p[rank]) + p[rank]*math.Log2(p[rank])
		terms += p[rank]
	}
	bytes, written := 0, 0
	for range 100 {
		var row []RowTerm
		for rank := range p {
			if r.Float64() < p[rank] {
				row = append(row, rowTerm(uint32(rank), 1))
			}
		}
		bytes, written = bytes+len(appendRow(nil, row)), written+len(row)
	}
	if got, least := 8*float64(bytes)/float64(written), entropy/terms; got > 1.15*least {
		t.Errorf("a term costs %.2f bits, and its entropy is %.2f", got, least)
	}
}

// TestDictionary has terms that begin alike for long, and some that are very long.
func TestDictionary(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{1, 2, 15, 16, 17, 33, 500} {
		c, counts := collection{}, map[string]uint32{}
		for len(counts) < n {
			name := strings.Repeat("ab", r.IntN(12)) + strings.Repeat("ä", r.IntN(4)) + strings.Repeat("\x00", r.IntN(2)) + fmt.Sprint(r.IntN(n))
			if r.IntN(50) == 0 {
				name += strings.Repeat("long", 200)
			}
			counts[name] = 1 + r.Uint32N(3)
		}
		c["d0"] = counts
		c["d1"] = maps.Clone(counts)
		maps.DeleteFunc(c["d1"], func(string, uint32) bool { return r.IntN(2) == 0 })
		s := c.build(t)
		c.check(t, s)
		c.check(t, reopened(t, s))
		for name := range counts {
			for _, other := range []string{name[:len(name)-1], name + "0", name + "\x00", name[:len(name)/2] + "~"} {
				if _, ok := s.FindTerm(other); ok != (counts[other] > 0) {
					t.Fatalf("term %q: %v", other, ok)
				}
			}
		}
	}
}

// TestBuilderAgain makes many segments with one builder, whose terms keep their numbers.
func TestBuilderAgain(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 18))
	var names []string
	b := NewBuilder(func(n uint32) string { return names[n] })
	for round := range 40 {
		if round == 20 {
			b.stamp = math.MaxUint32/2 + 1 // the stamps begin anew soon
		}
		c := randomCollection(r, r.IntN(60), 1+r.IntN(200))
		s, err := c.buildWith(b, &names)
		if err != nil {
			t.Fatal(err)
		}
		defer c.check(t, s) // what comes later leaves it as it is
		c.check(t, s)
	}
}

func TestSortKeys(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(19, 20))
	for _, n := range []int{0, 1, 2, 255, 256, 1000} {
		for _, high := range []int{0, 8, 40, 64} {
			list, want := make([]keyed, n), make([]uint64, n)
			for i := range list {
				want[i] = bits.Reverse64(r.Uint64() & (1<<high - 1))
				list[i].key = want[i]
			}
			slices.Sort(want)
			sorted, _ := sortKeys(list, make([]keyed, n))
			for i, k := range sorted {
				if k.key != want[i] {
					t.Fatalf("%d keys of %d bits: key %d is %x, want %x", n, high, i, k.key, want[i])
				}
			}
		}
	}
}
