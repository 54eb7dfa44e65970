package ptx

import (
	"fmt"
	"testing"
)

// TestSharedParts reads which parts of dynamic shared memory are variables of which kernel.
func TestSharedParts(t *testing.T) {
	t.Parallel()
	m, err := Parse("k.ptx", `.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 128 .b32 k_near[]; // part of k 40000 bytes at 0 as near
.extern .shared .align 128 .b64 k_far[]; // part of k 80000 bytes at 40000 as far
.extern .shared .align 128 .b8 dynamic[];
.extern .shared .align 128 .b8 l_x[]; // part of l 3 bytes at 0 as x
.extern .shared .align 128 .b8 odd[]; // part of k many bytes at 0 as x
.extern .shared .align 128 .b8 below[]; // part of k 4 bytes at -4 as x
`)
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, m)
	var names []string
	for _, v := range m.SharedParts("k") {
		names = append(names, v.Part.Name)
	}
	if len(names) != 2 || names[0] != "near" || names[1] != "far" {
		t.Errorf("kernel k has the parts %v", names)
	}
	for kernel, want := range map[string]int{"k": 120_064, "l": 128, "other": 0} {
		if got := m.DeclaredShared(kernel); got != want {
			t.Errorf("kernel %s declares %d bytes, want %d", kernel, got, want)
		}
	}
}

// TestShapes reads the Go types beside declarations, and nothing from other comments.
func TestShapes(t *testing.T) {
	t.Parallel()
	m, err := Parse("k.ptx", `.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 128 .b8 k_far[]; // part of k 80000 bytes at 40000 as far // type [10000]{a int32;b float32}
.global .b32 word; // type int32

.visible .entry k(
	.param .u64 a, // type []int32
	.param .u64 b, // the type is []int32
	.param .u64 c, // type string
	.param .u64 d // type [][3]uint64
)
{
	.shared .b32 tile[6], row[3]; // type [3]int32
	.local .b32 mine[3]; // type [3]int32
	ret;
}
.func f(.param .u64 a // type []int32
)
{
	ret;
}
`)
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, m)
	var said []string
	note := func(v *Var) {
		if v.Shape != nil {
			said = append(said, v.Name+" "+v.Shape.String())
		}
	}
	for _, d := range m.Decls {
		switch d := d.(type) {
		case *Var:
			note(d)
		case *Func:
			for _, p := range d.Params {
				note(p)
			}
			for _, s := range d.Body.Stmts {
				if v, ok := s.(*Var); ok {
					note(v)
				}
			}
		}
	}
	want := "[k_far [10000]{a int32;b float32} a []int32 d [][3]uint64 row [3]int32]"
	if got := fmt.Sprint(said); got != want {
		t.Errorf("the types are %s, want %s", got, want)
	}
}
