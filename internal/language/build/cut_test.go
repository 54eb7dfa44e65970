package build_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/tools/ptxpack"
)

// TestCut cuts each kernel of this repository out of its text, as a program does that launches it:
// the cut lacks nothing, and no kernel has to be loaded together with others.
func TestCut(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	kernels := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && path != root):
			return filepath.SkipDir
		case !strings.HasPrefix(name, "kernels_gen") || strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := ptxpack.ReadFile(path)
		if err != nil {
			return err
		}
		o, err := ptx.ReadOutline(path, text)
		if err != nil {
			return err
		}
		if o.Shares() {
			t.Errorf("%s: its kernels share a variable", path)
		}
		for _, k := range o.Module.Kernels() {
			kernels++
			cut, err := o.Cut(k.Name)
			if err == nil {
				err = ptx.Verify(cut)
			}
			if err != nil || len(cut.Kernels()) != 1 {
				t.Errorf("%s: %s: %v", path, k.Name, err)
			}
		}
		return nil
	})
	if err != nil || kernels < 500 {
		t.Errorf("%d kernels, %v", kernels, err)
	}
}
