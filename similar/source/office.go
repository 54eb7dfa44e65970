package source

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
)

// An archive is a zip file whose members have a number of bytes together at most.
type archive struct {
	*zip.Reader
	ctx         context.Context
	left, limit int64
}

func newArchive(ctx context.Context, data []byte, limit int64) (*archive, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return &archive{z, ctx, limit, limit}, nil
}

// read reads a member, and is nil for one that is not there.
func (a *archive) read(name string) ([]byte, error) {
	for _, f := range a.File {
		if f.Name != name {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		defer in.Close()
		data, err := io.ReadAll(io.LimitReader(until{a.ctx, in}, a.left+1))
		if a.left -= int64(len(data)); a.left < 0 {
			return nil, tooLarge(a.limit)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return data, nil
	}
	return nil, nil
}

// must reads a member that has to be there.
func (a *archive) must(name, what string) ([]byte, error) {
	data, err := a.read(name)
	if err == nil && data == nil {
		err = fmt.Errorf("%s is missing; want %s", name, what)
	}
	return data, err
}

// xmlTokens calls do with each token of an XML file.
func (a *archive) xmlTokens(name string, data []byte, do func(xml.Token)) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		t, err := d.RawToken()
		if err == io.EOF {
			return nil
		}
		if err = errors.Join(err, a.ctx.Err()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		do(t)
	}
}

// docx reads the paragraphs and notes of a document of Word (ECMA-376, Office Open XML, part 1,
// 17.3). Its properties have the title.
func docx(ctx context.Context, data []byte, limit int64) (title, s string, err error) {
	a, err := newArchive(ctx, data, limit)
	if err != nil {
		return "", "", err
	}
	const body = "word/document.xml"
	var b strings.Builder
	if data, err = a.must(body, "a document of Word"); err == nil {
		err = a.paragraphs(body, data, &b)
	}
	for _, name := range []string{"word/footnotes.xml", "word/endnotes.xml"} {
		if err == nil {
			if data, err = a.read(name); err == nil {
				err = a.paragraphs(name, data, &b)
			}
		}
	}
	if err != nil {
		return "", "", err
	}
	const properties = "docProps/core.xml"
	if data, err = a.read(properties); err == nil {
		title, err = a.title(properties, data)
	}
	if err != nil {
		return "", "", err
	}
	s = strings.TrimSpace(b.String())
	return title, s, checkText(title + s)
}

// title returns the first element called title of a member.
func (a *archive) title(name string, data []byte) (title string, err error) {
	in, ended := false, false
	err = a.xmlTokens(name, data, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			in = t.Name.Local == "title" && !ended
		case xml.EndElement:
			ended = ended || in
			in = false
		case xml.CharData:
			if in {
				title += string(t)
			}
		}
	})
	return strings.Join(strings.Fields(title), " "), err
}

// paragraphs writes the text of Word's paragraphs, a line each.
func (a *archive) paragraphs(name string, data []byte, b *strings.Builder) error {
	in := false
	return a.xmlTokens(name, data, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "t":
				in = true
			case "tab":
				b.WriteByte('\t')
			case "br", "cr":
				b.WriteByte('\n')
			}
		case xml.EndElement:
			in = false
			if t.Name.Local == "p" {
				b.WriteByte('\n')
			}
		case xml.CharData:
			if in {
				b.Write(t)
			}
		}
	})
}

// epub reads the chapters of a book in their order (EPUB 3.3, https://www.w3.org/TR/epub-33).
func epub(ctx context.Context, data []byte, limit int64) (title, s string, err error) {
	a, err := newArchive(ctx, data, limit)
	if err != nil {
		return "", "", err
	}
	const container = "META-INF/container.xml"
	where, err := a.must(container, "a book of EPUB")
	if err != nil {
		return "", "", err
	}
	root := ""
	if err := a.xmlTokens(container, where, func(t xml.Token) {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "rootfile" && root == "" {
			root = attribute(e, "full-path")
		}
	}); err != nil {
		return "", "", err
	}
	if root == "" {
		return "", "", fmt.Errorf("%s names no book; want a book of EPUB", container)
	}
	list, err := a.must(root, "a book of EPUB")
	if err != nil {
		return "", "", err
	}
	if title, err = a.title(root, list); err != nil {
		return "", "", err
	}
	chapters, err := a.chapters(root, list)
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	for _, name := range chapters {
		page, err := a.must(name, "a whole book")
		if err != nil {
			return "", "", err
		}
		text, err := chapter(ctx, page)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", name, err)
		}
		b.WriteString(text + "\n\n")
	}
	s = strings.TrimSpace(b.String())
	return title, s, checkText(title + s)
}

// chapters returns the names of a book's chapters in the order of its spine, each once.
func (a *archive) chapters(root string, data []byte) (list []string, err error) {
	places, seen := map[string]string{}, map[string]bool{}
	err = a.xmlTokens(root, data, func(t xml.Token) {
		e, ok := t.(xml.StartElement)
		if !ok {
			return
		}
		switch e.Name.Local {
		case "item":
			if kind := attribute(e, "media-type"); kind == "application/xhtml+xml" || kind == "text/html" {
				places[attribute(e, "id")] = attribute(e, "href")
			}
		case "itemref":
			place, ok := places[attribute(e, "idref")]
			if plain, err := url.PathUnescape(place); ok && err == nil && !seen[plain] {
				seen[plain] = true
				list = append(list, path.Join(path.Dir(root), plain))
			}
		}
	})
	return list, err
}

// attribute returns an attribute's value, or "".
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
