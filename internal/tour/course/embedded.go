package course

import (
	"embed"
	"io/fs"
)

//go:embed all:_exercises
var own embed.FS

// Own are the tour's own exercises.
func Own() ([]*Exercise, error) {
	sub, err := fs.Sub(own, "_exercises")
	if err != nil {
		return nil, err
	}
	return Read(sub)
}
