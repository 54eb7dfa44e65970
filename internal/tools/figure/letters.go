package figure

import "strings"

// widths are the widths of the characters from space to ~ in Helvetica, in thousandths of the size
// of the letters, from Adobe's font metrics (Helvetica.afm). Arial and Liberation Sans are as wide.
var widths = [...]int16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // space to /
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
}

// TextWidth is how wide a line of text is, with letters of the size. It is right for ASCII. Other
// letters count as wide as the widest usual ones.
func TextWidth(text string, size float64) float64 {
	sum := 0
	for _, r := range text {
		switch {
		case r >= ' ' && int(r-' ') < len(widths):
			sum += int(widths[r-' '])
		case r < 0x2000:
			sum += 620
		default:
			sum += 1000
		}
	}
	return float64(sum) / 1000 * size
}

// cut is the text, or as much of its start as fits into the width, and "…".
func cut(text string, size, width float64) string {
	if TextWidth(text, size) <= width {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if TextWidth(b.String()+string(r)+"…", size) > width {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}

// widest is the width of the widest text.
func widest(texts []string, size float64) (width float64) {
	for _, t := range texts {
		width = max(width, TextWidth(t, size))
	}
	return width
}
