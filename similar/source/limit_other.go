//go:build !linux

package source

// limitData does nothing: other systems count what a Go program reserves, or have no such limit.
// The watch ends the process instead.
func limitData(uint64) {}
