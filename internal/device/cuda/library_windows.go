package cuda

import "syscall"

// libraryPaths names the driver's library, which its installer puts where the loader looks.
func libraryPaths() []string { return []string{"nvcuda.dll"} }

func openLibrary(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

func lookup(handle uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(handle), name)
}
