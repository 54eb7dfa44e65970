package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gridstride/gridstride/internal/npy"
	"github.com/gridstride/gridstride/similar"
)

// A pairWriter writes the neighbours of documents. close says whether all were written: what has no
// use in part is removed otherwise.
type pairWriter interface {
	write(similar.Neighbors) error
	close(whole bool) error
}

// lines writes JSON lines.
type lines struct {
	buffer  *bufio.Writer
	encoder *json.Encoder
	file    io.Closer // nil for standard output
}

func newLines(w io.Writer, file io.Closer) *lines {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return &lines{b, e, file}
}

// neighbors is a line.
type neighbors struct {
	ID      string     `json:"id"`
	Nearest []neighbor `json:"nearest"`
}

type neighbor struct {
	ID         string  `json:"id"`
	Score      float64 `json:"score"`
	Similarity float64 `json:"similarity"`
}

func (w *lines) write(n similar.Neighbors) error {
	line := neighbors{n.ID, make([]neighbor, len(n.Nearest))}
	for i, near := range n.Nearest {
		line.Nearest[i] = neighbor(near)
	}
	return w.encoder.Encode(line)
}

func (w *lines) close(bool) error {
	err := w.buffer.Flush()
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	return err
}

// rows writes CSV.
type rows struct {
	csv  *csv.Writer
	file io.Closer
}

// columns are the first row.
var columns = []string{"id", "rank", "neighbor", "score", "similarity"}

func newRows(f *os.File, fresh bool) (*rows, error) {
	w := &rows{csv.NewWriter(f), f}
	if fresh {
		return w, w.csv.Write(columns)
	}
	return w, nil
}

func (w *rows) write(n similar.Neighbors) error {
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for i, near := range n.Nearest {
		if err := w.csv.Write([]string{n.ID, strconv.Itoa(i + 1), near.ID, text(near.Score), text(near.Similarity)}); err != nil {
			return err
		}
	}
	return nil
}

func (w *rows) close(bool) error {
	w.csv.Flush()
	return errors.Join(w.csv.Error(), w.file.Close())
}

// arrays collects pairs for a .npz file, which is a zip of NumPy arrays.
type arrays struct {
	file              *os.File
	ids               []string
	places            map[string]int64
	row, column       []int64
	score, similarity []float64
}

func (w *arrays) place(id string) int64 {
	at, ok := w.places[id]
	if !ok {
		at = int64(len(w.ids))
		w.places[id] = at
		w.ids = append(w.ids, id)
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
	var err error
	if whole {
		err = w.zip()
	}
	err = errors.Join(err, w.file.Close())
	if !whole || err != nil {
		err = errors.Join(err, os.Remove(w.file.Name()))
	}
	return err
}

func (w *arrays) zip() error {
	z := zip.NewWriter(w.file)
	for _, a := range []struct {
		name  string
		array *npy.Array
	}{
		{"ids", fixed(w.ids)}, {"row", npy.FromVector(w.row)}, {"column", npy.FromVector(w.column)},
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

// fixed is an array of byte strings of one length, the longest, filled up with zeros.
func fixed(list []string) *npy.Array {
	longest := 1
	for _, s := range list {
		longest = max(longest, len(s))
	}
	data := make([]byte, 0, longest*len(list))
	for _, s := range list {
		data = append(append(data, s...), make([]byte, longest-len(s))...)
	}
	return &npy.Array{Dtype: fmt.Sprintf("|S%d", longest), Shape: []int{len(list)}, Data: data}
}

// resume goes on with a file: what stands in it after the last document that is there in full is
// cut off, and the id of that one is returned.
func resume(name string) (w pairWriter, after string, err error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, "", err
	}
	whole := wholeLines
	if filepath.Ext(name) == ".csv" {
		whole = wholeRows
	}
	end, after, err := whole(f)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	if filepath.Ext(name) == ".csv" {
		w, err = newRows(f, end == 0)
		return w, after, err
	}
	return newLines(f, f), after, nil
}

// wholeLines is where the last whole line ends, and the id in it.
func wholeLines(r io.Reader) (end int64, after string, err error) {
	b := bufio.NewReader(r)
	for {
		line, err := b.ReadBytes('\n')
		if err == io.EOF {
			return end, after, nil
		} else if err != nil {
			return 0, "", err
		}
		var n neighbors
		if err := json.Unmarshal(bytes.TrimSpace(line), &n); err != nil || n.ID == "" {
			return 0, "", fmt.Errorf("no line of pairs at byte %d", end)
		}
		end, after = end+int64(len(line)), n.ID
	}
}

// wholeRows is where the rows of the last document begin, some of which may be missing, and the id
// of the document before.
func wholeRows(r io.Reader) (end int64, after string, err error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord = len(columns)
	var last string
	var begin int64 // of the rows of last
	for first := true; ; first = false {
		at := c.InputOffset()
		row, err := c.Read()
		switch {
		case err == io.EOF:
			return begin, after, nil
		case err != nil && first:
			return 0, "", err
		case err != nil: // half a row, of the last document
			return begin, after, nil
		case first:
			begin = c.InputOffset()
		case row[0] != last:
			after, last, begin = last, row[0], at
		}
	}
}
