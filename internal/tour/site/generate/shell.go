package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/gridstride/gridstride/internal/tour/site"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// contents has the parts of a page for the template.
type contents struct {
	Title string
	Body  template.HTML
	Data  []data
}

// data is a value that the script reads.
type data struct {
	ID    string
	Value any
}

// fill adds the pages to files: of the chapters, whose texts are in bodies, and the others.
func fill(all map[string][]byte, chapters []*chapter) error {
	for i, c := range chapters {
		text := string(c.html)
		if i > 0 { // the chapter itself links to the next one
			text += fmt.Sprintf("<p class=\"crumbs\"><a href=\"%s.html\">Back: %s</a></p>\n", chapters[i-1].name, template.HTMLEscapeString(chapters[i-1].title))
		}
		if err := add(all, c.name, contents{c.title, template.HTML(text), []data{{"programs", c.programs}}}); err != nil {
			return err
		}
	}
	for name, c := range map[string]contents{
		"index":     {"GPU programming in Go", template.HTML(index(chapters)), nil},
		"exercises": {"Exercises", `<div id="exercises"></div>`, []data{{"course", site.NoCourse}}},
		"try":       {"Your own kernel", `<h1>Your own kernel</h1><p>Write a kernel, run it, and look at it. PTX of any compiler runs here too. “Share” makes a link that has the program in it.</p><div id="own"></div>`, nil},
	} {
		if err := add(all, name, c); err != nil {
			return err
		}
	}
	return nil
}

func add(all map[string][]byte, name string, c contents) error {
	var b bytes.Buffer
	if err := page.Execute(&b, c); err != nil {
		return err
	}
	all[name+".html"] = b.Bytes()
	return nil
}

// index is the list of chapters.
func index(chapters []*chapter) string {
	var b strings.Builder
	b.WriteString(`<h1>GPU programming in Go</h1>
<p>For readers who know Go and not CUDA. Kernels are changed and run in these pages: they are compiled, run
on a simulated GPU, are checked for races, and show what their warps do. Nothing is sent anywhere.</p>
<h2>Chapters</h2>
<ol class="cards">
`)
	for _, c := range chapters {
		small := "to read"
		if n := len(c.programs); n == 1 {
			small = "1 kernel to run"
		} else if n > 1 {
			small = fmt.Sprintf("%d kernels to run", n)
		}
		fmt.Fprintf(&b, "<li><a href=\"%s.html\">%s<small>%s</small></a></li>\n", c.name, template.HTMLEscapeString(c.title), small)
	}
	b.WriteString("</ol>\n<h2>And then</h2>\n<ul class=\"cards\"><li><a href=\"exercises.html\">Exercises<small>with hidden tests</small></a></li>" +
		"<li><a href=\"try.html\">Your own kernel<small>an empty page</small></a></li></ul>\n")
	return b.String()
}
