package source

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"path"

	"github.com/gridstride/gridstride/similar"
)

// Stream yields the documents of one file that is read from in, from wherever it is. The name is the
// file's id, as Read gives ids, and says the form unless Options.Form does. Errors are as Read's; a
// failure of in is a *BadFile that wraps it. Stream does not close in.
func Stream(ctx context.Context, o Options, name string, in io.Reader) iter.Seq2[similar.Document, error] {
	return func(yield func(similar.Document, error) bool) {
		r := newReader(ctx, o, yield)
		defer r.close()
		form := cmp.Or(r.Form, formOf(path.Base(name)))
		if parse := formNamed(form); parse != nil {
			parse(r, name, until{ctx, in})
			return
		}
		r.bad(name, 0, fmt.Errorf("%w: %q", ErrForm, form))
	}
}

// Record reads a JSON object as a line of JSON lines is read: the members id, title and text are the
// document's, and all others its Fields. The document of an object without an id has none.
func Record(data []byte) (similar.Document, error) {
	members, err := object(data)
	if err != nil {
		return similar.Document{}, err
	}
	return documentOf(members), nil
}
