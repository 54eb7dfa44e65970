package cudadev

import (
	"path/filepath"
	"strings"
)

// LineInfo makes the modules that are loaded from now on have tables of source lines, for Nsight Compute
// and compute-sanitizer. path is where a file is on this machine that PTX names by import path, or "" if
// it is not known.
func (b *Backend) LineInfo(path func(file string) string) { b.sourcePath = path }

// withPaths is PTX whose .file directives have the paths of files on this machine, if these are known.
func withPaths(ptx string, path func(file string) string) string {
	var b strings.Builder
	for line := range strings.Lines(ptx) {
		head, rest, _ := strings.Cut(line, `"`)
		name, tail, quoted := strings.Cut(rest, `"`)
		if words := strings.Fields(head); quoted && len(words) == 2 && words[0] == ".file" {
			if found := filepath.ToSlash(path(name)); found != "" && !strings.ContainsAny(found, "\"\\\n\r") {
				line = head + `"` + found + `"` + tail
			}
		}
		b.WriteString(line)
	}
	return b.String()
}
