package similarcmd

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// A pairWriter writes the neighbours of documents. close says whether all were written: what has no
// use in part is removed otherwise.
type pairWriter interface {
	write(similar.Neighbors) error
	close(whole bool) error
}

// A stream writes the pairs one document after the other.
type stream struct {
	form   form
	file   *ledger // nil for standard output
	last   []byte  // the id of the last document written
	failed bool
}

// A form is how a document's pairs are written as text.
type form interface {
	put(similar.Neighbors) error
	flush() error
}

// newStream writes to a file in the form that its name says. header says whether CSV begins with
// the names of the columns.
func newStream(file *ledger, header bool) (*stream, error) {
	s := &stream{file: file, last: file.at.After}
	if filepath.Ext(file.file.Name()) != ".csv" {
		s.form = newLines(file)
		return s, nil
	}
	r := rows{csv.NewWriter(file)}
	s.form = r
	if header {
		return s, r.csv.Write(columns)
	}
	return s, nil
}

func (s *stream) write(n similar.Neighbors) error {
	s.failed = true
	if err := s.form.put(n); err != nil {
		return err
	}
	s.failed, s.last = false, []byte(n.ID)
	if s.file != nil && time.Now().After(s.file.due) {
		return s.mark()
	}
	return nil
}

// mark writes what waits, and makes a checkpoint.
func (s *stream) mark() error {
	if err := s.form.flush(); err != nil {
		s.failed = true
		return err
	}
	return s.file.mark(s.last)
}

func (s *stream) close(whole bool) error {
	if s.file == nil {
		return s.form.flush()
	}
	var err error
	if !s.failed {
		err = s.mark()
	}
	return errors.Join(err, s.file.end(whole && err == nil))
}

// lines writes JSON lines.
type lines struct {
	buffer  *bufio.Writer
	encoder *json.Encoder
}

func newLines(w io.Writer) *lines {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return &lines{b, e}
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

func (w *lines) put(n similar.Neighbors) error {
	line := neighbors{n.ID, make([]neighbor, len(n.Nearest))}
	for i, near := range n.Nearest {
		line.Nearest[i] = neighbor(near)
	}
	return w.encoder.Encode(line)
}

func (w *lines) flush() error { return w.buffer.Flush() }

// rows writes CSV.
type rows struct{ csv *csv.Writer }

// columns are the first row.
var columns = []string{"id", "rank", "neighbor", "score", "similarity"}

func (w rows) put(n similar.Neighbors) error {
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for i, near := range n.Nearest {
		if err := w.csv.Write([]string{n.ID, strconv.Itoa(i + 1), near.ID, text(near.Score), text(near.Similarity)}); err != nil {
			return err
		}
	}
	return nil
}

func (w rows) flush() error {
	w.csv.Flush()
	return w.csv.Error()
}
