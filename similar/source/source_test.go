package source_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/source"
)

// collect renders documents and errors as lines "id|title|text|field=value…" and "! error".
func collect(documents iter.Seq2[similar.Document, error]) (list []string) {
	for d, err := range documents {
		if err != nil {
			list = append(list, "! "+err.Error())
			continue
		}
		line := d.ID + "|" + d.Title + "|" + d.Text
		for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
			line += "|" + name + "=" + d.Fields[name]
		}
		list = append(list, strings.ReplaceAll(line, "\n", "/"))
	}
	return list
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("line %d is\n\t%q, want\n\t%q", i, g, w)
		}
	}
}

// folder makes a file system of names and contents.
func folder(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// utf16le encodes text as Windows' Notepad does.
func utf16le(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// TestForms reads a file of each form.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a.txt", "one\ntwo", []string{"a.txt||one/two"}},
		{"empty.txt", "", []string{"empty.txt||"}},
		{"A.TXT", "\ufeffone", []string{"A.TXT||one"}},
		{"wide.txt", utf16le("Löwe"), []string{"wide.txt||Löwe"}},
		{"README", "read me", []string{"README||read me"}},
		{"heap.go", "package heap\n", []string{"heap.go||package heap/"}},
		{"bad.txt", "caf\x81", []string{"! bad.txt: byte 3 (line 1) is 0x81: not UTF-8, and not Windows-1252: convert it to UTF-8"}},
		{"binary.txt", "a\x00b", []string{"! binary.txt: a NUL byte: this is no text"}},
		{"a.md", "# A *title*\n\nSome **bo**ld [text](http://x.y) and `code`.\n\n- item\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n# Next\n",
			[]string{"a.md|A title|Some bold text and code./item/a/b/1/2/Next"}},
		{"plain.md", "no title", []string{"plain.md||no title"}},
		{"raw.md", "a <b>bold</b> <script>alert(1)</script> word", []string{"raw.md||a bold/word"}},
		{"a.html", "<!DOCTYPE html><html><head><title>T &amp; <b></title><style>p{}</style><script>var x='<p>no</p>'</script></head>" +
			"<body><h1>Head</h1><p>he<b>ap</b> &lt;x&gt;<br>new<p>last <img alt='picture'><template><p>no</template></body>",
			[]string{"a.html|T & <b>|Head/heap <x>/new/last/picture"}},
		{"h1.htm", "<h1>Only <i>this</i></h1>text<h1>more</h1>", []string{"h1.htm|Only this|text/more"}},
		{"latin.html", "<meta charset=iso-8859-1><p>caf\xe9", []string{"latin.html||café"}},
		{"none.html", "<p>caf\xe9", []string{"none.html||café"}},
		{"utf8.html", "<meta charset=utf-8><p>café", []string{"utf8.html||café"}},
		{"a.jsonl", `{"id": "x", "title": "T", "text": "one", "authors": ["A, B", "C"], "year": 1958, "none": null, "deep": {"a": [1, 2]}, "ok": true}` + "\r\n\n" +
			`{"id": 7, "text": "two"}` + "\n" + `{"_id": "m", "title": "no end of line"}` + "\n" + `{"doc_id": "n", "_id": "o"}`,
			[]string{`x|T|one|authors=A, B; C|deep={"a":[1,2]}|ok=true|year=1958`, "7||two", "m|no end of line|", "o|||doc_id=n"}},
		{"noid.ndjson", "{\"text\": \"a\"}\n{\"text\": \"b\"}", []string{"noid.ndjson#1||a", "noid.ndjson#2||b"}},
		{"bad.jsonl", "{\"id\": \"a\"}\n{\"id\": \n[1]\n{\"id\": \"\xff\"}\n{\"id\": \"a\"}\n{\"id\": \"b\"}", []string{"a||",
			"! bad.jsonl:2: not a JSON object: unexpected end of JSON input",
			"! bad.jsonl:3: not a JSON object: it begins with '['",
			"! bad.jsonl:4: byte 8 (line 1) is 0xff: not UTF-8", "a||", "b||"}},
		{"odd.jsonl", `{"id": "a", "text": "x \ud800 y"}` + "\n" + `{"id": "b", "text": "nul \u0000 z"}` + "\n" + `{"id": "c", "text": "one", "text": "two"}` + "\n" +
			`{"id": "d", "te\u0078t": "one", "text": null}` + "\n" + `{"id": "e", "deep": ["\\ud800", "\ud83d\ude00"]}` + "\n" + `{"id": "f", "x\u0000": 1}` + "\n" +
			`{"id": "g", "text": "\udc00\ud800"}` + "\n" + `{"id": "h", "deep": {"a": ["\ud800\u0041"]}}` + "\n" + `{"id": "i", "text": "\\\ud800"}` + "\n" + `{"id": "j", "text": "\ud83d\ud83d\ude00"}` + "\n" + `{"id": "k"} {}`,
			[]string{`! odd.jsonl:1: \ud800 is half a surrogate pair: this is no text`, `! odd.jsonl:2: member "text": a NUL byte: this is no text`,
				`! odd.jsonl:3: two members are named "text"`, `! odd.jsonl:4: two members are named "text"`, `e|||deep=\ud800; 😀`,
				`! odd.jsonl:6: member "x\x00": a NUL byte: this is no text`, `! odd.jsonl:7: \udc00 is half a surrogate pair: this is no text`,
				`! odd.jsonl:8: \ud800 is half a surrogate pair: this is no text`, `! odd.jsonl:9: \ud800 is half a surrogate pair: this is no text`,
				`! odd.jsonl:10: \ud83d is half a surrogate pair: this is no text`,
				"! odd.jsonl:11: not a JSON object: invalid character '{' after top-level value"}},
		{"wide.csv", "id," + strings.Repeat("w", 257) + "\n1,2\n", []string{"! wide.csv:1: column 2 has a name of 257 bytes; want at most 256"}},
		{"a.csv", "ID,Title,text,Year\n1,\"A, b\",\"one\ntwo\",1958\n2,c,d,\n", []string{"1|A, b|one/two|Year=1958", "2|c|d|Year="}},
		{"noid.csv", "\ufefftext\na\nb\n", []string{"noid.csv#1||a", "noid.csv#2||b"}},
		{"a.tsv", "id\ttext\n1\tsay \"heap\"\n", []string{`1||say "heap"`}},
		{"bad.csv", "id,text\n1,a,b\n2,\"a\"b\n3,\x81\n4,d\n", []string{"! bad.csv:2: wrong number of fields",
			"! bad.csv:3: extraneous or missing \" in quoted-field", "! bad.csv:4: byte 2 (line 2) is 0x81: not UTF-8, and not Windows-1252: convert it to UTF-8", "4||d"}},
		{"quote.csv", "id,text\nx\"y,1\n2,b\n\"z\n", []string{`! quote.csv:2: bare " in non-quoted-field`, "2||b", `! quote.csv:4: extraneous or missing " in quoted-field`}},
		{"twice.csv", "a,b,a\n", []string{`! twice.csv:1: two columns are named "a"`}},
		{"head.csv", "id,text\n", nil},
		{"empty.csv", "", nil},
		{"empty.jsonl", "\n", nil},
		{"not.pdf", "%PDF-1.4\nno", []string{"! not.pdf: not a PDF file: missing %%EOF"}},
		{"image.png", "\x89PNG", []string{"! image.png: not a form that is read"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			same(t, collect(source.FS(t.Context(), folder(map[string]string{c.name: c.text}), source.Options{})), c.want...)
		})
	}
}

