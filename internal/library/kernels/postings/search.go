package postings

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
)

//go:generate go tool gridstride build

// A block of Block threads takes one query and Tile documents.
const (
	Block = 256
	Tile  = 4096

	together = 4 // postings that a thread loads before it uses the first
)

// Shape says what is searched. Documents have numbers below N and terms below Terms. Query q is
// document Self+q, which is none of its hits, unless Self is negative. Hits have scores above
// Above.
type Shape[T gpu.Float] struct {
	N, Terms, K int32
	Self        int32
	Above       T
}

// postings of all terms: term t has numbers Starts[t] up to Starts[t+1], by document.
type postings[T gpu.Float] struct {
	starts, documents []int32
	weights           []T
}

// span is a part of the postings, and the weight of their term in the query.
type span[T gpu.Float] struct {
	from, to int32
	weight   T
}

// search leaves the best documents of a tile for a query: those for query q and tile t are list
// t*queries + q, K long, of scores and chosen, in order, with its length in counts. queryStarts,
// queryTerms and queryWeights are the queries as compressed rows. A row has its terms in order, and
// each once. limits has a number for each query, 0 before: a score that its K best have, as order
// makes it one. It saves candidates, and changes no result.
//
// Launch with one block for each query, and in the second dimension one for each tile. The blocks
// that run at the same time then read the same postings.
//
//gpu:kernel block=256 T=float32,float64
func search[T gpu.Float](starts, documents []int32, weights []T, queryStarts, queryTerms []int32, queryWeights []T,
	s Shape[T], limits []uint64, scores []T, chosen, counts []int32,
) {
	sums := gpu.Shared[[Tile]T]()
	state := gpu.Shared[collective.TopKState[T]]()
	list := gpu.Shared[collective.TopK[T]]()
	query, first := gpu.BlockIdx.X, int32(gpu.BlockIdx.Y)*Tile
	if gpu.ThreadIdx.X == 0 {
		*state = limitOf[T](gpu.AtomicMax(&limits[query], 0))
	}
	for i := gpu.ThreadIdx.X; i < Tile; i += Block {
		sums[i] = 0
	}
	p := postings[T]{starts, documents, weights}
	p.add(sums, first, queryTerms[queryStarts[query]:queryStarts[query+1]], queryWeights[queryStarts[query]:], s.Terms)

	choose(sums, first, int32(query), &s, state, list)
	at := gpu.BlockIdx.Y*gpu.GridDim.X + query
	if gpu.ThreadIdx.X == 0 {
		counts[at] = state.Count
		if state.Count == s.K {
			gpu.AtomicMax(&limits[query], order(state.Value))
		}
	}
	for i := gpu.ThreadIdx.X; i < int(state.Count); i += Block {
		scores[at*int(s.K)+i], chosen[at*int(s.K)+i] = list.Values[i], list.Indices[i]
	}
}

// add adds the products of the query's terms to the sums of the documents from first on, term after
// term. It begins and ends with a barrier.
func (p postings[T]) add(sums *[Tile]T, first int32, terms []int32, weights []T, known int32) {
	spans := gpu.Shared[[Block]span[T]]()
	for done := 0; done < len(terms); done += Block {
		gpu.SyncThreads() // the spans may be written again
		if i := done + gpu.ThreadIdx.X; i < len(terms) {
			var of span[T]
			if t := terms[i]; t >= 0 && t < known {
				from, to := p.starts[t], p.starts[t+1]
				of.from = p.seek(from, to, first)
				of.to, of.weight = p.seek(of.from, to, first+Tile), weights[i]
			}
			spans[gpu.ThreadIdx.X] = of
		}
		gpu.SyncThreads()
		for i := range min(Block, len(terms)-done) {
			if of := spans[i]; of.from < of.to {
				p.addSpan(sums, first, of)
				gpu.SyncThreads()
			}
		}
	}
	gpu.SyncThreads()
}

// addSpan adds the products of one term. No two postings are of the same document.
func (p postings[T]) addSpan(sums *[Tile]T, first int32, of span[T]) {
	at := of.from + int32(gpu.ThreadIdx.X)
	for ; at < of.to-(together-1)*Block; at += together * Block {
		var d [together]int32
		var w [together]T
		for j := range together {
			d[j], w[j] = p.documents[at+int32(j*Block)], p.weights[at+int32(j*Block)]
		}
		for j := range together {
			sums[d[j]-first] += of.weight * w[j]
		}
	}
	for ; at < of.to; at += Block {
		sums[p.documents[at]-first] += of.weight * p.weights[at]
	}
}

// seek is the number of the first posting between from and to of a document that is not below d.
func (p postings[T]) seek(from, to, d int32) int32 {
	for from < to {
		if middle := from + (to-from)/2; p.documents[middle] < d {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// choose leaves the best of the tile in the list, in order. Scores for which there is no room wait
// until the list was cut.
func choose[T gpu.Float](sums *[Tile]T, first, query int32, s *Shape[T], state *collective.TopKState[T], list *collective.TopK[T]) {
	waiting := uint32(1)<<(Tile/Block) - 1
	for again := true; again; {
		for j := range int32(Tile / Block) {
			i := j*Block + int32(gpu.ThreadIdx.X)
			row, score := first+i, sums[i]
			if waiting>>j&1 == 0 || row >= s.N || s.Self >= 0 && row == s.Self+query || !(score > s.Above) ||
				!state.Passes(score, row) || list.Offer(state, score, row) {
				waiting &^= 1 << j
			}
		}
		gpu.SyncThreads()
		again = state.Count > topk.Longest
		list.Cut(state, int(s.K))
	}
}

// order is a number that is larger where a score is, and 0 for none.
func order[T gpu.Float](score T) uint64 {
	bits := math.Float64bits(float64(score))
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// limitOf is the limit of a number that order has made: a score that is lower is no candidate.
func limitOf[T gpu.Float](n uint64) collective.TopKState[T] {
	limit := collective.NoLimit[T]()
	switch {
	case n>>63 == 1:
		limit.Value = T(math.Float64frombits(n &^ (1 << 63)))
	case n > 0:
		limit.Value = T(math.Float64frombits(^n))
	}
	return limit
}
