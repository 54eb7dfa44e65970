package site

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"path"

	"github.com/gridstride/gridstride/internal/tour/course"
)

//go:embed pages static
var files embed.FS

// NoCourse is in the place of the exercises, which Pages puts there.
const NoCourse = "the exercises of the tour"

// Pages are the pages of the tour and its script and style, by name, with the exercises of a course.
func Pages(exercises []*course.Exercise) (map[string][]byte, error) {
	all := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[path.Base(name)], err = files.ReadFile(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(exercises) // has no <, > and &: a script element can hold it
	if err != nil {
		return nil, err
	}
	const page, empty = "exercises.html", `"` + NoCourse + `"`
	if !bytes.Contains(all[page], []byte(empty)) {
		return nil, errors.New("BUG: the page of exercises has no place for them")
	}
	all[page] = bytes.Replace(all[page], []byte(empty), list, 1)
	return all, nil
}
