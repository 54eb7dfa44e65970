package page

import (
	"cmp"
	"context"
	"slices"

	"github.com/gridstride/gridstride/similar"
)

// mapNodes is the default number of neighbours of a map, and mapMost the most with which it stays
// readable.
const (
	mapNodes = 12
	mapMost  = 24
)

// A Map is the neighbourhood of a document: those most like it, and how like each other they are.
// Similarity is a document's score for another one as the query, as a part of what that one scores
// for itself; the mean of both directions; in 0..1.
type Map struct {
	Centre Node   `json:"centre"`
	Nodes  []Node `json:"nodes"` // the most similar first
	Edges  []Edge `json:"edges"` // between neighbours, the strongest first

	Missing []int `json:"missing,omitempty"` // the shards, by number, whose documents are not among these
}

// A Node is a document of a map.
type Node struct {
	ID         string  `json:"id"`
	Title      string  `json:"title,omitempty"`
	Similarity float64 `json:"similarity"` // with the document in the centre
}

// An Edge joins two neighbours, by their places in the list of nodes.
type Edge struct {
	A          int     `json:"a"`
	B          int     `json:"b"`
	Similarity float64 `json:"similarity"`
}

// neighbourhood returns the map around a document.
func (h *Handler) neighbourhood(ctx context.Context, r *request) (*Map, error) {
	if r.ID == "" {
		return nil, errNoID
	}
	if r.K > mapMost {
		return nil, badRequest("k is %d, and a map has at most %d documents", r.K, mapMost)
	}
	docs, err := named(ctx, r.docs, []string{r.ID})
	if err != nil {
		return nil, err
	}
	matches, err := r.docs.matches(ctx, &request{Like: []string{r.ID}, Terms: -1, docs: r.docs}, cmp.Or(r.K, mapNodes))
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(matches))
	for i, m := range matches {
		ids[i] = m.ID
	}
	near, err := r.docs.titled(ctx, ids)
	if err != nil {
		return nil, err
	}
	docs = append(docs, near...)
	ids = []string{}
	for _, d := range docs {
		ids = append(ids, d.ID)
	}
	s, err := r.docs.similarities(ctx, ids)
	if err != nil {
		return nil, err
	}
	m := newMap(docs, mutual(s))
	m.Missing = r.docs.missing()
	return m, nil
}

// newMap makes a map of documents, the centre first, and their similarities.
func newMap(docs []similar.Document, s [][]float64) *Map {
	m := &Map{Centre: Node{docs[0].ID, docs[0].Title, 1}, Nodes: []Node{}, Edges: []Edge{}}
	order := make([]int, len(docs)-1)
	for i := range order {
		order[i] = i + 1
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s[0][b], s[0][a]) })
	for i, a := range order {
		m.Nodes = append(m.Nodes, Node{docs[a].ID, docs[a].Title, s[0][a]})
		for j, b := range order[:i] {
			if s[a][b] > 0 {
				m.Edges = append(m.Edges, Edge{j, i, s[a][b]})
			}
		}
	}
	slices.SortStableFunc(m.Edges, func(a, b Edge) int { return cmp.Compare(b.Similarity, a.Similarity) })
	m.Edges = m.Edges[:min(len(m.Edges), 2*len(m.Nodes))]
	return m
}

// mutual makes similarities of the scores of documents for each other.
func mutual(s [][]float64) [][]float64 {
	both := make([][]float64, len(s))
	for i := range s {
		both[i] = make([]float64, len(s))
		for j := range s {
			both[i][j] = (part(s[i][j], s[i][i]) + part(s[j][i], s[j][j])) / 2
		}
	}
	return both
}

// part is how much of whole a score is, in 0..1.
func part(score, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(1, max(0, score/whole))
}
