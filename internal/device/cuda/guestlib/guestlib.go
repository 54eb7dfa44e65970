// Package guestlib builds the library with which programs that call CUDA's driver API run on the
// simulator: libcuda.so.1. It is built with the user's Go and C compilers from the module that the
// command is of, and kept in the user's cache.
package guestlib

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gridstride/gridstride/internal/device/cuda/driverapi"
	"github.com/gridstride/gridstride/internal/tools/modsource"
)

// DirVar is the environment variable that names a folder with the built library, for machines without
// compilers.
const DirVar = "GRIDSTRIDE_LIBCUDA"

// The files of the folder.
const (
	stubFile   = "libcuda.so.1"
	driverFile = "libgridstride_cuda.so"
)

// ErrUnavailable is the error where the library cannot be had.
var ErrUnavailable = errors.New("the simulated CUDA driver cannot be built")

// Folder is a folder with the library, which it builds if it must. Programs find the library there
// when the folder is in their LD_LIBRARY_PATH.
func Folder(ctx context.Context) (string, error) {
	if dir := os.Getenv(DirVar); dir != "" {
		for _, name := range []string{stubFile, driverFile} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				return "", fmt.Errorf("%s: %w", DirVar, err)
			}
		}
		return filepath.Abs(dir)
	}
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("%w on %s: programs that call CUDA are checked on Linux", ErrUnavailable, runtime.GOOS)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	source, fixed, err := modsource.Dir(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	dir := filepath.Join(cache, "gridstride", "libcuda", key(source))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer unlock()
	return dir, build(ctx, source, dir, fixed)
}

// key names the library of a source, a version of Go and a stub.
func key(source string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{source, runtime.Version(), driverapi.StubSource, driverapi.StubHeader()}, "\x00")))
	return fmt.Sprintf("%x", sum[:8])
}

// build builds what is missing in dir. Sources that may have changed are always given to Go, which
// knows what is up to date.
func build(ctx context.Context, source, dir string, fixed bool) error {
	driver := filepath.Join(dir, driverFile)
	if _, err := os.Stat(driver); err != nil || !fixed {
		cmd := exec.CommandContext(ctx, "go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", driver, "./cmd/libcuda")
		cmd.Dir = source
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS=-mod=readonly", "GOOS=", "GOARCH=")
		if err := run(cmd); err != nil {
			return err
		}
	}
	stub := filepath.Join(dir, stubFile)
	if _, err := os.Stat(stub); err == nil {
		return nil
	}
	return buildStub(ctx, dir, stub)
}

// buildStub compiles the library in C.
func buildStub(ctx context.Context, dir, stub string) error {
	for name, text := range map[string]string{"stub.c": driverapi.StubSource, "functions.h": driverapi.StubHeader()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	compiler := "cc"
	if cc := os.Getenv("CC"); cc != "" {
		compiler = cc
	} else if _, err := exec.LookPath(compiler); err != nil {
		compiler = "gcc"
	}
	made := stub + ".new"
	args := append(strings.Fields(compiler)[1:], "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-soname,"+stubFile,
		"-I", dir, "-o", made, filepath.Join(dir, "stub.c"), "-ldl", "-lpthread")
	if err := run(exec.CommandContext(ctx, strings.Fields(compiler)[0], args...)); err != nil {
		return err
	}
	return os.Rename(made, stub)
}

// run runs a compiler.
func run(cmd *exec.Cmd) error {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w: it needs %s, which is not installed: install Go and a C compiler, or set %s to a folder that has it",
			ErrUnavailable, filepath.Base(cmd.Path), DirVar)
	}
	return fmt.Errorf("%w: %s: %w\n%s", ErrUnavailable, filepath.Base(cmd.Path), err, output.String())
}
