package check

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// change is an edit of the text of a kernel: lines put before or after a line, or in its place.
type change struct {
	at   place
	how  string // "before", "after", "instead"
	text string
}

// place is a line of a file. Of PTX without positions of a source, the file is "ptx".
type place struct {
	file string
	line int
}

// form is one form that advice can take. If a single edit follows from the advice, edits makes it:
// the first of edits that can be made is made, and there are several if the advice gives a choice.
// A form without edits only says what must precede what, or which condition must hold.
type form struct {
	text  *regexp.Regexp
	edits []func(f *report.Finding, text lines, m []string) []change
}

// lines are the lines of a file, from 1 on.
type lines func(at place) string

const placeForm = `([\w.]+):(\d+)`

// newForm makes a form. In it AT stands for a place, CALL for the name of what orders threads.
func newForm(text string, edits ...func(f *report.Finding, text lines, m []string) []change) form {
	text = strings.NewReplacer("AT", placeForm, "CALL", `(\S+\(.*?\)|bar\S+|membar\.gl|fence\S+|cp\.async\.\S+(?: 0)?)`).Replace(text)
	return form{regexp.MustCompile("^" + text + "$"), edits}
}

// forms are the forms of advice that is no insertion by itself.
var forms = []form{
	newForm("CALL between AT and AT", beforeLast),
	newForm("CALL between AT and AT, in the thread that issued the copy; for other threads CALL after that, or an arrival that they wait for",
		waitBeforeLast, waitBehindFirst),
	newForm("wait for one group more: CALL waits for all of them", oneGroupMore),
	newForm("CALL after the copy, before the wait", behindCopy),
	newForm("at AT wait for parity (.) instead of (.) if what is awaited is .*", otherParity),
	newForm(`CALL after the product, before the tile is written again`, beforeRole("write"), behindCommit),
	newForm(`CALL(?:, in PTX \S+)?,? before the barrier, or the arrival, that hands the memory over`, behindCommit),
	newForm("CALL and CALL before the thread ends", bothBeforeEnd),
	newForm("CALL before the thread ends", beforeRole("finished at")),
	newForm(`CALL in the thread that writes, before the barrier; in PTX \S+`, behindRole("write")),
	newForm(`CALL after the init, before the barrier; in PTX \S+`, behindRole("init")),
	newForm(`CALL before the product; in PTX \S+`, beforeRole("product")),
	newForm(`CALL before the sum or the fragment is used; in PTX \S+`, beforeRole("read of", "write of")),
	newForm(`(gpu.WGMMACommit\(\)) after the product, and (gpu.WGMMAWait\(0\)) before the sum or the fragment is used; in PTX \S+ and \S+`,
		commitAndWait),
	newForm("CALL after the first access and before the atomic or flag that the other thread waits for, in the thread that sets it", behindRole("write"), beforeFlag),
	newForm("CALL after the compare-and-swap that takes the lock", beforeRole("read")),
	newForm("CALL between reading the atomic or flag and AT", beforeLast),
	newForm("use the scope of the (?:cluster or of the )?device", wideScope),
	newForm(`use (gpu\.Atomic\w+), or an element for each thread`, atomicUpdate),
	newForm("move CALL after the (?:if|branch)", behindBranch),
	newForm("end the if before CALL and begin another one after it, so that all threads reach it", splitBranch),
	newForm("let all blocks of the cluster meet, CALL, after the last access to another block and before any of them ends", beforeEnd),
	newForm("CALL between AT and AT(?: and between AT and AT)?, outside of `(.+)` \\(AT\\), which not all of them enter", outOfBranch),

	// Advice that no single edit follows from. It says what must precede what, and where, or which
	// condition must hold.
	newForm("CALL between one turn at AT and the next, in the thread that issued the copy; .*"),
	newForm("CALL between (?:AT|the read and the write of AT)(?: and AT)?.*"),
	newForm("CALL between AT and AT(?: and between AT and AT)?, to which all threads have to come"),
	newForm("CALL that one thread comes to after AT and the other before AT"),
	newForm("CALL at the end of the loop, after .*"),
	newForm("test the mbarrier until the phase of the copy is over, between (?:AT and AT|one turn at AT and the next)"),
	newForm("one (?:CALL|call|call of the function) after the branch(?:, for all threads)?"),
	newForm("init it first, and order the init before this"),
	newForm("CALL after the product, and a barrier or an arrival of each of its warps after that, before another warp writes the tile again"),
	newForm("inval it first, when all threads are done with it"),
	newForm("init the mbarrier with the number of arrivals in a phase(?:, and wait for a phase before arriving for the next)?"),
	newForm("expect as many bytes as the copies of the phase have, zeros outside of a tensor included"),
	newForm("let as many threads arrive in each phase as the init of the mbarrier says, also those that end or have nothing to do"),
	newForm("wait for the phase under way: the parity changes with every phase, and the first phase has parity 0"),
	newForm("let all threads (?:reach it|of the block reach the same barrier|reach the barrier, and return after it)"),
	newForm("let all threads go round the loop (?:alike|equally often)"),
	newForm("let all threads reach the shuffle, those without data with a value that changes nothing, and return after it"),
	newForm("let every thread of the (?:cluster|grid) make the same calls of .+"),
	newForm("let all threads call it before the if, and use its result there"),
	newForm("move CALL after the if, and let no thread return before it"),
	newForm("move the warp operation after the (?:if|branch)"),
	newForm("give blocks a multiple of 32 threads, and let all lanes reach it, those without data with zeros"),
	newForm("build the mask from the condition under which the lanes get here"),
	newForm("take the value only from lanes that the (?:block has|mask names)"),
	newForm("write every element that is read, also for threads that have no data"),
	newForm("check the index against the length"),
	newForm("make the buffer longer, up to a multiple of 16 bytes"),
	newForm("give the descriptor the tile's offsets and swizzle, and begin the tile where a swizzled tile may begin"),
	newForm("give the tensor map and the matrix descriptor, gpu.MatrixOf's, one swizzle"),
	newForm("make both atomic, or (?:make two launches of it|put .* between them)"),
	newForm("write to a place of the block's own, use an atomic, make two launches of it, or have the grid meet between them"),
	newForm("take the lock around both accesses"),
	newForm("let one thread (?:do it, or give each thread a place|write, or use an atomic)"),
	newForm("give away what is asked for: over all warps the registers after setmaxnreg are no more than before"),
	newForm("inc to more registers than the warp has, and dec to fewer"),
	newForm("see what the threads that run wait for; if they only compute for that long, allow more instructions .*"),
	newForm("let a thread arrive for a phase only after its wait for the phase before: .*"),
	newForm("free it after its last use"),
}

