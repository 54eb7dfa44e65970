// Command generate makes the pages of the tour from the chapters of the tutorial: HTML, and the
// programs that they show. Run it with go generate.
package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const root = "../../.."

func main() {
	pages, err := pages(root)
	if err == nil {
		err = write("pages", pages)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// pages are the files of the pages, by name.
func pages(root string) (map[string][]byte, error) {
	names, err := filepath.Glob(filepath.Join(root, "docs/tutorial/0*.md"))
	if err != nil {
		return nil, err
	}
	var list []*chapter
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		c, err := render(root, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c.name = strings.TrimSuffix(filepath.Base(name), ".md")
		list = append(list, c)
	}
	files := map[string][]byte{}
	return files, fill(files, list)
}

// write writes files into a folder, and removes the others there.
func write(dir string, files map[string][]byte) error {
	old, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if files[path.Base(name)] == nil {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
