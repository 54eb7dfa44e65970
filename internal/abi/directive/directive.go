// Package directive reads the //gpu: comments, which say to compiler, vet and checks what the Go
// code around them does not:
//
//	//gpu:kernel T=float32,float64 block=16x16 minblocks=2 target=sm_70,sm_90a
//	//gpu:kernel target=sm_90 block=128 cluster=4
//	//gpu:kernel T:V=float32:gpu.Float32x4,float64:gpu.Float64x2 P=Pair[int32],[4]float32
//	//gpu:kernel fast
//	//gpu:fast
//	//gpu:nobounds
//	//gpu:allow race all threads write the same flag
//	//gpu:kernel open block=256
//	//gpu:needs kernels.Tiles[T,O] kernels.Whole[T,O]
//	//gpu:instance parallel.Reduce[Money,add] parallel.Sort[Record,byKey]
//	//gpu:tune TestSum BenchmarkSum block=64,128,256 unroll=1,2,4
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
	InstanceName = "//gpu:instance"
	NeedsName    = "//gpu:needs"
	NoBoundsName = "//gpu:nobounds"
	FastName     = "//gpu:fast"
	AllowName    = "//gpu:allow"
	TuneName     = "//gpu:tune"
)

// Split takes a comment's text apart into the name of its directive and what follows. ok is false
// for a comment that is none. Rest begins len(name)+1 bytes after the start of the comment.
func Split(comment string) (name, rest string, ok bool) {
	name, rest, _ = strings.Cut(comment, " ")
	return name, rest, strings.HasPrefix(name, "//gpu:")
}

// Kernel is the contents of a //gpu:kernel comment.
type Kernel struct {
	Types     []TypeList
	Block     [3]int // threads of a block, zero if free
	MinBlocks int    // blocks on a multiprocessor at a time, 0 where nothing is said
	Targets   []abi.Target
	Cluster   [3]int // blocks of a cluster, zero if free
	// Fast permits inexact arithmetic: see docs/language.md. FastName permits it for another function.
	Fast bool
	// Open says that other packages may have instances of the kernel for types of theirs, and that its
	// launcher takes them.
	Open bool
}

// TypeList is the types that a directive lists for one type parameter, T=float32,float64, or for
// several that change together, T:V=float32:gpu.Float32x4,float64:gpu.Float64x2.
type TypeList struct {
	Params []Name
	Rows   [][]Name // of types, in each a type for each parameter
}

// Name is the name of a type parameter or of a type.
type Name struct {
	Text   string
	Offset int // in the comment
}

// ListOf is the list with the types for a type parameter, or nil.
func (k *Kernel) ListOf(param string) *TypeList {
	for i := range k.Types {
		if k.Types[i].index(param) >= 0 {
			return &k.Types[i]
		}
	}
	return nil
}

// TypesOf are the names of the types that the directive lists for a type parameter.
func (k *Kernel) TypesOf(param string) []string {
	var names []string
	if list := k.ListOf(param); list != nil {
		for _, row := range list.Rows {
			names = append(names, row[list.index(param)].Text)
		}
	}
	return names
}

func (l *TypeList) index(param string) int {
	return slices.IndexFunc(l.Params, func(p Name) bool { return p.Text == param })
}

// Error is something wrong at an offset of a comment.
type Error struct {
	Offset int
	Msg    string
}

// ParseKernel reads a comment whose name is KernelName. If it returns errors, the Kernel has the
// arguments that it could read.
func ParseKernel(comment string) (*Kernel, []Error) {
	p := &parser{k: &Kernel{}, name: KernelName}
	_, text, _ := Split(comment)
	p.at = len(KernelName) + 1
	for text != "" {
		word, rest, _ := cut(text, ' ')
		p.argument(word)
		p.at += len(text) - len(rest)
		text = rest
	}
	p.checkCluster()
	return p.k, p.errs
}

// parser reads one comment.
type parser struct {
	k    *Kernel
	name string // the directive's
	errs []Error
	at   int // the offset of the argument at hand

	clusterAt int // the cluster's
}

func (p *parser) errorf(offset int, format string, args ...any) {
	p.errs = append(p.errs, Error{offset, p.name + ": " + fmt.Sprintf(format, args...)})
}

func (p *parser) argument(word string) {
	key, value, ok := strings.Cut(word, "=")
	switch {
	case word == "":
	case word == "fast" && p.k.Fast:
		p.errorf(p.at, "fast is given twice")
	case word == "fast":
		p.k.Fast = true
	case word == "open" && p.k.Open:
		p.errorf(p.at, "open is given twice")
	case word == "open":
		p.k.Open = true
	case !ok || value == "" || !identifiers(key):
		p.errorf(p.at, "cannot read %q: write T=float32,float64, block=256, fast or open", word)
	case key == "block":
		p.block(value)
	case key == "minblocks":
		p.minBlocks(value)
	case key == "cluster":
		p.cluster(value)
	case key == "target":
		p.targets(value)
	default:
		p.types(key, value)
	}
}

