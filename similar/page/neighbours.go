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
	matches, err := h.index.Matches(ctx, similar.Query{Like: []string{r.ID}, Terms: -1, K: cmp.Or(r.K, mapNodes)})
	if err != nil {
		return nil, err
	}
	docs, err := h.named([]string{r.ID})
	if err != nil {
		return nil, err
	}
	for _, m := range matches {
		if d, err := h.titled(m.ID); err == nil {
			docs = append(docs, d)
		} else if gone(err) != nil {
			return nil, err
		}
	}
	s, err := h.similarities(ctx, docs)
	if err != nil {
		return nil, err
	}
	return newMap(docs, s), nil
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

// similarities compares each document with each.
func (h *Handler) similarities(ctx context.Context, docs []similar.Document) ([][]float64, error) {
	s := make([][]float64, len(docs))
	for i := range docs {
		s[i] = make([]float64, len(docs))
		for j := range docs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			shares, err := h.index.Explain(ctx, similar.Query{Like: []string{docs[i].ID}, Terms: -1}, docs[j].ID)
			if gone(err) != nil {
				return nil, err
			}
			for _, share := range shares {
				s[i][j] += share.Score
			}
		}
	}
	both := make([][]float64, len(docs))
	for i := range docs {
		both[i] = make([]float64, len(docs))
		for j := range docs {
			both[i][j] = (part(s[i][j], s[i][i]) + part(s[j][i], s[j][j])) / 2
		}
	}
	return both, nil
}

// part is how much of whole a score is, in 0..1.
func part(score, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(1, max(0, score/whole))
}
