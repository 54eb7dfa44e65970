package effects

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/report"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// TestEveryRowHasACase names the rows that no case runs.
func TestEveryRowHasACase(t *testing.T) {
	t.Parallel()
	has := map[string]bool{}
	for _, c := range cases {
		has[newInstr(t, c).Effects().String()] = true
	}
	for _, e := range ptx.EffectRows() {
		if !has[e.String()] {
			t.Errorf("no case has the row %s", e)
		}
	}
}

// newInstr is the instruction of a case.
func newInstr(t testing.TB, c rowCase) *ptx.Instr {
	t.Helper()
	mod, err := ptx.Parse("case.ptx", fmt.Sprintf(kernel, "CASE: "+c.instr))
	if err != nil {
		t.Fatalf("%s: %v", c.instr, err)
	}
	return instrOf(mod)
}

// TestMachine compares what the machine tells of an instruction with the effects of its row.
func TestMachine(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		if c.alone {
			continue
		}
		r := newRig(t, c, "", "", c.instr, "")
		for _, why := range differences(r.instr, r.watch(t)) {
			t.Errorf("%s: %s", r.instr, why)
		}
	}
}

// differences lists the disagreements between the events of an instruction and its row.
func differences(in *ptx.Instr, s seen) (list []string) {
	does := in.Effects()
	expect := func(what string, is, want bool) {
		if is != want {
			list = append(list, fmt.Sprintf("%s: %v, by its row %v", what, is, want))
		}
	}
	kind := func(k ptx.Kind) bool { return does.Kind == k }
	warp := does.Meets == ptx.MeetMask || does.Meets == ptx.MeetWarp || does.Meets == ptx.MeetWarpgroup
	expect("it runs", s.steps > 0, !stepless.MatchString(in.Op))
	expect("it reads memory", s.reads > 0, does.Reads())
	expect("it writes memory", s.writes > 0, does.Writes())
	expect("lanes of a warp meet", s.syncs > 0, warp)
	expect("threads of a block or cluster come", s.arrives+s.passes > 0, does.Meets == ptx.MeetBlock || does.Meets == ptx.MeetCluster)
	expect("they come from a cluster", s.passes > 0, does.Meets == ptx.MeetCluster && does.Waits == ptx.WaitThreads)
	expect("they wait", s.syncs+s.passes > 0 || s.arrives > s.noWaits && does.Meets == ptx.MeetBlock, does.Waits != ptx.NoWait && does.Meets != ptx.NoMeeting)
	expect("it waits for groups", s.waits > 0, does.Waits == ptx.WaitGroups)
	expect("it awaits", s.waits+s.tests > 0, kind(ptx.Awaits))
	expect("it asks for a phase", s.tests > 0, does.Waits == ptx.WaitPhase)
	expect("it commits", s.commits > 0 && s.waits == 0, kind(ptx.Commits)) // cp.async.wait_all does both
	expect("it exchanges", s.sources > 0, kind(ptx.Exchanges))
	expect("it calls", s.calls > 0, kind(ptx.Calls))
	expect("it returns", s.returns > 0 || s.exits > 0 && in.Op == "ret", kind(ptx.Returns))
	expect("it exits", s.exits > 0 && s.faults == 0 && in.Op != "ret", kind(ptx.Exits))
	expect("it fails", s.faults > 0, kind(ptx.Traps) || kind(ptx.Breaks))
	expect("it branches", s.branches > 0 && in.Guard == nil || s.branches > 0 && does.Meets == ptx.NoMeeting, does.Branches())
	var loads, stores, updates bool // apart from the mbarrier of a copy
	for _, u := range does.Uses(in) {
		if u.Touch.Fixed > 0 && does.Agent != ptx.NoAgent {
			continue
		}
		loads = loads || u.Touch.Read && !u.Touch.Write || u.Role == ptx.Factor
		stores = stores || u.Touch.Write
		updates = updates || u.Touch.Read && u.Touch.Write
	}
	if does.Kind != ptx.Makes && does.Kind != ptx.Signals && does.Waits != ptx.WaitPhase {
		expect("it loads", s.loads > 0, loads)
		expect("it stores", s.stores+s.updates > 0, stores)
		expect("it updates", s.updates > 0, updates)
	}
	if does.Agent == ptx.NoAgent || does.Kind != ptx.Fences {
		expect("an agent does it", len(s.engines) > 0, does.Agent != ptx.NoAgent)
	}
	for _, e := range s.engines {
		if want := engineOf[does.Agent]; e != want {
			list = append(list, fmt.Sprintf("engine %v does it, by its row %v", e, want))
		}
	}
	if bytes := bytesOf(in); bytes > 0 && s.accesses > 0 && s.bytes != bytes {
		list = append(list, fmt.Sprintf("a lane reads and writes %d bytes, by its row %d", s.bytes, bytes))
	}
	return list
}

