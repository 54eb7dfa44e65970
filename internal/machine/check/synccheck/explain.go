package synccheck

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
)

// explainSplit says why threads that ended did not come to where others wait, and what to do.
func (c *Check) explainSplit(at, split *sim.Site, cause report.Cause) (why, fix string) {
	say := tool.WordsOf(at.Source.File).Barrier
	if at.Instr != nil && at.Does.Meets < ptx.MeetBlock {
		say = "the warp operation"
	}
	say = cmp.Or(tool.OwnCall(at), say)
	switch {
	case cause == report.EarlyReturn:
		return "threads that have returned are not waited for on today's GPUs, but no manual promises it",
			"let all threads reach the barrier, and return behind it"
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
	case strings.Contains(text, "if"):
		return fmt.Sprintf("the barrier is inside %s, which only part of the block enters; a GPU would hang here",
				c.run.BranchText(split)),
			fmt.Sprintf("move %s behind the if", say)
	}
	return fmt.Sprintf("%s sends part of the block past it; a GPU would hang here", c.run.BranchText(split)),
		fmt.Sprintf("move %s behind the branch", say)
}

// past says where the ways meet again of a branch at which threads went past others, for their
// note: "" where they meet only at the end.
func (c *Check) past(split *sim.Site) string {
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
