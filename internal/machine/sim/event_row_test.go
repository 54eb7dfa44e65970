package sim

import (
	"bytes"
	"context"
	"maps"
	"math/bits"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// rowsPTX accesses rows, one element, bytes, pairs, elements in reverse, and the same elements with
// some lanes only.
const rowsPTX = `
.visible .entry rows(.param .u64 in, .param .u64 out)
{
	.reg .b32 %r<12>;
	.reg .b64 %rd<12>;
	.reg .pred %p<2>;
	.shared .align 8 .b8 s[4096];
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r4, %r2, 40, %r1;
	mul.wide.u32 %rd3, %r4, 4;
	add.u64 %rd4, %rd1, %rd3;
	add.u64 %rd5, %rd2, %rd3;
	ld.global.u32 %r5, [%rd4];
	ld.global.u32 %r6, [%rd1+4];
	add.u32 %r5, %r5, %r6;
	st.global.u32 [%rd5], %r5;
	st.global.u32 [%rd2], %r4;
	cvt.u64.u32 %rd6, %r4;
	add.u64 %rd7, %rd2, %rd6;
	ld.global.u8 %r6, [%rd7];
	st.global.u8 [%rd7+7], %r6;
	mad.lo.u32 %r7, %r2, %r3, %r1;
	shl.b32 %r8, %r7, 3;
	mov.u32 %r9, s;
	add.u32 %r9, %r9, %r8;
	st.shared.v2.u32 [%r9], {%r5, %r6};
	bar.sync 0;
	ld.shared.v2.u32 {%r5, %r6}, [%r9];
	sub.u32 %r10, 4088, %r8;
	st.shared.u32 [%r10], %r6;
	and.b32 %r11, %r1, 3;
	setp.ne.u32 %p1, %r11, 2;
	@%p1 st.global.u32 [%rd5+4], %r5;
	@%p1 ld.global.u32 %r5, [%rd5+4];
	ret;
}`

// rowWatcher holds accesses to a copy of memory that it changes itself, and rows to the addresses.
type rowWatcher struct {
	t        *testing.T
	base     uint64 // of global memory
	global   []byte // the copy
	shared   map[sharedByte]byte
	rowed    map[event.AccessKind]int // accesses that have rows
	accesses int
}

// sharedByte is a byte of a block's shared memory.
type sharedByte struct {
	home *event.Block
	at   uint64
}

// Observe implements event.Observer.
func (o *rowWatcher) Observe(e event.Event) {
	if b, starts := e.(*event.BlockStart); starts {
		maps.DeleteFunc(o.shared, func(s sharedByte, _ byte) bool { return s.home == b.Block })
	}
	a, ok := e.(*event.Access)
	if !ok || a.Space != ptx.GlobalSpace && a.Space != ptx.SharedSpace {
		return
	}
	o.accesses++
	if a.Rows != nil {
		o.rowed[a.Kind]++
		o.rows(a)
	}
	order := a.Lanes
	if order == nil {
		for m := a.Mask; m != 0; m &= m - 1 {
			order = append(order, uint8(bits.TrailingZeros32(m)))
		}
	}
	for _, lane := range order {
		o.lane(a, int(lane))
	}
}

// rows holds rows to the mask and the addresses.
func (o *rowWatcher) rows(a *event.Access) {
	mask := uint32(0)
	for _, row := range a.Rows {
		for i := range row.Lanes {
			lane := row.First + i
			if want := a.Addrs[row.First] + uint64(i)*row.Step; mask>>lane&1 != 0 || a.Addrs[lane] != want {
				o.t.Fatalf("%v: lane %d of %+v has address %#x", a.Site, lane, row, a.Addrs[lane])
			}
			mask |= 1 << lane
		}
		from, n := row.Range(a.Addrs, a.Size)
		if last := row.First + row.Lanes - 1; from != a.Addrs[row.First] || from+n != a.Addrs[last]+uint64(a.Size) {
			o.t.Fatalf("%v: %+v is from %#x, %d bytes", a.Site, row, from, n)
		}
		if row.Step != 0 && row.Step != uint64(a.Size) {
			o.t.Fatalf("%v: %+v of elements of %d bytes", a.Site, row, a.Size)
		}
	}
	if mask != a.Mask {
		o.t.Fatalf("%v: the rows have lanes %#x, the access %#x", a.Site, mask, a.Mask)
	}
}

// lane holds one lane to the copy.
func (o *rowWatcher) lane(a *event.Access, lane int) {
	addr := a.Addrs[lane]
	for i, got := range a.Bytes(lane) {
		at := addr + uint64(i)
		own := sharedByte{a.Home, at}
		was, known := o.shared[own]
		if a.Space == ptx.GlobalSpace {
			was, known = o.global[at-o.base], true
		}
		if a.Kind == event.Store {
			if before := a.Before(lane)[i]; known && a.Lanes == nil && before != was {
				o.t.Fatalf("%v: lane %d found %d at %#x; want %d", a.Site, lane, before, at, was)
			}
			if a.Space == ptx.GlobalSpace {
				o.global[at-o.base] = got
			} else {
				o.shared[own] = got
			}
		} else if known && got != was {
			o.t.Fatalf("%v: lane %d read %d at %#x; want %d", a.Site, lane, got, at, was)
		}
	}
}

// TestRows holds the accesses of lanes that follow each other to a copy of memory, in blocks whose
// warps are one row, several, and too many.
func TestRows(t *testing.T) {
	t.Parallel()
	const words = 4000
	for i, block := range [][3]int{{32, 1, 1}, {33, 3, 1}, {8, 8, 1}, {16, 5, 1}, {3, 30, 1}, {1, 1, 1}} {
		r := newRigWith(t, rowsPTX, Config{Workers: 1}, nil)
		k, err := r.p.Entry("rows")
		r.must(err)
		list := make([]uint32, 2*words)
		for i := range list {
			list[i] = uint32(i) * 0x01234567
		}
		in := upload(r, list)
		memory, err := r.m.Bytes(in, 8*words)
		r.must(err)
		o := &rowWatcher{t: t, base: in, global: bytes.Clone(memory), shared: map[sharedByte]byte{}, rowed: map[event.AccessKind]int{}}
		l := Launch{Grid: x(2), Block: block, Order: Order(i % 3), Observer: o, Params: r.params(k, in, in+4*words)}
		if _, err := r.m.Launch(context.Background(), k, l); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(memory, o.global) {
			t.Errorf("block %v: memory is not what the stores left", block)
		}
		few := block[0] >= 8
		if o.rowed[event.Load] == 0 || few && o.rowed[event.Store] == 0 || o.accesses == o.rowed[event.Load]+o.rowed[event.Store] && block[0] > 1 {
			t.Errorf("block %v: of %d accesses %v have rows", block, o.accesses, o.rowed)
		}
	}
}
