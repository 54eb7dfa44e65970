package p

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=16x16x2x1
func A(a []float32) {} // ERROR@-1 14:"cannot read block=16x16x2x1: write block=256"

//gpu:kernel block=2048
func B(a []float32) {} // ERROR@-1 14:"block=2048 is too large: the limits are 1024 threads in x and y, and 64 in z"

//gpu:kernel block=1x1x65
func C(a []float32) {} // ERROR@-1 14:"block=1x1x65 is too large"

//gpu:kernel block=64x32
func D(a []float32) {} // ERROR@-1 14:"block=64x32 is 2048 threads: a block has at most 1024"

//gpu:kernel block=0
func E(a []float32) {} // ERROR@-1 14:"cannot read block=0"

//gpu:kernel block=8 block=8
func F(a []float32) {} // ERROR@-1 22:"block is given twice"

//gpu:kernel block=256 minblocks=2 minblocks=2
func MinTwice(a []float32) {} // ERROR@-1 36:"minblocks is given twice"

//gpu:kernel block=256 minblocks=64
func MinMany(a []float32) {} // ERROR@-1 24:"cannot read minblocks=64: write a number of blocks, 1 to 32"

//gpu:kernel minblocks=2
func MinFree(a []float32) {} // ERROR@-1 14:"minblocks=2 says nothing without the size of a block: write block=256 minblocks=2"

//gpu:kernel block=1024 minblocks=3
func MinThreads(a []float32) {} // ERROR@-1 25:"minblocks=3 are 3072 threads: a multiprocessor has at most 2048 at a time"

//gpu:kernel target=sm_60
func OldTarget(a []float32) {} // ERROR@-1 21:`cannot read target "sm_60": write sm_70 or a newer one, such as sm_80 or sm_90a`

//gpu:kernel target=sm_80,sm_80
func TwoTargets(a []float32) {} // ERROR@-1 27:"target sm_80 is listed twice"

//gpu:kernel quick
func G(a []float32) {} // ERROR@-1 14:`cannot read "quick": write T=float32,float64, block=256, fast or open`

//gpu:kernel fast fast
func FastTwice(a []float32) {} // ERROR@-1 19:"fast is given twice"

//gpu:kernel
//gpu:fast
func FastKernel(a []float32) {} // ERROR@-1 1:"//gpu:fast is for functions that kernels call: write //gpu:kernel fast"

//gpu:fast very
func fastArgument(x float32) float32 { return x } // ERROR@-1 1:"//gpu:fast takes no arguments"

// gpu:fast
func fastSpace(x float32) float32 { return x } // ERROR@-1 1:"write the directive without a space after the slashes: //gpu:fast"

//gpu:kernel T=float32
func H(a []float32) {} // ERROR@-1 14:"H has no type parameter T"

//gpu:kernel
func I[T gpu.Float](a []T) {} // ERROR@-1 1:"name the types for which I is compiled: //gpu:kernel T=float32,float64"

//gpu:kernel T=float32,float32
func J[T gpu.Float](a []T) {} // ERROR@-1 24:"type float32 is listed twice for T"

//gpu:kernel T=float32 T=float64
func K[T gpu.Float](a []T) {} // ERROR@-1 24:"T is given twice"

//gpu:kernel T:U=float32:int,float64
func Pair[T, U any](a []T, b []U) {} // ERROR@-1 30:"cannot read float64: write a type for each of T:U, with a colon between"

//gpu:kernel T:T=float32:int
func Same[T any](a []T) {} // ERROR@-1 1:"name the types" 16:"T is given twice"

//gpu:kernel T:=float32
func Colon[T any](a []T) {} // ERROR@-1 1:"name the types" 14:`cannot read "T:=float32": write T=float32,float64, block=256, fast or open`

//gpu:kernel T:V=float64:gpu.Float32x4
func Unfit[T gpu.Float, V gpu.FloatVector[T, V]](a []T, b []V) {} // ERROR@-1 26:"gpu.Float32x4 does not satisfy"

//gpu:kernel T=[]int,pair[[]int],pair[n()],[n]int,func(),
func L[T any](a []T) {} // ERROR@-1 16:`"\[\]int" is not the name of a type` 22:`"pair\[\[\]int\]" is not the name of a type` 34:`"pair\[n\(\)\]" is not` 44:`"\[n\]int" is not` 51:`"func\(\)" is not` 58:`"" is not the name of a type`

type pair[T any] struct{ x, y T }

//gpu:kernel T=pair[unknown]
func LL[T any](a []T) {} // ERROR@-1 16:`undefined: unknown`

//gpu:kernel T=float16
func M[T any](a []T) {} // ERROR@-1 16:"undefined: float16"

//gpu:kernel
//gpu:kernel
func N(a []float32) {} // ERROR@-1 1:"a second //gpu:kernel: list all types in one"

//gpu:nobounds
func helper() {} // ERROR@-1 1:"//gpu:nobounds is for kernels: helper has no //gpu:kernel"

//gpu:kernel
//gpu:nobounds please
func O(a []float32) {} // ERROR@-1 1:"//gpu:nobounds takes no arguments"

//gpu:kernal
func P(a []float32) {} // ERROR@-1 1:"unknown directive //gpu:kernal: there are //gpu:kernel, //gpu:nobounds, //gpu:fast, //gpu:instance and //gpu:needs"

// gpu:kernel block=3
func Q(a []float32) {} // ERROR@-1 1:"write the directive without a space after the slashes: //gpu:kernel"

//gpu:kernel

var _ = 0 // ERROR@-2 1:"//gpu:kernel must be in the comment directly above a function"

func _() {
	//gpu:kernel
	_ = 0 // ERROR@-1 2:"//gpu:kernel must be in the comment directly above a function"
}
