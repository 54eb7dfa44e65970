package source_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"

	"github.com/gridstride/gridstride/similar/source"
)

// zipped returns a zip file of members, a name and a text each.
func zipped(members ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(members[i+1])); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func zstandard(s string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return string(w.EncodeAll([]byte(s), nil))
}

const (
	word = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` +
		`<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>A he</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">ap </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>&lt;x&gt;</w:t><w:br/><w:t>new</w:t></w:r></w:p>` +
		`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>`
	notes     = `<w:footnotes xmlns:w="x"><w:footnote><w:p><w:r><w:t>a note</w:t></w:r></w:p></w:footnote></w:footnotes>`
	core      = `<cp:coreProperties xmlns:cp="a" xmlns:dc="b"><dc:title> On  heaps </dc:title><dc:creator>N</dc:creator></cp:coreProperties>`
	container = `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`
	book      = `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="x"><dc:title>A book</dc:title><dc:title>Second</dc:title></metadata>` +
		`<manifest><item id="b" href="two%20b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/><item id="c" href="c.css" media-type="text/css"/></manifest>` +
		`<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/><itemref idref="c"/><itemref idref="none"/></spine></package>`
	chapter = `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>chapter %s</p></body></html>`
)

// TestArchives reads documents of Word, books, notebooks, lists and compressed files.
func TestArchives(t *testing.T) {
	t.Parallel()
	one, two := fmt.Sprintf(chapter, "one"), fmt.Sprintf(chapter, "two")
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a.docx", zipped("docProps/core.xml", core, "word/document.xml", word, "word/footnotes.xml", notes), []string{"a.docx|On heaps|A heap <x>/new/cell/a note"}},
		{"b.docx", zipped("word/document.xml", word), []string{"b.docx||A heap <x>/new/cell"}},
		{"c.docx", "PK", []string{"! c.docx: zip: not a valid zip file"}},
		{"d.docx", zipped("a", "b"), []string{"! d.docx: word/document.xml is missing; want a document of Word"}},
		{"e.docx", zipped("word/document.xml", "<w:p><w:t>&none;</w:t>"), []string{"! e.docx: word/document.xml: XML syntax error on line 1: invalid character entity &none;"}},
		{"a.epub", zipped("META-INF/container.xml", container, "OEBPS/book.opf", book, "OEBPS/one.xhtml", one, "OEBPS/two b.xhtml", two), []string{"a.epub|A book|chapter one//chapter two"}},
		{"b.epub", zipped("META-INF/container.xml", container, "OEBPS/book.opf", book, "OEBPS/one.xhtml", one), []string{"! b.epub: OEBPS/two b.xhtml is missing; want a whole book"}},
		{"c.epub", zipped("META-INF/container.xml", "<a/>"), []string{"! c.epub: META-INF/container.xml names no book; want a book of EPUB"}},
		{"d.epub", zipped("META-INF/container.xml", container), []string{"! d.epub: OEBPS/book.opf is missing; want a book of EPUB"}},
		{"a.ipynb", `{"cells": [{"cell_type": "markdown", "source": ["# Heaps\n", "in Go"]}, {"cell_type": "code", "source": "# no title\nx = 1", "outputs": [{"data": {"image/png": "AAAA"}}]}], "nbformat": 4}`,
			[]string{"a.ipynb|Heaps|in Go//# no title/x = 1"}},
		{"b.ipynb", `{"worksheets": []}`, []string{"! b.ipynb: no cells are in it; want a notebook of nbformat 4"}},
		{"c.ipynb", `{"cells": [{"source": 7}]}`, []string{"! c.ipynb: not a notebook: json: cannot unmarshal number into Go struct field .cells.source of type []string"}},
		{"d.ipynb", `{"cells": [{"source": "\ud800"}]}`, []string{`! d.ipynb: \ud800 is half a surrogate pair: this is no text`}},
		{"a.json", `{"id": "x", "text": "one"}`, []string{"x||one"}},
		{"b.json", "\ufeff[\n{\"id\": \"x\", \"text\": \"one\"},\n 7,\n{\"text\": \"two\"}\n]\n", []string{"x||one", "! b.json:3: not a JSON object: it begins with '7'", "b.json#3||two"}},
		{"c.json", "[{\"id\": \"x\"},\n", []string{"x||", "! c.json:2: not JSON: it ends early"}},
		{"d.json", "{} {}", []string{"d.json#1||", "! d.json:1: not JSON of one value; want an object, or a list of objects"}},
		{"e.json", "", []string{"! e.json:1: not JSON: it ends early"}},
		{"f.json", "[]", nil},
		{"a.md.gz", gzipped("# T\ntext"), []string{"a.md.gz|T|text"}},
		{"a.jsonl.zst", zstandard(`{"id": "x", "text": "one"}` + "\n" + `{"id": "y"}`), []string{"x||one", "y||"}},
		{"README.gz", gzipped("read me"), []string{"README.gz||read me"}},
		{"b.txt.gz", "no gzip at all", []string{"! b.txt.gz: gzip: invalid header"}},
		{"c.txt.gz", gzipped("cut off")[:20], []string{"! c.txt.gz: unexpected EOF"}},
		{"d.txt.zst", "no zstd at all", []string{"! d.txt.zst: invalid input: magic number mismatch"}},
		{"d.txt.gz.gz", "", []string{"! d.txt.gz.gz: not a form that is read"}},
		{"e.tar.gz", "", []string{"! e.tar.gz: not a form that is read"}},
		{"zeros.txt.gz", gzipped(strings.Repeat(" ", 8<<20)), []string{"! zeros.txt.gz: it holds more than 200 times its own size"}},
		{"zeros.jsonl.zst", zstandard(strings.Repeat("\n", 64<<20)), []string{"! zeros.jsonl.zst:*: it holds more than 200 times its own size"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for d, err := range source.FS(t.Context(), fstest.MapFS{c.name: {Data: []byte(c.text)}}, source.Options{}) {
				if err != nil {
					got = append(got, "! "+err.Error())
				} else {
					got = append(got, d.ID+"|"+d.Title+"|"+strings.ReplaceAll(d.Text, "\n", "/"))
				}
			}
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for i, want := range c.want {
				head, tail, cut := strings.Cut(want, "*")
				if cut && (!strings.HasPrefix(got[i], head) || !strings.HasSuffix(got[i], tail)) || !cut && got[i] != want {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
		})
	}
}

// TestArchiveBombs reads archives that hold far more than they are: the bound on a file bounds what
// is unpacked.
func TestArchiveBombs(t *testing.T) {
	t.Parallel()
	large := strings.Repeat(" ", 3<<20)
	for name, data := range map[string]string{
		"a.docx": zipped("word/document.xml", large),
		"b.docx": zipped("word/document.xml", word, "word/footnotes.xml", large[:1<<20], "word/endnotes.xml", large[:1<<20]),
		"a.epub": zipped("META-INF/container.xml", container, "OEBPS/book.opf", large),
	} {
		for _, err := range source.FS(t.Context(), fstest.MapFS{name: {Data: []byte(data)}}, source.Options{MaxFile: 2 << 20}) {
			if err == nil || !strings.Contains(err.Error(), "more than 2097152 bytes") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
