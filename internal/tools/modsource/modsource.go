// Package modsource finds the sources of gridstride on the user's machine, for commands that have the
// user's Go build a part of it.
package modsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// Module is the path of the module.
const Module = "github.com/gridstride/gridstride"

// Dir is the folder of the module that this program was built from: the one in which it was built, or
// the one in the module cache, into which the go command fetches it if need be, or else the one of the
// module that the current folder requires. fixed says that nothing there changes.
//
// Errors: exec.ErrNotFound, wrapped, if there is no go command and the first folder is not there.
func Dir(ctx context.Context) (dir string, fixed bool, err error) {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if dir := filepath.Join(filepath.Dir(file), "../../.."); holds(dir) {
			return dir, false, nil
		}
	}
	version := Version()
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", Module+"@"+version).Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", false, fmt.Errorf("the sources of gridstride are not found: %w", err)
	}
	var found struct{ Dir, Error string }
	if json.Unmarshal(out, &found) == nil && found.Dir != "" {
		return found.Dir, true, nil
	}
	out, listErr := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", Module).Output()
	if dir := strings.TrimSpace(string(out)); listErr == nil && holds(dir) {
		return dir, false, nil
	}
	if found.Error != "" {
		err = errors.New(found.Error)
	}
	return "", false, fmt.Errorf("the sources of gridstride are not found: version %s cannot be fetched, and the current folder is in no module that requires %s: %w",
		version, Module, err)
}

// Version is the version of the module that this program was built from: "v1.2.3", or "(devel)" where
// that is unknown.
func Version() string {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == Module && m.Version != "" {
				version = m.Version
			}
		}
	}
	return version
}

// holds reports whether a folder has the module's sources.
func holds(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return dir != "" && err == nil && strings.HasPrefix(string(text), "module "+Module+"\n")
}
