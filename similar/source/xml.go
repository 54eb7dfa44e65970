package source

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// maxElements is how many elements of XML may be open at a time.
const maxElements = 1000

// An xmlWalk goes through a file of XML. Of entities it knows HTML's alone, and none that the file
// defines, so that no text grows.
type xmlWalk struct {
	*xml.Decoder
	path []string // the names of the open elements
}

func newXMLWalk(data []byte) *xmlWalk {
	w := &xmlWalk{Decoder: xml.NewDecoder(byteOrder(bytes.NewReader(data)))}
	w.Entity = xml.HTMLEntity
	w.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if marked(data) {
			return in, nil // byteOrder has decoded it
		}
		return charset.NewReaderLabel(label, in)
	}
	return w
}

// root goes to the first element, and returns its name.
func (w *xmlWalk) root() (string, error) {
	for {
		t, err := w.Token()
		if err != nil {
			return "", err
		}
		if e, ok := t.(xml.StartElement); ok {
			w.path = append(w.path, e.Name.Local)
			return e.Name.Local, nil
		}
	}
}

// tokens calls do with each token up to the end of the element that is open, or of the file if none
// is. The path has the element of a start, and of an end.
func (w *xmlWalk) tokens(do func(xml.Token) error) error {
	for depth := len(w.path); ; {
		t, err := w.Token()
		if errors.Is(err, io.EOF) && len(w.path) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := t.(xml.StartElement); ok {
			if len(w.path) == maxElements {
				return fmt.Errorf("elements are nested %d deep; want at most %d", maxElements+1, maxElements)
			}
			w.path = append(w.path, e.Name.Local)
		}
		if err := do(t); err != nil {
			return err
		}
		if _, ok := t.(xml.EndElement); ok {
			w.path = w.path[:len(w.path)-1]
			if len(w.path) < depth {
				return nil
			}
		}
	}
}

// blocks are elements that part words or lines.
var blocks = map[string]bool{
	"p": true, "title": true, "sec": true, "list-item": true, "td": true, "th": true, "tr": true, "caption": true,
	"label": true, "disp-quote": true, "def": true, "term": true, "break": true, "fig": true, "table-wrap": true,
	"surname": true, "given-names": true, "keyname": true, "forenames": true, "disp-formula": true,
}

// notRead are elements whose text is not for readers, and references.
var notRead = map[string]bool{"tex-math": true, "ref-list": true, "contrib-id": true}

// record calls add for the text of each element of the open one whose path from there known has.
func (w *xmlWalk) record(known map[string]string, add func(member string, e xml.StartElement, text string)) error {
	base := len(w.path)
	const deepest = 8 // elements of a known path, and more
	var b strings.Builder
	var first xml.StartElement
	member, at, skip := "", 0, 0 // where the member's element and one that is not read are in the path
	return w.tokens(func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			kind := attribute(t, "contrib-type")
			if skip == 0 && (notRead[t.Name.Local] || kind != "" && kind != "author") {
				skip = len(w.path)
			}
			if depth := len(w.path); at == 0 && skip == 0 && depth-base <= deepest {
				if member = known[strings.Join(w.path[base:], "/")]; member != "" {
					at, first = depth, t
					b.Reset()
				}
			}
			if blocks[t.Name.Local] {
				b.WriteByte('\n')
			}
		case xml.CharData:
			if at > 0 && skip == 0 {
				b.Write(t)
			}
		case xml.EndElement:
			if blocks[t.Name.Local] {
				b.WriteByte('\n')
			}
			if len(w.path) == at {
				add(member, first, b.String())
				at = 0
			}
			if len(w.path) == skip {
				skip = 0
			}
		}
		return nil
	})
}

// xmlFile reads an article of JATS, or the records of a listing. Of another file of XML, which is none
// of the forms that are read, it reads the beginning alone.
func xmlFile(r *reader, name string, in io.Reader) {
	b, head := beginning(in)
	root, _ := newXMLWalk(head).root()
	l := listings[root]
	if l == nil {
		r.unread(name)
		return
	}
	data, err := readAll(b, r.MaxFile)
	if err != nil {
		r.bad(name, 0, err)
		return
	}
	w := newXMLWalk(data)
	_, err = w.root()
	if err == nil {
		err = l.read(r, name, w)
	}
	if err == nil || r.stopped {
		return
	}
	line, _ := w.InputPos()
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		line, err = syntax.Line, errors.New(syntax.Msg)
	}
	r.bad(name, line, fmt.Errorf("not XML that can be read: %w", err))
}
