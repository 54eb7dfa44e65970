package blas_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gridstride/gridstride/blas"
)

// guardCalls is how many calls TestGuardPages makes of each element type.
var guardCalls = flag.Int("guardcalls", 6000, "calls that TestGuardPages makes of each element type")

// guarded is memory between two pages that nobody may read or write.
type guarded []byte

func newGuarded(t *testing.T) guarded {
	t.Helper()
	page, size := os.Getpagesize(), 1<<16
	all, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(all) })
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return guarded(all[page : page+size])
}

// place is n elements at one end of the memory.
func place[T blas.Float](g guarded, n int, atEnd bool) []T {
	all := unsafe.Slice((*T)(unsafe.Pointer(&g[0])), len(g)/int(unsafe.Sizeof(T(0))))
	if atEnd {
		all = all[len(all)-n:]
	}
	return all[:n:n]
}

// scene is the arguments of one call: three matrices and two vectors. Some of them are wrong.
type scene[T blas.Float] struct {
	r          *rand.Rand
	memory     []guarded
	m          [3]blas.Matrix[T]
	v          [2]vector[T]
	trans      [2]blas.Transpose
	side       blas.Side
	uplo       blas.Uplo
	diag       blas.Diag
	alpha      T
	beta       T
	got        []T // the call's result
	want       []float64
	matsBefore [3][]T
	vecsBefore [2][]T
}

// vector is n elements of data that are inc apart.
type vector[T blas.Float] struct {
	data   []T
	n, inc int
}

// index is the place of element i.
func (v *vector[T]) index(i int) int {
	if v.inc < 0 {
		return (v.n - 1 - i) * -v.inc
	}
	return i * v.inc
}

// ok reports whether the elements are in the data, in another way than package extent does.
func (v *vector[T]) ok() bool {
	switch {
	case v.n < 0 || v.inc == 0:
		return false
	case v.n < 2 || v.inc == math.MinInt:
		return v.n == 0 || v.n == 1 && len(v.data) > 0
	}
	return max(v.inc, -v.inc) <= (len(v.data)-1)/(v.n-1)
}

// matrixOK is vector.ok for a matrix.
func matrixOK[T blas.Float](m *blas.Matrix[T]) bool {
	switch {
	case m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols || m.Stride < 1:
		return false
	case m.Rows == 0 || m.Cols == 0:
		return true
	case len(m.Data) < m.Cols:
		return false
	}
	return m.Rows-1 <= (len(m.Data)-m.Cols)/m.Stride
}

func (s *scene[T]) fill(data []T) {
	for i := range data {
		data[i] = T(s.r.Float64()*2 - 1)
	}
}

// matrix makes matrix i of rows and columns, with or without room between its rows.
func (s *scene[T]) matrix(i, rows, cols int) {
	stride := max(cols, 1) + s.r.IntN(2)*s.r.IntN(5)
	size := 0
	if rows > 0 && cols > 0 {
		size = (rows-1)*stride + cols
	}
	s.m[i] = blas.Matrix[T]{Rows: rows, Cols: cols, Stride: stride, Data: place[T](s.memory[i], size, s.r.IntN(2) == 0)}
	s.fill(s.m[i].Data)
	for j := range s.m[i].Data { // so that a triangle can be solved
		s.m[i].Data[j] /= 16
	}
	for d := range min(rows, cols) {
		s.m[i].Data[d*stride+d] += 1
	}
}

// vector makes vector i of n elements.
func (s *scene[T]) vector(i, n, inc int) {
	size := 0
	if n > 0 {
		size = (n-1)*max(inc, -inc) + 1
	}
	s.v[i] = vector[T]{place[T](s.memory[3+i], size, s.r.IntN(2) == 0), n, inc}
	s.fill(s.v[i].data)
}

// hostile are numbers at which sizes overflow.
var hostile = []int{math.MinInt, math.MinInt + 1, -1 << 32, -2, -1, 0, 1, 2, 3, 1 << 31, 1 << 32, 1<<32 + 1, 1<<61 + 1, 1 << 62, 1<<62 + 100,
	math.MaxInt - 1, math.MaxInt}

// sabotage makes one number wrong, or memory too short.
func (s *scene[T]) sabotage(mats, vecs int, incs bool) {
	bad := hostile[s.r.IntN(len(hostile))]
	which := s.r.IntN(mats + vecs)
	if which < mats {
		m := &s.m[which]
		switch s.r.IntN(4) {
		case 0:
			m.Rows = bad
		case 1:
			m.Cols = bad
		case 2:
			m.Stride = bad
		default:
			m.Data = m.Data[: len(m.Data)/2 : len(m.Data)/2]
		}
		return
	}
	v := &s.v[which-mats]
	if !incs || s.r.IntN(2) == 0 {
		v.data = v.data[: len(v.data)/2 : len(v.data)/2]
		if !incs {
			v.n = len(v.data)
		}
		return
	}
	v.inc = bad
}

func (s *scene[T]) shape(i int) (rows, cols int) {
	if i < 2 && s.trans[i] {
		return s.m[i].Cols, s.m[i].Rows
	}
	return s.m[i].Rows, s.m[i].Cols
}

