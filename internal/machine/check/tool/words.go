package tool

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Words are how the source language spells what orders threads.
type Words struct {
	Barrier, WarpSync, Fence, CopyWait, CopyCommit, ClusterBarrier, BulkWait, BulkCommit string
}

// WordsOf are the words of a source file. PTX has its own.
func WordsOf(file string) Words {
	if file == "" {
		return Words{"bar.sync", "bar.warp.sync", "membar.gl", "cp.async.wait_group 0", "cp.async.commit_group",
			"barrier.cluster", "cp.async.bulk.wait_group 0", "cp.async.bulk.commit_group"}
	}
	if IsC(file) {
		return Words{"__syncthreads()", "__syncwarp()", "__threadfence()", "__pipeline_wait_prior(0)",
			"__pipeline_commit()", "cluster.sync()", "cp_async_bulk_wait_group<0>()", "cp_async_bulk_commit_group()"}
	}
	if IsPython(file) {
		return Words{"cuda.syncthreads() (in Triton tl.debug_barrier())", "cuda.syncwarp()", "cuda.threadfence()",
			"cp.async.wait_group 0", "cp.async.commit_group", "barrier.cluster", "cp.async.bulk.wait_group 0",
			"cp.async.bulk.commit_group"}
	}
	return Words{"gpu.SyncThreads()", "gpu.SyncWarp(mask)", "gpu.ThreadFence()", "gpu.CpAsyncWaitGroup(0)",
		"gpu.CpAsyncCommitGroup()", "gpu.SyncCluster()", "gpu.CpAsyncBulkWaitGroup(0)", "gpu.CpAsyncBulkCommitGroup()"}
}

// IsPython reports whether a source file is in Python, whose kernels numba or Triton has compiled.
func IsPython(file string) bool { return strings.HasSuffix(file, ".py") }

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
	name := strings.ToUpper(op[:1]) + op[1:]
	switch {
	case file == "":
		return "atom." + op
	case IsC(file):
		return "atomic" + name
	case IsPython(file):
		return "cuda.atomic." + op + " (in Triton tl.atomic_" + op + ")"
	}
	return "gpu.Atomic" + name
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
	if b.Text == nil || s.Line == 0 || IsC(s.File) || IsPython(s.File) {
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
