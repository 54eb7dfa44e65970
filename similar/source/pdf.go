package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/ledongthuc/pdf"
)

// syllable is a word that is parted at the end of a line.
var syllable = regexp.MustCompile(`(\p{L})[-\x{2010}\x{ad}]\n(\p{Ll})`)

// pdfFile reads PDF, page by page. The context ends it at the next operator or read of the file.
func pdfFile(ctx context.Context, data []byte, limit int64) (title, text string, err error) {
	r, err := pdf.NewReader(watched{ctx, bytes.NewReader(data)}, int64(len(data)))
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	for i := range r.NumPage() {
		p := r.Page(i + 1)
		if p.V.IsNull() || p.V.Key("Contents").IsNull() {
			continue
		}
		w := &pdfWriter{ctx: ctx, resources: p.Resources(), fonts: map[string]*pdfFont{}, out: &b, limit: limit}
		pdf.Interpret(p.V.Key("Contents"), w.operator)
		b.WriteByte('\n')
	}
	text = strings.TrimSpace(syllable.ReplaceAllString(valid(b.String()), "$1$2"))
	if text == "" {
		return "", "", errors.New("a PDF without text, a scan perhaps")
	}
	return valid(strings.TrimSpace(r.Trailer().Key("Info").Key("Title").Text())), text, nil
}

// valid replaces what is no text in a string of a PDF file, whose fonts may say anything.
func valid(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// watched leaves the library where the context has ended.
type watched struct {
	ctx context.Context
	in  io.ReaderAt
}

func (w watched) ReadAt(p []byte, at int64) (int, error) {
	leave(w.ctx)
	return w.in.ReadAt(p, at)
}

// leave leaves the library for parse where the context has ended.
func leave(ctx context.Context) {
	if err := ctx.Err(); err != nil {
		panic(stopped{err})
	}
}

// pdfWriter writes the strings that a page shows, with a space or a line's end between two where
// the page leaves room. It follows the text operators of ISO 32000-1, section 9.4; a page says
// where a string begins, and often nothing else parts two words.
type pdfWriter struct {
	ctx       context.Context
	limit     int64 // of out, in bytes
	resources pdf.Value
	fonts     map[string]*pdfFont // of resources, by name
	forms     int                 // how deep in forms the reader is
	out       *strings.Builder
	pdfState
	stack []pdfState

	shown    bool
	endX     float64 // where the last string ended
	endY     float64
	lineSize float64 // and its font's size on the page
}

// pdfState is the state that the operators q and Q save and restore.
type pdfState struct {
	ctm, tm, line   matrix
	font            *pdfFont
	size            float64
	character, word float64 // extra room after a character, and a space
	scale           float64 // horizontal, 0 stands for 1
	leading         float64
}

// matrix is an affine map: (x, y) goes to (ax+cy+e, bx+dy+f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// times is m and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

func move(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y} }

// maxNesting bounds the stack of q and Q, and maxForms the nesting of forms.
const (
	maxNesting = 1 << 10
	maxForms   = 8
)

// operator is called for each operator of a page, with its operands on the stack.
func (w *pdfWriter) operator(stack *pdf.Stack, op string) {
	leave(w.ctx)
	if int64(w.out.Len()) > w.limit {
		panic(stopped{tooMuchText(w.limit)})
	}
	args := make([]pdf.Value, stack.Len())
	for i := range args {
		args[len(args)-1-i] = stack.Pop()
	}
	number := func(i int) float64 {
		if i < len(args) {
			return args[i].Float64()
		}
		return 0
	}
	if w.ctm == (matrix{}) {
		w.ctm, w.tm, w.line = identity, identity, identity
	}
	switch op {
	case "q":
		if len(w.stack) < maxNesting {
			w.stack = append(w.stack, w.pdfState)
		}
	case "Q":
		if n := len(w.stack); n > 0 {
			w.pdfState, w.stack = w.stack[n-1], w.stack[:n-1]
		}
	case "cm":
		w.ctm = matrix{number(0), number(1), number(2), number(3), number(4), number(5)}.times(w.ctm)
	case "BT":
		w.tm, w.line = identity, identity
	case "Tm":
		w.line = matrix{number(0), number(1), number(2), number(3), number(4), number(5)}
		w.tm = w.line
	case "Td":
		w.next(number(0), number(1))
	case "TD":
		w.leading = -number(1)
		w.next(number(0), number(1))
	case "TL":
		w.leading = number(0)
	case "T*":
		w.next(0, -w.leading)
	case "Tc":
		w.character = number(0)
	case "Tw":
		w.word = number(0)
	case "Tz":
		w.scale = number(0) / 100
	case "Tf":
		if len(args) == 2 {
			w.font, w.size = w.fontOf(args[0].Name()), number(1)
		}
	case "'", "\"":
		if len(args) == 3 {
			w.word, w.character = number(0), number(1)
		}
		w.next(0, -w.leading)
		w.show(args)
	case "Tj":
		w.show(args)
	case "Do":
		if len(args) == 1 {
			w.form(w.resources.Key("XObject").Key(args[0].Name()))
		}
	case "TJ":
		for i := range args {
			for k := range args[i].Len() {
				w.piece(args[i].Index(k))
			}
		}
	}
}

