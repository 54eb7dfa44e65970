package frontend

import (
	"fmt"
	"go/types"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
)

// TestSizes compares sizes, alignments and offsets of random types with the results of go/types.
func TestSizes(t *testing.T) {
	t.Parallel()
	want := types.SizesFor(abi.SizesCompiler, abi.SizesArch)
	r := rand.New(rand.NewPCG(1, 2))
	pkg := types.NewPackage("p", "p")
	for i := range 2000 {
		typ := randomType(r, pkg, 4)
		if got, want := Sizes.Sizeof(typ), want.Sizeof(typ); got != want {
			t.Fatalf("%d: %v has %d bytes, want %d", i, typ, got, want)
		}
		if got, want := Sizes.Alignof(typ), want.Alignof(typ); got != want {
			t.Fatalf("%d: %v is aligned to %d, want %d", i, typ, got, want)
		}
		if s, ok := typ.Underlying().(*types.Struct); ok {
			fields := slices.Collect(s.Fields())
			if got, want := Sizes.Offsetsof(fields), want.Offsetsof(fields); !slices.Equal(got, want) {
				t.Fatalf("%d: the fields of %v are at %d, want %d", i, typ, got, want)
			}
		}
	}
}

func randomType(r *rand.Rand, pkg *types.Package, depth int) types.Type {
	var t types.Type = types.Typ[types.Bool+types.BasicKind(r.IntN(int(types.String-types.Bool)+1))]
	switch kind := r.IntN(8); {
	case depth == 0:
		return t
	case kind < 4:
		var fields []*types.Var
		for i := range r.IntN(4) {
			fields = append(fields, types.NewField(0, pkg, fmt.Sprintf("f%d", i), randomType(r, pkg, depth-1), false))
		}
		t = types.NewStruct(fields, nil)
	case kind < 6:
		t = types.NewArray(randomType(r, pkg, depth-1), int64(r.IntN(4)))
	case kind == 6:
		t = types.NewSlice(t)
	}
	if r.IntN(3) > 0 {
		return t
	}
	return types.NewNamed(types.NewTypeName(0, pkg, "T", nil), t, nil)
}

// TestLargeSizes measures a type of 2^62 bytes, and one that is too large.
func TestLargeSizes(t *testing.T) {
	t.Parallel()
	pkg := types.NewPackage("p", "p")
	var typ types.Type = types.Typ[types.Uint8]
	for i := range 64 {
		want := int64(1) << i
		if i > 62 {
			want = -1
		}
		if got := Sizes.Sizeof(typ); got != want {
			t.Fatalf("%d deep: %d bytes, want %d", i, got, want)
		}
		pair := types.NewStruct([]*types.Var{types.NewField(0, pkg, "a", typ, false), types.NewField(0, pkg, "b", typ, false)}, nil)
		typ = types.NewNamed(types.NewTypeName(0, pkg, "T", nil), pair, nil)
	}
}
