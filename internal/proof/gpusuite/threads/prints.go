package threads

import "github.com/gridstride/gridstride/gpu"

// Level is a number with a name.
type Level int8

// PrintKinds prints a value of each kind.
//
//gpu:kernel
func PrintKinds(x int64, f float64) {
	gpu.Printf("%d %d %d %d %d|", int(x), int8(x), int16(x), int32(x), x)
	gpu.Printf("%x %X %#x %v %08b|", uint8(x), uint16(x), uint32(x), uint64(x), uint(x)&255)
	gpu.Printf("%g %.3f %e %v %8.2f|", f, float32(f), f, float32(f), f)
	gpu.Printf("%t %v %s %-6s %q %d%% %c|", x < 0, f > 0, "100%", "ab", "c", Level(x), 'a'+rune(x&7))
	gpu.Printf("%v %g %.3f %s %q|", gpu.Float16Of(f), gpu.BFloat16Of(f), gpu.E4M3Of(f), gpu.E5M2Of(f), gpu.Float16Of(x))
	gpu.Printf("%+v %6.2f %x|", gpu.Float16x2{X: gpu.Float16Of(f), Y: gpu.Float16Of(0.1)}, [2]gpu.BFloat16{gpu.BFloat16Of(f)}, gpu.Float16Of(f))
	gpu.Printf("%+d %t %v %s\n", 7, true, 2.5, "constants")
}

// Ray is a struct of numbers, others and arrays.
type Ray struct {
	From, To [2]Spot
	Spot
	depth complex64
	_     int8
	hit   bool
}

// Spot is a part of a Ray.
type Spot struct {
	X, Y float32
	Of   Level
}

// PrintParts prints structs and arrays: given, from memory, and made here.
//
//gpu:kernel
func PrintParts(r Ray, rays []Ray, n int) {
	gpu.Printf("%v|%+v\n", r, r.From)
	gpu.Printf("%+v|%6.2v\n", rays[n], rays[n].Spot)
	far := Spot{X: r.To[n&1].X, Y: -1, Of: 2}
	gpu.Printf("%v %+v %g\n", far, [1]Spot{far}, [3]float64{1, float64(n), -0.5})
	gpu.Printf("%v %x %03d %v %8.3f %+v\n", [3]uint8{1, 2, uint8(n)}, [2]int{n, 255}, [2]int16{-1, int16(n)}, struct{}{},
		complex(float64(n), -1.5), r.depth*2)
}

// PrintThreads has every thread print a line in each round, in pieces or whole.
//
//gpu:kernel
func PrintThreads(rounds int) {
	for r := range rounds {
		gpu.Printf("block %d thread %d round %d\n", gpu.BlockIdx.X, gpu.ThreadIdx.X, r)
	}
}

// PrintSome has the threads print whose number in the grid is a multiple of n, and leaves in count
// how many did.
//
//gpu:kernel
func PrintSome(count []int32, n int) {
	if i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X; i%n == 0 {
		gpu.Printf("%d\n", i)
		gpu.AtomicAdd(&count[0], 1)
	}
}

// AssertValues fails where an element is negative.
//
//gpu:kernel
func AssertValues(a []float32, limit uint8) {
	for i := range gpu.GridStride(len(a)) {
		gpu.Assert(a[i] >= 0, "element %d is %g, and not %s %d", i, a[i], "at least 0 and below", limit)
		a[i]++
	}
}