// form shows a form, which is a page within the page and has its own resources.
func (w *pdfWriter) form(v pdf.Value) {
	if v.Kind() != pdf.Stream || v.Key("Subtype").Name() != "Form" || w.forms == maxForms {
		return
	}
	state, stack, resources, fonts := w.pdfState, w.stack, w.resources, w.fonts
	if m := v.Key("Matrix"); m.Len() == 6 {
		at := func(i int) float64 { return m.Index(i).Float64() }
		w.ctm = matrix{at(0), at(1), at(2), at(3), at(4), at(5)}.times(w.ctm)
	}
	if own := v.Key("Resources"); own.Kind() == pdf.Dict {
		w.resources, w.fonts = own, map[string]*pdfFont{}
	}
	w.stack = nil
	w.forms++
	pdf.Interpret(v, w.operator)
	w.forms--
	w.pdfState, w.stack, w.resources, w.fonts = state, stack, resources, fonts
}

// next moves to the start of another line.
func (w *pdfWriter) next(x, y float64) {
	w.line = move(x, y).times(w.line)
	w.tm = w.line
}

// show shows the last operand.
func (w *pdfWriter) show(args []pdf.Value) {
	if len(args) > 0 {
		w.piece(args[len(args)-1])
	}
}

// piece shows a string, or moves back by a number of thousandths of the font's size.
func (w *pdfWriter) piece(v pdf.Value) {
	if v.Kind() != pdf.String {
		w.advance(-v.Float64() / 1000 * w.size)
		return
	}
	if w.font == nil {
		return
	}
	at := w.tm.times(w.ctm)
	size := math.Abs(w.size) * math.Hypot(at.a, at.b)
	if w.shown {
		w.part(at, max(size, w.lineSize))
	}
	text, width, characters, spaces := w.font.read(v.RawString())
	w.out.WriteString(text)
	w.advance(width/1000*w.size + float64(characters)*w.character + float64(spaces)*w.word)
	end := w.tm.times(w.ctm)
	w.shown, w.endX, w.endY, w.lineSize = true, end.e, end.f, size
}

func (w *pdfWriter) advance(x float64) {
	if w.scale != 0 {
		x *= w.scale
	}
	w.tm = move(x, 0).times(w.tm)
}

// part writes the separator between the last string and one that begins at a place: a line's end if
// the place is half a font's size above or below, and a space if the gap is 0.15 of that size or
// the place is to the left. A space of a font is 0.2 to 0.35 of its size, a kern below 0.1.
func (w *pdfWriter) part(at matrix, size float64) {
	dx, dy := at.e-w.endX, at.f-w.endY
	if length := math.Hypot(at.a, at.b); length > 0 { // along the line, which may be turned
		dx, dy = (dx*at.a+dy*at.b)/length, (dy*at.a-dx*at.b)/length
	}
	switch {
	case math.Abs(dy) > size/2:
		w.out.WriteByte('\n')
	case dx > 0.15*size, dx < -size:
		w.out.WriteByte(' ')
	}
}

// pdfFont is a font with what its characters read and how wide they are, in thousandths of its
// size. The library looks both up in the file each time.
type pdfFont struct {
	encoding pdf.TextEncoding
	simple   [256]simpleGlyph // of a font whose codes are bytes
	wide     map[int]float64  // of a composite one, whose codes are two bytes; nil of a simple one
	usual    float64          // the width of a code that wide does not have
}

type simpleGlyph struct {
	known bool
	text  string
	width float64
}

func (w *pdfWriter) fontOf(name string) *pdfFont {
	if f := w.fonts[name]; f != nil {
		return f
	}
	font := pdf.Font{V: w.resources.Key("Font").Key(name)}
	f := &pdfFont{encoding: font.Encoder()}
	if descendant := font.V.Key("DescendantFonts").Index(0); descendant.Kind() == pdf.Dict {
		f.wide, f.usual = wideWidths(descendant.Key("W")), 1000
		if dw := descendant.Key("DW"); dw.Kind() != pdf.Null {
			f.usual = dw.Float64()
		}
	} else {
		first, widths := font.FirstChar(), font.Widths()
		for i, width := range widths {
			if code := first + i; code >= 0 && code < len(f.simple) {
				f.simple[code].width = width
			}
		}
	}
	w.fonts[name] = f
	return f
}

// wideWidths reads the widths of a composite font (ISO 32000-1, 9.7.4.3): a code and a list of
// widths from it on, or a first code, a last one and a width.
func wideWidths(v pdf.Value) map[int]float64 {
	widths := map[int]float64{}
	for i := 0; i+1 < v.Len(); {
		first, second := int(v.Index(i).Int64()), v.Index(i+1)
		if second.Kind() == pdf.Array {
			for k := range second.Len() {
				widths[first+k] = second.Index(k).Float64()
			}
			i += 2
			continue
		}
		for code := first; code <= int(second.Int64()) && code <= math.MaxUint16; code++ {
			widths[code] = v.Index(i + 2).Float64()
		}
		i += 3
	}
	return widths
}

// read returns the text of a string, its width, its characters, and its spaces.
func (f *pdfFont) read(raw string) (text string, width float64, characters, spaces int) {
	if f.wide == nil {
		var b strings.Builder
		for i := range len(raw) {
			g := &f.simple[raw[i]]
			if !g.known {
				g.known, g.text = true, f.encoding.Decode(raw[i:i+1])
			}
			b.WriteString(g.text)
			width += g.width
		}
		return b.String(), width, len(raw), strings.Count(raw, " ")
	}
	for i := 0; i+1 < len(raw); i += 2 {
		code := int(raw[i])<<8 | int(raw[i+1])
		if w, ok := f.wide[code]; ok {
			width += w
		} else {
			width += f.usual
		}
	}
	return f.encoding.Decode(raw), width, len(raw) / 2, 0
}