// goCall is a call as source needs it, or PTX's instruction.
func goCall(call string) string {
	switch call {
	case "bar.sync":
		return "bar.sync 0;"
	case "bar.warp.sync":
		return "bar.warp.sync -1;"
	case "barrier.cluster":
		return "barrier.cluster.arrive; barrier.cluster.wait;"
	}
	if !strings.Contains(call, "(") {
		return call + ";"
	}
	return strings.Replace(call, "(mask)", "(gpu.FullMask)", 1)
}

func placeOf(file, line string) place {
	n, _ := strconv.Atoi(line)
	return place{file, n}
}

func beforeLast(_ *report.Finding, _ lines, m []string) []change {
	return []change{{placeOf(m[len(m)-2], m[len(m)-1]), "before", goCall(m[1])}}
}

func waitBeforeLast(_ *report.Finding, _ lines, m []string) []change {
	return []change{{placeOf(m[4], m[5]), "before", goCall(m[1]) + " " + goCall(m[6])}}
}

func waitBehindFirst(_ *report.Finding, _ lines, m []string) []change {
	return []change{{placeOf(m[2], m[3]), "after", goCall(m[1])}}
}

// oneGroupMore lowers the numbers of groups that waits leave.
func oneGroupMore(f *report.Finding, text lines, m []string) []change {
	var list []change
	wait := regexp.MustCompile(`(CpAsync\w*WaitGroup\w*\(|wait_group )([1-9])`)
	at := placeOfWitness(f.Witnesses[0])
	for at.line = 1; at.line < 3000; at.line++ {
		if w := wait.FindStringSubmatch(text(at)); w != nil {
			n, _ := strconv.Atoi(w[2])
			list = append(list, change{at, "instead", wait.ReplaceAllString(text(at), "${1}"+strconv.Itoa(n-1))})
		}
	}
	return list
}

