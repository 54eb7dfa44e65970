//go:build (noasm || !arm64) && (linux || darwin || freebsd)

package native

// coherent has nothing to do: AMD64 fetches what was written last.
func coherent([]byte) {}
