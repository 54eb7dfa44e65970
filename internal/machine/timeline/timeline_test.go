package timeline_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/timeline"
	"github.com/gridstride/gridstride/internal/machine/timeline/timelinetest"
	"github.com/gridstride/gridstride/internal/ptx"
)

// sumPTX adds numbers by a tree in shared memory; each thread reads rounds of them first.
const sumPTX = `.version 7.0
.target sm_70
.address_size 64
.visible .entry sum(.param .u64 in, .param .u64 out, .param .u32 rounds) {
	.reg .b32 %r<16>; .reg .b64 %a<8>; .reg .pred %p<4>;
	.shared .align 4 .u32 cache[96];
	ld.param.u64 %a1, [in];
	ld.param.u32 %r1, [rounds];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, 0;
	mul.wide.u32 %a2, %r2, 4;
	add.s64 %a3, %a1, %a2;
READ:
	ld.global.u32 %r4, [%a3];
	add.s32 %r3, %r3, %r4;
	sub.s32 %r1, %r1, 1;
	setp.gt.s32 %p1, %r1, 0;
	@%p1 bra READ;
	mov.u32 %r5, cache;
	shl.b32 %r6, %r2, 2;
	add.s32 %r5, %r5, %r6;
	st.shared.u32 [%r5], %r3;
	bar.sync 0;
	setp.ne.s32 %p2, %r2, 0;
	@%p2 bra DONE;
	mov.u32 %r7, %ntid.x;
	mov.u32 %r8, 0;
ADD:
	ld.shared.u32 %r9, [%r5];
	add.s32 %r8, %r8, %r9;
	add.s32 %r5, %r5, 4;
	sub.s32 %r7, %r7, 1;
	setp.gt.s32 %p3, %r7, 0;
	@%p3 bra ADD;
	ld.param.u64 %a4, [out];
	mov.u32 %r10, %ctaid.x;
	mul.wide.u32 %a5, %r10, 4;
	add.s64 %a4, %a4, %a5;
	st.global.u32 [%a4], %r8;
DONE:
	ret;
}`

// sums is a launch of sum.
type sums struct {
	m      *sim.Machine
	entry  *sim.Entry
	launch sim.Launch
	out    uint64
}

func newSums(tb testing.TB, blocks, threads, rounds int) *sums {
	tb.Helper()
	s := &sums{m: sim.New(sim.Config{Workers: 1})}
	mod, err := ptx.Parse("sum.ptx", sumPTX)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := s.m.Load(mod)
	if err != nil {
		tb.Fatal(err)
	}
	if s.entry, err = p.Entry("sum"); err != nil {
		tb.Fatal(err)
	}
	in, err := s.m.Alloc(4 * int64(threads))
	if err != nil {
		tb.Fatal(err)
	}
	if s.out, err = s.m.Alloc(4 * int64(blocks)); err != nil {
		tb.Fatal(err)
	}
	numbers, err := s.m.Bytes(in, 4*int64(threads))
	if err != nil {
		tb.Fatal(err)
	}
	for i := range threads {
		binary.LittleEndian.PutUint32(numbers[4*i:], uint32(i+1))
	}
	params := binary.LittleEndian.AppendUint64(nil, in)
	params = binary.LittleEndian.AppendUint64(params, s.out)
	params = binary.LittleEndian.AppendUint32(params, uint32(rounds))
	s.launch = sim.Launch{Grid: [3]int{blocks, 1, 1}, Block: [3]int{threads, 1, 1}, Params: params}
	return s
}

