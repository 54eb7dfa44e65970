package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/npy"
	"github.com/gridstride/gridstride/similar"
)

// TestArrays reads a .npz file back: every pair is there, by places in the ids.
func TestArrays(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "pairs.npz"))
	if err != nil {
		t.Fatal(err)
	}
	w := &arrays{file: f, places: map[string]int64{}}
	for _, n := range []similar.Neighbors{
		{ID: "a", Nearest: []similar.Neighbor{{ID: "long one", Score: 3, Similarity: 0.5}, {ID: "c", Score: 1, Similarity: 0.25}}},
		{ID: "c"},
		{ID: "long one", Nearest: []similar.Neighbor{{ID: "a", Score: 2, Similarity: 0.75}}},
	} {
		if err := w.write(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(true); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	read := map[string]*npy.Array{}
	for _, part := range z.File {
		names = append(names, part.Name)
		if part.Name == "ids.npy" {
			continue // npy reads numbers alone
		}
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		if read[part.Name], err = npy.Read(r, int64(part.UncompressedSize64)); err != nil {
			t.Fatalf("%s: %v", part.Name, err)
		}
	}
	if got := strings.Join(names, " "); got != "ids.npy row.npy column.npy score.npy similarity.npy" {
		t.Errorf("the file has %s", got)
	}
	if ids := fixed(w.ids); ids.Dtype != "|S8" || string(ids.Data) != "a\x00\x00\x00\x00\x00\x00\x00long onec\x00\x00\x00\x00\x00\x00\x00" {
		t.Errorf("ids are %s %q", ids.Dtype, ids.Data)
	}
	for name, want := range map[string][]int64{"row.npy": {0, 0, 1}, "column.npy": {1, 2, 0}} {
		if got, err := npy.Vector[int64](read[name]); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
	}
	if got, err := npy.Vector[float64](read["similarity.npy"]); err != nil || !slices.Equal(got, []float64{0.5, 0.25, 0.75}) {
		t.Errorf("similarities: %v, %v", got, err)
	}
}
