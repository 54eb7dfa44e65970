package similar

import "fmt"

// A Generation is one saved state of an index. Two are equal if they are the same save.
type Generation struct {
	Number uint64 // counts the saves to a folder, from 1; 0 where nothing was saved
	Stamp  string // a text that no other save has
}

// Generation returns the state that the index was opened from or saved as last. Changes since then
// do not show in it.
func (x *Index) Generation() Generation {
	x.saving.Lock()
	defer x.saving.Unlock()
	return Generation{x.home.generation, x.home.stamp}
}

// ReadGeneration returns the state that a folder holds. It reads one small file. The error wraps
// fs.ErrNotExist where no index was saved to the folder.
func ReadGeneration(dir string) (Generation, error) {
	m, err := readManifest(dir)
	if err != nil {
		return Generation{}, fmt.Errorf("similar: cannot read which generation is in %s: %w", dir, err)
	}
	return Generation{m.Generation, m.Stamp}, nil
}
