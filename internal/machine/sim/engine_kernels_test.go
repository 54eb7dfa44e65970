package sim

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// measuredKernel is a kernel with its twin in Go.
type measuredKernel struct {
	name, entry string
	text        func(t testing.TB) string
	launch      func(r *rig) (Launch, []any)
	inGo        func() (run func())
	exits       int // how often one worker leaves machine code at most
}

func literal(text string) func(testing.TB) string { return func(testing.TB) string { return text } }

func nvccText(name string) func(testing.TB) string {
	return func(t testing.TB) string {
		text, err := os.ReadFile("testdata/nvcc/" + name + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// galleryText is the PTX of examples/gallery.
func galleryText(t testing.TB) string {
	packed, err := os.ReadFile("../../../examples/gallery/kernels_gen.ptx.zst")
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var measuredKernels = []measuredKernel{
	{"dot of 10^7, 1024 blocks", "dot", literal(dotPTX), dotOf(1024), dotInGo, 700},
	{"dot of 10^7, 64 blocks", "dot", literal(dotPTX), dotOf(64), dotInGo, 550},
	{"saxpy of 10^6", "saxpy", literal(saxpyPTX), launchSaxpy, saxpyInGo, 100},
	{"mandelbrot 320x240, float64", "Mandelbrot", galleryText, launchMandelbrot, mandelbrotInGo, 400},
	{"tiled product of 256", "matmul_f32", nvccText("matmul"), launchMatmul, matmulInGo, 400},
	{"histogram of 2^20", "histogram", nvccText("histogram"), launchHistogram, histogramInGo, 130},
	{"stencil 1024x1024", "stencil", literal(stencilPTX), launchStencil, stencilInGo, 220},
	{"softmax 256x1000", "Softmax", galleryText, launchSoftmax, softmaxInGo, 400},
	{"sparse matrix times vector, 20000 rows, 8 to 80 elements, float64", "SpMV_float64", galleryText, launchSpMV, spmvInGo, 850},
	{"scan of 2^20, blocks of 512", "scan", nvccText("scan"), launchScan, scanInGo, 1100},
}

func dotOf(grid int) func(r *rig) (Launch, []any) {
	return func(r *rig) (Launch, []any) {
		const n = 10_000_000
		a, b := normal(n), append(normal(n)[1:], 1)
		return Launch{Grid: x(grid), Block: x(256)}, []any{upload(r, a), n, upload(r, b), n, upload(r, make([]float32, grid))}
	}
}

func dotInGo() func() {
	const n = 10_000_000
	a, b := normal(n), append(normal(n)[1:], 1)
	return func() {
		var sum float32
		for i, v := range a {
			sum += v * b[i]
		}
		sink += sum
	}
}

const saxpyPTX = `
.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .f32 %f<5>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<8>;
	ld.param.f32 %f1, [a];
	ld.param.u64 %rd1, [x];
	ld.param.u64 %rd2, [y];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra END;
	mul.wide.s32 %rd3, %r5, 4;
	add.s64 %rd4, %rd1, %rd3;
	ld.global.f32 %f2, [%rd4];
	add.s64 %rd5, %rd2, %rd3;
	ld.global.f32 %f3, [%rd5];
	fma.rn.f32 %f4, %f1, %f2, %f3;
	st.global.f32 [%rd5], %f4;
END:
	ret;
}`

func launchSaxpy(r *rig) (Launch, []any) {
	const n = 1_000_000
	return Launch{Grid: x((n + 255) / 256), Block: x(256)}, []any{float32(0.5), upload(r, normal(n)), upload(r, normal(n)), int32(n)}
}

func saxpyInGo() func() {
	a, b := normal(1_000_000), normal(1_000_000)
	return func() {
		for i, v := range a {
			b[i] += 0.5 * v
		}
	}
}

// pictureView is the view of examples/gallery's Mandelbrot.
type pictureView struct {
	Left, Top, Step float64
	Width, Height   int64
}

var picture = pictureView{-2.2, 1.2, 3.2 / 320, 320, 240}

func launchMandelbrot(r *rig) (Launch, []any) {
	n := int(picture.Width * picture.Height)
	return Launch{Grid: [3]int{20, 15, 1}, Block: [3]int{16, 16, 1}}, []any{picture, upload(r, make([]int32, n)), n, 0}
}

func mandelbrotInGo() func() {
	times := make([]int32, picture.Width*picture.Height)
	return func() {
		for i := range times {
			re := math.FMA(float64(int64(i)%picture.Width), picture.Step, picture.Left)
			im := math.FMA(float64(int64(i)/picture.Width), -picture.Step, picture.Top)
			var a, b float64
			n := int32(0)
			for ; n < 200; n++ {
				bb := float64(b * b)
				if math.FMA(a, a, bb) > 4 {
					break
				}
				a, b = math.FMA(a, a, re-bb), math.FMA(2*a, b, im)
			}
			times[i] = n
		}
	}
}

func launchMatmul(r *rig) (Launch, []any) {
	const n = 256
	l := Launch{Grid: [3]int{n / 16, n / 16, 1}, Block: [3]int{16, 16, 1}}
	return l, []any{upload(r, normal(n*n)), upload(r, normal(n*n + 1)[1:]), upload(r, make([]float32, n*n)), int32(n), int32(n), int32(n)}
}

func matmulInGo() func() {
	const n = 256
	a, b, c := normal(n*n), normal(n*n + 1)[1:], make([]float32, n*n)
	return func() {
		clear(c)
		for i := range n {
			row := c[i*n : (i+1)*n]
			for k := range n {
				v := a[i*n+k]
				for j, w := range b[k*n : (k+1)*n] {
					row[j] += v * w
				}
			}
		}
	}
}

// bytesOf are n bytes that differ.
func bytesOf(n int) []uint8 {
	b := make([]uint8, n)
	for i := range b {
		b[i] = uint8(i * i >> 7)
	}
	return b
}

func launchHistogram(r *rig) (Launch, []any) {
	const n = 1 << 20
	return Launch{Grid: x(32), Block: x(256)}, []any{upload(r, bytesOf(n)), upload(r, make([]uint32, 256)), n}
}

func histogramInGo() func() {
	data := bytesOf(1 << 20)
	var counts [256]uint32
	return func() {
		for _, b := range data {
			counts[b]++
		}
	}
}

// stencilPTX is the sum of a point and its four neighbours, with weights, of a square of n by n.
const stencilPTX = `
.visible .entry stencil(.param .u64 in, .param .u64 out, .param .u32 n)
{
	.reg .pred %p<6>;
	.reg .f32 %f<12>;
	.reg .b32 %r<14>;
	.reg .b64 %rd<10>;
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	mov.u32 %r6, %ctaid.y;
	sub.s32 %r7, %r1, 1;
	setp.lt.s32 %p1, %r5, 1;
	setp.ge.s32 %p2, %r5, %r7;
	or.pred %p1, %p1, %p2;
	setp.lt.s32 %p3, %r6, 1;
	or.pred %p1, %p1, %p3;
	setp.ge.s32 %p4, %r6, %r7;
	or.pred %p1, %p1, %p4;
	@%p1 bra END;
	mad.lo.s32 %r8, %r6, %r1, %r5;
	mul.wide.s32 %rd3, %r8, 4;
	add.s64 %rd4, %rd1, %rd3;
	mul.wide.s32 %rd5, %r1, 4;
	sub.s64 %rd6, %rd4, %rd5;
	add.s64 %rd7, %rd4, %rd5;
	ld.global.f32 %f1, [%rd4];
	ld.global.f32 %f2, [%rd4+-4];
	ld.global.f32 %f3, [%rd4+4];
	ld.global.f32 %f4, [%rd6];
	ld.global.f32 %f5, [%rd7];
	add.f32 %f6, %f2, %f3;
	add.f32 %f7, %f4, %f5;
	add.f32 %f8, %f6, %f7;
	mul.f32 %f9, %f1, 0f3F000000;
	fma.rn.f32 %f10, %f8, 0f3E000000, %f9;
	add.s64 %rd8, %rd2, %rd3;
	st.global.f32 [%rd8], %f10;
END:
	ret;
}`

func launchStencil(r *rig) (Launch, []any) {
	const n = 1024
	return Launch{Grid: [3]int{n / 256, n, 1}, Block: x(256)}, []any{upload(r, normal(n*n)), upload(r, make([]float32, n*n)), int32(n)}
}

func stencilInGo() func() {
	const n = 1024
	in, out := normal(n*n), make([]float32, n*n)
	return func() {
		for y := 1; y < n-1; y++ {
			above, row, below := in[(y-1)*n:y*n], in[y*n:(y+1)*n], in[(y+1)*n:(y+2)*n]
			to := out[y*n : (y+1)*n]
			for x := 1; x < n-1; x++ {
				to[x] = 0.125*((row[x-1]+row[x+1])+(above[x]+below[x])) + 0.5*row[x]
			}
		}
	}
}

const softmaxRows, softmaxColumns = 256, 1000

func launchSoftmax(r *rig) (Launch, []any) {
	const n = softmaxRows * softmaxColumns
	return Launch{Grid: x(softmaxRows), Block: x(256)}, []any{upload(r, normal(n)), n, upload(r, make([]float32, n)), n, softmaxColumns, 0}
}

func softmaxInGo() func() {
	in, out := normal(softmaxRows*softmaxColumns), make([]float32, softmaxRows*softmaxColumns)
	return func() {
		for first := 0; first < len(in); first += softmaxColumns {
			row, to := in[first:first+softmaxColumns], out[first:first+softmaxColumns]
			largest := row[0]
			for _, v := range row {
				largest = max(largest, v)
			}
			var sum float32
			for i, v := range row {
				to[i] = float32(math.Exp(float64(v - largest)))
				sum += to[i]
			}
			for i := range to {
				to[i] /= sum
			}
		}
	}
}

// sparse is a matrix of n rows in compressed rows, and a vector.
func sparse(n int) (starts, columns []int32, values, x []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	starts = append(starts, 0)
	for range n {
		for range 8 + r.IntN(73) {
			columns = append(columns, int32(r.IntN(n)))
			values = append(values, r.Float64())
		}
		starts = append(starts, int32(len(columns)))
		x = append(x, r.Float64())
	}
	return starts, columns, values, x
}

const sparseRows = 20_000

func launchSpMV(r *rig) (Launch, []any) {
	starts, columns, values, v := sparse(sparseRows)
	n := len(values)
	return Launch{Grid: x(sparseRows / 4), Block: x(128)}, []any{
		upload(r, starts), len(starts), upload(r, columns), n, upload(r, values), n, upload(r, v), len(v),
		upload(r, make([]float64, sparseRows)), sparseRows, 0,
	}
}

func spmvInGo() func() {
	starts, columns, values, x := sparse(sparseRows)
	y := make([]float64, sparseRows)
	return func() {
		for r := range y {
			var sum float64
			for i := starts[r]; i < starts[r+1]; i++ {
				sum = math.FMA(values[i], x[columns[i]], sum)
			}
			y[r] = sum
		}
	}
}

func launchScan(r *rig) (Launch, []any) {
	const n = 1 << 20
	return Launch{Grid: x(n / 512), Block: x(512), Shared: 4096}, []any{upload(r, make([]int32, n)), upload(r, make([]int32, n)), int32(n)}
}

func scanInGo() func() {
	const n = 1 << 20
	in, out := make([]int32, n), make([]int32, n)
	return func() {
		var sum int32
		for i, v := range in {
			if i%512 == 0 {
				sum = 0
			}
			sum += v
			out[i] = sum
		}
	}
}