func placeOfWitness(w report.Witness) place {
	if w.Source.Line > 0 {
		return place{report.Base(w.Source.File), w.Source.Line}
	}
	_, rest, _ := strings.Cut(w.PTX, "ptx:")
	line, _, _ := strings.Cut(rest, ":")
	return placeOf("ptx", line)
}

// witness is the first that has one of the roles.
func witness(f *report.Finding, roles ...string) (place, bool) {
	for _, role := range roles {
		for _, w := range f.Witnesses {
			if strings.HasPrefix(w.Role, role) {
				return placeOfWitness(w), true
			}
		}
	}
	return place{}, false
}

func behindCopy(f *report.Finding, _ lines, m []string) []change {
	for _, w := range f.Witnesses {
		if w.Note == "asynchronous copy" {
			return []change{{placeOfWitness(w), "after", goCall(m[1])}}
		}
	}
	return nil
}

// behindCommit inserts a wait after the commit that follows a product or a copy.
func behindCommit(f *report.Finding, text lines, m []string) []change {
	for _, w := range f.Witnesses {
		if w.Role != "reads in flight" && w.Note != "asynchronous copy" && w.Note != "product of a warpgroup" {
			continue
		}
		at := placeOfWitness(w)
		for end := at.line + 10; at.line < end; at.line++ {
			if strings.Contains(text(at), "Commit") {
				return []change{{at, "after", goCall(m[1])}}
			}
		}
	}
	return nil
}

func behindRole(roles ...string) func(*report.Finding, lines, []string) []change {
	return func(f *report.Finding, _ lines, m []string) []change {
		at, ok := witness(f, roles...)
		if !ok {
			return nil
		}
		return []change{{at, "after", goCall(m[1])}}
	}
}

func beforeRole(roles ...string) func(*report.Finding, lines, []string) []change {
	return func(f *report.Finding, _ lines, m []string) []change {
		at, ok := witness(f, roles...)
		if !ok {
			return nil
		}
		return []change{{at, "before", goCall(m[1])}}
	}
}

// bothBeforeEnd puts a commit and a wait before a thread ends.
func bothBeforeEnd(f *report.Finding, text lines, m []string) []change {
	return beforeRole("finished at")(f, text, []string{"", strings.TrimSuffix(goCall(m[1])+" "+goCall(m[2]), ";")})
}

// otherParity makes the parity at a wait the other one.
func otherParity(_ *report.Finding, text lines, m []string) []change {
	at := placeOf(m[1], m[2])
	line := text(at)
	i, end := strings.LastIndex(line, ", "), strings.LastIndex(line, ")")
	switch {
	case i < 0:
		return nil
	case at.file == "ptx" && strings.Contains(line, "%other"):
		return nil
	case at.file == "ptx":
		parity := strings.Trim(line[i+2:], "; ")
		return []change{{at, "instead", "{ .reg .b32 %other; xor.b32 %other, " + parity + ", 1;" + line[:i] + ", %other; }"}}
	}
	return []change{{at, "instead", line[:i] + ", 1-(" + line[i+2:end] + "))"}}
}

