package difftest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/proof/difftest/host"
)

// Program is one random kernel and its launch, read from Go source (see package gen).
//
// The first line of the source describes the launch:
//
//	//difftest:launch grid=2 block=8x4 in0=7 out0=264 alias=out0 chk=66 seed=17
//
// A parameter that is a slice has a length, or the name of the parameter whose memory it shares.
// The contents of all arguments follow from the seed.
type Program struct {
	Source   string // package-level names end in ø
	Seed     uint64
	Grid     [3]int
	Block    [3]int
	TypeArgs []string // of a generic kernel
	Target   string   // that the kernel asks for, or ""
	Cluster  int      // blocks of a cluster, 0 if it asks for none
	Params   []Param
}

// Param is a parameter of the kernel, or a part of one that holds slices.
type Param struct {
	Name   string
	Slice  bool
	Len    int // elements of a slice
	Alias  int // the parameter whose memory this slice shares, -1 for none
	Size   int // bytes of the value, or of an element
	Align  int
	Leaves []Leaf // the scalars of the value, or of an element
}

// Leaf is a scalar in a value, as in memory.
type Leaf struct {
	Offset int
	Kind   types.BasicKind
	Path   string // ".a[2].b" in its value, for people
	Half   bool   // the bits of a floating-point number of 8 or 16 bits
}

// sizes is how Go lays values out on every 64-bit machine, the GPU among them.
var sizes = types.SizesFor(abi.SizesCompiler, abi.SizesArch)

// Named returns the source with id in place of ø, so that the package-level names of several
// programs differ.
func (p *Program) Named(id int) string {
	return strings.ReplaceAll(p.Source, "ø", "_"+strconv.Itoa(id))
}

// Kernel is the name of the kernel in Named(id), with its type arguments.
func (p *Program) Kernel(id int) string {
	name := "K_" + strconv.Itoa(id)
	if len(p.TypeArgs) > 0 {
		name += "[" + strings.Join(p.TypeArgs, ", ") + "]"
	}
	return name
}

// Parse reads a program. The source must type-check.
func (o *Oracle) Parse(source string) (*Program, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "program.go", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: o.importer, Sizes: sizes}
	pkg, err := conf.Check(file.Name.Name, fset, []*ast.File{file}, nil)
	if err != nil {
		return nil, err
	}
	p := &Program{Source: source}
	launch, err := p.readLaunch()
	if err != nil {
		return nil, err
	}
	return p, p.parameters(pkg, launch)
}

var (
	launchLine   = regexp.MustCompile(`(?m)^//difftest:launch (.*)$`)
	instanceLine = regexp.MustCompile(`(?m)^//gpu:kernel.* T=(\w+)`)
	targetLine   = regexp.MustCompile(`(?m)^//gpu:kernel.* target=(\w+)`)
	clusterLine  = regexp.MustCompile(`(?m)^//gpu:kernel.* cluster=(\d+)`)
)

// readLaunch reads the launch line into p and returns what it says about parameters.
func (p *Program) readLaunch() (map[string]string, error) {
	m := launchLine.FindStringSubmatch(p.Source)
	if m == nil {
		return nil, fmt.Errorf("no line //difftest:launch")
	}
	set := map[string]string{}
	for _, word := range strings.Fields(m[1]) {
		k, v, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("//difftest:launch: %q is not name=value", word)
		}
		set[k] = v
	}
	var err error
	if p.Grid, err = dimensions(set["grid"]); err != nil {
		return nil, fmt.Errorf("//difftest:launch: grid: %w", err)
	}
	if p.Block, err = dimensions(set["block"]); err != nil {
		return nil, fmt.Errorf("//difftest:launch: block: %w", err)
	}
	if p.Seed, err = strconv.ParseUint(set["seed"], 10, 64); err != nil {
		return nil, fmt.Errorf("//difftest:launch: seed: %w", err)
	}
	if m := instanceLine.FindStringSubmatch(p.Source); m != nil {
		p.TypeArgs = m[1:]
	}
	if m := targetLine.FindStringSubmatch(p.Source); m != nil {
		p.Target = m[1]
	}
	if m := clusterLine.FindStringSubmatch(p.Source); m != nil {
		if p.Cluster, err = strconv.Atoi(m[1]); err != nil || p.Cluster < 1 || p.Grid[0]%p.Cluster != 0 {
			return nil, fmt.Errorf("//gpu:kernel: a grid of %d blocks is not of clusters of %s", p.Grid[0], m[1])
		}
	}
	return set, nil
}

