package similar_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// written is the segment of an index.
func written(t testing.TB, x *similar.Searcher) []byte {
	t.Helper()
	var b bytes.Buffer
	if n, err := x.WriteSegment(context.Background(), &b); err != nil || n != x.Len() || n == 0 && b.Len() > 0 {
		t.Fatalf("a segment of %d documents of %d: %v", n, x.Len(), err)
	}
	return b.Bytes()
}

// TestSegmentBytes changes indexes at random, and compares their segments with the segment of an index which
// was given the same documents at once, and with the segment of the file when it is opened.
func TestSegmentBytes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	empty := 0
	for seed := range uint64(36) {
		c := newCampaign(t, 4000+seed)
		if seed%3 == 0 {
			if err := c.x.SetMemory(1 << 20); err != nil {
				t.Fatal(err)
			}
		}
		for range 1 + c.r.IntN(12) {
			c.change()
		}
		got := written(t, c.x.Searcher)
		var docs []similar.Document
		for id := range c.x.IDs("") {
			d, err := c.x.Document(id)
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, d)
		}
		fresh, err := similar.New(c.x.Options())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { fresh.Close() })
		if err := fresh.Add(ctx, docs...); err != nil {
			t.Fatal(err)
		}
		if want := written(t, fresh.Searcher); !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %d documents give %d bytes, and %d when they come at once", seed, len(docs), len(got), len(want))
		}
		if len(docs) == 0 {
			empty++
			continue
		}
		name := filepath.Join(t.TempDir(), "segment")
		if err := os.WriteFile(name, got, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := similar.OpenSegments(ctx, c.x.Options(), name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		c.search(x.Search)
		if again := written(t, x.Searcher); !bytes.Equal(again, got) {
			t.Fatalf("seed %d: the segment that was opened gives other bytes", seed)
		}
		if err := x.Verify(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if empty > 20 {
		t.Errorf("%d of 36 indexes were empty", empty)
	}
}

// TestSegmentRefused opens files that are no segments of these options.
func TestSegmentRefused(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{Positions: true}, "heap", "tree")
	name := filepath.Join(t.TempDir(), "segment")
	whole := written(t, x.Searcher)
	for _, b := range [][]byte{whole, whole[:len(whole)-1], nil, []byte("GSmanifs and more of it")} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := similar.OpenSegments(t.Context(), similar.Options{}, name); !errors.Is(err, similar.ErrDamaged) {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
	if _, err := similar.OpenSegments(t.Context(), similar.Options{}, name+"2"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