// atomicUpdate makes an update of an element atomic.
func atomicUpdate(f *report.Finding, text lines, m []string) []change {
	at := placeOfWitness(f.Witnesses[0])
	line := strings.TrimSpace(text(at))
	to, value, ok := strings.Cut(line, " += ")
	if !ok {
		to, value, _ = strings.Cut(line, " = ")
		sum, added := strings.CutSuffix(value, " + "+to)
		most, raised := strings.CutPrefix(strings.TrimSuffix(value, ")"), "max("+to+", ")
		switch {
		case added:
			value = sum
		case raised:
			value = most
		default:
			return nil
		}
	}
	return []change{{at, "instead", m[1] + "(&" + to + ", " + value + ")"}}
}

var (
	narrowGo  = regexp.MustCompile(`gpu\.(Block|Cluster)Scope`)
	narrowPTX = regexp.MustCompile(`\.(cta|cluster)\b`)
)

// wideScope gives everything in the file the scope of the device.
func wideScope(f *report.Finding, text lines, _ []string) []change {
	var list []change
	at := placeOfWitness(f.Witnesses[0])
	for at.line = 1; at.line < 3000; at.line++ {
		old := text(at)
		wide := strings.ReplaceAll(narrowGo.ReplaceAllString(old, "gpu.DeviceScope"), "ThreadFenceBlock", "ThreadFence")
		switch {
		case at.file != "ptx" || strings.Contains(old, "barrier.cluster"):
		case strings.Contains(old, "mbarrier"): // has no scope but the block and the cluster
			wide = strings.NewReplacer(".cta.", ".cluster.", "arrive.shared", "arrive.release.cluster.shared",
				"parity.shared", "parity.acquire.cluster.shared").Replace(old)
		default:
			wide = strings.ReplaceAll(narrowPTX.ReplaceAllString(old, ".gpu"), "membar.gpu", "membar.gl")
		}
		if wide != old {
			list = append(list, change{at, "instead", wide})
		}
	}
	return list
}

func commitAndWait(f *report.Finding, text lines, m []string) []change {
	return append(behindRole("product")(f, text, m), beforeRole("read of", "write of")(f, text, m[1:])...)
}

// beforeEnd puts a call before the end of the function of the first witness.
func beforeEnd(f *report.Finding, text lines, m []string) []change {
	at := placeOfWitness(f.Witnesses[0])
	for at.line++; text(at) != "}"; at.line++ {
		if at.line > 3000 {
			return nil
		}
	}
	for back := at; text(back) != "{" && !strings.HasPrefix(text(back), "func"); back.line-- {
		if strings.Contains(text(back), "return") {
			return nil // some threads end there
		}
	}
	return []change{{at, "before", goCall(m[1])}}
}

// outOfBranch splits an if around a barrier, and puts one at the end of the loop around the if.
func outOfBranch(_ *report.Finding, text lines, m []string) []change {
	branch := placeOf(m[11], m[12])
	end := branch
	for indent := indentOf(text(branch)); text(end) == "" || end == branch || indentOf(text(end)) > indent; end.line++ {
		if end.line > branch.line+100 || strings.Contains(text(end), ":=") {
			return nil // a variable declared in the if would have to move out of it
		}
	}
	var list []change
	for i := 2; i <= 6; i += 4 {
		if m[i] == "" {
			continue
		}
		if one, two := placeOf(m[i], m[i+1]), placeOf(m[i+2], m[i+3]); one.line < two.line {
			list = append(list, change{two, "before", "}\n" + goCall(m[1]) + "\n" + m[10] + " {"})
		} else {
			list = append(list, change{end, "after", goCall(m[1])})
		}
	}
	return list
}

func indentOf(s string) int { return len(s) - len(strings.TrimLeft(s, "\t")) }

