package similar_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/weight"
)

var forgeries = flag.Int("forgeries", 200, "`number` of forged indices that TestForged tries")

// TestForged changes the files of an index and makes their checksums right. Whatever they hold,
// using the index ends, takes little memory and gives answers or an error.
func TestForged(t *testing.T) {
	t.Parallel()
	n := uint64(*forgeries)
	if testing.Short() {
		n = min(n, 100)
	}
	var refused, opened, found int
	for seed := range n {
		switch err := useForged(t, seed); {
		case errors.Is(err, errOpen):
			refused++
		case err != nil:
			found++
		default:
			opened++
		}
	}
	t.Logf("of %d forgeries Open refused %d, a use of the index found %d, and %d changed nothing that is checked", n, refused, found, opened)
	if n >= 100 && refused == 0 || n >= 1000 && found == 0 {
		t.Error("no forgery was refused, or none was found later")
	}
}

func FuzzForged(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { useForged(t, seed) })
}

// errOpen is the error of a forgery that Open refused.
var errOpen = errors.New("it was not opened")

// useForged forges an index, uses it in every way, and returns the first error.
func useForged(t *testing.T, seed uint64) (err error) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 21))
	of := originals()[r.IntN(len(originals()))]
	dir := filepath.Join(t.TempDir(), "idx")
	what := of.forge(t, r, dir)
	defer func() {
		if fault := recover(); fault != nil {
			stack := make([]byte, 1<<14)
			t.Fatalf("seed %d, %s: panic: %v\n%s", seed, what, fault, stack[:runtime.Stack(stack, false)])
		}
	}()
	check := func(use string, e error) {
		t.Helper()
		if e == nil {
			return
		}
		known := errors.Is(e, similar.ErrDamaged) || errors.Is(e, similar.ErrNewer) || errors.Is(e, similar.ErrOlder) || errors.Is(e, similar.ErrForeign)
		if !known || strings.Contains(e.Error(), "BUG") || !strings.Contains(e.Error(), dir) || strings.Contains(e.Error(), "reading it, or another") {
			t.Fatalf("seed %d, %s: %s: %v", seed, what, use, e)
		}
		err = errors.Join(err, e)
	}
	ctx := t.Context()
	x, e := similar.Open(ctx, dir)
	if check("Open", e); e != nil {
		return errors.Join(errOpen, e)
	}
	defer x.Close()
	if seed%2 == 0 {
		check("SetMemory", x.SetMemory(1<<20))
	}
	use(ctx, x, check)
	check("Compact", x.Compact(ctx))
	use(ctx, x, check)
	if seed%8 == 0 { // it waits for the disk
		check("Save", errors.Join(x.Save(ctx, dir), x.Save(ctx, dir+"2")))
	} else {
		check("Verify", similar.Verify(ctx, dir))
	}
	return err
}

// use asks all kinds of questions, and changes the index.
func use(ctx context.Context, x *similar.Index, check func(string, error)) {
	vector := []float32{1, 2, 3}
	if x.Options().Vectors.Dimension == 0 {
		vector = nil
	}
	filter := func(d *similar.Document) bool { return len(d.Text)%2 == 0 }
	for _, q := range []similar.Query{
		{Text: "common often some rare17 word3", K: 5},
		{Text: "common", K: 1},
		{Text: "often seldom7", K: 3, Filter: filter, Feedback: &similar.Feedback{}},
		{Text: "rare1 rare2 rare3 rare4 some", K: -1, Feedback: &similar.Feedback{Method: similar.RM3}},
		{Vector: vector, Text: "some", K: 4},
		{Clause: query.Phrase{Text: "common often often"}},
		{Clause: query.Phrase{Text: "rare1 some", Slop: 9}, Where: similar.Has("kind")},
		{Clause: query.All(query.Words{Text: "common"}, query.Field{Name: "kind", Clause: query.Words{Text: "k"}}), K: 3},
		{Clause: query.Field{Name: "text", Clause: query.Prefix{Text: "rar"}}, K: 3},
	} {
		_, err := x.Search(ctx, q)
		check("Search", err)
	}
	for _, id := range []string{"d0003", "d0150", "d0299"} {
		if _, err := x.Document(id); errors.Is(err, similar.ErrUnknown) {
			continue
		} else {
			check("Document", err)
		}
		_, err := x.Search(ctx, similar.Query{Like: []string{id}, K: 5})
		check("Search", err)
		_, err = x.Explain(ctx, similar.Query{Text: "common some rare1"}, id)
		check("Explain", err)
	}
	n := 0
	for _, err := range x.Pairs(ctx, similar.PairOptions{K: 3}) {
		check("Pairs", err)
		if n++; n == 12 {
			break
		}
	}
	w, err := x.Weights(ctx)
	if check("Weights", err); err == nil {
		_, err = w.Likes(ctx)
		check("Likes", err)
	}
	check("Add", x.Add(ctx, similar.Document{ID: "d0007", Text: "common new"}, similar.Document{ID: "new", Text: "some rare1"}))
	_, err = x.Delete("d0150", "d0151", "none")
	check("Delete", err)
}

// An original is an index whose files are forged.
type original struct {
	files map[string][]byte
	names []string
}

