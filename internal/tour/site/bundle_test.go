package site

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBundle holds the script that is committed to its modules, wherever npm has installed what it needs.
func TestBundle(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("script/node_modules"); err != nil {
		t.Skip("!!! THE TOUR'S SCRIPT IS NOT COMPARED WITH ITS MODULES: run npm ci in internal/tour/site/script")
	}
	dir := t.TempDir()
	cmd := exec.Command("node", "bundle.mjs", filepath.Join(dir, "tour.js"), filepath.Join(dir, "licences.txt"))
	cmd.Dir = "script"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"tour.js", "licences.txt"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := files.ReadFile("static/" + name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("static/%s is not what its modules give: run go generate ./internal/tour/site (%v)", name, err)
		}
		if len(want) > 1_000_000 {
			t.Errorf("%s has %d bytes, want at most a million", name, len(want))
		}
	}
}
