package source_test

import (
	"testing"

	"github.com/gridstride/gridstride/similar/source"
)

// TestMenus reads pages without what is on every page of a site.
func TestMenus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, want string }{
		"page": {"<title>T</title><body><header><a href=/>Site</a><nav><ul><li>Home<li>About</ul></nav></header><div role=search>Search</div>" +
			"<main><h1>Heaps</h1><p>A heap is a tree.<p>It sorts.</main><aside>Related</aside><footer>Copyright</footer>", "T|Heaps/A heap is a tree./It sorts."},
		"no main":          {"<nav>Home</nav><div>A text<div role='Navigation list'>more</div></div> of a page<footer>c</footer>", "|A text/of a page"},
		"articles":         {"<article>One text here</article><p>ad</p><article>Two texts here<header>by A</header><footer>notes</footer></article>", "|One text here/Two texts here/by A/notes"},
		"short main":       {"<main>short</main><div>All of the text is here</div>", "|short/All of the text is here"},
		"heading":          {"<header><h1>Pandoc's title</h1>by A</header><p>Text", "Pandoc's title|Text"},
		"menu heading":     {"<nav><h1>Menu</h1></nav><h1>Title</h1><p>Text", "Title|Text"},
		"hidden":           {"<p>shown<div hidden>no<div>no</div></div><span aria-hidden=true>¶</span><b style='display: none'>x</b> on<p hidden>y<p>z", "|shown/on/z"},
		"until found":      {"<p hidden=until-found>found<p>x", "|found/x"},
		"all hidden":       {"<body style=visibility:hidden><nav>Home</nav><p>Text<p>More", "|Text/More"},
		"form":             {"<p>A text<form>Subscribe <input> <button>Go</button></form> of words", "|A text/of words"},
		"page in a form":   {"<form action=x><nav>Home</nav><select><option>One<option>Two</select><p>The text of a page</form><p>end", "|The text of a page/end"},
		"nothing else":     {"<nav>Contents of<a href=x>a book</a></nav>", "|Contents ofa book"},
		"not closed":       {"<p>Text<div><nav>Home</div><p>more", "|Text/more"},
		"bold across":      {"<b>Text<nav></b>Home</nav> on</b>", "|Text/on"},
		"footnote":         {"<main>Text<aside class=footnote-list>1 A note</aside><aside role=doc-footnote>2</aside><aside>ad</aside></main>", "|Text/1 A note/2"},
		"own elements":     {"<my-app><my-nav role=navigation>Home</my-nav><my-text>Text</my-text></my-app>", "|Text"},
		"section's header": {"<section><header>Chapter</header>Text</section><header>Site</header>", "|Chapter/Text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			same(t, collect(source.FS(t.Context(), folder(map[string]string{"a.html": c.page}), source.Options{})), "a.html|"+c.want)
		})
	}
	const nav = "<nav>Contents</nav><p>Text"
	same(t, collect(source.FS(t.Context(), folder(map[string]string{"a.md": nav, "b.epub": zipped("META-INF/container.xml", container, "OEBPS/book.opf", book,
		"OEBPS/one.xhtml", nav, "OEBPS/two b.xhtml", nav)}), source.Options{})), "a.md||Contents/Text", "b.epub|A book|Contents/Text//Contents/Text")
}
