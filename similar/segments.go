package similar

import (
	"context"
	"fmt"
	"io"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// WriteSegment writes the present documents as one segment, and returns how many there are. It
// merges as it writes, and the index stays as it is. The same documents and options give the same
// bytes, however the documents came to be in the index. It writes nothing if there are none.
// OpenSegments opens the file. Package version keeps such files.
//
// Errors: ErrClosed, ErrDamaged, the errors of w and ctx, and one for more documents than a segment
// holds.
func (x *Searcher) WriteSegment(ctx context.Context, w io.Writer) (n int, err error) {
	v, err := x.state()
	if err != nil {
		return 0, err
	}
	defer v.end(&err)
	var sources []segment.Source
	for _, p := range v.parts {
		if p.live().Documents > 0 {
			sources = append(sources, segment.Source{Segment: p.Segment, Dead: p.isDead, Whole: wholeHead, Split: splitBody})
		}
	}
	if len(sources) == 0 {
		return 0, ctx.Err()
	}
	err = guarded(v.parts, func() error {
		_, err := segment.MergeTo(ctx, sources, w)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("similar: writing a segment: %w", err)
	}
	return v.len(), nil
}

// OpenSegments opens an index of files that WriteSegment wrote, as Open opens a folder's. The
// options are the options of the indexes that wrote them, and no two have a document in common. The
// files stay as they are: changes of the index are in memory.
func OpenSegments(ctx context.Context, o Options, files ...string) (*Index, error) {
	x, err := New(o)
	if err != nil {
		return nil, err
	}
	var parts []*part
	for _, name := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := openPart("", savedPart{Segment: name}, o.Vectors, o.Positions)
		if err != nil {
			return nil, fmt.Errorf("similar: %w", err)
		}
		parts = append(parts, p)
	}
	x.view.Store(newView(parts, x.options))
	return x, nil
}
