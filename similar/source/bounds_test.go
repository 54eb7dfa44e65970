package source_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gridstride/gridstride/similar/source"
)

// shapes write files of about n bytes that take a naive reader time or memory with n squared.
var shapes = []struct {
	name string
	text func(n int) string
}{
	{"quotes.md", func(n int) string { return strings.Repeat(">", n) + "a" }},
	{"quoted.md", func(n int) string { return "a " + strings.Repeat("a", 70000) + strings.Repeat(" >", n/2) + "a" }},
	{"brackets.md", func(n int) string { return strings.Repeat("[", n) }},
	{"links.md", func(n int) string { return strings.Repeat("[a](", n/4) }},
	{"images.md", func(n int) string { return strings.Repeat("![", n/4) + "a" + strings.Repeat("](b)", n/8) }},
	{"stars.md", func(n int) string { return strings.Repeat("*a **a ", n/7) }},
	{"lists.md", func(n int) string { return strings.Repeat("- ", n/2) + "a" }},
	{"numbers.md", func(n int) string { return strings.Repeat("1. ", n/3) + "a" }},
	{"indented.md", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", i) + "- a\n")
		}
		return b.String()
	}},
	{"lines.md", func(n int) string {
		return strings.Repeat("- ", 100) + strings.Repeat("a\n", n/4) + strings.Repeat("\n", n/2)
	}},
	{"ticks.md", func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString(strings.Repeat("`", i) + " ")
		}
		return b.String()
	}},
	{"table.md", func(n int) string {
		return strings.Repeat("|a", n/8) + "|\n" + strings.Repeat("|-", n/8) + "|\n" + strings.Repeat("|x|\n", n/8)
	}},
	{"references.md", func(n int) string {
		return "[a]: " + strings.Repeat("x", n/2) + "\n\n" + strings.Repeat("[a]\n\n", n/10)
	}},
	{"comments.md", func(n int) string { return "a " + strings.Repeat("<!--a ", n/6) }},
	{"angles.md", func(n int) string { return strings.Repeat("<", n) }},
	{"fences.md", func(n int) string { return strings.Repeat("```\n", n/4) }},
	{"prose.md", func(n int) string { return strings.Repeat("Some *words* of [a text](http://x.y).\n", n/38) }},
	{"deep.html", func(n int) string { return strings.Repeat("<div>", n/5) + "x" }},
	{"attributes.html", func(n int) string { return "<p " + strings.Repeat("a=b ", n/4) + ">x" }},
	{"alt.html", func(n int) string { return "<img " + strings.Repeat("alt=x ", n/6) + ">x" }},
	{"menus.html", func(n int) string { return strings.Repeat("<nav>a</nav>b", n/13) }},
	{"inline.html", func(n int) string { return "<i><p>" + strings.Repeat("<b>", n/6) + strings.Repeat("</i>", n/8) }},
	{"open.html", func(n int) string { return strings.Repeat("<p><ul><li><nav hidden>", n/23) + "x" }},
	{"comments.html", func(n int) string { return strings.Repeat("<!--", n/4) }},
	{"cdata.html", func(n int) string { return strings.Repeat("<![CDATA[", n/9) }},
	{"scripts.html", func(n int) string { return strings.Repeat("<script><!--<script>", n/20) }},
	{"entities.html", func(n int) string { return strings.Repeat("&lt", n/3) }},
	{"plain.txt", func(n int) string { return strings.Repeat("a\u0301", n/3) }},
	{"wide.txt", func(n int) string { return utf16le(strings.Repeat("\u4e00", n/2)) }},
	{"members.jsonl", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `,"k%d":"v"`, i)
		}
		return "{" + b.String()[1:] + "}"
	}},
	{"arrays.jsonl", func(n int) string { return `{"a":` + strings.Repeat("[", n) }},
	{"arrays.json", func(n int) string { return strings.Repeat("[", n) }},
	{"objects.json", func(n int) string { return "[" + strings.Repeat("{},", n/3) + "{}]" }},
	{"errors.json", func(n int) string { return "[" + strings.Repeat("1,\n", n/3) + "{}]" }},
	{"cells.ipynb", func(n int) string { return `{"cells": [` + strings.Repeat(`{"source":[""]},`, n/16) + `{}]}` }},
	{"outputs.ipynb", func(n int) string { return `{"cells": [{"outputs": ` + strings.Repeat("[", n) + `}]}` }},
	{"objects.jsonl", func(n int) string { return strings.Repeat("{}\n", n/3) }},
	{"columns.csv", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n/2; i++ {
			fmt.Fprintf(&b, ",c%d", i)
		}
		return b.String()[1:] + "\n" + strings.Repeat(strings.Repeat(",", strings.Count(b.String(), ",")-1)+"\n", 2)
	}},
	{"rows.csv", func(n int) string { return strings.Repeat("c", 256) + "\n" + strings.Repeat("1\n", n/2) }},
	{"open.csv", func(n int) string { return "id,text\n1,\"" + strings.Repeat("a\n", n/2) }},
	{"open.bib", func(n int) string { return strings.Repeat("@a{b, c = {\n", n/12) }},
	{"line.bib", func(n int) string { return strings.Repeat("@a{b, c = {", n/11) }},
	{"entries.bib", func(n int) string { return strings.Repeat("@a{b,c=1}", n/9) }},
	{"kinds.bib", func(n int) string { return strings.Repeat("@", n) }},
	{"macros.bib", func(n int) string {
		return "@string{a = {" + strings.Repeat("x", 128) + "}} @a{b, c = a" + strings.Repeat("#a", n/2) + "}"
	}},
	{"fields.bib", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, ",k%d=1", i)
		}
		return "@a{b" + b.String() + "}"
	}},
	{"names.bib", func(n int) string { return "@a{b, author = {" + strings.Repeat("a and ", n/6) + "}}" }},
	{"accents.bib", func(n int) string { return "@a{b, title = {" + strings.Repeat("\\'a\\\"", n/5) + "o}}" }},
	{"deep.xml", func(n int) string { return "<article><body>" + strings.Repeat("<p>", n/3) }},
	{"nested.xml", func(n int) string {
		return "<article>" + strings.Repeat(strings.Repeat("<a>", 900)+strings.Repeat("</a>", 900), n/6300) + "</article>"
	}},
	{"entries.xml", func(n int) string {
		return "<feed>" + strings.Repeat("<entry><id>a</id><title>b</title></entry>", n/41) + "</feed>"
	}},
	{"authors.xml", func(n int) string {
		return "<feed><entry>" + strings.Repeat("<author><name>a</name></author>", n/31) + "</entry></feed>"
	}},
	{"entities.xml", func(n int) string {
		return `<!DOCTYPE a [<!ENTITY b "c">` + strings.Repeat(`<!ENTITY d "&b;&b;">`, n/20) + `]><article>&b;</article>`
	}},
	{"attributes.xml", func(n int) string {
		return "<article " + strings.Repeat(`a="b" `, n/6) + "><body>x</body></article>"
	}},
	{"brackets.1", func(n int) string { return ".TH A 1\n" + strings.Repeat("\\[", n/2) }},
	{"marks.1", func(n int) string { return ".TH A 1\n" + strings.Repeat("\\ha", n/3) }},
	{"strings.1", func(n int) string {
		return ".TH A 1\n.ds a " + strings.Repeat("x", 256) + "\n" + strings.Repeat("\\*a", n/3)
	}},
	{"conditions.1", func(n int) string {
		return ".TH A 1\n" + strings.Repeat(".el ", n/4) + "\n" + strings.Repeat(".if n ", n/6)
	}},
	{"quotes.1", func(n int) string { return ".TH A 1\n.B " + strings.Repeat("\"", n) }},
	{"words.1", func(n int) string { return ".Dt A 1\n.Em " + strings.Repeat("Nm ", n/3) }},
	{"quotes.tsv", func(n int) string { return "id\ttext\n" + strings.Repeat("\"a\"\t", n/4) }},
}

