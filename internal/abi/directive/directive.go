// Package directive reads the //gpu: comments, which say to compiler, vet and checks what the Go
// code around them does not:
//
//	//gpu:kernel T=float32,float64 block=16x16 minblocks=2
//	//gpu:nobounds
//	//gpu:allow race all threads write the same flag
package directive

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// The names of the directives, as they begin a comment.
const (
	KernelName   = "//gpu:kernel"
	NoBoundsName = "//gpu:nobounds"
	AllowName    = "//gpu:allow"
)

// Split takes a comment's text apart into the name of its directive and what follows; ok is false
// for a comment that is none. Rest begins len(name)+1 bytes after the start of the comment.
func Split(comment string) (name, rest string, ok bool) {
	name, rest, _ = strings.Cut(comment, " ")
	return name, rest, strings.HasPrefix(name, "//gpu:")
}

// Kernel is what a //gpu:kernel comment says.
type Kernel struct {
	Types     []TypeParam
	Block     [3]int // threads of a block, zero where it is free
	MinBlocks int    // blocks on a multiprocessor at a time, 0 where nothing is said
}

// TypeParam is the types that a directive lists for one type parameter: T=float32,float64.
type TypeParam struct {
	Name   string
	Offset int // in the comment
	Types  []Type
}

// Type is a type by its name.
type Type struct {
	Text   string
	Offset int
}

// TypesOf are the names of the types that the directive lists for a type parameter.
func (k *Kernel) TypesOf(param string) []string {
	var names []string
	for _, p := range k.Types {
		if p.Name == param {
			for _, t := range p.Types {
				names = append(names, t.Text)
			}
		}
	}
	return names
}

// Error is something wrong at an offset of a comment.
type Error struct {
	Offset int
	Msg    string
}

// ParseKernel reads a comment whose name is KernelName. What it returns beside errors holds the
// arguments that can be read.
func ParseKernel(comment string) (*Kernel, []Error) {
	p := &parser{k: &Kernel{}}
	_, text, _ := Split(comment)
	p.at = len(KernelName) + 1
	for text != "" {
		word, rest, _ := strings.Cut(text, " ")
		p.argument(word)
		p.at += len(text) - len(rest)
		text = rest
	}
	return p.k, p.errs
}

// parser reads one comment.
type parser struct {
	k    *Kernel
	errs []Error
	at   int // the offset of the argument at hand
}

func (p *parser) errorf(offset int, format string, args ...any) {
	p.errs = append(p.errs, Error{offset, KernelName + ": " + fmt.Sprintf(format, args...)})
}

func (p *parser) argument(word string) {
	key, value, ok := strings.Cut(word, "=")
	switch {
	case word == "":
	case !ok || value == "" || !token.IsIdentifier(key):
		p.errorf(p.at, "cannot read %q: write T=float32,float64 or block=256", word)
	case key == "block":
		p.block(value)
	case key == "minblocks":
		p.minBlocks(value)
	default:
		p.types(key, value)
	}
}

func (p *parser) types(name, value string) {
	if slices.ContainsFunc(p.k.Types, func(t TypeParam) bool { return t.Name == name }) {
		p.errorf(p.at, "%s is given twice: write its types in one list", name)
		return
	}
	param := TypeParam{Name: name, Offset: p.at}
	at := p.at + len(name) + 1
	for _, text := range strings.Split(value, ",") {
		if slices.ContainsFunc(param.Types, func(t Type) bool { return t.Text == text }) {
			p.errorf(at, "type %s is listed twice for %s", text, name)
		}
		param.Types = append(param.Types, Type{text, at})
		at += len(text) + 1
	}
	p.k.Types = append(p.k.Types, param)
}

// block reads 256, 16x16 or 8x8x4.
func (p *parser) block(value string) {
	if p.k.Block[0] != 0 {
		p.errorf(p.at, "block is given twice")
		return
	}
	limits := abi.AnyLimits()
	block, threads := [3]int{1, 1, 1}, 1
	sizes := strings.Split(value, "x")
	for i, s := range sizes {
		n, err := strconv.Atoi(s)
		if err != nil || len(sizes) > 3 || n < 1 {
			p.errorf(p.at, "cannot read block=%s: write block=256, block=16x16 or block=8x8x4", value)
			return
		}
		if n > limits.Block[i] {
			p.errorf(p.at, "block=%s is too large: the limits are %d threads in x and y, and %d in z",
				value, limits.Block[0], limits.Block[2])
			return
		}
		block[i] = n
		threads *= n
	}
	if threads > limits.Threads {
		p.errorf(p.at, "block=%s is %d threads: a block has at most %d", value, threads, limits.Threads)
		return
	}
	p.k.Block = block
}

// minBlocks reads the 2 of minblocks=2, which comes behind block.
func (p *parser) minBlocks(value string) {
	limits := abi.AnyLimits()
	n, err := strconv.Atoi(value)
	threads := p.k.Block[0] * p.k.Block[1] * p.k.Block[2]
	switch {
	case p.k.MinBlocks != 0:
		p.errorf(p.at, "minblocks is given twice")
	case err != nil || n < 1 || n > limits.Blocks:
		p.errorf(p.at, "cannot read minblocks=%s: write a number of blocks, 1 to %d", value, limits.Blocks)
	case threads == 0:
		p.errorf(p.at, "minblocks=%s says nothing without the size of a block: write block=256 minblocks=%s", value, value)
	case n*threads > limits.Resident:
		p.errorf(p.at, "minblocks=%s are %d threads: a multiprocessor has at most %d at a time", value, n*threads, limits.Resident)
	default:
		p.k.MinBlocks = n
	}
}

// ParseAllow reads an //gpu:allow comment, at the start of text: what it allows ("race", "vet"), and
// the reason that it gives, which may be empty. ok is false for any other text.
func ParseAllow(text string) (what, reason string, ok bool) {
	name, rest, _ := Split(text)
	if name != AllowName {
		return "", "", false
	}
	what, reason, _ = strings.Cut(strings.TrimSpace(rest), " ")
	return what, strings.TrimSpace(reason), true
}
