package similar_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// TestTables holds searches of single indexes, with the table of all, to one index with all documents,
// bit for bit.
func TestTables(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		c := newCampaign(t, 1000+seed)
		parts := dealt(c, 1+c.r.IntN(5))
		for range 8 {
			c.searchParts(parts)
		}
	}
}

// dealt fills a campaign's index, and deals its documents among others, which are returned with the
// table of all. Any of them may have any document.
func dealt(c *campaign, n int) (list []*similar.Searcher) {
	ctx := context.Background()
	var indexes []*similar.Index
	for range n {
		x, err := similar.New(c.x.Options())
		if err != nil {
			c.t.Fatal(err)
		}
		c.t.Cleanup(func() { x.Close() })
		indexes = append(indexes, x)
	}
	docs := map[string]similar.Document{}
	for range 10 + c.r.IntN(150) {
		d := c.document()
		docs[d.ID] = d
	}
	for _, id := range slices.Sorted(maps.Keys(docs)) {
		if err := errors.Join(c.x.Add(ctx, docs[id]), indexes[c.r.IntN(n)].Add(ctx, docs[id])); err != nil {
			c.t.Fatal(err)
		}
	}
	for _, d := range docs {
		c.ref.add(d)
	}
	gone := []string{c.id(), c.id()}
	for _, id := range gone {
		c.ref.remove(id)
	}
	var tables []*similar.Table
	for _, x := range append(indexes, c.x) {
		if _, err := x.Delete(gone...); err != nil {
			c.t.Fatal(err)
		}
		table, err := x.Table(ctx)
		if err != nil {
			c.t.Fatal(err)
		}
		tables = append(tables, table)
	}
	all, err := similar.MergeTables(tables[:n]...)
	if err != nil || !reflect.DeepEqual(all, tables[n]) {
		c.t.Fatalf("the merged table is not the whole index's, %v", err)
	}
	if !maps.Equal(maps.Collect(all.Terms("")), c.frequencies()) {
		c.t.Fatal("the table has other terms than the plain loop")
	}
	whole, err := c.x.Statistics("w0")
	documents := 0
	for _, x := range indexes {
		with, err1 := x.With(all)
		if err := errors.Join(err, err1); err != nil {
			c.t.Fatal(err)
		}
		if s, err := with.Statistics("w0"); err != nil || !reflect.DeepEqual(s, whole) {
			c.t.Fatalf("statistics %v with a table, want %v, %v", s, whole, err)
		}
		list, documents = append(list, with), documents+with.Len()
	}
	if documents != c.x.Len() {
		c.t.Fatalf("the parts have %d documents of %d", documents, c.x.Len())
	}
	return list
}

// frequencies are in how many documents the plain loop has each term.
func (c *campaign) frequencies() map[string]int64 {
	all := maps.Clone(c.ref.frequency)
	maps.DeleteFunc(all, func(_ string, n int64) bool { return n == 0 })
	return all
}

// searchParts asks all parts, and merges what they find.
func (c *campaign) searchParts(parts []*similar.Searcher) {
	ctx := context.Background()
	q := c.query()
	if c.r.IntN(3) > 0 {
		q.Clause = c.clause(3)
		if c.r.IntN(3) > 0 {
			q.Text, q.Document, q.Like = "", nil, nil
		}
	}
	if q.Vector != nil || len(q.Like) > 0 && c.x.Options().Vectors.Dimension > 0 || q.Document != nil && q.Document.Vector != nil {
		return // fused by ranks, see With
	}
	if c.r.IntN(3) == 0 {
		q.Feedback = &similar.Feedback{Method: similar.FeedbackMethod(c.r.IntN(2)), Good: []string{c.some(), c.some()}, Terms: c.r.IntN(20)}
		if slices.Contains(q.Feedback.Good, "") {
			q.Feedback = nil
		}
	}
	named := slices.Clone(q.Like)
	if q.Feedback != nil {
		named = append(named, q.Feedback.Good...)
	}
	for _, id := range named {
		for _, part := range parts {
			if s, err := part.Sample(id); err == nil {
				q.Elsewhere = append(q.Elsewhere, s)
			} else if !errors.Is(err, similar.ErrUnknown) {
				c.t.Fatal(err)
			}
		}
	}
	want, err := c.x.Matches(ctx, q)
	if errors.Is(err, similar.ErrUnknown) {
		return
	}
	if err != nil {
		c.t.Fatal(err)
	}
	var got []similar.Match
	for _, part := range parts {
		list, err := part.Matches(ctx, q)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, m := range list {
			c.explains(part, q, m)
		}
		got = append(got, list...)
	}
	if len(q.Sort) > 0 || q.Collapse > 0 {
		return
	}
	slices.SortFunc(got, func(a, b similar.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	if got = got[:min(len(got), len(want))]; len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		c.t.Fatalf("%+v: the parts find\n%v\nand one index\n%v", q, got, want)
	}
}

// some is the id of a document that there is, or none.
func (c *campaign) some() string {
	ids := slices.Collect(c.x.IDs(""))
	if len(ids) == 0 {
		return ""
	}
	return ids[c.r.IntN(len(ids))]
}

// explains holds the explanation of a part to the whole index's.
func (c *campaign) explains(part *similar.Searcher, q similar.Query, m similar.Match) {
	a, err1 := part.Explain(context.Background(), q, m.ID)
	b, err2 := c.x.Explain(context.Background(), q, m.ID)
	if err := errors.Join(err1, err2); err != nil || !reflect.DeepEqual(a, b) {
		c.t.Fatalf("%q is explained by %v, and by %v, %v", m.ID, a, b, err)
	}
}

// TestTableFile writes tables and reads them, and refuses damaged ones.
func TestTableFile(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		c := newCampaign(t, 2000+seed)
		table, err := dealt(c, 2)[0].Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if n, err := table.WriteTo(&b); err != nil || n != int64(b.Len()) {
			t.Fatalf("%d bytes of %d, %v", n, b.Len(), err)
		}
		whole := b.Bytes()
		again, err := similar.ReadTable(bytes.NewReader(whole))
		if err != nil || again.Len() != table.Len() || again.Collection() != table.Collection() || !maps.Equal(maps.Collect(again.Terms("")), maps.Collect(table.Terms(""))) {
			t.Fatalf("the table that was read is another, %v", err)
		}
		for range 200 {
			if _, err := similar.ReadTable(bytes.NewReader(damaged(c.r, whole))); !errors.Is(err, similar.ErrDamaged) {
				t.Fatalf("a damaged table: %v", err)
			}
		}
	}
}

