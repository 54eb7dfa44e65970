package p

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"os"
	"sync/atomic"

	"example.com/geom"
	"example.com/missing"
	"github.com/gridstride/gridstride/gpu"
)

//gpu:kernel
func K(a []float32, b []int32) {
	fmt.Println(a[0])         // ERROR 2:"a kernel cannot use fmt.Println: of the standard library only math, math/bits, math/cmplx and cmp have a device form; print with gpu.Printf"
	atomic.AddInt32(&b[0], 1) // ERROR 2:"cannot use atomic.AddInt32: .*gpu.AtomicAdd"
	_ = cmplx.Missing(3)      // ERROR 12:"undefined: cmplx.Missing"
	a[2] = float32(math.Sqrt(2))
	f := math.Jn
	_ = f
	_, _ = bits.Div64(1, 2, 3)
	_ = math.Yn(1, 2)
	_ = bits.Len(3)
	missing.Call() // ERROR 2:"cannot import .example.com/missing.: package example.com/missing is not here"
	v := geom.Vec{X: 1, Y: geom.Dim}
	a[3] = v.Dot(v)
	_ = geom.Origin
	_ = geom.Nothing // ERROR 11:"undefined: geom.Nothing"
	_ = geom.Loop(3) // the recursion is reported where it stands
	gpu.SyncThreads()
	gpu.ThreadIdx.X = 3            // ERROR 2:"gpu.ThreadIdx is read-only"
	gpu.BlockDim.Y++               // ERROR 2:"gpu.BlockDim is read-only"
	p := &gpu.GridDim.X            // ERROR 8:"gpu.GridDim is read-only"
	for gpu.BlockIdx.X = range 3 { // ERROR 6:"gpu.BlockIdx is read-only"
	}
	_ = p
	gpu.Missing() // ERROR 6:"undefined: gpu.Missing"
	helper()
}

func helper() {
	os.Exit(1) // ERROR 2:"a kernel cannot use os.Exit"
}

func host() {
	fmt.Println("the host may do anything", os.Args, undefined)
	var x int
}
