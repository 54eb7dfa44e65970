package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// An engine is one of those that are written in Go.
type engine interface {
	index(file, dir string, threads, megabytes int) error
	merge(dir string) error
	open(dir string) error
	query(kind, text string) ([]string, error)
}

// goEngines are the engines that this program serves itself.
var goEngines = map[string]func() engine{
	"similar": func() engine { return new(ours) },
	"bleve":   func() engine { return new(bleves) },
}

// flags are the flags of documents, and of how many documents in 1,000.
var flags = []struct {
	name string
	of   int
}{{"thousandth", 1}, {"tenth", 100}, {"most", 900}}

// commands returns the command line of each engine that can be had, and says which cannot.
func commands(names []string) (map[string][]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	list := map[string][]string{}
	for _, name := range names {
		switch name {
		case "similar", "bleve":
			list[name] = []string{self, "-engine", name}
		case "lucene", "tantivy":
			build := exec.Command("bash", filepath.Join(name, "build"))
			build.Stderr = os.Stderr
			line, err := build.Output()
			if err != nil {
				note("LEFT OUT: %s, which its script cannot build: %v", name, err)
				continue
			}
			list[name] = strings.Fields(string(line))
		default:
			return nil, fmt.Errorf("engine %q; want similar, bleve, lucene or tantivy", name)
		}
	}
	return list, nil
}

// batch is how many documents are indexed at once by engines that take batches.
const batch = 1000

// readDocuments reads a file of documents and passes them on in batches. The texts are valid until
// the next batch.
func readDocuments(file string, take func([]document) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	var docs []document
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), "\t", 3)
		if len(parts) < 3 {
			return fmt.Errorf("%s: a line without three members", file)
		}
		if docs = append(docs, document{parts[0], strings.Fields(parts[1]), parts[2]}); len(docs) == batch {
			if err := take(docs); err != nil {
				return err
			}
			docs = docs[:0]
		}
	}
	if err := lines.Err(); err != nil || len(docs) == 0 {
		return err
	}
	return take(docs)
}

type document struct {
	id    string
	flags []string
	text  string
}

// cores has the Go engines use a number of processors, for what follows.
func cores(n int) { runtime.GOMAXPROCS(n) }

// storedBytes returns how many bytes of a file of an index are texts that are stored: all or none
// with Lucene and Tantivy, and part of a segment of ours.
func storedBytes(file string, size int64) (int64, error) {
	switch filepath.Ext(file) {
	case ".fdt", ".fdx", ".store":
		return size, nil
	case ".segment":
		sg, err := segment.Open(file)
		if err != nil {
			return 0, err
		}
		all, index := sg.Size()
		return all - index, nil
	}
	return 0, nil
}
