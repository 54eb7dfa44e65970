package frontend

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// A directive is what the //gpu: lines above a kernel say.
type directive struct {
	pos       token.Pos
	args      []typeArgs
	block     [3]int
	minBlocks int
	noBounds  bool
}

// typeArgs are the types that a directive lists for one type parameter: T=float32,float64.
type typeArgs struct {
	param string
	pos   token.Pos
	types []typeArg
}

type typeArg struct {
	pos  token.Pos
	text string
}

// The limits of a block that every device has.
const maxThreads = 1024

var maxBlock = [3]int{1024, 1024, 64}

// maxBlocks is the most blocks that any multiprocessor keeps at a time, and maxResident their
// threads.
const (
	maxBlocks   = 32
	maxResident = 2048
)

// directives finds the kernels of a file, in order, and reports directives that are malformed or
// out of place.
func (l *loader) directives(f *file) []*kernelDecl {
	var kernels []*kernelDecl
	placed := map[*ast.Comment]bool{}
	for _, d := range f.syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			placed[c] = true
		}
		if dir := l.directive(fn); dir != nil {
			kernels = append(kernels, &kernelDecl{fn: fn, file: f, dir: dir})
		}
	}
	for _, g := range f.syntax.Comments {
		for _, c := range g.List {
			if !placed[c] && strings.HasPrefix(c.Text, "//gpu:") && !strings.HasPrefix(c.Text, "//gpu:allow ") { // that is for the checks
				l.errorf(c.Pos(), "%s must stand in the comment directly above a function", strings.Fields(c.Text)[0])
			}
		}
	}
	return kernels
}

// directive reads the directives above a function, nil if it is no kernel.
func (l *loader) directive(fn *ast.FuncDecl) *directive {
	var dir *directive
	var noBounds *ast.Comment
	for _, c := range fn.Doc.List {
		word, rest, _ := strings.Cut(c.Text, " ")
		switch {
		case word == "//gpu:kernel" && dir != nil:
			l.errorf(c.Pos(), "a second //gpu:kernel: list all types in one (T=float32,float64)")
		case word == "//gpu:kernel":
			dir = &directive{pos: c.Pos()}
			l.kernelArgs(dir, c.Pos()+token.Pos(len(word)+1), rest)
		case word == "//gpu:nobounds":
			noBounds = c
			if rest != "" {
				l.errorf(c.Pos(), "//gpu:nobounds takes no arguments")
			}
		case strings.HasPrefix(word, "//gpu:"):
			l.errorf(c.Pos(), "unknown directive %s: there are //gpu:kernel and //gpu:nobounds", word)
		case strings.HasPrefix(c.Text, "// gpu:kernel"), strings.HasPrefix(c.Text, "// gpu:nobounds"):
			l.errorf(c.Pos(), "write the directive without a space after the slashes: %s", "//"+strings.Fields(c.Text)[1])
		}
	}
	if noBounds != nil {
		if dir == nil {
			l.errorf(noBounds.Pos(), "//gpu:nobounds is for kernels: %s has no //gpu:kernel", fn.Name.Name)
		} else {
			dir.noBounds = true
		}
	}
	return dir
}

// kernelArgs reads "T=float32,float64 block=256 minblocks=2"; pos is the position of text.
func (l *loader) kernelArgs(dir *directive, pos token.Pos, text string) {
	for text != "" {
		word, rest, _ := strings.Cut(text, " ")
		key, value, ok := strings.Cut(word, "=")
		switch {
		case word == "":
		case !ok || value == "" || !token.IsIdentifier(key):
			l.errorf(pos, "//gpu:kernel: cannot read %q: write T=float32,float64 or block=256", word)
		case key == "block":
			l.blockArg(dir, pos, value)
		case key == "minblocks":
			l.minBlocksArg(dir, pos, value)
		default:
			l.typeArgs(dir, pos, key, value)
		}
		pos += token.Pos(len(text) - len(rest))
		text = rest
	}
}

func (l *loader) typeArgs(dir *directive, pos token.Pos, param, value string) {
	for _, a := range dir.args {
		if a.param == param {
			l.errorf(pos, "//gpu:kernel: %s is given twice: write its types in one list", param)
			return
		}
	}
	args := typeArgs{param: param, pos: pos}
	pos += token.Pos(len(param) + 1)
	for _, text := range strings.Split(value, ",") {
		for _, a := range args.types {
			if a.text == text {
				l.errorf(pos, "//gpu:kernel: type %s is listed twice for %s", text, param)
			}
		}
		args.types = append(args.types, typeArg{pos: pos, text: text})
		pos += token.Pos(len(text) + 1)
	}
	dir.args = append(dir.args, args)
}

// blockArg reads 256, 16x16 or 8x8x4.
func (l *loader) blockArg(dir *directive, pos token.Pos, value string) {
	if dir.block[0] != 0 {
		l.errorf(pos, "//gpu:kernel: block is given twice")
		return
	}
	block, threads := [3]int{1, 1, 1}, 1
	sizes := strings.Split(value, "x")
	for i, s := range sizes {
		n, err := strconv.Atoi(s)
		if err != nil || len(sizes) > 3 || n < 1 {
			l.errorf(pos, "//gpu:kernel: cannot read block=%s: write block=256, block=16x16 or block=8x8x4", value)
			return
		}
		if n > maxBlock[i] {
			l.errorf(pos, "//gpu:kernel: block=%s is too large: the limits are %d threads in x and y, and %d in z", value, maxBlock[0], maxBlock[2])
			return
		}
		block[i] = n
		threads *= n
	}
	if threads > maxThreads {
		l.errorf(pos, "//gpu:kernel: block=%s is %d threads: a block has at most %d", value, threads, maxThreads)
		return
	}
	dir.block = block
}

// minBlocksArg reads the 2 of minblocks=2, which comes behind block.
func (l *loader) minBlocksArg(dir *directive, pos token.Pos, value string) {
	n, err := strconv.Atoi(value)
	threads := dir.block[0] * dir.block[1] * dir.block[2]
	switch {
	case dir.minBlocks != 0:
		l.errorf(pos, "//gpu:kernel: minblocks is given twice")
	case err != nil || n < 1 || n > maxBlocks:
		l.errorf(pos, "//gpu:kernel: cannot read minblocks=%s: write a number of blocks, 1 to %d", value, maxBlocks)
	case threads == 0:
		l.errorf(pos, "//gpu:kernel: minblocks=%s says nothing without the size of a block: write block=256 minblocks=%s", value, value)
	case n*threads > maxResident:
		l.errorf(pos, "//gpu:kernel: minblocks=%s are %d threads: a multiprocessor has at most %d at a time", value, n*threads, maxResident)
	default:
		dir.minBlocks = n
	}
}
