// Package source reads documents for an index: files, folders of them, standard input, and the
// documentation of Go packages.
//
//	for d, err := range source.Read(ctx, source.Options{}, "papers") {
//		if bad := new(source.BadFile); errors.As(err, &bad) {
//			log.Print(bad) // and go on
//			continue
//		} else if err != nil {
//			return err
//		}
//		…
//	}
//
// # Forms
//
// A file's name says its form:
//
//	.txt .text .rst .adoc .org .tex   text, and source code of most languages: one document each
//	.md .markdown                     Markdown; its first heading of level 1 is the title
//	.html .htm .xhtml                 HTML; its title element, or else its first h1, is the title,
//	                                  without menus, forms and hidden elements
//	.pdf                              the text that the pages show, in their order
//	.docx                             a document of Word: its paragraphs and notes
//	.epub                             a book: its chapters, in their order
//	.ipynb                            a Jupyter notebook: its cells, without what they have put out
//	.1 to .9                          a page of a manual, in roff with the macros of man or mdoc
//	.jsonl .ndjson                    a JSON object a line, a document each
//	.json                             a JSON object, or a list of objects, a document each
//	.csv .tsv                         a document a row; the first row names the columns
//	.bib                              BibTeX: a document an entry; the key is its id, the abstract its text
//	.xml .nxml                        an article of JATS; entries of Atom, items of RSS or records of OAI-PMH, a document each
//
// Each may be compressed, by gzip or zstd, and ends with .gz or .zst then: papers.jsonl.gz. Such a
// file may hold 200 times its own size, and a megabyte more.
//
// The members and columns id (or _id or doc_id), title and text of a record are the document's. All
// others become its Fields. Without a text, a member named abstract is the text, as in arXiv's
// metadata. A JSON array of strings is joined by a semicolon and a space, null is dropped, and any
// other value keeps its JSON form. Text is UTF-8, or UTF-16 with a byte order mark. A file of text or
// HTML, or a row of CSV or TSV, that is not UTF-8 is Windows-1252 if it looks so. UTF-16 without a
// mark is found by its zero bytes.
// HTML may name its encoding.
//
// # Bounds
//
// A reader takes memory and time in proportion to the bytes of a file, at most 1000 bytes and about
// a microsecond for each, whatever the file holds; the table in docs/similar.md says how much for
// each form. The library that reads PDF knows no such bound: Options.Child has PDF, and Markdown,
// read in another process with limits of time and memory. A lone surrogate, U+0000 or a member that
// comes twice is an error of a JSON line. A text of more bytes than Options.MaxFile is an error of a
// file.
//
// # Ids
//
// A record's id is its own. A file's id is the name of its source and the path relative to it, with
// slashes: Read takes the path as given for the name, or Options.Name, and FS has none. A record
// without an id has the file's id, "#" and its number in the file. Ids do not depend on what else
// is read. Two records may have one id: Index.Add keeps the last.
package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// Options say how documents are read. The zero value skips what is bad and says so.
type Options struct {
	// Strict ends the reading with the first error.
	Strict bool
	// MaxFile bounds a file in bytes, and a record of those that hold several; 256 MB where 0. What
	// is larger is an error, and never cut. It bounds the text that a file gives, too.
	MaxFile int64
	// Form is the form of files that are given by name and of standard input, as the ending of a
	// file's name without the dot; where empty, the name says it, and standard input is JSON lines
	// when it begins with "{", and one text otherwise.
	Form string
	// Stdin is read for the path "-". Nil is os.Stdin.
	Stdin io.Reader
	// Child is the process that reads PDF, Markdown, DOCX and EPUB. Where nil, they are read in
	// this process, and a PDF file that was made to do harm takes any amount of memory, and time.
	Child *Child
	// Name is the name of the source that the ids of files begin with; the path as given if empty.
	Name string
	// Visit is called before a file is read, and false leaves the file out. The documents and errors
	// up to the next call are the file's. It is not called for standard input and Go packages.
	Visit func(File) bool
	// Omit says which records are left out, by their ids. It saves the work of decoding the lines of
	// JSON lines, and what it leaves out is not checked against anything else. Other records are
	// yielded, whatever it says.
	Omit func(id string) bool
}

// A File describes a file to Options.Visit.
type File struct {
	Path     string // relative to the folder, with slashes; the last element for a single file
	Size     int64
	Modified time.Time
}

// DefaultMaxFile is the bound of a file where Options.MaxFile is 0.
const DefaultMaxFile = 256 << 20

// A BadFile is the error of a file or a record that was skipped. Reading goes on after it, except
// with Options.Strict.
type BadFile struct {
	Name string // the file's path
	Line int    // of the record; 0 where all of the file is bad
	Err  error
}

func (b *BadFile) Error() string {
	if b.Line > 0 {
		return fmt.Sprintf("%s:%d: %v", b.Name, b.Line, b.Err)
	}
	return fmt.Sprintf("%s: %v", b.Name, b.Err)
}

func (b *BadFile) Unwrap() error { return b.Err }

// ErrForm is the error of a file whose name ends in nothing that is read, or that is XML of another
// form or no page of a manual. Such a file in a folder is
// an error also with Options.Strict, but does not end the reading.
var ErrForm = errors.New("not a form that is read")

