package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/tools/atomicfile"
	"github.com/gridstride/gridstride/internal/tools/modsource"
	"github.com/gridstride/gridstride/internal/tour/course"
	"github.com/klauspost/compress/zstd"
)

// Assemble writes the tour into a folder, which it makes: pages that any web server can serve. moduleDir
// is the folder with the sources of gridstride. The go command builds the worker of them, which takes a
// minute the first time, and seconds later.
func Assemble(ctx context.Context, moduleDir, dir string, exercises []*course.Exercise) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	all, err := Pages(exercises)
	if err != nil {
		return err
	}
	if all["sources.txtar.gz"], err = sources(os.DirFS(moduleDir)); err != nil {
		return err
	}
	if err := figures(moduleDir, all); err != nil {
		return err
	}
	if all["tour.wasm.zst"], err = worker(ctx, moduleDir); err != nil {
		return err
	}
	if all["wasm_exec.js"], err = support(ctx); err != nil {
		return err
	}
	if err := keep(all); err != nil {
		return err
	}
	for name, text := range all {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, text) {
			continue
		}
		if err := atomicfile.Write(file, text); err != nil {
			return err
		}
	}
	return nil
}

// keep tells the service worker which files there are.
func keep(all map[string][]byte) error {
	const worker, none = "offline.js", `["the files of the tour"]`
	names, err := json.Marshal(slices.Sorted(maps.Keys(all)))
	if err != nil {
		return err
	}
	if !bytes.Contains(all[worker], []byte(none)) {
		return errors.New("BUG: the service worker has no place for the files")
	}
	all[worker] = bytes.Replace(all[worker], []byte(none), names, 1)
	return nil
}

// figures adds the pictures of the chapters.
func figures(moduleDir string, all map[string][]byte) error {
	names, err := filepath.Glob(filepath.Join(moduleDir, "docs/tutorial/figures/*.svg"))
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		all["figures/"+filepath.Base(name)] = text
	}
	return nil
}

// inlining are the flags of the go command that inline functions only where programs spend their time:
// in Go's runtime and in the simulator. So the program is a fifth smaller.
var inlining = []string{"-gcflags=all=-l", "-gcflags=runtime=", "-gcflags=internal/runtime/...=",
	"-gcflags=" + modsource.Module + "/internal/machine/...="}

// worker builds the worker's program, compressed. The go command keeps the program in the user's cache
// and links it again only if something has changed.
func worker(ctx context.Context, moduleDir string) ([]byte, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(cache, "gridstride", "tour", "tour.wasm")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, err
	}
	args := append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", file}, inlining...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./internal/tour/wasm")...)
	cmd.Dir = moduleDir
	cmd.Env = append(cmd.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, goFailed("build the tour's program", err, out)
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return compressed(program, file+".zst")
}

// compressed is a program compressed. A file keeps them, and counts while it is of that program.
func compressed(program []byte, file string) ([]byte, error) {
	if old, err := os.ReadFile(file); err == nil && isOf(old, program) {
		return old, nil
	}
	small, err := zstandard(program)
	if err == nil {
		err = atomicfile.Write(file, small)
	}
	return small, err
}

// window is how far back the compressed program refers: a page decompresses it in pieces as it arrives, and
// moves that many bytes for each.
const window = 4 << 20

func zstandard(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window))
	if err != nil {
		return nil, err
	}
	if _, err = w.Write(text); err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

func gzipped(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err = w.Write(text); err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// isOf reports whether compressed bytes are of a text.
func isOf(compressed, text []byte) bool {
	r, err := zstd.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return false
	}
	defer r.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(r)
	return err == nil && bytes.Equal(b.Bytes(), text)
}

// support is the script of the user's Go that starts the program.
func support(ctx context.Context) ([]byte, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, goFailed("find Go's own files", err, nil)
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", "wasm_exec.js"))
}

// ErrNoGo is the error without a go command.
var ErrNoGo = errors.New("the tour is built by the go command, and there is none here; install Go from https://go.dev/dl, or serve the files that gridstride tour -o DIR writes elsewhere")

// goFailed is the error of a go command.
func goFailed(what string, err error, out []byte) error {
	if errors.Is(err, exec.ErrNotFound) {
		return ErrNoGo
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(out) == 0 {
		out = exit.Stderr
	}
	return fmt.Errorf("cannot %s: go: %w\n%s", what, err, out)
}