var engineOf = map[ptx.AgentKind]event.Engine{
	ptx.CopyAgent: event.CopyEngine, ptx.BulkAgent: event.BulkEngine, ptx.ProductAgent: event.MatrixEngine,
}

// bytesOf is how many bytes a thread reads or writes by itself, 0 where the row does not say it.
func bytesOf(in *ptx.Instr) int {
	d, err := ptx.Decode(in, nil)
	if err != nil {
		panic(err)
	}
	n := 0
	for _, u := range in.Effects().Uses(in) {
		if u.Role != ptx.Address || u.Touch.Size == ptx.NoSize {
			continue
		}
		bytes := u.Touch.Bytes(d)
		if bytes == 0 || in.Effects().Agent != ptx.NoAgent {
			return 0
		}
		n += bytes
	}
	return n
}

// stepless are the operations that the machine has no step of: hints, and fences between aliases.
var stepless = regexp.MustCompile("^(prefetch|discard|pmevent|griddepcontrol)$")

// TestAgentsWriteMbarriers: a copy that has an mbarrier completes there with 8 bytes.
func TestAgentsWriteMbarriers(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		in := newInstr(t, c)
		does := in.Effects()
		if c.alone || does.Agent == ptx.NoAgent {
			continue
		}
		fixed := 0
		for _, u := range does.Uses(in) {
			fixed += u.Touch.Fixed
			if u.Touch.Fixed > 0 && !(u.Touch.Read && u.Touch.Write) {
				t.Errorf("%s: an mbarrier is not updated", in)
			}
		}
		if want := strings.Contains(c.instr, "mbarrier"); (fixed == 8) != want {
			t.Errorf("%s: %d bytes of mbarriers", in, fixed)
		}
	}
}

// decides has, for instructions that decide by an operand other than an address, the words of the
// finding, by the beginning of the instruction and the operand's number.
var decides = map[string]map[int]string{
	"cp.async.bulk.prefetch.L2":     {1: "as the size of a copy"},
	"atom.global.cas":               {2: "in a compare-and-swap"},
	"red.global":                    {1: "in arithmetic"},
	"brx":                           {0: "in a branch"},
	"call (%r20), %d20":             {1: "as an address"},
	"wmma.load":                     {2: "as the stride of a matrix"},
	"wmma.store":                    {2: "as the stride of a matrix"},
	"cp.async.ca":                   {3: "as the size of a copy"},
	"cp.async.bulk.global":          {2: "as the size of a copy"},
	"cp.async.bulk.shared::cluster": {2: "as the size of a copy", 4: "as the size of a copy"},
	"cp.reduce.async.bulk.global":   {2: "as the size of a copy"},
	"cp.reduce.async.bulk.shared":   {2: "as the size of a copy"},
	"mbarrier.init":                 {1: "as the count of an mbarrier"},
	"mbarrier.arrive":               {2: "as the count of an mbarrier"},
	"mbarrier.expect_tx":            {1: "as the count of an mbarrier"},
	"mbarrier.test_wait":            {2: "as the phase of an mbarrier"},
	"mbarrier.try_wait":             {2: "as the phase of an mbarrier"},
}

// TestUnwrittenOperands gives each operand of each case a register that is computed from memory that
// nothing has written. initcheck finds it if and only if the instruction decides by the operand.
func TestUnwrittenOperands(t *testing.T) {
	t.Parallel()
	n := 0
	for _, c := range cases {
		in := newInstr(t, c)
		if c.alone {
			continue
		}
		for i, o := range in.Args {
			want := wordsFor(c.instr, i, o)
			instr, twin := twinOf(c.instr, o)
			if instr == "" {
				continue
			}
			n++
			r := newRig(t, c, "", twin, instr, "")
			var texts []string
			for _, f := range r.findings(t, report.Initcheck) {
				texts = append(texts, f.Summary)
			}
			text := strings.Join(texts, "; ")
			if want != "" && !strings.Contains(text, want) || want == "" && text != "" {
				t.Errorf("%s: operand %d is unwritten: found %q, want %q", in, i, text, want)
			}
		}
	}
	if n < 60 {
		t.Errorf("only %d operands", n)
	}
	t.Logf("%d operands", n)
}