// Read yields the documents of paths: files, folders, "-" for standard input, and "go:PATTERN" for
// the documentation of Go packages, as GoPackages gives it ("go:std" is Go's standard library).
// In a folder, names that begin with "." are ignored, and links to folders are reported, not
// followed. Errors of files are *BadFile; any other error ends the reading, as the end of ctx does.
func Read(ctx context.Context, o Options, paths ...string) iter.Seq2[similar.Document, error] {
	return func(yield func(similar.Document, error) bool) {
		r := newReader(ctx, o, yield)
		defer r.close()
		for _, p := range paths {
			if r.stopped {
				return
			}
			r.prefix = cmp.Or(r.Name, filepath.ToSlash(filepath.Clean(p)))
			r.path(p)
		}
	}
}

// FS yields the documents of a folder of a file system, as Read does for one folder.
func FS(ctx context.Context, fsys fs.FS, o Options) iter.Seq2[similar.Document, error] {
	return func(yield func(similar.Document, error) bool) {
		r := newReader(ctx, o, yield)
		defer r.close()
		r.folder(fsys)
	}
}

// reader is one reading.
type reader struct {
	Options
	ctx      context.Context
	yield    func(similar.Document, error) bool
	prefix   string // the name of the source, which ids begin with
	stopped  bool
	inFolder bool     // the file was not named, but is in a folder
	running  *running // the child, once a file needs it
}

func newReader(ctx context.Context, o Options, yield func(similar.Document, error) bool) *reader {
	o.MaxFile = min(cmp.Or(o.MaxFile, DefaultMaxFile), math.MaxInt64/2) // room for what is counted above it
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	return &reader{Options: o, ctx: ctx, yield: yield, prefix: o.Name}
}

// document hands on a document of a file; its line is 0 if the document is the whole file.
func (r *reader) document(name string, line int, d similar.Document) bool {
	if err := r.ctx.Err(); err != nil {
		return r.end(err)
	}
	r.stopped = r.stopped || !r.yield(d, nil)
	return !r.stopped
}

// bad hands on the error of a file or a record, and ends the reading with Strict.
func (r *reader) bad(name string, line int, err error) bool {
	if r.ctx.Err() != nil {
		return r.end(r.ctx.Err())
	}
	if !r.stopped {
		r.stopped = !r.yield(similar.Document{}, &BadFile{name, line, err}) || r.Strict
	}
	return !r.stopped
}

// end ends the reading with an error.
func (r *reader) end(err error) bool {
	if !r.stopped {
		r.yield(similar.Document{}, err)
	}
	r.stopped = true
	return false
}

// path reads one of Read's paths.
func (r *reader) path(p string) {
	if pattern, ok := strings.CutPrefix(p, "go:"); ok {
		r.packages(".", []string{pattern})
		return
	}
	if p == "-" {
		r.stdin()
		return
	}
	info, err := os.Stat(p)
	switch {
	case err != nil:
		r.end(err)
	case info.IsDir():
		r.folder(os.DirFS(p))
	default:
		dir, base := filepath.Split(p)
		r.file(os.DirFS(cmp.Or(dir, ".")), base, r.prefix, cmp.Or(r.Form, formOf(base)))
	}
}

// folder reads all files of a folder, sorted by their names.
func (r *reader) folder(fsys fs.FS) {
	r.inFolder = true
	defer func() { r.inFolder = false }()
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case r.stopped:
			return fs.SkipAll
		case err != nil && p == ".":
			return err
		case err != nil:
			r.bad(r.id(p), 0, err)
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case p != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		form := formOf(p)
		if form == "" {
			r.unread(r.id(p))
			return nil
		}
		r.file(fsys, p, r.id(p), form)
		return nil
	})
	if err != nil {
		r.end(err)
	}
}

// unread hands on the error of a file whose form is not read. In a folder it does not end the reading.
func (r *reader) unread(name string) {
	strict := r.Strict
	r.Strict = strict && !r.inFolder
	r.bad(name, 0, ErrForm)
	r.Strict = strict
}

// id is the id of a file of a folder.
func (r *reader) id(p string) string { return path.Join(r.prefix, p) }

// file reads one file.
func (r *reader) file(fsys fs.FS, p, id, form string) {
	parse := formNamed(form)
	if parse == nil {
		r.bad(id, 0, ErrForm)
		return
	}
	info, err := fs.Stat(fsys, p)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("no regular file, but %v", info.Mode().Type())
	}
	if err != nil {
		r.bad(id, 0, err)
		return
	}
	if r.Visit != nil && !r.Visit(File{p, info.Size(), info.ModTime()}) {
		return
	}
	f, err := fsys.Open(p)
	if err != nil {
		r.bad(id, 0, err)
		return
	}
	defer f.Close()
	parse(r, id, until{r.ctx, f})
}

// stdin reads standard input.
func (r *reader) stdin() {
	in, form := peekForm(r.Stdin, r.Form)
	if parse := formNamed(form); parse != nil {
		parse(r, "stdin", until{r.ctx, in})
		return
	}
	r.bad("stdin", 0, fmt.Errorf("%w: %q", ErrForm, form))
}
