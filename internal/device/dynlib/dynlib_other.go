//go:build !windows && !(linux && !android && (amd64 || arm64 || ppc64le))

package dynlib

import "errors"

func open(string) (uintptr, error) { return 0, errors.ErrUnsupported }

func find(uintptr, string) (uintptr, error) { return 0, errors.ErrUnsupported }
