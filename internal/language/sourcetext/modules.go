package sourcetext

import (
	"os"
	"path/filepath"
	"strings"
)

// modulesAt finds the modules that are edited together with the one that a folder belongs to: by
// their paths, the folders of that module and of the others in its workspace.
func modulesAt(dir string) map[string]string {
	path, root := moduleOf(dir)
	if path == "" {
		return nil
	}
	modules := map[string]string{path: root}
	uses := used(workFile(root))
	for _, use := range uses {
		if use != root {
			continue
		}
		for _, use := range uses {
			if path, at := moduleOf(use); path != "" && at == use {
				modules[path] = at
			}
		}
	}
	return modules
}

// moduleOf finds the module that a folder belongs to: its path and its folder, or "".
func moduleOf(dir string) (path, root string) {
	name, text := above(dir, "go.mod")
	if name == "" {
		return "", ""
	}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "module" {
			return unquoted(fields[1]), filepath.Dir(name)
		}
	}
	return "", filepath.Dir(name)
}

// above finds a file in a folder or in the first one above that has it: its name and text, or "".
func above(dir, base string) (name, text string) {
	dir, err := filepath.Abs(dir)
	for err == nil {
		name := filepath.Join(dir, base)
		if text, err := os.ReadFile(name); err == nil {
			return name, string(text)
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return "", ""
}

// workFile finds the go.work file of the module in a folder as the go command does: its name and
// text, or "".
func workFile(root string) (name, text string) {
	switch name := os.Getenv("GOWORK"); name {
	case "off":
		return "", ""
	case "", "auto":
		return above(root, "go.work")
	default:
		text, err := os.ReadFile(name)
		if err != nil || !filepath.IsAbs(name) {
			return "", ""
		}
		return name, string(text)
	}
}

// used are the folders that a go.work file uses: "use ./a", or one a line in "use ( … )".
func used(name, text string) (dirs []string) {
	block := false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		switch {
		case len(fields) > 0 && fields[0] == ")":
			block = false
			continue
		case block:
		case len(fields) > 1 && fields[0] == "use" && fields[1] != "(":
			fields = fields[1:]
		default:
			block = strings.Join(fields, "") == "use("
			continue
		}
		if dir := filepath.FromSlash(unquoted(strings.Join(fields, " "))); filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Clean(dir))
		} else if dir != "" {
			dirs = append(dirs, filepath.Join(filepath.Dir(name), dir))
		}
	}
	return dirs
}

// unquoted is a word of a go.mod or go.work file, which may be quoted.
func unquoted(word string) string { return strings.Trim(word, "\"`") }