// wordsFor is a part of the finding that initcheck makes of an unwritten operand, "" for no finding.
func wordsFor(instr string, i int, o ptx.Operand) string {
	if _, ok := o.(ptx.Addr); ok && !silent.MatchString(instr) {
		return "as an address"
	}
	longest := ""
	for prefix := range decides {
		if strings.HasPrefix(instr, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	return decides[longest][i]
}

// silent are instructions without events.
var silent = regexp.MustCompile("^(prefetch|discard|fence)")

var register = regexp.MustCompile(`^%(r|d|h|p)[0-9]+$`)

// twinOf is an instruction with a register that has the value of an operand's and is not written, and
// what makes it; "" where the operand has no register, or is a result.
func twinOf(instr string, o ptx.Operand) (changed, twin string) {
	if a, ok := o.(ptx.Addr); ok {
		o = a.Base
	}
	name, _ := o.(ptx.Name)
	kind := register.FindStringSubmatch(string(name))
	if kind == nil || slices.Contains(results, string(name)) {
		return "", ""
	}
	other := "%" + kind[1] + map[string]string{"r": "39", "d": "39", "h": "3", "p": "7"}[kind[1]]
	twin = map[string]string{
		"r": "add.u32 %s, %s, %%zero;", "d": "add.u64 %s, %s, %%dzero;", "h": "add.u16 %s, %s, %%hzero;",
		"p": "setp.ne.or.u32 %s, %%zero, 0, %s;",
	}[kind[1]]
	at := regexp.MustCompile(regexp.QuoteMeta(string(name)) + `\b`)
	return at.ReplaceAllString(instr, other), fmt.Sprintf(twin, other, name)
}

// results are the registers that the cases write.
var results = []string{"%r20", "%r21", "%p5"}

// TestMeetingsOrderMemory lets the threads write shared memory before a meeting and read what others
// have written after it: racecheck finds a race if and only if the meeting orders nothing.
func TestMeetingsOrderMemory(t *testing.T) {
	t.Parallel()
	n := 0
	for _, c := range cases {
		does := newInstr(t, c).Effects()
		if c.alone || does.Meets == ptx.NoMeeting {
			continue
		}
		n++
		const write = "mad.lo.u32 %r33, %r7, 4, %r1; add.u32 %r33, %r33, 4096; st.shared.b32 [%r33], %r3;"
		const read = "xor.b32 %r34, %r7, 1; mad.lo.u32 %r34, %r34, 4, %r1; ld.shared.b32 %r35, [%r34+4096];"
		before, behind := write, read
		if strings.HasPrefix(c.instr, "@") { // one warp arrives, and the other waits
			before, behind = "@%p3 bra P; bra Q; P:"+write+" Q:", "@%p3 bra R; xor.b32 %r34, %r7, 32; mad.lo.u32 %r34, %r34, 4, %r1; ld.shared.b32 %r35, [%r34+4096]; R:"
		}
		r := newRig(t, c, before, "", c.instr, behind)
		races := 0
		for _, f := range r.findings(t, report.Racecheck) {
			for _, w := range f.Witnesses {
				if strings.Contains(w.PTX, "%r33") {
					races++
				}
			}
		}
		if want := orders.MatchString(c.instr); (races == 0) != want || does.Orders != want {
			t.Errorf("%s: %d races, by its row it orders memory: %v", c.instr, races, does.Orders)
		}
	}
	if n < 25 {
		t.Errorf("only %d meetings", n)
	}
}

// orders are the instructions that order memory.
var orders = regexp.MustCompile(`^(@%p3 )?(bar|barrier|tensormap)\.`)

// TestProductsNeedFences: racecheck finds nothing in a product after a fence, and a product of which
// the machine does not see the fence.
func TestProductsNeedFences(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(cases, func(c rowCase) bool { return c.instr == product })
	for _, fence := range []bool{true, false} {
		c := cases[i]
		if !fence {
			c.setup = strings.Replace(c.setup, "wgmma.fence.sync.aligned;", "", 1)
		}
		if got := newRig(t, c, "", "", c.instr, "").findings(t, report.Racecheck); (len(got) == 0) != fence {
			t.Errorf("with a fence %v: %d findings", fence, len(got))
		}
	}
}

// TestPartsOfWarps ends a lane before the meetings of a warp: the machine refuses to run what needs
// all lanes.
func TestPartsOfWarps(t *testing.T) {
	t.Parallel()
	n := 0
	for _, c := range cases {
		does := newInstr(t, c).Effects()
		if c.alone || does.Meets != ptx.MeetMask && does.Meets != ptx.MeetWarp && does.Meets != ptx.MeetWarpgroup {
			continue
		}
		n++
		c.setup += " setp.eq.u32 %p4, %r7, 5; @%p4 ret;"
		s := newRig(t, c, "", "", c.instr, "").watch(t)
		if want := does.Meets != ptx.MeetMask; (s.faults > 0) != want || does.Whole != want {
			t.Errorf("%s: %d faults, by its row a warp comes as a whole: %v", c.instr, s.faults, does.Whole)
		}
	}
	if n < 15 {
		t.Errorf("only %d meetings", n)
	}
}

// TestWholeWarps ends lanes before the meetings of a block: one to which a warp comes as a whole
// misses them, and one to which threads come does not.
func TestWholeWarps(t *testing.T) {
	t.Parallel()
	n := 0
	for _, c := range cases {
		does := newInstr(t, c).Effects()
		if does.Meets == ptx.MeetCluster && does.Whole != strings.Contains(c.instr, "aligned") {
			t.Errorf("%s: by its row a warp comes as a whole: %v", c.instr, does.Whole)
		}
		if c.alone || does.Meets != ptx.MeetBlock {
			continue
		}
		n++
		// A third of 96 threads exits. The machine counts 32 for each of the three warps that come.
		c.threads, c.after = 96, strings.ReplaceAll(c.after, "64", "96")
		r := newRig(t, c, "mov.b32 %r9, 96; rem.u32 %r33, %r7, 3; setp.eq.u32 %p4, %r33, 0; @%p4 exit;", "", c.instr, "")
		want := strings.Contains(c.instr, "bar.") || strings.Contains(c.instr, "aligned")
		if found := r.findings(t, report.Synccheck); (len(found) > 0) != want || does.Whole != want {
			t.Errorf("%s: %d findings, by its row a warp comes as a whole: %v", c.instr, len(found), does.Whole)
		}
	}
	if n < 9 {
		t.Errorf("only %d meetings", n)
	}
}

// TestConditions: an operand that alone decides a result, or is not chosen, makes others not matter.
func TestConditions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		instr string
		finds bool
	}{
		{"setp.ne.and.u32 %p5, %zero, 0, %p2;", false},
		{"setp.ne.and.u32 %p5, %zero, 0, %p1;", true},
		{"setp.ne.or.u32 %p5, %zero, 0, %p1;", false},
		{"setp.ne.or.u32 %p5, %zero, 0, %p2;", true},
		{"setp.ne.u32 %p5, %zero, 0;", true},
		{"setp.ne.u32 %p7, %zero, 0; and.pred %p5, %p7, %p2;", false},
		{"setp.ne.u32 %p7, %zero, 0; and.pred %p5, %p7, %p1;", true},
		{"setp.ne.u32 %p7, %zero, 0; or.pred %p5, %p7, %p1;", false},
		{"setp.ne.u32 %p7, %zero, 0; and.pred %p5, %p2, %p7;", false},
		{"setp.ne.u32 %p7, %zero, 0; or.pred %p5, %p2, %p7;", true},
		{"selp.b32 %r20, %zero, %r7, %p2; setp.ne.u32 %p5, %r20, 0;", false},
		{"selp.b32 %r20, %zero, %r7, %p1; setp.ne.u32 %p5, %r20, 0;", true},
	} {
		r := newRig(t, rowCase{instr: c.instr}, "", "", c.instr, "@%p5 bra X; X:")
		if found := len(r.findings(t, report.Initcheck)); (found > 0) != c.finds {
			t.Errorf("%s: %d findings", c.instr, found)
		}
	}
}

// TestCounters counts the products and waits of each case.
func TestCounters(t *testing.T) {
	t.Parallel()
	has := func(instr string, words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(instr, w) })
	}
	for _, c := range cases {
		if c.alone {
			continue
		}
		r := newRig(t, c, "", "", c.instr, "")
		counter := counters.New()
		l := r.launch
		l.Observer, l.Steps, l.KeepGoing = counter, true, true
		_, _ = r.m.Launch(t.Context(), r.entry, l) // traps fail
		for _, line := range counter.Profile("k", &r.entry.Kernel, l.Grid, l.Block, nil).Lines {
			if line.Source.Line != r.instr.Pos.Line {
				continue
			}
			if got := line.TensorInstructions > 0; got != has(c.instr, "mma.sync", "mma_async") {
				t.Errorf("%s: taken for a product: %v", c.instr, got)
			}
			if got := line.CopyWaits > 0; got != has(c.instr, "wait_group", "wait_all", "test_wait", "try_wait") {
				t.Errorf("%s: taken for a wait: %v", c.instr, got)
			}
		}
	}
}