// splitBranch ends the if around a barrier before the barrier, and begins the if again after it.
func splitBranch(f *report.Finding, text lines, m []string) []change {
	at, ok := witness(f, "wait at")
	branch := regexp.MustCompile("`(if .*)`").FindStringSubmatch(f.Why)
	if !ok || branch == nil || !strings.Contains(text(at), m[1]) {
		return nil
	}
	for before := at; !strings.Contains(text(before), branch[1]); before.line-- {
		if before.line == 1 || strings.Contains(text(before), ":=") {
			return nil // a variable declared before would have to move out of the if
		}
	}
	return []change{{at, "instead", "}\n" + m[1] + "\n" + branch[1] + " {"}}
}

// behindBranch moves the call at a barrier to after the statement around it that splits the block.
func behindBranch(f *report.Finding, text lines, m []string) []change {
	at, ok := witness(f, "wait at")
	if !ok || !strings.Contains(text(at), m[1]) {
		return nil
	}
	if at.file == "ptx" {
		return whereWaysMeet(f, at, text(at))
	}
	end := at
	for end.line++; end.line < at.line+100 && (indentOf(text(end)) >= indentOf(text(at)) || text(end) == ""); end.line++ {
	}
	if strings.TrimSpace(text(end)) != "}" {
		return nil
	}
	return []change{{at, "instead", ""}, {end, "after", m[1]}}
}

// whereWaysMeet moves an instruction of PTX to where the ways of the branch around it meet.
func whereWaysMeet(f *report.Finding, at place, instruction string) []change {
	for _, w := range f.Witnesses {
		if m := regexp.MustCompile(`ptx:(\d+), where the ways meet again`).FindStringSubmatch(w.Note); m != nil {
			return []change{{at, "instead", ""}, {placeOf("ptx", m[1]), "before", instruction}}
		}
	}
	return nil
}

// beforeFlag puts a call before what sets a flag, after the write.
func beforeFlag(f *report.Finding, text lines, m []string) []change {
	at, ok := witness(f, "write")
	for end := at.line + 20; ok && at.line < end; at.line++ {
		if s := text(at); strings.Contains(s, "st.relaxed") || strings.Contains(s, "atom.") {
			return []change{{at, "before", goCall(m[1])}}
		}
	}
	return nil
}

// inPTX makes changes for lines of a source changes of the PTX that the finding shows there, with the
// instruction that the advice names for PTX.
func inPTX(f *report.Finding, list []change) []change {
	list = slices.Clone(list)
	for i, c := range list {
		if m := regexp.MustCompile(`in PTX (\S+)`).FindStringSubmatch(f.Fix); m != nil && strings.Contains(c.text, "gpu.") {
			list[i].text = ptxCalls[m[1]]
		}
		for _, w := range f.Witnesses {
			_, rest, ok := strings.Cut(w.PTX, "ptx:")
			if line, _, _ := strings.Cut(rest, ":"); ok && c.at.file != "ptx" && placeOfWitness(w) == c.at {
				list[i].at = placeOf("ptx", line)
				break
			}
		}
	}
	return list
}

// ptxCalls are instructions that advice names, with their operands.
var ptxCalls = map[string]string{
	"fence.proxy.async": "fence.proxy.async;", "wgmma.wait_group": "wgmma.wait_group.sync.aligned 0;",
	"wgmma.fence.sync.aligned": "wgmma.fence.sync.aligned;", "fence.mbarrier_init": "fence.mbarrier_init.release.cluster;",
}

// apply makes changes of a file's text.
func apply(text string, file string, list []change) string {
	parts := strings.Split(text, "\n")
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b change) int { return cmp.Compare(b.at.line, a.at.line) })
	for _, c := range slices.Compact(list) {
		i := c.at.line - 1
		if c.at.file != file || i < 0 || i >= len(parts) {
			continue
		}
		// In Go a call for each line.
		add := strings.ReplaceAll(c.text, ") gpu.", ")\ngpu.")
		switch c.how {
		case "before":
			parts = slices.Insert(parts, i, add)
		case "after":
			parts = slices.Insert(parts, i+1, add)
		case "instead":
			parts[i] = add
		}
	}
	return strings.Join(parts, "\n")
}
