package tool

import (
	"fmt"
	"path"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Words are how the source language spells what orders threads.
type Words struct {
	Barrier, WarpSync, Fence, CopyWait, CopyCommit, ClusterBarrier, BulkWait, BulkCommit string
}

// language is how a source language is spelled in advice.
type language struct {
	words  Words
	atomic func(op, name string) string // for "add" and "Add"
}

// ptxLanguage is PTX, which advice on unknown languages is in, too.
var ptxLanguage = language{
	Words{"bar.sync", "bar.warp.sync", "membar.gl", "cp.async.wait_group 0", "cp.async.commit_group",
		"barrier.cluster", "cp.async.bulk.wait_group 0", "cp.async.bulk.commit_group"},
	func(op, _ string) string { return "atom." + op },
}

var cLanguage = language{
	Words{"__syncthreads()", "__syncwarp()", "__threadfence()", "__pipeline_wait_prior(0)",
		"__pipeline_commit()", "cluster.sync()", "cp_async_bulk_wait_group<0>()", "cp_async_bulk_commit_group()"},
	func(_, name string) string { return "atomic" + name },
}

// languages are the others, by the suffix of their files. Python is numba's or Triton's.
var languages = map[string]language{
	".go": {
		Words{"gpu.SyncThreads()", "gpu.SyncWarp(mask)", "gpu.ThreadFence()", "gpu.CpAsyncWaitGroup(0)",
			"gpu.CpAsyncCommitGroup()", "gpu.SyncCluster()", "gpu.CpAsyncBulkWaitGroup(0)", "gpu.CpAsyncBulkCommitGroup()"},
		func(_, name string) string { return "gpu.Atomic" + name },
	},
	".py": {
		ptxLanguage.words.with("cuda.syncthreads() (in Triton tl.debug_barrier())", "cuda.syncwarp()", "cuda.threadfence()"),
		func(op, _ string) string { return "cuda.atomic." + op + " (in Triton tl.atomic_" + op + ")" },
	},
	".rs": {
		ptxLanguage.words.with("_syncthreads()", "bar.warp.sync", "membar.gl"),
		func(op, _ string) string { return "an atomic's fetch_" + op },
	},
	".zig": {
		ptxLanguage.words.with(`asm volatile ("bar.sync 0;" ::: .{ .memory = true })`, "bar.warp.sync", "membar.gl"),
		func(_, name string) string { return "@atomicRmw with ." + name },
	},
}

// with are the words with a language's own for barriers and fences.
func (w Words) with(barrier, warpSync, fence string) Words {
	w.Barrier, w.WarpSync, w.Fence = barrier, warpSync, fence
	return w
}

func languageOf(file string) language {
	if IsC(file) {
		return cLanguage
	}
	if l, ok := languages[path.Ext(file)]; ok {
		return l
	}
	return ptxLanguage
}

// WordsOf are the words of a source file. PTX has its own.
func WordsOf(file string) Words { return languageOf(file).words }

// AtomicOf is the name of the atomic for an operation of PTX in the language of a source file, or
// "" if there is none.
func AtomicOf(file, op string) string {
	switch op {
	case "add", "sub", "min", "max", "and", "or", "xor":
	case "mad", "fma":
		op = "add"
	default:
		return ""
	}
	return languageOf(file).atomic(op, strings.ToUpper(op[:1])+op[1:])
}

// LineOf is "dot.go:24", or "ptx:57" without a source.
func LineOf(at *event.Site) string {
	if at.Source.Line > 0 {
		return event.Position{File: report.Base(at.Source.File), Line: at.Source.Line}.String()
	}
	if at.Instr != nil && at.Instr.Pos.Line > 0 {
		return fmt.Sprintf("ptx:%d", at.Instr.Pos.Line)
	}
	return fmt.Sprintf("%s+%d", at.Func, at.Index)
}

// BranchText is "`if tid < s` (dot.go:56)".
func (b *Book) BranchText(at *event.Site) string {
	text := strings.TrimSpace(strings.TrimSuffix(b.Line(at.Source), "{"))
	if text == "" {
		return "the branch at " + LineOf(at)
	}
	return fmt.Sprintf("`%s` (%s)", text, LineOf(at))
}

// End is where a function ends whose last instruction the compiler gave a position above: the next
// closing brace at the margin.
func (b *Book) End(s event.Position) event.Position {
	s.Col = 0
	if b.Text == nil || s.Line == 0 || path.Ext(s.File) != ".go" {
		return s
	}
	const longest = 10_000
	for line := s.Line; line < s.Line+longest; line++ {
		if b.Text(s.File, line) == "}" {
			s.Line = line
			break
		}
	}
	return s
}
