package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// htmlFile reads HTML in the encoding that it names, or as other text if it names none.
func htmlFile(ctx context.Context, data []byte, _ int64) (title, text string, err error) {
	s, err := decodeHTML(data)
	if err != nil {
		return "", "", err
	}
	w := newHTMLWriter()
	w.page = new(page)
	return w.text(until{ctx, strings.NewReader(s)})
}

// chapter reads HTML that is no page of a site: it has no menus.
func chapter(ctx context.Context, data []byte) (text string, err error) {
	s, err := decodeHTML(data)
	if err == nil {
		_, text, err = htmlText(until{ctx, strings.NewReader(s)})
	}
	return text, err
}

func decodeHTML(data []byte) (string, error) {
	encoding, name, certain := charset.DetermineEncoding(data, "")
	head := bytes.ToLower(data[:min(len(data), 1024)])
	switch {
	case marked(data), !certain && utf8.Valid(data) && (name == "utf-8" || name == "windows-1252"),
		name == "windows-1252" && !bytes.Contains(head, []byte("charset")):
		return decode(data) // windows-1252 is guessed if no encoding is named
	}
	decoded, err := io.ReadAll(encoding.NewDecoder().Reader(bytes.NewReader(data)))
	if err != nil {
		return "", err
	}
	return string(decoded), checkText(string(decoded))
}

// inline are elements within a line; every other one parts words.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Cite: true, atom.Code: true,
	atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Ins: true, atom.Kbd: true,
	atom.Mark: true, atom.Q: true, atom.S: true, atom.Samp: true, atom.Small: true, atom.Span: true, atom.Strong: true,
	atom.Sub: true, atom.Sup: true, atom.Tt: true, atom.U: true, atom.Var: true, atom.Wbr: true,
}

// unread are elements whose text is not for readers.
var unread = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Iframe: true,
	atom.Noembed: true, atom.Noframes: true,
}

// htmlText returns the title and the text of HTML, a line for each block. Without a title element
// the first h1 is the title, and not in the text.
func htmlText(in io.Reader) (title, text string, err error) { return newHTMLWriter().text(in) }

func (w *htmlWriter) text(in io.Reader) (title, text string, err error) {
	if err := w.read(in); err != nil {
		return "", "", err
	}
	title, text = w.result()
	return title, text, nil
}

// htmlWriter sorts a page's text into title, first heading and body.
type htmlWriter struct {
	title, heading, body strings.Builder
	to                   *strings.Builder
	skip                 int // elements that are not read and not yet closed
	headed               bool
	page                 *page // the parts of the body, or nil if all of it is text
}

func newHTMLWriter() *htmlWriter {
	w := new(htmlWriter)
	w.to = &w.body
	return w
}

// read reads HTML on from where the last one ended.
func (w *htmlWriter) read(in io.Reader) error {
	for z := html.NewTokenizer(in); ; {
		if z.Next() == html.ErrorToken {
			if errors.Is(z.Err(), io.EOF) {
				return nil
			}
			return z.Err()
		}
		w.token(z.Token())
	}
}

func (w *htmlWriter) result() (title, text string) {
	title, text = squeeze(w.title.String()), lines(w.page.kept(w.body.String()))
	if heading := squeeze(w.heading.String()); title == "" {
		title = heading
	} else if heading != "" {
		text = strings.TrimSpace(heading + "\n" + text)
	}
	return title, text
}

func (w *htmlWriter) token(t html.Token) {
	switch t.Type {
	case html.TextToken:
		if w.skip == 0 {
			w.to.WriteString(t.Data)
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		w.page.start(t, w.body.Len())
		w.start(t)
	case html.EndTagToken:
		w.page.end(t, w.body.Len())
		w.end(t)
	}
}

func (w *htmlWriter) start(t html.Token) {
	if !inline[t.DataAtom] {
		w.to.WriteByte('\n')
	}
	for _, a := range t.Attr {
		if a.Key == "alt" && w.skip == 0 {
			w.to.WriteString(a.Val)
		}
	}
	switch {
	case t.Type == html.SelfClosingTagToken:
	case unread[t.DataAtom]:
		w.skip++
	case t.DataAtom == atom.Title && w.title.Len() == 0:
		w.to = &w.title
	case t.DataAtom == atom.H1 && !w.headed && w.page.headings():
		w.headed, w.to = true, &w.heading
	}
}

func (w *htmlWriter) end(t html.Token) {
	switch {
	case unread[t.DataAtom]:
		w.skip = max(0, w.skip-1)
	case t.DataAtom == atom.Title, t.DataAtom == atom.H1:
		w.to = &w.body
	}
	if !inline[t.DataAtom] {
		w.to.WriteByte('\n')
	}
}

// squeeze makes one line of s, its words parted by single spaces.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// lines squeezes each line of s and leaves out the empty ones.
func lines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if line = squeeze(line); line != "" {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
