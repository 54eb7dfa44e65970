package dynlib

import (
	"errors"
	"path/filepath"
)

// ErrNone is the error of [First] if there is no library in any of the places.
var ErrNone = errors.New("no such library")

// First loads the first library that can be loaded, and returns its path. A name that the loader
// does not find is passed over. A file that is there and does not load is the error if nothing else
// loads.
//
// Errors: ErrNone, or what the loader says of a library that is there.
func First(paths []string) (lookup func(symbol string) (uintptr, error), path string, err error) {
	var broken error
	for _, path := range paths {
		lookup, err := Open(path)
		if err == nil {
			return lookup, path, nil
		}
		if filepath.IsAbs(path) && broken == nil {
			broken = err
		}
	}
	if broken != nil {
		return nil, "", broken
	}
	return nil, "", ErrNone
}

// Installed are the files with a name in the folders into which NVIDIA's installer, conda and pip
// put CUDA's libraries on Linux, in an order that does not change.
func Installed(name string, getenv func(string) string, glob func(pattern string) []string) (paths []string) {
	for _, dir := range folders(getenv) {
		paths = append(paths, glob(filepath.Join(dir, name))...)
	}
	return paths
}

// Glob is filepath.Glob for patterns that are well formed.
func Glob(pattern string) []string {
	found, _ := filepath.Glob(pattern)
	return found
}

// folders are patterns of the folders.
func folders(getenv func(string) string) []string {
	dirs := []string{"/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/*/lib"}
	if cuda := getenv("CUDA_HOME"); cuda != "" {
		dirs = append(dirs, filepath.Join(cuda, "lib64"))
	}
	if conda := getenv("CONDA_PREFIX"); conda != "" {
		dirs = append(dirs, filepath.Join(conda, "lib"))
	}
	pythons := []string{"/usr", "/usr/local", "/opt/*/.venv", "/opt/*"}
	for _, root := range []string{getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX"), filepath.Join(getenv("HOME"), ".local")} {
		if root != "" {
			pythons = append(pythons, root)
		}
	}
	for _, root := range pythons {
		for _, site := range []string{"site-packages", "dist-packages"} {
			dirs = append(dirs, filepath.Join(root, "lib", "python3*", site, "nvidia", "*", "lib"))
		}
	}
	return dirs
}
