package similar

import (
	"context"
	"fmt"
)

// Verify reads all files of an index that was saved to a folder. It compares their checksums, and
// checks what Open and searches would check when they read it, and that all agree. The error names
// the first file that is damaged: see ErrDamaged.
func Verify(ctx context.Context, dir string) error {
	x, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	defer x.Close()
	if _, err = x.Catalog(); err != nil {
		return err
	}
	return x.Verify(ctx)
}

// Verify reads all segments, as the function Verify does.
func (x *Searcher) Verify(ctx context.Context) (err error) {
	v, err := x.state()
	if err != nil {
		return err
	}
	defer v.end(&err)
	for _, p := range v.parts {
		whole := wholeHead
		if p.Old() {
			whole = func(body []byte) bool { _, _, ok := splitBody(body); return ok }
		}
		if err = p.Verify(ctx, whole); err != nil {
			return fmt.Errorf("similar: %w", err)
		}
	}
	return nil
}