// TestFolder reads a folder in the order of names, without what is hidden.
func TestFolder(t *testing.T) {
	t.Parallel()
	fsys := folder(map[string]string{
		"b.txt": "b", "a/z.txt": "z", "a/y.txt": "caf\x81", "a/x.png": "", "c.jsonl": `{"id": "b.txt"}`, "d.txt": "d", ".git/config.txt": "no", ".hidden.txt": "no",
	})
	all := []string{"! a/x.png: not a form that is read", "! a/y.txt: byte 3 (line 1) is 0x81: not UTF-8, and not Windows-1252: convert it to UTF-8", "a/z.txt||z", "b.txt||b",
		"b.txt||", "d.txt||d"}
	same(t, collect(source.FS(t.Context(), fsys, source.Options{})), all...)
	same(t, collect(source.FS(t.Context(), fsys, source.Options{Strict: true})), all[:2]...)

	for d, err := range source.FS(t.Context(), fsys, source.Options{}) { // a loop may be left at any time
		if d.ID == "a/z.txt" {
			break
		}
		if bad := new(source.BadFile); !errors.As(err, &bad) || bad.Name == "" {
			t.Errorf("got %v", err)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	same(t, collect(source.FS(ctx, fsys, source.Options{})), "! context canceled")
}

// TestPaths reads files, folders and standard input, as the command names them.
func TestPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"one/a.txt": "1a", "two/a.txt": "2a", "c.dat": "c"} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	slash := filepath.ToSlash(dir)
	read := func(o source.Options, paths ...string) []string {
		for i, p := range paths {
			if p != "-" {
				paths[i] = filepath.Join(dir, p)
			}
		}
		return collect(source.Read(t.Context(), o, paths...))
	}
	same(t, read(source.Options{}, "one"), slash+"/one/a.txt||1a")
	same(t, read(source.Options{Name: "first"}, "one"), "first/a.txt||1a")
	same(t, read(source.Options{Name: "first"}, "one/a.txt"), "first||1a")
	var visited []string
	visit := func(f source.File) bool {
		visited = append(visited, fmt.Sprint(f.Path, " ", f.Size, " ", f.Modified.IsZero()))
		return f.Path != "two/a.txt"
	}
	same(t, read(source.Options{Name: "all", Visit: visit}, "."), "! all/c.dat: not a form that is read", "all/one/a.txt||1a")
	same(t, visited, "one/a.txt 2 false", "two/a.txt 2 false")
	same(t, read(source.Options{}, "one", "two"), slash+"/one/a.txt||1a", slash+"/two/a.txt||2a")
	same(t, read(source.Options{}, "one/a.txt"), slash+"/one/a.txt||1a")
	same(t, read(source.Options{}, "one/a.txt", "two/a.txt"), slash+"/one/a.txt||1a", slash+"/two/a.txt||2a")
	same(t, read(source.Options{}, "c.dat", "one"), "! "+slash+"/c.dat: not a form that is read", slash+"/one/a.txt||1a")
	same(t, read(source.Options{Strict: true}, "c.dat", "one"), "! "+slash+"/c.dat: not a form that is read")
	same(t, read(source.Options{Form: "txt"}, "c.dat"), slash+"/c.dat||c")
	same(t, read(source.Options{Stdin: strings.NewReader("some text")}, "-"), "stdin||some text")
	same(t, read(source.Options{Stdin: strings.NewReader("\n {\"id\": \"a\"}")}, "-"), "a||")
	same(t, read(source.Options{Stdin: strings.NewReader("id,text\n1,x"), Form: "csv"}, "-"), "1||x")
	same(t, read(source.Options{Stdin: strings.NewReader(""), Form: "doc"}, "-"), `! stdin: not a form that is read: "doc"`)
	if got := read(source.Options{}, "one", "no such", "two"); len(got) != 2 || !strings.Contains(got[1], "no such") {
		t.Errorf("a path that does not exist gives %q", got)
	}
}

