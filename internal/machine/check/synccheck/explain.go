package synccheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// warpOperation is the name in reports of an instruction that the lanes of a warp run together.
const warpOperation = "the warp operation"

// explainSplit says why threads that ended did not come to where others wait, and what to do.
func (c *Check) explainSplit(at, split *event.Site, cause report.Cause) (why, fix string) {
	words := tool.WordsOf(at.Source.File)
	say := words.Barrier
	switch {
	case at.Instr == nil:
	case at.Does.Meets < ptx.MeetBlock:
		say = warpOperation
	case at.Does.Meets == ptx.MeetCluster:
		say = words.ClusterBarrier
	}
	say = cmp.Or(tool.OwnCall(at), say)
	switch {
	case cause == report.EarlyReturn:
		return "threads that have returned are not waited for on today's GPUs, but no manual promises it",
			"let all threads reach the barrier, and return after it"
	case split == nil:
		return "some threads never come to it; a GPU would hang here", "let all threads reach it"
	}
	text := c.run.Line(split.Source)
	switch {
	case split == at:
		return "the guard of " + tool.LineOf(at) + " lets only part of the block run it; a GPU would hang here",
			"let all threads reach it"
	case strings.HasPrefix(text, "for"), strings.HasPrefix(text, "while"):
		return fmt.Sprintf("it is in the loop %s, which part of the block leaves earlier; a GPU would hang here",
				c.run.BranchText(split)),
			"let all threads go round the loop equally often"
	case strings.Contains(text, "if") && at.Instr != nil && slices.Contains(at.Instr.Mods, "red"):
		return fmt.Sprintf("the barrier is inside %s, which only part of the block enters; a GPU would hang here",
				c.run.BranchText(split)),
			"let all threads call it before the if, and use its result there"
	case strings.Contains(text, "if") && c.returnBehind(split):
		return fmt.Sprintf("the barrier is inside %s, which only part of the block enters; a GPU would hang here",
				c.run.BranchText(split)),
			fmt.Sprintf("move %s after the if, and let no thread return before it", say)
	case strings.Contains(text, "if") && say != warpOperation && c.accessBehind(at, split):
		return fmt.Sprintf("the barrier is inside %s, which only part of the block enters; a GPU would hang here",
				c.run.BranchText(split)),
			fmt.Sprintf("end the if before %s and begin another one after it, so that all threads reach it", say)
	case strings.Contains(text, "if"):
		return fmt.Sprintf("the barrier is inside %s, which only part of the block enters; a GPU would hang here",
				c.run.BranchText(split)),
			fmt.Sprintf("move %s after the if", say)
	}
	return fmt.Sprintf("%s sends part of the block past it; a GPU would hang here", c.run.BranchText(split)),
		fmt.Sprintf("move %s after the branch", say)
}

// accessBehind reports whether threads access memory after a barrier and before the ways of the
// branch around it meet. Then moving the barrier out has to split the branch.
func (c *Check) accessBehind(at, split *event.Site) bool {
	f := c.run.Flow(split.Func)
	meet, ok := f.Meet(split.Index)
	if !ok {
		meet = -1 // the kernel's end
	}
	return at.Func == split.Func && f.AccessBetween(at.Index, meet)
}

// returnBehind reports whether the source has a return after a branch whose ways meet only at the
// end of the kernel.
func (c *Check) returnBehind(split *event.Site) bool {
	if _, ok := c.run.Flow(split.Func).Meet(split.Index); ok {
		return false
	}
	at := split.Source
	for end := c.run.End(at).Line; at.Line < end; at.Line++ {
		if strings.HasPrefix(c.run.Line(at), "return") {
			return true
		}
	}
	return false
}

// past says, for the note of threads that went past others at a branch, where the branch's ways
// meet again. It returns "" if they meet only at the end.
func (c *Check) past(split *event.Site) string {
	if split == nil {
		return ""
	}
	meet, ok := c.run.Flow(split.Func).Meet(split.Index)
	if !ok {
		return ""
	}
	to := c.run.LineAt(split.Func, meet)
	if to == "" {
		to = "the end of " + split.Func
	}
	return "went past it to " + to + ", where the ways meet again"
}