// TestGuardPages calls functions of blas and metric with vectors and matrices at the edges of memory
// that may be used, of random sizes, increments and strides, and with numbers that overflow. A call
// whose arguments are right computes what plain loops do, and writes nothing else. Any other panics
// with a message.
func TestGuardPages(t *testing.T) {
	t.Run("float32", guardPages[float32])
	t.Run("float64", guardPages[float64])
}

func guardPages[T blas.Float](t *testing.T) {
	routines := append(vectorRoutines[T](), matrixRoutines[T]()...)
	var memory []guarded
	for range 5 {
		memory = append(memory, newGuarded(t))
	}
	right, refused := 0, 0
	r := rand.New(rand.NewPCG(21, uint64(*guardCalls)))
	for i := range *guardCalls {
		f := routines[i%len(routines)]
		s := newScene(r, memory, &f)
		ok := f.fits(s)
		for _, m := range s.m[:f.mats] {
			ok = ok && matrixOK(&m)
		}
		for _, v := range s.v[:f.vecs] {
			ok = ok && v.ok()
		}
		s.remember()
		if ok {
			f.expect(s)
			right++
		} else {
			refused++
		}
		if fault := s.run(&f, ok); fault != "" {
			t.Fatalf("call %d, %s: %s\nmatrices %s\nvectors %s", i, f.name, fault, s.sizes(), s.lengths())
		}
	}
	t.Logf("%d calls of %d functions: %d compute what plain loops do, %d are refused", *guardCalls, len(routines), right, refused)
}

func newScene[T blas.Float](r *rand.Rand, memory []guarded, f *routine[T]) *scene[T] {
	coin := func() bool { return r.IntN(2) == 0 }
	s := &scene[T]{r: r, memory: memory, trans: [2]blas.Transpose{blas.Transpose(coin()), blas.Transpose(coin())},
		side: blas.Side(coin()), uplo: blas.Uplo(coin()), diag: blas.Diag(coin()), alpha: T(r.IntN(4)) - 1, beta: T(r.IntN(3)) - 1}
	size := func() int { return r.IntN([]int{3, 10, 40}[r.IntN(3)]) }
	f.make(s, size(), size(), size())
	for i := range f.vecs {
		inc := 1
		if f.incs {
			inc = []int{1, 1, 2, 3, -1, -2, 7}[r.IntN(7)]
		}
		s.vector(i, s.v[i].n, inc)
	}
	if r.IntN(3) == 0 {
		s.sabotage(f.mats, f.vecs, f.incs)
	}
	return s
}

// remember keeps what the memory holds before the call.
func (s *scene[T]) remember() {
	for i := range s.m {
		s.matsBefore[i] = append([]T(nil), s.m[i].Data...)
	}
	for i := range s.v {
		s.vecsBefore[i] = append([]T(nil), s.v[i].data...)
	}
}

// run makes the call and says what is wrong with what it did.
func (s *scene[T]) run(f *routine[T], ok bool) string {
	value := func() (value any) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() { value = recover() }()
		f.call(s)
		return nil
	}()
	text := fmt.Sprint(value)
	switch {
	case ok && value != nil:
		return "panics: " + text
	case !ok && value == nil:
		return "takes arguments that are wrong"
	case !ok && !strings.HasPrefix(text, "blas: ") && !strings.HasPrefix(text, "metric: "):
		return "panics without a message for its caller: " + text
	}
	for i := range s.m {
		if fault := differ(s.m[i].Data, s.matsBefore[i]); fault != "" {
			return fmt.Sprintf("matrix %d, %s", i, fault)
		}
	}
	for i := range s.v {
		if fault := differ(s.v[i].data, s.vecsBefore[i]); fault != "" {
			return fmt.Sprintf("vector %d, %s", i, fault)
		}
	}
	if !ok {
		return ""
	}
	for i, want := range s.want {
		if !near(float64(s.got[i]), want, unsafe.Sizeof(T(0)) == 4) {
			return fmt.Sprintf("returns %v, want %v", s.got[i], want)
		}
	}
	return ""
}

func differ[T blas.Float](got, want []T) string {
	for i, v := range got {
		if !near(float64(v), float64(want[i]), unsafe.Sizeof(v) == 4) {
			return fmt.Sprintf("element %d is %v, want %v", i, v, want[i])
		}
	}
	return ""
}

// near reports whether a result is as exact as the sizes here allow.
func near(got, want float64, single bool) bool {
	tolerance := 1e-11
	if single {
		tolerance = 1e-4
	}
	return got == want || got != got && want != want || math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

func (s *scene[T]) sizes() (text string) {
	for _, m := range s.m {
		text += fmt.Sprintf("%d x %d, stride %d, %d elements. ", m.Rows, m.Cols, m.Stride, len(m.Data))
	}
	return text
}

func (s *scene[T]) lengths() (text string) {
	for _, v := range s.v {
		text += fmt.Sprintf("%d, inc %d, %d elements. ", v.n, v.inc, len(v.data))
	}
	return text
}
