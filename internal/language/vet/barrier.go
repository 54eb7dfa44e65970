package vet

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// BarrierAnalyzer finds barriers that not all threads of a block, a cluster or the grid reach.
var BarrierAnalyzer = &analysis.Analyzer{
	Name: "barrier",
	Doc: `find block barriers that not all threads of the block reach

A barrier waits for all threads of the block. It is gpu.SyncThreads, or a function that calls it, such
as gpu/collective's for blocks. It must not be inside a branch that only some of the threads take,
nor in a loop that some run more often than others: the kernel hangs, or worse. Threads may return
before a barrier, by "if i >= n { return }". gpu.SyncGrid waits for all threads of the grid, so it
must not be inside a branch that only some of the blocks take. gpu.SyncCluster, with its two halves,
waits for the threads of the cluster. A branch on a value that is the same in a whole cluster is fine
there. Whole warps come to the barriers of gpu.SyncBarrier and gpu.ArriveBarrier: a branch may keep
warps from one, but not some lanes of a warp.`,
	Requires:   []*analysis.Analyzer{summarize},
	ResultType: usedCommentsType,
	Run: func(pass *analysis.Pass) (any, error) {
		return reportDivergences(pass, Barrier, NamedBarrier, ClusterBarrier, GridBarrier), nil
	},
}

// WarpSyncAnalyzer finds warp operations for all lanes that not all lanes reach.
var WarpSyncAnalyzer = &analysis.Analyzer{
	Name: "warpsync",
	Doc: `find shuffles, votes and warp barriers that name lanes which do not reach them

A shuffle, a vote and gpu.SyncWarp wait for all lanes of their mask. With a mask of all lanes they
must not be inside a branch that only some lanes of a warp take, nor in a loop that some lanes run
more often than others. A branch that whole warps take is fine: if tid < 32.`,
	Requires:   []*analysis.Analyzer{summarize},
	ResultType: usedCommentsType,
	Run:        func(pass *analysis.Pass) (any, error) { return reportDivergences(pass, WarpOp), nil },
}

func reportDivergences(pass *analysis.Pass, kinds ...EffectKind) usedComments {
	r := &reporter{pass: pass}
	s := pass.ResultOf[summarize].(*summaries)
	if s == nil {
		return nil
	}
	said := map[token.Pos]bool{}
	for _, f := range s.found {
		if pos := start(f.u.fn, f.at); slices.Contains(kinds, f.effect.Kind) && !said[pos] {
			said[pos] = true
			r.report(pos, "%s", s.describe(&f))
		}
	}
	return r.used
}

// describe says what diverges, why, and what to do.
func (s *summaries) describe(f *divergence) string {
	level, who, noun, or := perThread, "threads of the block", "the barrier", ""
	what := f.effect.Name
	switch f.effect.Kind {
	case ClusterBarrier:
		level, who = inCluster, "threads of the cluster"
	case GridBarrier:
		level, who = inCluster|PerCluster, "threads of the grid"
	case NamedBarrier:
		level, who = PerLane, "lanes of the warp"
	case WarpOp:
		level, who, noun, or = PerLane, "lanes of the warp", "the warp operation",
			", or give it a mask of the lanes that reach it"
		what += " for all lanes"
	}
	if gpuFunc(f.at.Common()) == nil {
		what = fmt.Sprintf("this call, which comes to %s (%s),", what, f.effect.At)
	}
	if at := s.culprit(f.u, f.at.Block(), level); at != nil {
		why, fix := at.explain(f.at.Pos(), noun, who)
		return fmt.Sprintf("%s %s: %s%s", what, why, fix, or)
	}
	return fmt.Sprintf("%s does so under a branch of the function called, which not all %s take: pass arguments "+
		"that are the same for all of them", what, who)
}
