package compile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

// TestLargeTables has more tables than fit into constant memory: the largest goes elsewhere, and a
// pointer to either of two is right.
func TestLargeTables(t *testing.T) {
	t.Parallel()
	src := compiletest.Source("example.com/p", "p.go", `package p

var small = [1000]int64{0: 7, 999: 1}

var middle = func() (a [7000]int64) {
	for i := range a {
		a[i] = int64(3 * i)
	}
	return a
}()

var large = func() (a [40000]uint16) {
	for i := range a {
		a[i] = uint16(5 * i)
	}
	return a
}()

//gpu:kernel
func Read(in, out []int64, small_1 int8, middle bool) {
	for i, x := range in {
		p := &small[uint(x)%1000]
		if x%2 == 0 {
			p = nth(uint(x))
		}
		out[i] = *p + int64(large[uint(x)%40000])
	}
}

func nth(i uint) *int64 { return &middle[i%7000] }

//gpu:kernel
func First(in, out, small []int64) {
	out[0] = (*nth(uint(in[0])))
}
`)
	r, err := compile.Compile(src, compiletest.Importer(t), compile.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	text := r.PTX.String()
	for _, part := range []string{".const .align 16 .b64 small_2[1000]", ".const .align 16 .b64 middle_1[7000]",
		".global .align 16 .u16 large[40000]", "ld.global.u16", "cvta.const.u64", "ld.const.b64"} {
		if !strings.Contains(text, part) {
			t.Errorf("the PTX has no %s", part)
		}
	}
	in := []int64{0, 999, 1000, 6998, 39999, 123457, 1 << 40}
	out, want := make([]int64, len(in)), make([]int64, len(in))
	for i, x := range in {
		want[i] = int64(uint16(5 * (x % 40000)))
		switch {
		case x%2 == 0:
			want[i] += 3 * (x % 7000)
		case x%1000 == 0:
			want[i] += 7
		case x%1000 == 999:
			want[i]++
		}
	}
	got := newDevice(t, r).launch(t, r.Kernels[0].Instances[0], config{}, in, out, int8(0), false)
	if got != "" || !slices.Equal(out, want) {
		t.Errorf("it gives %d, not %d (%s)", out, want, got)
	}
}

// TestEqualBytes has two tables with the same bytes, of different types. They are two variables, of
// which constant memory has room for one.
func TestEqualBytes(t *testing.T) {
	t.Parallel()
	r, err := compile.Compile(compiletest.Source("example.com/p", "p.go", `package p

var whole [5000]int64

var real [5000]float64

//gpu:kernel
func K(out []float64) {
	for i := range out {
		out[i] = float64(whole[uint(i)%5000]) + real[uint(i)%5000]
	}
}
`), compiletest.Importer(t), compile.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	text := r.PTX.String()
	if !strings.Contains(text, "ld.const.b64") || !strings.Contains(text, "ld.global.f64") {
		t.Errorf("not one table in constant memory and one in global memory:\n%s", text)
	}
}

// TestVariableErrors tests errors that are known late: uses of an address in kernels, and failures
// to compute an initial value.
func TestVariableErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"write": {`var table = [4]int64{1, 2}

func set(p *int64) { *p = 3 }

//gpu:kernel
func K(out []int64, i int) {
	set(&table[i])
	out[0] = table[1]
}`, "p.go:4:22: this writes to a package-level variable, which kernels can only read: copy it to a local variable, " +
			"or pass it as a parameter of the kernel"},
		"method that no kernel calls": {`type counters [4]int64

func (c *counters) all() []int64 { return c[:] }
func host() { table.all()[1] = 3 }

var table counters

func (c counters) other() []int64 { return table[:] }

type other int64

func (o other) all() int64 { return 1 }

//gpu:kernel
func K(out []int64, i int) {
	out[0] = table[i] + other(i).all()
}`, "p.go:17:11: table may change, its method all with a pointer receiver is called at p.go:5:15: a kernel reads only " +
			"package-level variables that are set in their declaration and nowhere else, pass it as a parameter of the kernel"},
		"only read": {`type counters [4]int64

func (c *counters) all() []int64 { return c[:] }

var table counters

//gpu:kernel
func K(out []int64, i int) {
	out[0] = table.all()[i]
}`, ""},
		"initial value fails": {`var table = func() (t [4]int64) {
	for i := range 5 {
		t[i] = 1
	}
	return t
}()

//gpu:kernel
func K(out []int64) { out[0] = table[1] }`,
			"p.go:4:3: the initial value of a variable that a kernel reads cannot be computed: it fails: index out of range [4] with length 4"},
		"initial value panics": {`var x = func() int64 { panic("no value") }()

//gpu:kernel
func K(out []int64) { out[0] = x }`,
			"p.go:2:24: the initial value of a variable that a kernel reads cannot be computed: it fails: panic: no value"},
		"initial value fails an assertion": {`var x = func() (n int8) {
	gpu.Assert(n > 0, "n is %d, not %v", n-1, 1.5)
	return n
}()

//gpu:kernel
func K(out []int8) { out[0] = x }`,
			"p.go:3:2: the initial value of a variable that a kernel reads cannot be computed: it fails: " +
				"assertion failed: n is -1, not 1.5"},
		"initial value has no end": {`var x = func() (n int64) {
	for {
		n++
	}
}()

//gpu:kernel
func K(out []int64) { out[0] = x }`,
			"p.go:4:3: the initial value of a variable that a kernel reads cannot be computed: it takes more than 20000000 steps"},
		"slice of a literal with a huge index": {`var table = []int32{1 << 40: 1}

//gpu:kernel
func K(out []int32, i int) { out[0] = table[i] }`,
			"p.go:2:5: table cannot be read by a kernel: its 1099511627777 elements have more than 1048576 bytes, pass it as a slice"},
		"slice of huge elements": {`var table = [][1 << 40]int8{{1}}

//gpu:kernel
func K(out []int8, i int) { out[0] = table[0][i] }`,
			"p.go:2:5: table cannot be read by a kernel: its 1 elements have more than 1048576 bytes, pass it as a slice"},
		"initial value with huge local variables": {`var x = func() int { var t [1 << 45]int; t[5] = 7; return t[5] }()

//gpu:kernel
func K(out []int) { out[0] = x }`,
			"p.go:2:26: the initial value of a variable that a kernel reads cannot be computed: its local variables take more than 67108864 bytes"},
		"initial value that clears for ever": {`var x = func() (n int) {
	for {
		var t [1 << 20]int
		p := &t
		n += p[n&7]
	}
}()

//gpu:kernel
func K(out []int) { out[0] = x }`,
			"p.go:4:7: the initial value of a variable that a kernel reads cannot be computed: it takes more than 20000000 steps"},
		"initial value of a thread": {`var x = gpu.ThreadIdx.X

//gpu:kernel
func K(out []int) { out[0] = x }`,
			"p.go:2:9: the initial value of a variable that a kernel reads cannot be computed: it asks for what only a thread of a kernel has"},
	} {
		head := "package p"
		if strings.Contains(test.text, "gpu.") {
			head += `; import "github.com/gridstride/gridstride/gpu"`
		}
		_, err := compile.Compile(compiletest.Source("example.com/p", "p.go", head+"\n"+test.text), compiletest.Importer(t),
			compile.Options{Verify: true})
		switch {
		case err == nil && test.want != "":
			t.Errorf("%s: no error, want %s", name, test.want)
		case err != nil && err.Error() != test.want:
			t.Errorf("%s:\n\tgot  %v\n\twant %s", name, err, test.want)
		}
	}
}