// damaged is a copy of bytes with one of them changed, or with the end cut off.
func damaged(r *rand.Rand, whole []byte) []byte {
	b := bytes.Clone(whole)
	if r.IntN(2) == 0 {
		return b[:r.IntN(len(b))]
	}
	b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
	return b
}

// TestForgedTables searches with tables that are damaged and have the checksum of what they say.
func TestForgedTables(t *testing.T) {
	t.Parallel()
	read, searched := 0, 0
	for seed := range uint64(30) {
		c := newCampaign(t, 3000+seed)
		part := dealt(c, 2)[0]
		table, err := part.Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := table.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			body := bytes.Clone(b.Bytes()[:b.Len()-4])
			body[len("gridstride similar table 1\n")+32+c.r.IntN(min(40, len(body)-59))] = byte(c.r.Uint32())
			sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
			forged, err := similar.ReadTable(bytes.NewReader(binary.LittleEndian.AppendUint32(body, sum)))
			if err != nil {
				continue
			}
			read++
			with, err := part.With(forged)
			if err != nil {
				continue
			}
			searched++
			q := c.query()
			q.Clause, q.Like = c.clause(2), nil
			_, _ = with.Search(t.Context(), q) // whatever it finds
		}
	}
	if read < 100 || searched < 100 || searched == read {
		t.Errorf("%d of 3000 forged tables were read, and %d searched with", read, searched)
	}
}

// TestElsewhereRefused refuses samples that no index gives.
func TestElsewhereRefused(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{Vectors: similar.VectorOptions{Dimension: 2}}, "heap")
	for want, s := range map[string]similar.Sample{
		`similar: the sample of "a" has "heap" -1 times; want 1 to 4294967295`:                  {ID: "a", Terms: map[string]int64{"heap": -1}},
		`similar: the sample of "a" has "heap" 0 times; want 1 to 4294967295`:                   {ID: "a", Terms: map[string]int64{"heap": 0}},
		`similar: the sample of "a" has a vector of dimension 3 in an index of dimension 2`:     {ID: "a", Vector: []float32{1, 2, 3}},
		`similar: the sample of "a" has "heap" 9223372036854775807 times; want 1 to 4294967295`: {ID: "a", Terms: map[string]int64{"heap": math.MaxInt64}},
	} {
		_, err := x.Search(t.Context(), similar.Query{Like: []string{"a"}, Elsewhere: []similar.Sample{s}})
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestTableOptions refuses what is of other options.
func TestTableOptions(t *testing.T) {
	t.Parallel()
	of := func(o similar.Options) (*similar.Index, *similar.Table) {
		x := indexOf(t, o)
		table, err := x.Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return x, table
	}
	a, plain := of(similar.Options{})
	b, other := of(similar.Options{Positions: true})
	for i, err := range []error{
		second(a.With(other)), second(b.With(plain)), second(similar.MergeTables(plain, other)),
	} {
		if !errors.Is(err, similar.ErrOptions) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if _, err := similar.MergeTables(); err == nil {
		t.Error("a table of none")
	}
	roomy := indexOf(t, similar.Options{Memory: 1 << 30})
	if _, err := roomy.With(plain); err != nil {
		t.Errorf("the memory makes other options: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Table(t.Context()); !errors.Is(err, similar.ErrClosed) {
		t.Error(err)
	}
}

// TestTableTerms walks a dictionary.
func TestTableTerms(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{})
	err := x.Add(t.Context(), similar.Document{ID: "a", Text: "red green"}, similar.Document{ID: "b", Text: "red blue"}, similar.Document{ID: "c", Text: "black"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Delete("c"); err != nil {
		t.Fatal(err)
	}
	table, err := x.Table(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for name, df := range table.Terms("c") {
		got += fmt.Sprint(name, df, " ")
	}
	if got != "green1 red2 " || table.Frequency("blue") != 1 || table.Frequency("black")+table.Frequency("z")+table.Frequency("") != 0 || table.Len() != 3 {
		t.Errorf("%q of %d terms", got, table.Len())
	}
}
