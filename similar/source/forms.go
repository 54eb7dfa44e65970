package source

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/text"
)

// A form reads the documents of a file of it.
type form func(r *reader, name string, in io.Reader)

// A wholeParser reads all of a file as one document, whose text has limit bytes at most. Its time and
// its memory grow with the file in proportion. PDF is the exception: its library knows no bounds.
type wholeParser func(ctx context.Context, data []byte, limit int64) (title, text string, err error)

// parsers are the parsers by the ending of a file's name.
var parsers = func() map[string]wholeParser {
	m := map[string]wholeParser{
		"md": markdown, "markdown": markdown, "html": htmlFile, "htm": htmlFile, "xhtml": htmlFile, "pdf": pdfFile,
		"docx": docx, "epub": epub, "ipynb": notebook,
	}
	for section := '1'; section <= '9'; section++ {
		m[string(section)] = manPage
	}
	for _, ending := range strings.Fields(plain) {
		m[ending] = plainText
	}
	return m
}()

// forms are the forms by the ending of a file's name, which Options.Form may be.
var forms = func() map[string]form {
	m := map[string]form{"jsonl": jsonLines, "ndjson": jsonLines, "json": jsonFile, "csv": table(','), "tsv": table('\t'), "bib": bibTeX, "xml": xmlFile, "nxml": xmlFile}
	for ending := range parsers {
		m[ending] = whole(ending)
	}
	for section := '1'; section <= '9'; section++ {
		m[string(section)] = manualFile(string(section))
	}
	return m
}()

// plain are the endings of files that are text as they are.
const plain = `txt text rst adoc org tex
	go c h cc cpp cxx hpp cu cuh m mm rs zig swift java kt kts scala groovy cs fs vb py pyi pyx rb pl pm php js mjs cjs
	jsx ts tsx vue lua r jl hs ml mli ex exs erl clj lisp el scm f f90 pas d nim dart sh bash zsh fish ps1 bat sql proto s
	asm ptx v vhd`

// named are names of files that are text and have no ending.
var named = []string{"README", "LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "CONTRIBUTORS", "CHANGES", "CHANGELOG", "NEWS", "TODO", "Makefile", "Dockerfile"}

// Forms returns the endings of files' names that are read, sorted, without the dot. A file of each
// may be compressed: its name ends with .gz or .zst besides.
func Forms() []string {
	var list []string
	for ending := range forms {
		list = append(list, ending)
	}
	slices.Sort(list)
	return list
}

// formOf returns the ending of a file that is read, or "".
func formOf(name string) string {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if packings[ending] != nil {
		if inner := formOf(name[:len(name)-len(ending)-1]); inner != "" && packings[strings.TrimPrefix(path.Ext(inner), ".")] == nil {
			return inner + "." + ending
		}
		return ""
	}
	switch {
	case forms[ending] != nil:
		return ending
	case len(ending) > 1 && ending[0] >= '1' && ending[0] <= '9' && strings.Trim(ending[1:], "abcdefghijklmnopqrstuvwxyz") == "":
		return ending[:1] // a section of a manual for one library, such as 3ssl
	case slices.Contains(named, path.Base(name)):
		return "txt"
	}
	return ""
}

// IsDocument reports whether a file of this name is one document, whose id is the id of the file.
// The name may be a form, as Options.Form is.
func IsDocument(name string) bool {
	form := cmp.Or(formOf(name), formOf("."+name))
	inner := form[:len(form)-len(path.Ext(form))]
	return parsers[form] != nil || inner != "" && packings[strings.TrimPrefix(path.Ext(form), ".")] != nil && parsers[inner] != nil
}

// peekForm says which form standard input has, if told is empty.
func peekForm(in io.Reader, told string) (io.Reader, string) {
	b := bufio.NewReader(in)
	if told != "" {
		return b, told
	}
	head, _ := b.Peek(64) // an error comes again when the form is read
	if bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("{")) {
		return b, "jsonl"
	}
	return b, "txt"
}

// whole makes a form of a parser.
func whole(ending string) form {
	return func(r *reader, name string, in io.Reader) {
		data, err := readAll(in, r.MaxFile)
		var d similar.Document
		switch {
		case err != nil:
		case r.isolated(ending):
			if d.Title, d.Text, err = r.inChild(ending, data); errors.Is(err, errNoChild) {
				r.end(err)
				return
			}
		default:
			d.Title, d.Text, err = parse(r.ctx, ending, data, r.MaxFile)
		}
		if err != nil {
			r.bad(name, 0, err)
			return
		}
		d.ID = name
		r.document(name, 0, d)
	}
}

// beginning returns the first bytes of a file, and a reader of all.
func beginning(in io.Reader) (*bufio.Reader, []byte) {
	const most = 1 << 16
	b := bufio.NewReaderSize(in, most)
	head, _ := b.Peek(most) // an error comes again when the form is read
	return b, head
}

// tooLarge is the error of more bytes than Options.MaxFile.
func tooLarge(limit int64) error {
	return fmt.Errorf("more than %d bytes: raise the bound on the size of files", limit)
}

// readAll reads up to limit bytes, and fails if there are more.
func readAll(in io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, tooLarge(limit)
	}
	return data, err
}

// plainText reads text as it is.
func plainText(ctx context.Context, data []byte, _ int64) (title, s string, err error) {
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	s, err = decode(data)
	return "", s, err
}

// until is a reader that ends with a context.
type until struct {
	ctx context.Context
	in  io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.in.Read(p)
}

// errBinary is the error of text with a NUL byte.
var errBinary = errors.New("a NUL byte: this is no text")

// checkText says what is wrong with s as a text.
func checkText(s string) error {
	err := text.Valid(s)
	if strings.IndexByte(s, 0) >= 0 {
		err = cmp.Or(err, errBinary)
	}
	return err
}
