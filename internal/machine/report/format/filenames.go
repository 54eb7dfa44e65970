package format

import (
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// fileNames is how a report calls its source files: by the last part of the path, or by more of it
// where two files share that.
type fileNames map[string]string

func (n fileNames) of(file string) string {
	if name, ok := n[file]; ok {
		return name
	}
	return report.Base(file)
}

// namesOf are the names of the files of a report.
func namesOf(r *report.Report) fileNames {
	byBase := map[string]map[string]bool{}
	add := func(file string) {
		if byBase[report.Base(file)] == nil {
			byBase[report.Base(file)] = map[string]bool{}
		}
		byBase[report.Base(file)][file] = true
	}
	for _, f := range r.Findings {
		for _, p := range f.Witnesses {
			if p.Host { // a path of this machine, where PTX has an import path
				continue
			}
			add(p.Source.File)
			for _, s := range p.Stack {
				add(s.File)
			}
		}
	}
	for _, a := range r.Allows {
		add(a.File)
	}
	names := fileNames{}
	for _, files := range byBase {
		if len(files) > 1 {
			names.lengthen(files)
		}
	}
	return names
}

// lengthen gives files that end alike as many of their folders as it takes to tell them apart.
func (n fileNames) lengthen(files map[string]bool) {
	for keep := 2; ; keep++ {
		short, cut := map[string]bool{}, false
		for file := range files {
			parts := strings.Split(strings.ReplaceAll(file, `\`, "/"), "/")
			from := max(len(parts)-keep, 0)
			n[file] = strings.Join(parts[from:], "/")
			short[n[file]], cut = true, cut || from > 0
		}
		if len(short) == len(files) || !cut {
			return
		}
	}
}
