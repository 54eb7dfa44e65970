package check

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/machine/check/memcheck"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/report/format"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/timeline"
	"github.com/gridstride/gridstride/internal/machine/timeline/timelinetest"
	"github.com/gridstride/gridstride/internal/ptx"
)

// bench is a machine with a module loaded.
type bench struct {
	tb     testing.TB
	m      *sim.Machine
	prog   *sim.Program
	text   func(file string, line int) string
	goName map[string]string // names of kernels for people, by entry
	src    *compile.Source   // in Go, nil for PTX
	mod    *ptx.Module
	ptx    string // the module's text as it was loaded
}

// compilePackage compiles a folder of testdata.
func compilePackage(tb testing.TB, dir string) *bench {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", dir, "*.go"))
	if err != nil || len(names) == 0 {
		tb.Fatal("no files in testdata/"+dir, err)
	}
	src := &compile.Source{Path: "example.com/" + dir, Name: filepath.Base(dir)}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		src.Files = append(src.Files, compile.File{Name: filepath.Base(name), Text: text})
	}
	return compileSource(tb, src)
}

func compileSource(tb testing.TB, src *compile.Source) *bench {
	tb.Helper()
	r, err := compile.Compile(src, compiletest.Importer(tb), compile.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	lines := map[string][]string{}
	for _, f := range src.Files {
		lines[f.Name] = strings.Split(string(f.Text), "\n")
	}
	mod := r.PTX
	if len(r.Targets) > 0 { // all kernels are for it
		mod = r.Targets[0].PTX
	}
	b := loadModule(tb, src.Path, mod.String())
	b.src = src
	b.text = func(file string, line int) string {
		l := lines[filepath.Base(file)]
		if line < 1 || line > len(l) {
			return ""
		}
		return l[line-1]
	}
	for _, k := range r.Kernels {
		for _, i := range k.Instances {
			b.goName[i.PTXName] = i.GoName
		}
	}
	return b
}

func loadModule(tb testing.TB, name, text string) *bench {
	tb.Helper()
	mod, err := ptx.Parse(name, text)
	if err != nil {
		tb.Fatal(err)
	}
	b := &bench{tb: tb, m: sim.New(sim.Config{Workers: 1}), goName: map[string]string{}, mod: mod, ptx: text}
	if b.prog, err = b.m.Load(mod); err != nil {
		tb.Fatal(err)
	}
	return b
}

// alloc makes memory of the bytes of a slice of numbers.
func (b *bench) alloc(values any) uint64 {
	b.tb.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		b.tb.Fatal(err)
	}
	addr, err := b.m.Alloc(int64(len(data)))
	if err != nil {
		b.tb.Fatal(err)
	}
	mem, err := b.m.Bytes(addr, int64(len(data)))
	if err != nil {
		b.tb.Fatal(err)
	}
	copy(mem, data)
	return addr
}

func (b *bench) entry(name string) *sim.Entry {
	b.tb.Helper()
	e, err := b.prog.Entry(name)
	if err != nil {
		b.tb.Fatal(err)
	}
	return e
}

// params packs arguments: a slice as its address and, where the kernel has a parameter for it, its
// length.
func (b *bench) params(e *sim.Entry, args ...any) []byte {
	b.tb.Helper()
	buf := make([]byte, e.ParamSize)
	i, last := 0, uint64(0)
	put := func(v uint64) {
		if i == len(e.Params) {
			b.tb.Fatalf("%s has %d parameters", e.Name, i)
		}
		var le [8]byte
		binary.LittleEndian.PutUint64(le[:], v)
		p := e.Params[i]
		copy(buf[p.Offset:p.Offset+p.Size], le[:min(8, p.Size)])
		i++
	}
	for _, a := range args {
		switch a := a.(type) {
		case int:
			put(uint64(a))
		case int32:
			put(uint64(uint32(a)))
		case uint64:
			put(a)
		case mapped:
			a.as.Address = b.alloc(a.values)
			code := a.as.Encode()
			copy(buf[e.Params[i].Offset:], code[:])
			last = a.as.Address
			i++
		case unmapped:
			put(last)
			put(uint64(a))
		case float32:
			put(uint64(math.Float32bits(a)))
		default:
			v := reflect.ValueOf(a)
			put(b.alloc(a))
			if i < len(e.Params) && e.Params[i].Name == e.Params[i-1].Name+"_len" {
				put(uint64(v.Len()))
			}
		}
	}
	return buf
}

// check runs a kernel under all checks.
func (b *bench) check(name string, grid, block [3]int, o Options, args ...any) result {
	b.tb.Helper()
	e := b.entry(name)
	return b.checkLaunch(name, sim.Launch{Grid: grid, Block: block, Shared: e.Module.DeclaredShared(name), Params: b.params(e, args...)}, o)
}

func (b *bench) checkLaunch(name string, l sim.Launch, o Options) result {
	b.tb.Helper()
	if o.Text == nil {
		o.Text = b.text
	}
	if o.Kernel == "" {
		o.Kernel = b.goName[name]
	}
	b.travel(name, l)
	r, err := Run(b.tb.Context(), b.m, b.entry(name), l, o)
	if err != nil {
		b.tb.Fatal(err)
	}
	return result{r}
}

var timelines = flag.Int("timelines", 100, "go back and forth in one of so many of the launches that are checked; 0 in none")

// launches counts them.
var launches atomic.Int64

// travel goes back and forth in a launch's timeline, in one of three orders, and leaves memory as it was.
func (b *bench) travel(name string, l sim.Launch) {
	n := int(launches.Add(1))
	if *timelines == 0 || n%*timelines != 0 {
		return
	}
	l.Order, l.Seed, l.Budget = sim.Order(n / *timelines % 3), uint64(n), 1<<14
	l.MaxFaults = 100
	record, params, err := memcheck.NewRecorder(&b.m.Space, &b.entry(name).Kernel, l.Params)
	if err != nil {
		b.tb.Fatal(err)
	}
	defer record.Close()
	l.Params = params
	t, err := timeline.New(b.tb.Context(), b.m, b.entry(name), l, timeline.Options{Every: timeline.Time(1 + n%97), Memory: n * 1e4 % (1 << 20)})
	if errors.Is(err, sim.ErrTooMuchMemory) {
		return
	}
	if err != nil {
		b.tb.Fatal(err)
	}
	const longest = 1 << 17 // instructions
	if err := t.Seek(b.tb.Context(), longest); err != nil {
		b.tb.Fatal(err)
	}
	if ended, _ := t.Ended(); ended {
		timelinetest.Travel(b.tb, t, &b.m.Space, uint64(n))
	}
	if err := t.Seek(b.tb.Context(), 0); err != nil {
		b.tb.Fatal(err)
	}
}

// result is a report that tests print as text.
type result struct{ *report.Report }

func (r result) String() string {
	var s strings.Builder
	_ = format.Text(&s, r.Report)
	for _, u := range r.Undone {
		fmt.Fprintln(&s, "undecided:", u)
	}
	return s.String()
}

// withoutHangs leaves out phases of mbarriers that never end: what a race may come to in some
// order.
func withoutHangs(r result) result {
	r.Findings = slices.DeleteFunc(r.Findings, func(f *report.Finding) bool { return f.Cause == report.PhaseNeverEnds })
	return r
}

func x(n int) [3]int { return [3]int{n, 1, 1} }
