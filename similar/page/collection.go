package page

import (
	"context"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/snippet"
)

// A collection is the documents of a page: the documents of a Searcher, or of shards, which other
// processes have.
type collection interface {
	documents() int
	// begin returns what answers one request, which sees one version of the documents.
	begin(ctx context.Context, again *repeat) (answerer, error)
}

// An answerer answers what one request asks of documents. Everything else that handlers do is the same
// for one index and for shards.
type answerer interface {
	documents() int
	// missing lists the shards whose documents have no part in the answers, by number.
	missing() []int
	// language reads queries. It is of an index with the same options, which may be
	// empty.
	language() *similar.Searcher
	hasField(ctx context.Context, name string) (bool, error)
	// matches returns the first n documents that a request finds.
	matches(ctx context.Context, r *request, n int) ([]place, error)
	// hits returns documents as answers have them, without those that are gone, and whether the
	// list ends early, as it has too many bytes.
	hits(ctx context.Context, r *request, places []place) ([]Hit, bool, error)
	// suggest returns a better query, or nothing. It is called after matches.
	suggest(ctx context.Context, r *request) (string, error)
	// values counts the values of fields, the most frequent first.
	values(ctx context.Context, r *request, most int) ([][]similar.ValueCount, error)
	why(ctx context.Context, r *request) (*Why, error)
	text(ctx context.Context, r *request) (*Text, error)
	// reading returns a document's text and heading, the words of a request and other terms marked.
	reading(ctx context.Context, r *request, terms []string) (*reading, error)
	// titled returns ids and titles of documents, without those that are not there.
	titled(ctx context.Context, ids []string) ([]similar.Document, error)
	// samples returns the samples of documents, without those that are not there.
	samples(ctx context.Context, ids []string) ([]similar.Sample, error)
	// similarities returns the score of each document for each as the query: the row is the query.
	similarities(ctx context.Context, ids []string) ([][]float64, error)
	// tally counts the fields of documents, and says how many it looked at.
	tally(ctx context.Context, ids []string) (tally, int, error)
	overview(ctx context.Context) (*Overview, error)
}

// A place is a document in a list of answers.
type place struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
	Rank  int     `json:"rank"` // from 1
}

// A reading is a document in full with its words marked.
type reading struct {
	ID      string         `json:"id"`
	Heading []snippet.Part `json:"heading"`
	Body    []snippet.Part `json:"body"`
}

// A repeat says what a request that is tried again has learnt.
type repeat struct {
	lost []int // shards that did not answer to the end
}
