//go:build !android && (amd64 || arm64 || ppc64le)

package cuda

import "github.com/ebitengine/purego"

// libraryPaths lists where the driver's library is: by name through the loader's own search, then
// where WSL and containers without an ldconfig cache keep it.
func libraryPaths() []string {
	return []string{
		"libcuda.so.1",
		"libcuda.so",
		"/usr/lib/wsl/lib/libcuda.so.1",
		"/usr/lib64/libcuda.so.1",
		"/usr/lib/x86_64-linux-gnu/libcuda.so.1",
		"/usr/lib/aarch64-linux-gnu/libcuda.so.1",
		"/usr/local/nvidia/lib64/libcuda.so.1",
		"/run/opengl-driver/lib/libcuda.so.1",
	}
}

func openLibrary(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func lookup(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }
