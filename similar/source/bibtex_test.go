package source_test

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/source"
)

const bibliography = `% from a library's catalogue
@string{cacm = "Communications of the {ACM}"}
@comment{ignored, @article{not this one, year = 1} }

@Article{williams64,
  Author  = {Williams, J. W. J. and {Barnes and Noble} and Erd{\H{o}}s, P{\'a}l},
  title   = "Algorithm 232: {Heapsort} \& {\"U}ber {\ss}",
  journal = cacm # { (Algorithms)},
  year    = 1964, month = jun,
  pages   = {347--348},
  url     = {http://x.org/a\_b~c--d},
  abstract = {Sorts $n$ elements in $O(n \log n)$.
    Uses \emph{heaps} of size~$\alpha$.},
}
@book(knuth,title={The Art},TITLE={Second},publisher=AW)
`

// TestBibTeX reads entries, and names those that are damaged.
func TestBibTeX(t *testing.T) {
	t.Parallel()
	const open = "the entry has no end; want a closing brace before the next entry"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a.bib", bibliography, []string{
			"williams64|Algorithm 232: Heapsort & Über ß|Sorts n elements in O(n log n). Uses heaps of size α.|author=Williams, J. W. J.; Barnes and Noble; Erdős, Pál" +
				"|journal=Communications of the ACM (Algorithms)|month=June|pages=347–348|type=article|url=http://x.org/a_b~c--d|year=1964",
			"knuth|The Art||publisher=AW|type=book"}},
		{"open.bib", "@misc{a, title = {no end,\n}\n@misc{b, title = {B}}\n@misc{c, title = \"x\n", []string{"! open.bib:1: " + open, "b|B||type=misc", "! open.bib:4: " + open}},
		{"brace.bib", "@misc{a, title = {no end\n@misc{b, title = {B}}", []string{"! brace.bib:1: " + open, "b|B||type=misc"}},
		{"bad.bib", "@misc{a b, title = {x}}\n@misc{c, title {x}}\n@misc{d, title = , year = 1}\n@misc{e}\n@misc{,title=e}", []string{
			`! bad.bib:1: the key is "a b"; want one word, and a comma after it`, `! bad.bib:2: a field begins with "title{x}}/@misc{d, title "; want a name and "="`,
			`! bad.bib:3: the field "title" has no value; want braces, quotes, a number or a name`, "e|||type=misc", "bad.bib#5|e||type=misc"}},
		{"long.bib", "@string{a = {" + strings.Repeat("x", 129) + "}}\n@misc{b, note = a}", []string{`! long.bib:1: the string "a" has 129 bytes; want at most 128`, "b|||note=a|type=misc"}},
		{"latin.bib", "@misc{a, author = {Caf\xe9}, type = {Thesis}, file = {:C\\:/x.pdf}}", []string{`a|||author=Café|file=:C\:/x.pdf|type=Thesis`}},
		{"mail.bib", "write to me@x.org, or @ home. @misc{a, note = {me@x.org {@} \\}}, _id = 7}", []string{"a|||note=me@x.org @ }|type=misc"}},
		{"cross.bib", `@inproceedings{p, title={Part}, crossref={Book_1}, pages={7}}
@inproceedings{q, title={Own}, crossref=book_1, year=1970, booktitle={Its own}, abstract={Mine}}
@misc{r, crossref={gone}} @misc{s, crossref={s}} @misc{t, crossref={p}}
@proceedings{book_1, title={The Book}, year=1969, editor={A and B}, url={u}, abstract={All}, crossref={top}, pages={1--900}}
@misc{Book_1, year=1} @book{top, publisher={P}}`, []string{
			"p|Part||booktitle=The Book|crossref=Book_1|editor=A; B|pages=7|type=inproceedings|year=1969",
			"q|Own|Mine|booktitle=Its own|crossref=book_1|editor=A; B|type=inproceedings|year=1970",
			"r|||crossref=gone|type=misc", "s|||crossref=s|type=misc", "t|||booktitle=Part|crossref=p|type=misc",
			"book_1|The Book|All|crossref=top|editor=A; B|pages=1–900|publisher=P|type=proceedings|url=u|year=1969",
			"Book_1|||type=misc|year=1", "top|||publisher=P|type=book"}},
		{"heir.bib", "@misc{a, crossref=b}@misc{b, long={" + strings.Repeat("x", 5000) + "}, short=y}", []string{
			"a|||crossref=b|short=y|type=misc", "b|||long=" + strings.Repeat("x", 5000) + "|short=y|type=misc"}},
		{"none.bib", "no entries", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := collect(source.FS(t.Context(), folder(map[string]string{c.name: c.text}), source.Options{}))
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], `\n`, "/")
			}
			same(t, got, c.want...)
		})
	}
}