// originals are indices of three weights, one with vectors. Their lists have one block, several and
// few postings, and their documents words that they repeat.
var originals = sync.OnceValue(func() (list []original) {
	dir, err := os.MkdirTemp("", "forged")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	cosine, _ := weight.Parse("lnc.ltc")
	augmented, _ := weight.Parse("ann.ltc")
	fields := []similar.Field{{Name: "text", Weight: 1, B: new(0.9), Language: similar.AutoLanguage}, {Name: "kind", Type: similar.KeywordField}}
	for i, o := range []similar.Options{{Vectors: similar.VectorOptions{Dimension: 3, Storage: similar.Int8}}, {Positions: true}, {Weight: cosine}, {Weight: augmented}, {Fields: fields}, {Fields: fields, Positions: true}} {
		x, err := similar.New(o)
		if err != nil {
			panic(err)
		}
		r := rand.New(rand.NewPCG(uint64(i), 5))
		docs := forgedDocuments(r, o)
		to := filepath.Join(dir, fmt.Sprint(i))
		err = errors.Join(x.Add(context.Background(), docs[:200]...), x.Add(context.Background(), docs[200:]...))
		_, gone := x.Delete("d0011", "d0012", "d0250")
		if err := errors.Join(err, gone, x.Save(context.Background(), to), x.Close()); err != nil {
			panic(err)
		}
		of := original{files: map[string][]byte{}}
		entries, _ := os.ReadDir(to)
		for _, e := range entries {
			if b, err := os.ReadFile(filepath.Join(to, e.Name())); err == nil && e.Name() != "lock" {
				of.files[e.Name()] = b
				of.names = append(of.names, e.Name())
			}
		}
		list = append(list, of)
	}
	return list
})

func forgedDocuments(r *rand.Rand, o similar.Options) (docs []similar.Document) {
	for i := range 300 {
		text := "common " + strings.Repeat("often ", r.IntN(40)*r.IntN(2)) + fmt.Sprintf("rare%d seldom%d word%d ", r.IntN(60), r.IntN(20), i%5)
		if i%2 == 0 {
			text += "some "
		}
		d := similar.Document{ID: fmt.Sprintf("d%04d", i), Text: text, Title: "title", Fields: map[string]string{"kind": "k"}}
		if o.Vectors.Dimension > 0 && i%3 > 0 {
			d.Vector = []float32{r.Float32(), r.Float32() - 0.5, 1}
		}
		docs = append(docs, d)
	}
	return docs
}

// forge writes the index to a folder with one of its files changed, and says what was changed.
func (of original) forge(t *testing.T, r *rand.Rand, dir string) string {
	t.Helper()
	name := of.names[r.IntN(len(of.names))]
	magic := segment.Magic(of.files[name][:8])
	sections, err := segment.ReadContainer(of.files[name], magic)
	if err != nil {
		t.Fatal(err)
	}
	at := r.IntN(len(sections))
	if r.IntN(2) == 0 { // a long section is chosen more often
		for byte := r.IntN(len(of.files[name])); at > 0 && byte > len(sections[at]); at = (at + 1) % len(sections) {
			byte -= len(sections[at])
		}
	}
	what := fmt.Sprintf("%s, section %d", name, at)
	for range 1 + r.IntN(3) {
		var how string
		sections[at], how = mutate(r, bytes.Clone(sections[at]))
		what += ", " + how
	}
	var b bytes.Buffer
	if err := errors.Join(segment.WriteContainer(&b, magic, sections), os.MkdirAll(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	for other, content := range of.files {
		if other == name {
			content = b.Bytes()
		}
		if err := os.WriteFile(filepath.Join(dir, other), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return what
}

// mutate changes some bytes.
func mutate(r *rand.Rand, b []byte) (changed []byte, how string) {
	if len(b) == 0 {
		return make([]byte, r.IntN(100)), "bytes in an empty section"
	}
	at := r.IntN(len(b))
	switch r.IntN(8) {
	case 0:
		b[at] ^= 1 << r.IntN(8)
		return b, fmt.Sprintf("a bit at %d", at)
	case 1:
		return b[:at], fmt.Sprintf("cut at %d", at)
	case 2:
		return append(b, make([]byte, 1+r.IntN(64))...), "longer"
	case 3: // a word of an array
		values := []uint32{0, 1, 7, 127, 128, 1<<31 - 1, 1 << 31, 1<<32 - 1, r.Uint32(), r.Uint32() >> r.IntN(32)}
		if at = at &^ 3; at+4 <= len(b) {
			binary.LittleEndian.PutUint32(b[at:], values[r.IntN(len(values))])
		}
		return b, fmt.Sprintf("a word at %d", at)
	case 4: // a number of many bytes
		for i := at; i < min(at+r.IntN(12), len(b)); i++ {
			b[i] |= 0x80
		}
		return b, fmt.Sprintf("a long number at %d", at)
	case 5:
		to, n := r.IntN(len(b)), 1+r.IntN(16)
		copy(b[to:min(to+n, len(b))], bytes.Clone(b[at:]))
		return b, fmt.Sprintf("bytes of %d at %d", at, to)
	case 6:
		for i := at; i < min(at+1+r.IntN(8), len(b)); i++ {
			b[i] = byte(r.IntN(2) * 0xff)
		}
		return b, fmt.Sprintf("zeros and ones at %d", at)
	}
	b[at] = byte(r.IntN(256))
	return b, fmt.Sprintf("a byte at %d", at)
}
