package source

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLaTeX(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		``:                                     ``,
		`plain  text`:                          `plain text`,
		`G{\"o}del, G\"odel, G\"{o}del`:        `Gödel, Gödel, Gödel`,
		`\'E\'etienne {\'{\i}} \'\i`:           `Éétienne í í`,
		`\c{c} \c c {\c S}\v{s}\v Z {\u g}`:    `ç ç ŞšŽ ğ`,
		`{\L}{\'o}d{\'z} {\aa}rhus {\O}re \ss`: `Łódź århus Øre ß`,
		`Stra{\ss}e \oe uvre \AE{}on`:          `Straße œuvre Æon`,
		`5\% \& \$3 \#1 a\_b \{x\}`:            `5% & $3 #1 a_b {x}`,
		`{\em very} \textbf{bold}~x\,y`:        `very bold x y`,
		"``quoted'' 1--2---3":                  `“quoted” 1–2—3`,
		`$\alpha \leq \beta^2$ in \LaTeX`:      `α≤β^2 in LaTeX`,
		`\`:                                    `\`,
		`\'`:                                   ``,
		`\"1 \unknown{arg}`:                    `1 arg`,
		`\uline{x} \url{y}`:                    `x y`,
	} {
		if got := latexText(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}

// FuzzLaTeX holds a text to one line that is no more than three times as long.
func FuzzLaTeX(f *testing.F) {
	f.Add(`G{\"o}del \'\i \ss \& $\alpha$ -- ~`)
	f.Fuzz(func(t *testing.T, s string) {
		if got := latexText(s); utf8.ValidString(s) && !utf8.ValidString(got) || strings.Contains(got, "\n") || len(got) > 3*len(s)+4 {
			t.Errorf("%q is %q", s, got)
		}
	})
}
