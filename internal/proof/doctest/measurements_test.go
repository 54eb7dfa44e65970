package doctest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMeasurements holds each file of docs/measurements to two rules: a page or a
// comment of the repository names it, and a JSON file names the commit that was measured.
func TestMeasurements(t *testing.T) {
	t.Parallel()
	var pages strings.Builder
	err := filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() != ".." && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".md" && filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		pages.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../../docs/measurements/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("docs/measurements has %d files: %v", len(files), err)
	}
	for _, file := range files {
		if !strings.Contains(pages.String(), filepath.Base(file)) {
			t.Errorf("no page or comment names %s: link it where its result is stated, or delete it", file)
		}
		if text, err := os.ReadFile(file); err != nil {
			t.Error(err)
		} else if filepath.Ext(file) == ".json" && !strings.Contains(string(text), `"commit":`) {
			t.Errorf("%s names no commit", file)
		}
	}
}
