package cudadev

import (
	"path/filepath"
	"regexp"
	"strings"
)

// LineInfo makes the modules that are loaded from now on have tables of source lines, for Nsight Compute
// and compute-sanitizer. path is where a file is on this machine that PTX names by import path, or "" if
// it is not known.
func (b *Backend) LineInfo(path func(file string) string) { b.sourcePath = path }

// fileDirective is a .file of PTX, up to and with the name.
var fileDirective = regexp.MustCompile(`(?m)^([ \t]*\.file[ \t]+[0-9]+[ \t]+")([^"\n]*)"`)

// withPaths is PTX whose .file directives have the paths of files on this machine, if these are known.
func withPaths(ptx string, path func(file string) string) string {
	return fileDirective.ReplaceAllStringFunc(ptx, func(text string) string {
		parts := fileDirective.FindStringSubmatch(text)
		name := filepath.ToSlash(path(parts[2]))
		if name == "" || strings.ContainsAny(name, "\"\\\n\r") {
			return text
		}
		return parts[1] + name + `"`
	})
}
