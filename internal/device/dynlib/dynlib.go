// Package dynlib opens shared libraries without cgo.
package dynlib

// Open loads a library by a path, or by a name that the system's loader searches for, and returns
// what finds the addresses of its functions. The library is never unloaded. Where the system has no
// loader that Go can call, the error is errors.ErrUnsupported.
func Open(path string) (lookup func(symbol string) (uintptr, error), err error) {
	handle, err := open(path)
	if err != nil {
		return nil, err
	}
	return func(symbol string) (uintptr, error) { return find(handle, symbol) }, nil
}
