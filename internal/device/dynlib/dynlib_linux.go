//go:build !android && (amd64 || arm64 || ppc64le)

package dynlib

import "github.com/ebitengine/purego"

func open(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func find(handle uintptr, symbol string) (uintptr, error) { return purego.Dlsym(handle, symbol) }
