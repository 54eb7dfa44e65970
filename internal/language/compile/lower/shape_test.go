package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

// TestShapesOfTypes holds the shapes of random types to their layouts: each number lies where the
// layout has it, by the same name, also after the shape was written and read.
func TestShapesOfTypes(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	numbers, written := 0, 0
	for range 2000 {
		typ := randomType(rng, 4)
		if frontend.RefuseSize(typ) != "" {
			continue
		}
		s := typeShape(typ)
		if s == nil {
			t.Fatalf("%s has no shape", typ)
		}
		if want := frontend.Sizes.Sizeof(typ); s.Size != want {
			t.Fatalf("%s has %d bytes, its shape %s %d", typ, want, s, s.Size)
		}
		if len(s.String()) <= abi.LongestShape {
			written++
			if read := abi.ReadShape(s.String()); read == nil || read.String() != s.String() {
				t.Fatalf("%s is read as %v", s, read)
			} else {
				s = read
			}
		}
		lay := &layout{}
		lay.addScalars(typ, 0, "", false)
		for _, x := range lay.scalars {
			if strings.HasSuffix(x.path, ".imag") || x.blank {
				continue
			}
			numbers++
			want := strings.TrimSuffix(x.path, ".real")
			if path, n := s.At(x.off, 1); n == nil || path != want {
				t.Fatalf("%s: byte %d is %s, %v; want %s", typ, x.off, path, n, want)
			}
		}
	}
	if numbers < 5000 || written < 1000 {
		t.Errorf("%d numbers of %d types were compared, want more", numbers, written)
	}
}

// randomType is a number, or an array or a struct of random types.
func randomType(rng *rand.Rand, depth int) types.Type {
	kinds := []types.BasicKind{types.Bool, types.Int8, types.Uint8, types.Int16, types.Uint16, types.Int32, types.Uint32, types.Int64,
		types.Uint64, types.Int, types.Uint, types.Float32, types.Float64, types.Complex64, types.Complex128}
	switch k := rng.IntN(4); {
	case depth == 0 || k == 0:
		return types.Typ[kinds[rng.IntN(len(kinds))]]
	case k == 1:
		return types.NewArray(randomType(rng, depth-1), int64(rng.IntN(4)))
	}
	var fields []*types.Var
	for i := range rng.IntN(5) {
		name := fmt.Sprintf("x%d", i)
		if rng.IntN(8) == 0 {
			name = "_"
		} else if rng.IntN(8) == 0 {
			name = fmt.Sprintf("größe%d", i)
		}
		fields = append(fields, types.NewField(token.NoPos, nil, name, randomType(rng, depth-1), false))
	}
	return types.NewStruct(fields, nil)
}
