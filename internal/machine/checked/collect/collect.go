// Package collect is the command's side of checked programs: it reads their reports while they
// write them, and passes an interrupt on to them.
package collect

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// Collector reads the reports in a folder while programs write them.
type Collector struct {
	dir  string
	read map[string]int64 // how much of each file
}

// New makes a Collector that has read nothing.
func New(dir string) *Collector { return &Collector{dir: dir, read: map[string]int64{}} }

// All reads the reports in a folder, in no particular order. It ignores an incomplete line of a
// program that was killed.
func All(dir string) ([]*report.Report, error) { return New(dir).Next() }

// Next reads the reports that were written to their end since the last call; some of them also with
// an error.
func (c *Collector) Next() ([]*report.Report, error) {
	files, err := filepath.Glob(filepath.Join(c.dir, checked.ReportFiles))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var list []*report.Report
	for _, name := range files {
		more, err := c.rest(name)
		list = append(list, more...)
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// rest reads what is new in a file.
func (c *Collector) rest(name string) ([]*report.Report, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	from := c.read[name]
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, err
	}
	var list []*report.Report
	for d := json.NewDecoder(f); ; {
		r := new(report.Report)
		if d.Decode(r) != nil {
			return list, nil
		}
		list = append(list, r)
		c.read[name] = from + d.InputOffset()
	}
}

// Unreported is how many programs are in the midst of launches. Of programs that have ended, it is
// those whose last launches have not been reported.
func Unreported(dir string) (int, error) {
	files, err := filepath.Glob(filepath.Join(dir, checked.LaunchFiles))
	return len(files), err
}

// Interrupt ends the launches under way of programs that report to the folder, and waits until they
// have been reported, for as long as the limit at most.
func Interrupt(dir string, limit time.Duration) error {
	if err := os.WriteFile(filepath.Join(dir, checked.InterruptFile), nil, 0o644); err != nil {
		return err
	}
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if n, err := Unreported(dir); err != nil || n == 0 {
			return err
		}
	}
	return nil
}