// allocated returns how many bytes the reading of one file allocates.
func allocated(t *testing.T, name, text string) uint64 {
	t.Helper()
	files := fstest.MapFS{name: {Data: []byte(text)}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range source.FS(t.Context(), files, source.Options{}) {
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestInProportion doubles files: the allocated memory doubles, and is no more than docs/similar.md
// says for a byte. It counts all allocations. Less memory is in use at a time.
func TestInProportion(t *testing.T) {
	const n = 1 << 17
	for _, s := range shapes {
		once, twice := allocated(t, s.name, s.text(n)), allocated(t, s.name, s.text(2*n))
		const slack = 4 << 20
		if twice > 5*once/2+slack {
			t.Errorf("%s: %d bytes allocate %d, and %d allocate %d", s.name, n, once, 2*n, twice)
		}
		if each := twice / (2 * n); each > 1000 {
			t.Errorf("%s: %d bytes are allocated for a byte", s.name, each)
		} else {
			t.Logf("%-16s %4d bytes for a byte", s.name, each)
		}
	}
}

// FuzzForms reads any bytes as a file of each form: there are documents or errors, in bounded memory.
func FuzzForms(f *testing.F) {
	names := []string{"a.md", "a.html", "a.txt", "a.jsonl", "a.csv", "a.tsv", "a.json", "a.ipynb", "a.bib", "a.xml", "a.1"}
	f.Add(uint8(1), []byte("<nav>a<form>b</nav><main hidden>c<p>d</main><b><aside></b>e"))
	for i, s := range shapes {
		f.Add(uint8(i), []byte(s.text(200)))
	}
	f.Add(uint8(10), []byte(manMan))
	f.Add(uint8(10), []byte(manDoc))
	f.Add(uint8(8), []byte(bibliography))
	for _, s := range []string{jats, atom, oai, raw, rss, rdf} {
		f.Add(uint8(9), []byte(s))
	}
	f.Fuzz(func(t *testing.T, form uint8, data []byte) {
		name := names[int(form)%len(names)]
		checkDocuments(t, name, data)
		if each := allocated(t, name, string(data)) / uint64(len(data)+1<<12); each > 4000 {
			t.Errorf("%s: %d bytes are allocated for a byte", name, each)
		}
	})
}

// FuzzArchives reads any bytes as archives and compressed files: there are documents or errors.
func FuzzArchives(f *testing.F) {
	names := []string{"a.docx", "a.epub", "a.txt.gz", "a.jsonl.zst"}
	for i, s := range []string{
		zipped("word/document.xml", word, "word/footnotes.xml", notes, "docProps/core.xml", core),
		zipped("META-INF/container.xml", container, "OEBPS/book.opf", book), gzipped("a text"), zstandard("{}\n{}"),
	} {
		f.Add(uint8(i), []byte(s))
	}
	f.Fuzz(func(t *testing.T, form uint8, data []byte) { checkDocuments(t, names[int(form)%len(names)], data) })
}

// FuzzPDF reads any bytes as PDF, in a child.
func FuzzPDF(f *testing.F) {
	f.Add(page("BT /F 10 Tf 50 700 Td [(ke) 40 (rn)] TJ /W 9 Tf <0001> Tj ET /X Do"))
	f.Add(crossReference("/Size 20 /W [1 2 1] /DecodeParms << /Predictor 12 /Columns 4 >>"))
	f.Fuzz(func(t *testing.T, data []byte) { checkDocuments(t, "a.pdf", data) })
}

// checkDocuments reads a file and looks at what comes.
func checkDocuments(t *testing.T, name string, data []byte) {
	t.Helper()
	o := source.Options{Child: child(t, "read-child")}
	if !strings.HasSuffix(name, ".pdf") {
		o.Child = nil
	}
	for d, err := range source.FS(t.Context(), fstest.MapFS{name: {Data: data}}, o) {
		if err != nil {
			continue
		}
		for _, s := range []string{d.ID, d.Title, d.Text} {
			if strings.ToValidUTF8(s, "") != s || strings.Contains(s, "\x00") {
				t.Errorf("%s: a document has %.80q", name, s)
			}
		}
	}
}

// TestHostile reads the documents of the folder that SIMILAR_HOSTILE names, and again with bytes
// changed, within a child's limits.
func TestHostile(t *testing.T) {
	dir := os.Getenv("SIMILAR_HOSTILE")
	if dir == "" {
		t.Skip("SIMILAR_HOSTILE names no folder; shared/data/hostile/gen.py makes one")
	}
	names, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %v, %d files", dir, err, len(names))
	}
	documents, bad := 0, 0
	for seed, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		for range 1 + rng.IntN(4) { // a byte of the file in another place
			data[rng.IntN(min(len(data), 1<<12))] = data[rng.IntN(len(data))]
		}
		c := child(t, "read-child")
		c.Memory, c.Time = source.DefaultChildMemory, 5*source.DefaultChildTime/30
		for _, err := range source.FS(t.Context(), fstest.MapFS{filepath.Base(name): {Data: data}}, source.Options{Child: c}) {
			if err != nil {
				bad++
			} else {
				documents++
			}
		}
	}
	t.Logf("%d files with bytes changed: %d documents, and %d files or records skipped", len(names), documents, bad)
}
