package postings

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
)

// Plan is the kernels for one type of weights made ready on a device. Any goroutine may use it.
type Plan[T operand.Float] struct {
	search *searchKernel[T]
	merge  *topk.Plan[T]
}

// NewPlan loads the kernels.
//
// Errors: [gridstride.Device.Load]'s.
func NewPlan[T operand.Float](dev *gridstride.Device) (*Plan[T], error) {
	k, err := loadSearch[T](dev)
	if err != nil {
		return nil, err
	}
	merge, err := topk.NewPlan[T](dev)
	return &Plan[T]{k, merge}, err
}

// Postings has the postings of N documents, by term: the postings of term t are numbers Starts[t]
// up to Starts[t+1], in the order of their documents.
type Postings[T operand.Float] struct {
	N                 int
	Starts, Documents gridstride.Buffer[int32]
	Weights           gridstride.Buffer[T]
}

// Queries are compressed rows: query i has the elements Starts[i] up to Starts[i+1], in the order
// of the terms. There is one more start than queries.
type Queries[T operand.Float] struct {
	Starts, Terms gridstride.Buffer[int32]
	Weights       gridstride.Buffer[T]
}

// Memory is working memory, for one stream.
type Memory[T operand.Float] struct {
	lists  topk.Memory[T]
	limits gridstride.Buffer[uint64]
}

// Free gives the memory back. Queued work still runs.
func (m *Memory[T]) Free() error {
	err := m.lists.Free()
	if e := m.limits.Free(); err == nil {
		err = e
	}
	return err
}

// The bounds of the memory: places for hits, and queries.
const (
	memoryHits    = 1 << 23
	memoryQueries = 4096
)

// Together is how many queries are searched together, for k hits each. The working memory is for
// that number.
func (p *Postings[T]) Together(k int) int {
	return max(1, min(memoryQueries, memoryHits/(max(p.tiles(), 1)*k)))
}

func (p *Postings[T]) tiles() int { return (p.N + Tile - 1) / Tile }

// Launch queues a search for each query's k best documents with scores greater than above. There is
// at least one query. With a self that is not negative, query i is document self+i, which is none
// of its hits. The documents of query i go to outRows[i*k:], the best first, and the scores to
// outScores there. If there are fewer, the others are document -1.
//
// Errors: [gridstride.Make]'s and [gridstride.Kernel.Launch]'s.
func (p *Plan[T]) Launch(s *gridstride.Stream, m *Memory[T], x *Postings[T], q Queries[T], k, self int, above T,
	outRows gridstride.Buffer[int32], outScores gridstride.Buffer[T],
) error {
	queries, together := q.Starts.Len()-1, x.Together(k)
	for first := 0; first < queries; first += together {
		end := min(first+together, queries)
		shape := Shape[T]{N: int32(x.N), Terms: int32(x.Starts.Len() - 1), K: int32(k), Self: -1, Above: above}
		if self >= 0 {
			shape.Self = int32(self + first)
		}
		parts := topk.Parts{N: x.tiles(), Queries: end - first, Len: k, K: k}
		if err := p.part(s, m, x, q, shape, parts, first); err != nil {
			return err
		}
		if err := p.merge.Merge(s, &m.lists, parts, end-first, outRows.Slice(first*k, end*k), outScores.Slice(first*k, end*k)); err != nil {
			return err
		}
	}
	return nil
}

// part queues a search for the queries from first on.
func (p *Plan[T]) part(s *gridstride.Stream, m *Memory[T], x *Postings[T], q Queries[T], shape Shape[T], parts topk.Parts, first int) error {
	if err := m.lists.Reserve(s.Device(), max(parts.N, 1)*parts.Queries, parts.Len); err != nil || parts.N == 0 {
		return err
	}
	if err := topk.Reserve(s.Device(), &m.limits, parts.Queries); err != nil {
		return err
	}
	if err := m.limits.Zero(s); err != nil {
		return err
	}
	starts := q.Starts.Slice(first, first+parts.Queries+1)
	return p.search.Launch(s, gridstride.Grid(parts.Queries, parts.N), x.Starts, x.Documents, x.Weights, starts, q.Terms, q.Weights,
		shape, m.limits, m.lists.Scores, m.lists.Rows, m.lists.Counts)
}
