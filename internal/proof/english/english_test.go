package english

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The limits, in phrases for 1,000 words: of all prose together, with and without semicolons, and of
// each file of leastWords without semicolons.
const (
	mostTogether   = 3.0
	mostUnlessSemi = 1.1
	mostOfFile     = 8.0
	leastWords     = 150
)

// prose is what a file's prose counts.
type prose struct {
	name       string
	words      int
	semicolons int
	hits       []string // where another phrase is, and what to write
}

// rate is how many there are for 1,000 words.
func (p *prose) rate(n int) float64 { return 1000 * float64(n) / float64(max(p.words, 1)) }

// TestEnglish counts the phrases in the module.
func TestEnglish(t *testing.T) {
	t.Parallel()
	files := read(t, "../../..")
	together := prose{name: "the module"}
	for _, f := range files {
		together.words += f.words
		together.semicolons += f.semicolons
		together.hits = append(together.hits, f.hits...)
		if rate := f.rate(len(f.hits)); f.words >= leastWords && rate > mostOfFile {
			t.Errorf("%s has %.1f phrases in 1,000 words; want at most %v:\n%s", f.name, rate, mostOfFile, strings.Join(f.hits, "\n"))
		}
	}
	few := together.rate(len(together.hits))
	all := together.rate(len(together.hits) + together.semicolons)
	t.Logf("%d files, %d words, %.2f phrases in 1,000, %.2f with semicolons", len(files), together.words, few, all)
	if together.words < 100_000 {
		t.Errorf("only %d words were found", together.words)
	}
	if few > mostUnlessSemi || all > mostTogether {
		t.Errorf("all files have %.2f phrases in 1,000 words, and %.2f with semicolons; want at most %v and %v", few, all,
			mostUnlessSemi, mostTogether)
	}
}

// TestCount counts in texts whose phrases are known.
func TestCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"package p\n\n// The bytes of\n// which each is what\n// it has.\n//\n//\tso many; code of which\n":                      2,
		"package p\n\n// It knows, what is odd. What the others do, whatever they do.\n":                                         2,
		"package p\n\n//go:generate lie behind beside\n\nvar x = \"of which\" // it lies about much, so many that it stands for": 0,
		"package p\n\nvar err = errors.New(\"k lies \" +\n\t\"behind n; want so much\")\n":                                       3,
		"package p\n\nfunc f() { t.Errorf(\"lies behind\"); w.Errorf(\"lies\", g(\"beside\")) }":                                 1,
		"package p\n\n/* Of its own, but for a lie; beside. Whatlies of whichever. */":                                           5,
	} {
		if got := count(t, "p.go", text); len(got.hits)+got.semicolons != want {
			t.Errorf("%q has %d phrases and %d semicolons, want %d:\n%s", text, len(got.hits), got.semicolons, want,
				strings.Join(got.hits, "\n"))
		}
	}
	got := count(t, "p.md", "# Those of\n\nIt is\nwhat\nbut for one\n\n```\nof which\n```\n\n    of which\n")
	want := []string{
		"p.md:1: “Those of”: write the noun again: the rows of B",
		"p.md:3: “is what”: write the subject first, then the verb",
		"p.md:5: “but for”: write except, or without",
	}
	if got.words != 9 || !slices.Equal(got.hits, want) {
		t.Errorf("a page has %d words and\n%s\nwant 9 and\n%s", got.words, strings.Join(got.hits, "\n"), strings.Join(want, "\n"))
	}
}

// read counts the files of a folder: Go and Markdown, except testdata and generated code.
func read(t *testing.T, root string) []*prose {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		base := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (base == "testdata" || base == "node_modules" || len(base) > 2 && base[0] == '.'):
			return filepath.SkipDir
		case d.Type().IsRegular() && (filepath.Ext(base) == ".md" || filepath.Ext(base) == ".go" && !strings.HasSuffix(base, "_gen.go")):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	files := make([]*prose, len(names))
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				text, err := os.ReadFile(names[i])
				if err != nil {
					t.Error(err)
				}
				name, _ := filepath.Rel(root, names[i])
				files[i] = count(t, filepath.ToSlash(name), string(text))
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	wait.Wait()
	return files
}

// count counts the words and the phrases of a file.
func count(t *testing.T, name, text string) *prose {
	p := &prose{name: name}
	if strings.Contains(text[:min(len(text), 300)], "Code generated") {
		return p
	}
	paragraphs := page(text)
	if strings.HasSuffix(name, ".go") {
		var err error
		if paragraphs, err = source(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, one := range paragraphs {
		text := one.text.String()
		p.words += len(strings.Fields(text))
		if !one.isError {
			p.semicolons += strings.Count(text, "; ")
		}
		for i := range phrases {
			phrases[i].find(text, func(from, to int) {
				p.hits = append(p.hits, fmt.Sprintf("%s:%d: “%s”: write %s", name, one.lineOf(from),
					strings.TrimSpace(text[from:to]), phrases[i].write))
			})
		}
	}
	return p
}