// dimensions reads "33", "8x4" or "2x3x4".
func dimensions(s string) (d [3]int, err error) {
	d = [3]int{1, 1, 1}
	words := strings.Split(s, "x")
	if len(words) > 3 {
		return d, fmt.Errorf("%q has more than three dimensions", s)
	}
	for i, w := range words {
		if d[i], err = strconv.Atoi(w); err != nil || d[i] < 1 {
			return d, fmt.Errorf("%q is not a size", s)
		}
	}
	return d, nil
}

// Threads is the number of threads of the launch.
func (p *Program) Threads() int { return host.Count(p.Grid) * host.Count(p.Block) }

// parameters describes the kernel's parameters.
func (p *Program) parameters(pkg *types.Package, launch map[string]string) error {
	kernel, ok := pkg.Scope().Lookup("Kø").(*types.Func)
	if !ok {
		return fmt.Errorf("no function Kø")
	}
	sig := kernel.Signature()
	if sig.TypeParams().Len() > 0 {
		var args []types.Type
		for _, name := range p.TypeArgs {
			args = append(args, types.Universe.Lookup(name).Type())
		}
		inst, err := types.Instantiate(nil, sig, args, true)
		if err != nil {
			return err
		}
		sig = inst.(*types.Signature)
	}
	for v := range sig.Params().Variables() {
		for _, part := range frontend.Parts(v) {
			q := Param{Name: part.Name, Alias: -1}
			t := part.Type
			if s := part.Slice(); s != nil {
				q.Slice, t = true, s.Elem()
				if err := p.length(&q, launch[q.Name]); err != nil {
					return err
				}
			}
			q.Size, q.Align = int(sizes.Sizeof(t)), deviceAlign(t)
			q.Leaves = leaves(nil, t, 0, "")
			p.Params = append(p.Params, q)
		}
	}
	return nil
}

func (p *Program) length(q *Param, s string) error {
	for i, other := range p.Params {
		if other.Name == s {
			q.Alias, q.Len = i, other.Len
			return nil
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return fmt.Errorf("//difftest:launch: no length of the slice %s", q.Name)
	}
	q.Len = n
	return nil
}

// deviceAlign is the alignment of the elements of a slice: Go's, except for complex numbers and the
// vector types of package gpu, which promise more.
func deviceAlign(t types.Type) int {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsComplex != 0 {
		return int(sizes.Sizeof(t))
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Name() == "gpu" {
		return int(sizes.Sizeof(t))
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		return deviceAlign(a.Elem())
	}
	return int(sizes.Alignof(t))
}

// leaves appends the scalars of a value of type t.
func leaves(list []Leaf, t types.Type, offset int, path string) []Leaf {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Complex64:
			return append(list, Leaf{Offset: offset, Kind: types.Float32, Path: path + ".real"}, Leaf{Offset: offset + 4, Kind: types.Float32, Path: path + ".imag"})
		case types.Complex128:
			return append(list, Leaf{Offset: offset, Kind: types.Float64, Path: path + ".real"}, Leaf{Offset: offset + 8, Kind: types.Float64, Path: path + ".imag"})
		}
		return append(list, Leaf{Offset: offset, Kind: u.Kind(), Path: path})
	case *types.Array:
		size := int(sizes.Sizeof(u.Elem()))
		for i := range int(u.Len()) {
			list = leaves(list, u.Elem(), offset+i*size, fmt.Sprintf("%s[%d]", path, i))
		}
		return list
	case *types.Struct:
		var fields []*types.Var
		for f := range u.Fields() {
			fields = append(fields, f)
		}
		first := len(list)
		for i, off := range sizes.Offsetsof(fields) {
			list = leaves(list, fields[i].Type(), offset+int(off), path+"."+fields[i].Name())
		}
		if len(fields) == 1 && fields[0].Name() == "bits" && fields[0].Pkg().Name() == "gpu" {
			list[first].Half = true
		}
		return list
	}
	panic("BUG: a parameter holds " + t.String())
}
