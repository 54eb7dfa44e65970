package main

import (
	"bytes"
	"fmt"
	"html"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/tour/lab"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// repository is where links lead that leave the tutorial.
const repository = "https://github.com/gridstride/gridstride/blob/main/"

// chapter is a chapter under way.
type chapter struct {
	name, title string // of its page, without .html
	programs    []program
	html        []byte
	root        string
}

// program is a program that a page shows, with a launch of its kernel.
type program struct {
	Name   string     `json:"name"`
	Text   string     `json:"text"`
	Launch lab.Launch `json:"launch"`
	// Line is where the chapter's block of code begins in Text. The editor shows it first.
	Line int `json:"line"`
}

// render makes the page of a chapter.
func render(root string, source []byte) (*chapter, error) {
	c := &chapter{root: root, programs: []program{}}
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(c, 1))))
	document := md.Parser().Parse(text.NewReader(source))
	err := ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 1 {
				c.title = string(n.Lines().Value(source))
			}
		case *ast.Link:
			n.Destination = []byte(target(string(n.Destination)))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, source, document); err != nil {
		return nil, err
	}
	c.html = b.Bytes()
	return c, nil
}

var chapterLink = regexp.MustCompile(`^(0\d-\w+)\.md(#.*)?$`)

// target is where a link of a chapter leads on the page.
func target(to string) string {
	if m := chapterLink.FindStringSubmatch(to); m != nil {
		return m[1] + ".html" + m[2]
	}
	if strings.Contains(to, "://") || strings.HasPrefix(to, "#") {
		return to
	}
	if to == "README.md" {
		return "index.html"
	}
	return repository + path.Join("docs/tutorial", to)
}

// RegisterFuncs implements goldmark's renderer.NodeRenderer.
func (c *chapter) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, c.code)
}

// code renders a block of code: a kernel with a place for its editor, which shows the code without
// script too.
func (c *chapter) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	info := ""
	if block.Info != nil {
		info = string(block.Info.Value(source))
	}
	code := string(block.Lines().Value(source))
	language, _, _ := strings.Cut(info, " ")
	p, err := c.program(info, code)
	if err != nil {
		return ast.WalkStop, err
	}
	if p == nil {
		fmt.Fprintf(w, "<pre class=\"code %s\" tabindex=\"0\"><code>%s</code></pre>\n", html.EscapeString(language), html.EscapeString(code))
		return ast.WalkContinue, nil
	}
	fmt.Fprintf(w, "<section class=\"bench\" data-program=\"%d\" aria-label=\"Kernel %s\"><pre class=\"code go\" tabindex=\"0\"><code>%s</code></pre></section>\n",
		len(c.programs), html.EscapeString(p.Name), html.EscapeString(code))
	c.programs = append(c.programs, *p)
	return ast.WalkContinue, nil
}

var attribute = regexp.MustCompile(`\bfile=(\S+\.go)\b`)

// program is the program of a block of code; nil if it shows no kernel that a page launches.
func (c *chapter) program(info, code string) (*program, error) {
	m := attribute.FindStringSubmatch(info)
	if m == nil {
		return nil, nil
	}
	f, err := readFolder(filepath.Join(c.root, path.Dir(m[1])))
	if err != nil {
		return nil, err
	}
	name := f.kernelAt(m[1], code)
	launch, ok := launches[path.Dir(m[1])+" "+name]
	if !ok {
		return nil, nil
	}
	if slices.ContainsFunc(c.programs, func(p program) bool { return p.Name == name }) {
		return nil, nil // it is in an editor above
	}
	text, err := f.program(name)
	if err != nil {
		return nil, err
	}
	line := 1
	if before, _, ok := strings.Cut(text, strings.TrimSpace(code)); ok {
		line += strings.Count(before, "\n")
	}
	return &program{Name: name, Text: text, Launch: launch, Line: line}, nil
}
