package cuda

// libraryPaths names the driver's library, which its installer puts into Windows's own folder.
func libraryPaths() []string { return []string{"nvcuda.dll"} }
