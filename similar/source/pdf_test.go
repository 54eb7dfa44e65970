package source_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gridstride/gridstride/similar/source"
)

// document writes a PDF file of objects. The first is the catalog.
func document(trailer string, objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, start)
	return b.Bytes()
}

func stream(dict, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(content), content)
}

// page is a file of one page. F is a font whose characters are half as wide as high, and W a
// composite one whose characters are as wide as high, except code 2.
func page(content string) []byte { return pageOf(stream("", content)) }

// pageOf is page of a stream.
func pageOf(contents string) []byte {
	widths := strings.Repeat("500 ", 256)
	cmap := "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange " +
		"2 beginbfchar <0001> <0061> <0002> <0062> endbfchar endcmap end"
	return document("/Info << /Title (A title) >>",
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R /W 6 0 R >> /XObject << /X 9 0 R >> >> >>",
		contents,
		"<< /Type /Font /Subtype /Type1 /BaseFont /F /Encoding /WinAnsiEncoding /FirstChar 0 /LastChar 255 /Widths ["+widths+"] >>",
		"<< /Type /Font /Subtype /Type0 /BaseFont /W /Encoding /Identity-H /ToUnicode 7 0 R /DescendantFonts [8 0 R] >>",
		stream("", cmap),
		"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /W /DW 1000 /W [2 [500] 7 9 250] >>",
		stream("/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 -500] /Resources << /Font << /F 5 0 R >> /XObject << /X 9 0 R >> >>", "BT /F 10 Tf (form) Tj ET /X Do"),
	)
}

// read reads one file.
func read(t *testing.T, data []byte) []string {
	t.Helper()
	return collect(source.FS(t.Context(), fstest.MapFS{"a.pdf": {Data: data}}, source.Options{}))
}

// TestPDF reads pages whose words are parted by nothing but their places.
func TestPDF(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"BT /F 10 Tf 50 700 Td (Hello) Tj ET":                                              "Hello",
		"BT /F 10 Tf 50 700 Td (He) Tj 10 0 Td (llo) Tj ET":                                "Hello", // the second begins where the first ends
		"BT /F 10 Tf 50 700 Td (two) Tj 18 0 Td (words) Tj ET":                             "two words",
		"BT /F 10 Tf 50 700 Td [(ke) 40 (rn) -60 (ed) -300 (space)] TJ ET":                 "kerned space",
		"BT /F 10 Tf 12 TL 50 700 Td (one) Tj T* (two) Tj (three) ' ET":                    "one/two/three",
		"BT /F 10 Tf 50 700 TD (one) Tj 0 -12 TD (two) Tj T* (three) Tj ET":                "one/two/three",
		"BT /F 10 Tf 50 700 Td (algo-) Tj 0 -12 Td (rithm and X-) Tj 0 -12 Td (Ray) Tj ET": "algorithm and X-/Ray",
		"BT /F 10 Tf 50 700 Td 200 Tz (ab) Tj 20 0 Td (cd) Tj ET":                          "abcd",
		"BT /F 10 Tf 50 700 Td 5 Tc (ab) Tj 20 0 Td 0 Tc (cd) Tj ET":                       "abcd",
		"BT /F 10 Tf 50 700 Td 7 Tw (a b) Tj 22 0 Td (c) Tj ET":                            "a bc",
		"BT /F 10 Tf 12 TL 50 700 Td (one) Tj 3 1 (two) \" ET":                             "one/two",
		"2 0 0 2 0 0 cm BT /F 10 Tf 50 300 Td (He) Tj 10 0 Td (llo) Tj ET":                 "Hello",
		"q 2 0 0 2 0 0 cm Q Q BT /F 1 Tf 10 0 0 10 50 300 Tm (He) Tj 1 0 Td (llo) Tj ET":   "Hello",
		"BT /F 10 Tf 0 1 -1 0 50 300 Tm (tur) Tj 15 0 Td (ned) Tj 0 -12 Td (line) Tj ET":   "turned/line",
		"BT /W 10 Tf 50 700 Td <00010002> Tj 15 0 Td <0001> Tj 14 0 Td <0002> Tj ET":       "aba b",
		"BT /F 10 Tf 50 700 Td (page) Tj ET /X Do":                                         "page" + strings.Repeat("/form", 8), // it shows itself, and is stopped
		"BT /F 10 Tf 50 700 Td (caf\\351 \\223x\\224) Tj ET":                               "café “x”",
	} {
		same(t, read(t, page(content)), "a.pdf|A title|"+want)
	}
	same(t, read(t, page("")), "! a.pdf: a PDF without text, a scan perhaps")
}

// TestBrokenPDF damages a file in every way that a byte allows: it is read or named, and nothing
// else happens.
func TestBrokenPDF(t *testing.T) {
	t.Parallel()
	good := page("BT /F 10 Tf 50 700 Td [(ke) 40 (rn)] TJ /W 9 Tf <0001> Tj ET /X Do")
	const bytesOfPDF = "0123456789 /<>()[]RTjJ\x00\xff"
	rng := rand.New(rand.NewPCG(3, 4))
	n := 300
	if testing.Short() {
		n = 50
	}
	for range n {
		data := bytes.Clone(good)
		for range 1 + rng.IntN(3) {
			data[rng.IntN(len(data))] = bytesOfPDF[rng.IntN(len(bytesOfPDF))]
		}
		if got := read(t, data); len(got) != 1 {
			t.Fatalf("%q gives %q", data, got)
		}
		if got := read(t, good[:rng.IntN(len(good))]); len(got) != 1 {
			t.Fatalf("a piece gives %q", got)
		}
	}
}
