package doctest

import (
	"runtime"
	"testing"
)

// TestDocuments holds the repository's documents to what they say, as Checker describes.
func TestDocuments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the documents' commands are for a POSIX shell")
	}
	c := Checker{Root: "../.."}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "RATIONALE.md"} {
		t.Run(name, func(t *testing.T) { c.Check(t, name) })
	}
}
