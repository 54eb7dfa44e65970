package similarcmd

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/library/npy"
	"github.com/gridstride/gridstride/similar"
)

// TestArrays reads a .npz file back: every pair is there, by places in the ids.
func TestArrays(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "pairs.npz")
	w, err := newArrays(name)
	if err != nil {
		t.Fatal(err)
	}
	huge := strings.Repeat("é", 3<<19) // 3 MB, which fixed widths would give to every id
	for _, n := range []similar.Neighbors{
		{ID: "a", Nearest: []similar.Neighbor{{ID: "long one", Score: 3, Similarity: 0.5}, {ID: "c", Score: 1, Similarity: 0.25}}},
		{ID: "c"},
		{ID: huge},
		{ID: "long one", Nearest: []similar.Neighbor{{ID: "a", Score: 2, Similarity: 0.75}}},
	} {
		if err := w.write(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(true); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	read := map[string]*npy.Array{}
	for _, part := range z.File {
		names = append(names, part.Name)
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		if read[part.Name], err = npy.Read(r, int64(part.UncompressedSize64)); err != nil {
			t.Fatalf("%s: %v", part.Name, err)
		}
	}
	if got := strings.Join(names, " "); got != "ids.npy offsets.npy row.npy column.npy score.npy similarity.npy" {
		t.Errorf("the file has %s", got)
	}
	ids, err := npy.Vector[uint8](read["ids.npy"])
	if err != nil || string(ids) != "along onec"+huge {
		t.Errorf("%d bytes of ids, %v", len(ids), err)
	}
	for name, want := range map[string][]int64{"offsets.npy": {0, 1, 9, 10, 10 + 3<<20}, "row.npy": {0, 0, 1}, "column.npy": {1, 2, 0}} {
		if got, err := npy.Vector[int64](read[name]); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
	}
	if got, err := npy.Vector[float64](read["similarity.npy"]); err != nil || !slices.Equal(got, []float64{0.5, 0.25, 0.75}) {
		t.Errorf("similarities: %v, %v", got, err)
	}
}

// readPairs prints the pairs of a .npz file as NumPy and SciPy read them: a JSON list of the two
// ids, the score and the similarity a line.
const readPairs = `
import json, sys
import numpy, scipy.sparse
with numpy.load(sys.argv[1]) as z:
    offsets = z["offsets"]
    ids = [z["ids"][a:b].tobytes().decode() for a, b in zip(offsets, offsets[1:])]
    n = len(ids)
    at = z["row"], z["column"]
    scores = scipy.sparse.coo_matrix((z["score"], at), shape=(n, n)).tocsr()
    similarities = scipy.sparse.coo_matrix((z["similarity"], at), shape=(n, n)).tocsr()
    for i, j in zip(*at):
        print(json.dumps([ids[i], ids[j], scores[i, j], similarities[i, j]]))
`

// python is a Python that has NumPy and SciPy. It skips the test if there is none.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import numpy, scipy.sparse").Run() == nil {
			return name
		}
	}
	t.Skip("no Python with NumPy and SciPy (Debian's python3-numpy and python3-scipy)")
	return ""
}

// TestNumPyReadsPairs gives a .npz file to NumPy, and makes sparse matrices of it with SciPy: they
// have the pairs of the JSON lines.
func TestNumPyReadsPairs(t *testing.T) {
	t.Parallel()
	python := python(t)
	dir := t.TempDir()
	idx, books, npz := filepath.Join(dir, "idx"), filepath.Join(dir, "books.jsonl"), filepath.Join(dir, "pairs.npz")
	const text = `{"id": "é\u0001", "text": "heap tree queue"}
{"id": "a long id", "text": "heap tree list"}
{"id": "c", "text": "list chain ring queue"}
{"id": "z", "text": "zebra"}
`
	if err := os.WriteFile(books, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout strings.Builder
	for _, args := range [][]string{{"index", books, "-o", idx}, {"pairs", idx, "-o", npz}, {"pairs", idx}} {
		stdout.Reset()
		if run(nil, args, &stdout, t.Output()) != 0 {
			t.Fatalf("similar %q failed", args)
		}
	}
	var want strings.Builder
	decoder := json.NewDecoder(strings.NewReader(stdout.String()))
	for decoder.More() {
		var n similar.Neighbors
		if err := decoder.Decode(&n); err != nil {
			t.Fatal(err)
		}
		for _, near := range n.Nearest {
			fmt.Fprintf(&want, "%s %s %v %v\n", n.ID, near.ID, near.Score, near.Similarity)
		}
	}
	out, err := exec.CommandContext(t.Context(), python, "-c", readPairs, npz).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got strings.Builder
	for line := range bytes.Lines(out) {
		var pair [4]any
		if err := json.Unmarshal(line, &pair); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		fmt.Fprintf(&got, "%v %v %v %v\n", pair[:]...)
	}
	if got.String() != want.String() || strings.Count(want.String(), "\n") != 6 {
		t.Errorf("Python reads\n%s\nwant\n%s", &got, &want)
	}
}
