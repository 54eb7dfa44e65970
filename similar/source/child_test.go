package source_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gridstride/gridstride/similar/source"
)

// TestMain lets the tests' own program be a Child, and programs that are none.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case "read-child":
			source.ServeChild()
		case "no-child":
			fmt.Println("hello, I am another program")
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func child(t *testing.T, mode string) *source.Child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &source.Child{Args: []string{exe, mode}, Time: 3 * time.Second, Memory: childMemory}
}

// deflated writes a PDF stream of pieces that deflate packs well.
func deflated(dict, begin, piece string, times int, end string) string {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	_, _ = io.WriteString(z, begin)
	for range times {
		_, _ = io.WriteString(z, piece)
	}
	_, _ = io.WriteString(z, end)
	_ = z.Close()
	return stream(dict+" /Filter /FlateDecode", b.String())
}

// crossReference is a PDF file of nothing but a cross-reference stream.
func crossReference(dict string) []byte {
	return fmt.Appendf(nil, "%%PDF-1.5\n1 0 obj\n%s\nendobj\nstartxref\n9\n%%%%EOF\n", deflated("/Type /XRef /Root 1 0 R "+dict, "", strings.Repeat("\x00", 400), 1, ""))
}

// TestChild reads files that take any amount of memory or time, one after the other and between good
// ones: each is named, and the others are read.
func TestChild(t *testing.T) {
	t.Parallel()
	const text = "BT /F 10 Tf 50 700 Td (Hello) Tj "
	good := page(text + "ET")
	mega := strings.Repeat("a", 1<<20)
	files := fstest.MapFS{
		"a0.pdf": {Data: good}, "z.pdf": {Data: good}, "z.md": {Data: []byte("# Title\n\ntext")}, "z.txt": {Data: []byte("text")},
		"bad size.pdf":      {Data: crossReference("/Size 2000000000 /W [1 2 1] /Index [0 2000000000]")},
		"bad widths.pdf":    {Data: crossReference("/Size 20 /W [2000000000 2000000000 2000000000]")},
		"bad columns.pdf":   {Data: crossReference("/Size 20 /W [1 2 1] /DecodeParms << /Predictor 12 /Columns 8000000000 >>")},
		"bad string.pdf":    {Data: pageOf(deflated("", text+"(", mega, 300, ") Tj ET"))},
		"bad operands.pdf":  {Data: pageOf(deflated("", text, strings.Repeat("1 ", 1<<19), 100, ""))},
		"bad operators.pdf": {Data: pageOf(deflated("", text, strings.Repeat("(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ", 1<<14), 60, ""))},
	}
	o := source.Options{Child: child(t, "read-child"), MaxFile: 16 << 20}
	start := time.Now()
	got := collect(source.FS(t.Context(), files, o))
	bad := 0
	for i, line := range got {
		if strings.HasPrefix(line, "! bad ") {
			bad++
			t.Log(line)
			got[i] = "bad"
		}
	}
	want := []string{"a0.pdf|A title|Hello"}
	for range bad {
		want = append(want, "bad")
	}
	same(t, got, append(want, "z.md|Title|text", "z.pdf|A title|Hello", "z.txt||text")...)
	if bad < 5 {
		t.Errorf("%d files are bad, want at least 5", bad)
	}
	if took := time.Since(start); took > 2*time.Minute {
		t.Errorf("it took %v", took)
	}
}

// TestChildTime ends a file that takes too long, and an interrupt ends it at once.
func TestChildTime(t *testing.T) {
	t.Parallel()
	forms := "BT /F 10 Tf (f) Tj ET " + strings.Repeat("/X Do ", 30)
	files := fstest.MapFS{"slow.pdf": {Data: document("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>",
		stream("", forms), "<< /Type /Font /Subtype /Type1 /BaseFont /F /Encoding /WinAnsiEncoding >>",
		stream("/Type /XObject /Subtype /Form", forms))}, "z.md": {Data: []byte("text")}}
	c := child(t, "read-child")
	c.Time = 300 * time.Millisecond
	got := collect(source.FS(t.Context(), files, source.Options{Child: c}))
	same(t, got, "! slow.pdf: over the limit of its reader: not read within 300ms", "z.md||text")

	for _, c := range []*source.Child{child(t, "read-child"), nil} { // in this process, the library is left, too
		if c != nil {
			c.Time = math.MaxInt64 // no limit, and no overflow
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		start := time.Now()
		same(t, collect(source.FS(ctx, files, source.Options{Child: c})), "! context deadline exceeded")
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("an interrupt took %v", took)
		}
	}
}

// TestNoChild says what is wrong with a program that is no Child, and ends the reading.
func TestNoChild(t *testing.T) {
	t.Parallel()
	files := folder(map[string]string{"a.md": "a", "b.md": "b"})
	for name, c := range map[string]*source.Child{
		"does not call ServeChild": child(t, "no-child"),
		"is empty":                 {},
		"no such program":          {Args: []string{"./no such program"}},
		"want 0 or more":           {Args: []string{"x"}, Time: -1},
	} {
		got := collect(source.FS(t.Context(), files, source.Options{Child: c}))
		if len(got) != 1 || !strings.Contains(got[0], name) || !strings.HasPrefix(got[0], "! no process to read PDF, Markdown, DOCX and EPUB in: ") {
			t.Errorf("%s: got %q", name, got)
		}
	}
	same(t, collect(source.FS(t.Context(), folder(map[string]string{"a.txt": "a"}), source.Options{Child: &source.Child{}})), "a.txt||a")
}

// TestOrphan ends a child whose parent closes its input.
func TestOrphan(t *testing.T) {
	t.Parallel()
	c := child(t, "read-child")
	cmd := exec.CommandContext(t.Context(), c.Args[0], c.Args[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	_ = cmd.Wait() // or the test's own time limit
}
