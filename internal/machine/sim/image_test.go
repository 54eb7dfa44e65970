package sim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/texture"
)

// imagePTX adds a constant table and a counter of the module to memory that a pointer in memory names.
const imagePTX = `
.const .align 4 .u32 table[4] = {10, 20, 30, 40};
.global .align 4 .u32 counter = 7;
.visible .entry add(.param .u64 at) {
	.reg .b32 %r<8>; .reg .b64 %a<8>;
	ld.param.u64 %a1, [at];
	ld.global.u64 %a1, [%a1];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %a2, %r1, 4;
	mov.u64 %a3, table;
	add.s64 %a3, %a3, %a2;
	ld.const.u32 %r2, [%a3];
	atom.global.add.u32 %r3, [counter], 1;
	add.s32 %r2, %r2, %r3;
	add.s64 %a1, %a1, %a2;
	st.global.u32 [%a1], %r2;
	ret;
}`

// TestImage makes a launch again on another machine: addresses in memory, parameters and variables still
// mean the same, and what is allocated later has other addresses.
func TestImage(t *testing.T) {
	t.Parallel()
	r := newRig(t, imagePTX, Config{})
	var addrs [3]uint64
	for i := range addrs {
		var err error
		if addrs[i], err = r.m.Alloc(16); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.m.Free(addrs[0]); err != nil {
		t.Fatal(err)
	}
	pointer, _ := r.m.Bytes(addrs[1], 8)
	binary.LittleEndian.PutUint64(pointer, addrs[2])
	e, err := r.p.Entry("add")
	if err != nil {
		t.Fatal(err)
	}
	l := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{4, 1, 1}, Params: binary.LittleEndian.AppendUint64(nil, addrs[1])}
	image, err := r.m.Image(e, l)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m, e, l, err := image.Restore()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Launch(t.Context(), e, l); err != nil {
			t.Fatal(err)
		}
		got, err := m.Bytes(addrs[2], 16)
		if want := []byte{17, 0, 0, 0, 28, 0, 0, 0, 39, 0, 0, 0, 50, 0, 0, 0}; err != nil || !bytes.Equal(got, want) {
			t.Errorf("the launch leaves %v, want %v (%v)", got, want, err)
		}
		if next, err := m.Alloc(1); err != nil || next <= addrs[2] {
			t.Errorf("the next allocation is at %#x, want after %#x (%v)", next, addrs[2], err)
		}
		if m.Find(addrs[0]) != nil {
			t.Error("what was freed is there")
		}
	}
	if left, _ := r.m.Bytes(addrs[2], 1); left[0] != 0xff {
		t.Error("the launch elsewhere has changed the machine")
	}
}

// TestImageErrors refuses what an image cannot have, and images that are not whole.
func TestImageErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t, imagePTX, Config{Memory: 4 << 30})
	e, err := r.p.Entry("add")
	if err != nil {
		t.Fatal(err)
	}
	image, err := r.m.Image(e, Launch{})
	if err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func(*Image){
		"counter": func(i *Image) { i.Memory = i.Memory[:1] },
		"ptx":     func(i *Image) { i.PTX = "nonsense" },
		"kernel":  func(i *Image) { i.Entry = "other" },
	} {
		bad := *image
		if spoil(&bad); what != "" {
			if _, _, _, err := bad.Restore(); err == nil || !strings.Contains(strings.ToLower(err.Error()), what) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	handle := r.m.objects.add(&object{texture: &texture.Texture{}})
	if _, err := r.m.Image(e, Launch{}); err == nil || !strings.Contains(err.Error(), "textures") {
		t.Errorf("with a texture: %v", err)
	}
	r.m.FreeObject(handle)
	if _, err := r.m.Reserve(MaxReplayed, nil, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := r.m.Image(e, Launch{}); !errors.Is(err, ErrTooMuchMemory) {
		t.Errorf("with a gigabyte: %v", err)
	}
}
