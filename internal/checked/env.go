package checked

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/check"
	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sourcetext"
)

// EnvVar is the environment variable with which gridstride check and gridstride profile make the
// programs they start check, or count, on every simulated device they open. Its value is an Env as
// JSON.
const EnvVar = "GRIDSTRIDE_CHECK"

// Env says what a program is to check. It writes its reports to files in the folder Dir, each
// report a line of JSON.
type Env struct {
	Dir      string        `json:"dir"`
	Tools    []report.Tool `json:"tools,omitempty"`
	Orders   int           `json:"orders,omitempty"`
	Seed     uint64        `json:"seed,omitempty"`
	Pedantic bool          `json:"pedantic,omitempty"`
	Profile  bool          `json:"profile,omitempty"`
	Budget   uint64        `json:"budget,omitempty"`
}

// String is the value of the environment variable.
func (e Env) String() string {
	text, err := json.Marshal(e)
	if err != nil {
		panic(fmt.Sprintf("BUG: an Env has no JSON: %v", err))
	}
	return string(text)
}

// FromEnv is the configuration that the environment asks for, nil where it asks for none.
func FromEnv() (*Config, error) {
	text := os.Getenv(EnvVar)
	if text == "" {
		return nil, nil
	}
	var e Env
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return nil, fmt.Errorf("%s, which gridstride check sets, is %q: %w", EnvVar, text, err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return &Config{
		Options: check.Options{
			Tools: e.Tools, Orders: e.Orders, Seed: e.Seed, Pedantic: e.Pedantic, Profile: e.Profile, Budget: e.Budget,
			Text: sourcetext.New(dir).Line,
		},
		Report:        func(r *report.Report) { reports.write(e.Dir, r) },
		Interruptible: true,
		Finish:        true,
	}, nil
}

// reports is the file that this process writes.
var reports reportFile

type reportFile struct {
	mu   sync.Mutex
	file *os.File
}

// write adds a line. A program that cannot say what it found has not been checked: it ends.
func (w *reportFile) write(dir string, r *report.Report) {
	short := *r
	short.Orders = nil
	w.mu.Lock()
	defer w.mu.Unlock()
	line, err := json.Marshal(short)
	if err == nil && w.file == nil {
		w.file, err = os.CreateTemp(dir, "report-*.jsonl")
	}
	if err == nil {
		_, err = w.file.Write(append(line, '\n'))
	}
	if err != nil {
		panic(fmt.Sprintf("%s: the report of a launch cannot be written: %v", EnvVar, err))
	}
}

// Collected reads the reports in a folder, in no particular order. A line that was not written to
// its end, by a program that was killed, is left out.
func Collected(dir string) ([]*report.Report, error) { return NewCollector(dir).Next() }

// Collector reads the reports in a folder while programs write them.
type Collector struct {
	dir  string
	read map[string]int64 // how much of each file
}

// NewCollector makes a Collector that has read nothing.
func NewCollector(dir string) *Collector { return &Collector{dir: dir, read: map[string]int64{}} }

// Next reads the reports that were written to their end since the last call; some of them also with
// an error.
func (c *Collector) Next() ([]*report.Report, error) {
	files, err := filepath.Glob(filepath.Join(c.dir, "report-*.jsonl"))
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
