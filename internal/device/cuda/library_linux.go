//go:build !android && (amd64 || arm64 || ppc64le)

package cuda

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
