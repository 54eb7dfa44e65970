package modsource

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDir finds the folder in which the test was built.
func TestDir(t *testing.T) {
	t.Parallel()
	dir, fixed, err := Dir(t.Context())
	if err != nil || fixed {
		t.Fatalf("Dir gives %q, %v, %v", dir, fixed, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "internal/tools/modsource/modsource_test.go")); err != nil {
		t.Error(err)
	}
}

// TestHolds refuses folders without a module, and with another one.
func TestHolds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if holds(dir) || holds("") {
		t.Error("an empty folder has the sources of gridstride")
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+Module+"/similar/beam\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if holds(dir) {
		t.Error("another module has the sources of gridstride")
	}
}