// TestUnreadable names what cannot be opened, and goes on.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such links")
	}
	dir := t.TempDir()
	if err := errors.Join(os.Symlink("nowhere", filepath.Join(dir, "a.txt")), os.Symlink(dir, filepath.Join(dir, "b.txt")),
		os.WriteFile(filepath.Join(dir, "c.txt"), []byte("c"), 0o644), os.Symlink("c.txt", filepath.Join(dir, "d.txt"))); err != nil {
		t.Fatal(err)
	}
	got := collect(source.Read(t.Context(), source.Options{Name: "."}, dir))
	if len(got) != 4 || !strings.Contains(got[0], "a.txt: ") || got[1] != "! b.txt: no regular file, but d---------" || got[2] != "c.txt||c" || got[3] != "d.txt||c" {
		t.Errorf("got %q", got)
	}
}

// broken is a file system whose files fail in the middle.
type broken struct{ fs.FS }

func (b broken) Open(name string) (fs.File, error) {
	f, err := b.FS.Open(name)
	if err != nil || !strings.HasPrefix(name, "bad") {
		return f, err
	}
	return brokenFile{f}, nil
}

type brokenFile struct{ fs.File }

func (f brokenFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p[:min(len(p), 12)])
	if err == nil && n < 12 {
		err = errors.New("the disk is on fire")
	}
	return n, err
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	fsys := folder(map[string]string{"bad.txt": "0123456789abcdef", "bad.jsonl": "{\"id\": \"a\"}\n{\"id\": \"b\"", "bad.csv": "id,text\n1,x\n2,y\n", "good.txt": "good"})
	same(t, collect(source.FS(t.Context(), broken{fsys}, source.Options{})),
		"1||x", "2||y", "! bad.csv:4: the disk is on fire", "a||", "! bad.jsonl:2: the disk is on fire", "! bad.txt: the disk is on fire", "good.txt||good")
}

// TestBounds reads what is as large as the bound, and names what is larger.
func TestBounds(t *testing.T) {
	t.Parallel()
	record := func(n int) string { return fmt.Sprintf(`{"id": "%s"}`, strings.Repeat("i", n-10)) }
	const limit = 100_000 // more than any buffer
	fsys := folder(map[string]string{
		"a.txt": strings.Repeat("a", limit), "b.txt": strings.Repeat("b", limit+1),
		"c.jsonl": record(limit+1) + "\n" + record(limit) + "\n" + record(limit+2),
		"d.csv":   "id,text\n1," + strings.Repeat("x", 60_000) + "\n2," + strings.Repeat("y", 60_000) + "\n3,\"" + strings.Repeat("z", 3*limit) + "\"\n4,no\n",
	})
	got := collect(source.FS(t.Context(), fsys, source.Options{MaxFile: limit}))
	for i, line := range got {
		if len(line) > 1000 {
			got[i] = line[:9]
		}
	}
	large := ": more than 100000 bytes: raise the bound on the size of files"
	same(t, got, "a.txt||aa", "! b.txt"+large, "! c.jsonl:1"+large, "iiiiiiiii", "! c.jsonl:3"+large, "1||xxxxxx", "2||yyyyyy", "! d.csv:4"+large)
}

// TestIsDocument tells files that are one document.
func TestIsDocument(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a/b.txt": true, "a.md": true, "ls.1": true, "printf.3p": true, "a.go": true, "README": true, "a.txt.gz": true, "md": true,
		"a.jsonl": false, "a.csv.zst": false, "a.xml": false, "a.bib": false, "a.unknown": false, "": false, "jsonl": false,
	} {
		if got := source.IsDocument(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}
