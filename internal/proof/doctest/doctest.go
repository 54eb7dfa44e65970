// Package doctest finds the code blocks of Markdown documents, so that tests can compile and run
// them.
package doctest

import (
	"fmt"
	"os"
	"strings"
)

// Block is a fenced code block. The words after the opening fence are its language and, after that,
// whatever the test of the document gives a meaning to; what shows Markdown to people ignores them:
//
//	```go file=examples/dot/kernel.go
type Block struct {
	File string // the document
	Line int    // of the opening fence, from 1
	Lang string // "go", or "" when not given
	Args []string
	Text string // the lines between the fences, each with its newline
}

// Pos is "README.md:12".
func (b Block) Pos() string { return fmt.Sprintf("%s:%d", b.File, b.Line) }

// Has reports whether word is among Args.
func (b Block) Has(word string) bool {
	_, ok := b.Arg(word)
	return ok
}

// Arg returns the value of the word "name=value" among Args; it is empty for the word "name".
func (b Block) Arg(name string) (value string, ok bool) {
	for _, arg := range b.Args {
		if key, value, _ := strings.Cut(arg, "="); key == name {
			return value, true
		}
	}
	return "", false
}

// ReadFile returns the code blocks of a document in order. A fence that is not closed is an error.
func ReadFile(name string) ([]Block, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, string(text))
}

// Parse is ReadFile for a text. name stands for it in positions.
func Parse(name, text string) ([]Block, error) {
	var blocks []Block
	var open *Block
	var fence, indent string
	number := 0
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case open == nil && strings.HasPrefix(trimmed, "```"):
			info := strings.TrimLeft(trimmed, "`")
			fence = trimmed[:len(trimmed)-len(info)]
			indent = line[:strings.Index(line, "`")]
			open = &Block{File: name, Line: number}
			if words := strings.Fields(info); len(words) > 0 {
				open.Lang, open.Args = words[0], words[1:]
			}
		case open != nil && trimmed == fence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent)
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s: the code block is not closed", open.Pos())
	}
	return blocks, nil
}