// identifiers reports whether the parts of T:V are identifiers.
func identifiers(key string) bool {
	for part := range strings.SplitSeq(key, ":") {
		if !token.IsIdentifier(part) {
			return false
		}
	}
	return true
}

// types reads the types of the type parameters in key: T, or T:V.
func (p *parser) types(key, value string) {
	list := TypeList{}
	for _, param := range split(key, p.at) {
		if p.k.ListOf(param.Text) != nil || list.index(param.Text) >= 0 {
			p.errorf(param.Offset, "%s is given twice: write its types in one list", param.Text)
			return
		}
		list.Params = append(list.Params, param)
	}
	at := p.at + len(key) + 1
	seen := map[string]bool{}
	for more := true; more; {
		var text string
		text, value, more = cut(value, ',')
		row := split(text, at)
		if seen[text] {
			p.errorf(at, "type %s is listed twice for %s", text, key)
		}
		if len(row) != len(list.Params) {
			p.errorf(at, "cannot read %s: write a type for each of %s, with a colon between", text, key)
		} else {
			list.Rows = append(list.Rows, row)
		}
		seen[text] = true
		at += len(text) + 1
	}
	p.k.Types = append(p.k.Types, list)
}

// split takes names with colons between them apart. The first begins at an offset.
func split(text string, at int) []Name {
	var names []Name
	for more := true; more; {
		var part string
		part, text, more = cut(text, ':')
		names = append(names, Name{part, at})
		at += len(part) + 1
	}
	return names
}

// cut is strings.Cut at the first separator that is not in brackets, as in Pair[int32, int8].
func cut(text string, separator rune) (before, after string, found bool) {
	depth := 0
	i := strings.IndexFunc(text, func(r rune) bool {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		}
		return r == separator && depth <= 0
	})
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
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

// cluster reads 4, 2x2 or 2x2x2.
func (p *parser) cluster(value string) {
	if p.k.Cluster[0] != 0 {
		p.errorf(p.at, "cluster is given twice")
		return
	}
	cluster, blocks := [3]int{1, 1, 1}, 1
	sizes, most := strings.Split(value, "x"), abi.AnyLimits().Cluster
	for i, s := range sizes {
		n, err := strconv.Atoi(s)
		if err != nil || len(sizes) > 3 || n < 1 || n > 1<<16 {
			p.errorf(p.at, "cannot read cluster=%s: write cluster=4, cluster=2x2 or cluster=2x2x2", value)
			return
		}
		cluster[i] = n
		blocks *= n
	}
	if blocks > most {
		p.errorf(p.at, "cluster=%s is %d blocks: a cluster has at most %d", value, blocks, most)
		return
	}
	p.k.Cluster, p.clusterAt = cluster, p.at
}

// checkCluster looks whether all targets of a kernel with clusters have them.
func (p *parser) checkCluster() {
	need := abi.ClusterTarget
	lacks := func(t abi.Target) bool { return !t.Has(need) }
	if p.k.Cluster[0] != 0 && (p.k.Targets == nil || slices.ContainsFunc(p.k.Targets, lacks)) {
		p.errorf(p.clusterAt, "clusters need %v or newer: write target=%v", need, need)
	}
}

// minBlocks reads the 2 of minblocks=2, which follows block.
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

// targets reads sm_70,sm_90a.
func (p *parser) targets(value string) {
	if p.k.Targets != nil {
		p.errorf(p.at, "target is given twice: write all in one list")
		return
	}
	at := p.at + len("target=")
	for _, text := range strings.Split(value, ",") {
		t, ok := abi.ParseTarget(text)
		switch {
		case !ok || t.SM < abi.OldestTarget.SM:
			p.errorf(at, "cannot read target %q: write %v or a newer one, such as sm_80 or sm_90a", text, abi.OldestTarget)
		case slices.Contains(p.k.Targets, t):
			p.errorf(at, "target %v is listed twice", t)
		default:
			p.k.Targets = append(p.k.Targets, t)
		}
		at += len(text) + 1
	}
}

// ParseAllow reads an //gpu:allow comment, at the start of text: what it allows ("race", "vet"),
// and the reason that it gives, which may be empty. ok is false for any other text.
func ParseAllow(text string) (what, reason string, ok bool) {
	name, rest, _ := Split(text)
	if name != AllowName {
		return "", "", false
	}
	what, reason, _ = strings.Cut(strings.TrimSpace(rest), " ")
	return what, strings.TrimSpace(reason), true
}
