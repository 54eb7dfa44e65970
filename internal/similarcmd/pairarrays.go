package similarcmd

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/gridstride/gridstride/internal/library/npy"
	"github.com/gridstride/gridstride/internal/tools/atomicfile"
	"github.com/gridstride/gridstride/similar"
)

// arrays collects pairs for a .npz file, which is a zip of NumPy arrays. The ids are one array of
// bytes, as NumPy's strings all take the room of the longest one, and lose zeros at their ends.
type arrays struct {
	name              string
	ids               []byte
	offsets           []int64 // of the ids in ids, and the end of the last one
	places            map[string]int64
	row, column       []int64
	score, similarity []float64
}

func newArrays(name string) (*arrays, error) {
	w := &arrays{name: name, offsets: []int64{0}, places: map[string]int64{}}
	return w, errors.Join(w.vacant(), atomicfile.Ready(name))
}

// vacant is an error if a file exists already.
func (w *arrays) vacant() error {
	if _, err := os.Lstat(w.name); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, errThere(w.name))
	}
	return nil
}

func (w *arrays) place(id string) int64 {
	at, ok := w.places[id]
	if !ok {
		at = int64(len(w.places))
		w.places[id] = at
		w.ids = append(w.ids, id...)
		w.offsets = append(w.offsets, int64(len(w.ids)))
	}
	return at
}

func (w *arrays) write(n similar.Neighbors) error {
	row := w.place(n.ID)
	for _, near := range n.Nearest {
		w.row, w.column = append(w.row, row), append(w.column, w.place(near.ID))
		w.score, w.similarity = append(w.score, near.Score), append(w.similarity, near.Similarity)
	}
	return nil
}

func (w *arrays) close(whole bool) error {
	if !whole {
		return nil
	}
	if err := w.vacant(); err != nil {
		return err
	}
	return atomicfile.Stream(w.name, w.zip)
}

func (w *arrays) zip(file io.Writer) error {
	z := zip.NewWriter(file)
	for _, a := range []struct {
		name  string
		array *npy.Array
	}{
		{"ids", npy.FromVector(w.ids)}, {"offsets", npy.FromVector(w.offsets)},
		{"row", npy.FromVector(w.row)}, {"column", npy.FromVector(w.column)},
		{"score", npy.FromVector(w.score)}, {"similarity", npy.FromVector(w.similarity)},
	} {
		part, err := z.Create(a.name + ".npy")
		if err == nil {
			err = npy.Write(part, a.array)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}
