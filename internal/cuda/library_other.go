//go:build !linux && !freebsd && !windows

package cuda

import "errors"

// libraryPaths is empty: NVIDIA has no driver for this system.
func libraryPaths() []string { return nil }

func openLibrary(string) (uintptr, error) { return 0, errors.ErrUnsupported }

func lookup(uintptr, string) (uintptr, error) { return 0, errors.ErrUnsupported }
