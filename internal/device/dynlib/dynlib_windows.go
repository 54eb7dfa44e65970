package dynlib

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// open loads a library by a bare name from Windows's own folder alone, and otherwise by an
// absolute path, with what it needs from its own folder and Windows's. The folder that a program
// runs in, the PATH and the folder of the program itself are anybody's, and are not searched.
func open(path string) (uintptr, error) {
	flags := uintptr(windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	switch {
	case filepath.IsAbs(path):
		flags |= windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
	case filepath.Base(path) != path || filepath.VolumeName(path) != "":
		return 0, fmt.Errorf("%s: want an absolute path, or a name for a library in Windows's own folder", path)
	}
	h, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(h), err
}

func find(handle uintptr, symbol string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(handle), symbol)
}
