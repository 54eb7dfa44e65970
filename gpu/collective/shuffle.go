package collective

import "github.com/gridstride/gridstride/gpu"

// The directions of shuffle.
const (
	fromLane = iota // gpu.ShflSync
	fromAbove
	fromBelow
)

// shuffle is one of package gpu's shuffles for every number type. Those take words, so narrower
// integers travel in a word. The compiler knows T and keeps one of the cases.
func shuffle[T gpu.Number](direction int, mask uint32, v T, lane int) T {
	third := T(1) / 3      // 0 in integers, and in float32 other than in float64
	wide := int64(1) << 40 // lost in integers of fewer bits
	switch {
	case third == 0 && int64(T(wide)) == wide: // an integer of 64 bits
		return T(shuffleWord(direction, mask, int64(v), lane))
	case third == 0:
		return T(shuffleWord(direction, mask, int32(v), lane))
	case float64(third) == 1./3:
		return T(shuffleWord(direction, mask, float64(v), lane))
	}
	return T(shuffleWord(direction, mask, float32(v), lane))
}

func shuffleWord[T gpu.Word](direction int, mask uint32, v T, lane int) T {
	switch direction {
	case fromAbove:
		return gpu.ShflDownSync(mask, v, lane)
	case fromBelow:
		return gpu.ShflUpSync(mask, v, lane)
	}
	return gpu.ShflSync(mask, v, lane)
}
