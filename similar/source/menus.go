package source

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A part says what a piece of a page is in.
type part uint8

const (
	menus   part = 1 << iota // navigation, a banner, notes on the site, an aside or a control
	banner                   // of menus, a banner
	inForm                   // a form
	hidden                   // an element that is not shown
	content                  // the main part or an article
	section                  // a section or a part that has its own headers and footers
)

// A page follows the elements of a page of HTML, to tell its text from its menus. Its methods do
// nothing for nil.
type page struct {
	open   []opened
	count  map[atom.Atom]int // of the elements that are open
	pieces []piece
}

// opened is an element that is open. Elements that HTML does not have, have the atom 0.
type opened struct {
	name atom.Atom
	in   part
}

// A piece begins at a place of the body's text and ends at the next one.
type piece struct {
	at int
	in part
}

func (p *page) now() part {
	if len(p.open) == 0 {
		return 0
	}
	return p.open[len(p.open)-1].in
}

// headings reports whether a heading may be the page's.
func (p *page) headings() bool { return p == nil || p.now()&(hidden|menus) == 0 || p.now()&banner != 0 }

// note begins a piece.
func (p *page) note(at int) {
	in := p.now()
	switch n := len(p.pieces); {
	case n > 0 && p.pieces[n-1].in == in || n == 0 && in == 0:
	case n > 0 && p.pieces[n-1].at == at:
		p.pieces[n-1].in = in
	default:
		p.pieces = append(p.pieces, piece{at, in})
	}
}

// noEnd are elements without an end tag.
var noEnd = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true,
	atom.Input: true, atom.Link: true, atom.Meta: true, atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}

// siblings are elements that end where one of the same name begins.
var siblings = map[atom.Atom]bool{
	atom.Li: true, atom.Dt: true, atom.Dd: true, atom.Tr: true, atom.Td: true, atom.Th: true, atom.Option: true,
}

// start opens an element.
func (p *page) start(t html.Token, at int) {
	if p == nil || noEnd[t.DataAtom] || t.Type == html.SelfClosingTagToken {
		return
	}
	if n := len(p.open); n > 0 {
		last := p.open[n-1].name
		if last == atom.P && !inline[t.DataAtom] || siblings[last] && last == t.DataAtom {
			p.pop(n - 1)
		}
	}
	if p.count == nil {
		p.count = map[atom.Atom]int{}
	}
	p.count[t.DataAtom]++
	p.open = append(p.open, opened{t.DataAtom, p.now() | partOf(t, p.now())})
	p.note(at)
}

// maxInline is how far the start of an element within a line may be from its end, in elements.
const maxInline = 64

// end closes an element and those in it. One within a line closes no block.
func (p *page) end(t html.Token, at int) {
	if p == nil || p.count[t.DataAtom] == 0 {
		return
	}
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].name == t.DataAtom {
			p.pop(i)
			p.note(at)
			return
		}
		if inline[t.DataAtom] && (!inline[p.open[i].name] || len(p.open)-i > maxInline) {
			return
		}
	}
}

// pop closes the elements from the i-th on.
func (p *page) pop(i int) {
	for _, o := range p.open[i:] {
		p.count[o.name]--
	}
	p.open = p.open[:i]
}

// roles are the parts that have a role of WAI-ARIA.
var roles = map[string]part{
	"navigation": menus, "banner": menus | banner, "contentinfo": menus, "complementary": menus, "search": menus,
	"menu": menus, "menubar": menus, "main": content, "article": content, "form": inForm,
}

// elements are the parts of elements without a role.
var elements = map[atom.Atom]part{
	atom.Nav: menus, atom.Header: menus | banner, atom.Footer: menus, atom.Aside: menus, atom.Search: menus,
	atom.Select: menus, atom.Button: menus, atom.Datalist: menus, atom.Textarea: menus, atom.Form: inForm,
	atom.Main: content, atom.Article: content, atom.Section: section,
}

// partOf returns the part that an element is, in one of the parts of outer. A header or a footer of a
// section is its own, and no banner. An aside that has notes is text.
func partOf(t html.Token, outer part) (in part) {
	role, class := "", ""
	for _, a := range t.Attr {
		switch a.Key {
		case "hidden":
			if a.Val != "until-found" {
				in |= hidden
			}
		case "aria-hidden":
			if a.Val == "true" {
				in |= hidden
			}
		case "style":
			if style := strings.ReplaceAll(a.Val, " ", ""); strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				in |= hidden
			}
		case "role":
			role, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(a.Val)), " ")
		case "class":
			class = a.Val
		}
	}
	switch {
	case role != "":
		return in | roles[role]
	case (t.DataAtom == atom.Header || t.DataAtom == atom.Footer) && outer&(content|section) != 0,
		t.DataAtom == atom.Aside && strings.Contains(class, "note"):
		return in
	}
	return in | elements[t.DataAtom]
}

// kept returns the body's text without menus, forms and what is hidden. A form or a hidden element
// that has most of the text is the page itself. If most of the rest is in the main part or in
// articles, these are all of it. If that would be nothing, all is text.
func (p *page) kept(body string) string {
	if p == nil || len(p.pieces) == 0 {
		return body
	}
	p.pieces = append(p.pieces, piece{len(body), 0})
	p.pieces = slices.Insert(p.pieces, 0, piece{0, 0})
	count := func(want func(part) bool) (n int) {
		for i, q := range p.pieces[:len(p.pieces)-1] {
			if want(q.in) {
				n += letterBytes(body[q.at:p.pieces[i+1].at])
			}
		}
		return n
	}
	drop := menus | inForm | hidden
	for _, one := range []part{inForm, hidden} {
		rest := count(func(in part) bool { return in&drop == 0 })
		if count(func(in part) bool { return in&drop == one }) > rest {
			drop &^= one
		}
	}
	left := func(in part) bool { return in&drop == 0 }
	switch all, main := count(left), count(func(in part) bool { return left(in) && in&content != 0 }); {
	case all == 0:
		return body
	case main > all/2:
		left = func(in part) bool { return in&drop == 0 && in&content != 0 }
	}
	var b strings.Builder
	for i, q := range p.pieces[:len(p.pieces)-1] {
		if left(q.in) {
			b.WriteString(body[q.at:p.pieces[i+1].at])
		} else {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// letterBytes counts the bytes of a text other than white space.
func letterBytes(s string) (n int) {
	for i := range len(s) {
		if s[i] > ' ' {
			n++
		}
	}
	return n
}
