package tune

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Trial is a choice that was compiled: the arguments of the go command that make its test binary. The
// package's folder is as it was. The go command reads the changed files from another one.
type Trial struct {
	Overlay string // the argument of -overlay
	Binary  string // where the test binary is to be written
}

// Try compiles a choice to files in a folder that is the trial's own. The error is a
// compile.ErrorList where the kernels do not compile.
func (g *Group) Try(c Choice, folder string) (*Trial, error) {
	source := g.source(c)
	p, err := g.sources.With(g.file.Name, source)
	if err != nil {
		return nil, err
	}
	replaced := map[string]string{}
	put := func(path string, data []byte) error {
		if data == nil {
			replaced[path] = "" // the file is not there
			return nil
		}
		at := filepath.Join(folder, filepath.Base(path)) // all are of the package's folder
		replaced[path] = at
		return os.WriteFile(at, data, 0o600)
	}
	if err := put(g.sources.FilePath(g.file.Name), source); err != nil {
		return nil, err
	}
	for i := range p.Files {
		if err := put(p.Files[i].Path(), p.Files[i].Bytes()); err != nil {
			return nil, err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	t := &Trial{Overlay: filepath.Join(folder, "overlay.json"), Binary: filepath.Join(folder, "tune.test")}
	return t, os.WriteFile(t.Overlay, overlay, 0o600)
}