func (s *sums) timeline(tb testing.TB, o timeline.Options) *timeline.Timeline {
	tb.Helper()
	t, err := timeline.New(tb.Context(), s.m, s.entry, s.launch, o)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// TestTravel goes back and forth with many moments and with few, in every order.
func TestTravel(t *testing.T) {
	t.Parallel()
	for _, o := range []timeline.Options{{}, {Every: 1}, {Every: 37, Memory: 100_000}, {Every: 5, Memory: 1}} {
		for order := sim.Ascending; order <= sim.Random; order++ {
			s := newSums(t, 3, 75, 4)
			s.launch.Order, s.launch.Seed = order, uint64(order)
			timelinetest.Travel(t, s.timeline(t, o), &s.m.Space, uint64(order))
		}
	}
}

// TestLastAccess asks who wrote the sums, and a cell of shared memory.
func TestLastAccess(t *testing.T) {
	t.Parallel()
	s := newSums(t, 3, 75, 4)
	line := s.timeline(t, timeline.Options{Every: 50})
	out := timeline.Place{Space: ptx.GlobalSpace, Addr: s.out + 4, Size: 4}
	if _, ok, err := line.LastAccess(t.Context(), out, timeline.Writes...); ok || err != nil {
		t.Fatal("written before the start", err)
	}
	if err := line.Seek(t.Context(), 1<<40); err != nil {
		t.Fatal(err)
	}
	end := line.Now()
	a, ok, err := line.LastAccess(t.Context(), out, timeline.Writes...)
	if err != nil || !ok || line.Now() != end {
		t.Fatal(ok, err, line.Now())
	}
	if want := uint32(4 * 75 * 76 / 2); a.Index != 1 || a.Thread != [3]int{} || a.Site.Instr.Op != "st" ||
		binary.LittleEndian.Uint32(a.Bytes) != want || !bytes.Equal(a.Before, []byte{0xff, 0xff, 0xff, 0xff}) {
		t.Errorf("%+v, want %d by thread 0 of block 1", a, want)
	}
	if err := line.Seek(t.Context(), a.At); err != nil {
		t.Fatal(err)
	}
	if line.Next().Site != a.Site || line.Next().Block.Linear != 1 {
		t.Errorf("at %v, want at the store", line.Next().Site)
	}
	cell := timeline.Place{Space: ptx.SharedSpace, Block: 1, Addr: 4 * 70, Size: 4}
	if a, ok, err = line.LastAccess(t.Context(), cell, timeline.Writes...); err != nil || !ok || a.Thread != [3]int{70, 0, 0} || a.Lane != 6 {
		t.Errorf("%+v %v, want a write of thread 70 of block 1", a, err)
	}
	if a, ok, err = line.LastAccess(t.Context(), cell); err != nil || !ok || a.Kind != event.Load || a.Thread != [3]int{} {
		t.Errorf("%+v %v, want a read of thread 0 of block 1", a, err)
	}
}

// TestForward stops at each access to an address in turn, and goes back over the same.
func TestForward(t *testing.T) {
	t.Parallel()
	s := newSums(t, 2, 40, 1)
	line := s.timeline(t, timeline.Options{Every: 20})
	cell := timeline.Place{Space: ptx.SharedSpace, Block: 1, Addr: 4 * 33, Size: 4}
	var a timeline.Access
	var times []timeline.Time
	for {
		found, err := line.Forward(t.Context(), timeline.Accesses(cell, timeline.After, &a))
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			break
		}
		if line.Now() != a.At+1 {
			t.Errorf("at %d after an access at %d", line.Now(), a.At)
		}
		times = append(times, line.Now())
	}
	if len(times) != 2 {
		t.Fatalf("stops at %v, want at a write and a read", times)
	}
	for i := len(times) - 1; i >= 0; i-- {
		if found, err := line.Backward(t.Context(), timeline.Accesses(cell, timeline.After, &a)); !found || err != nil || line.Now() != times[i] {
			t.Errorf("back at %d, %v, want %d", line.Now(), err, times[i])
		}
	}
	if found, err := line.Backward(t.Context(), timeline.Accesses(cell, timeline.After, &a)); found || err != nil || line.Now() != times[0] {
		t.Errorf("back at %d, %v, want nothing before %d", line.Now(), err, times[0])
	}
}

// TestInterrupt ends a search that would not end.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	s := newSums(t, 1, 32, 1<<30)
	line := s.timeline(t, timeline.Options{Every: 1 << 14, Memory: 1 << 16})
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	found, err := line.Forward(ctx, func(at timeline.Time, _ event.Event) timeline.Hit {
		if at == 3<<19 {
			cancel(stop)
		}
		return timeline.Miss
	})
	if found || !errors.Is(err, stop) || line.Now() < 3<<19 || line.Next().Site == nil {
		t.Fatalf("at %d, %v: want where the context ended", line.Now(), err)
	}
	moments, kept, every, dropped := line.Kept()
	if kept > 1<<17 || dropped == 0 || every <= 1<<14 || moments < 2 {
		t.Errorf("%d moments of %d bytes one in %d, %d dropped", moments, kept, every, dropped)
	}
	now := line.Now()
	for _, at := range []timeline.Time{now - 1, 12345, now} {
		if err := line.Seek(t.Context(), at); err != nil || line.Now() != at {
			t.Errorf("at %d, %v, want %d", line.Now(), err, at)
		}
	}
}

// TestTooMuchMemory refuses to copy more than there is room for.
func TestTooMuchMemory(t *testing.T) {
	t.Parallel()
	s := newSums(t, 1, 32, 1)
	if _, err := s.m.Reserve(sim.MaxReplayed, nil, "large"); err != nil {
		t.Skip("no memory: ", err)
	}
	if _, err := timeline.New(t.Context(), s.m, s.entry, s.launch, timeline.Options{}); !errors.Is(err, sim.ErrTooMuchMemory) {
		t.Errorf("%v, want %v", err, sim.ErrTooMuchMemory)
	}
}

// BenchmarkStep steps in a launch of a million warp instructions, and in one block of as many.
func BenchmarkStep(b *testing.B) {
	for _, blocks := range []int{1, 100} {
		s := newSums(b, blocks, 256, 1_000_000/(5*8*blocks))
		line := s.timeline(b, timeline.Options{})
		if err := line.Seek(b.Context(), 1<<40); err != nil {
			b.Fatal(err)
		}
		total := line.Now()
		for name, step := range map[string]int64{"forward": 1, "backward": -1} {
			b.Run(fmt.Sprintf("%s/%d blocks, %d instructions", name, blocks, total), func(b *testing.B) {
				at := int64(total) / 2
				for b.Loop() {
					if at = (at + 7919*step + int64(total)) % int64(total); at == 0 {
						at++
					}
					if err := line.Seek(b.Context(), timeline.Time(at)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
