package page

import "github.com/gridstride/gridstride/similar"

// The size of a map's picture for narrow screens, in pixels of a phone.
const (
	arcsWidth = 340.0
	arcsRow   = 46.0 // high enough for a finger
	arcsLine  = 96.0 // where the documents are, from the left
)

// An Arcs is a map as a list, after Wattenberg's arc diagrams (2002): the documents are one under
// the other in the order of the ring, with their names, and arcs join those that are alike.
type Arcs struct {
	Width, Height float64
	Rows          []Row
	Curves        []Curve
}

// A Row is one document of arcs.
type Row struct {
	Node
	Number int // its place in the list of the nearest, from 1
	Top    float64
	At     Point
	Radius float64
	Label  string
}

// arcs draws a map as a list.
func arcs(m *Map) *Arcs {
	a := &Arcs{Width: arcsWidth, Height: arcsRow * float64(len(m.Nodes))}
	ring := around(m)
	places := make([]Point, len(ring))
	for row, i := range ring {
		n := m.Nodes[i]
		at := Point{arcsLine, arcsRow * (float64(row) + 0.5)}
		places[i] = at
		a.Rows = append(a.Rows, Row{
			Node: n, Number: i + 1, Top: at.Y - arcsRow/2, At: at, Radius: round(6 + 5*nearness(m, i)),
			Label: shorten(heading(&similar.Document{ID: n.ID, Title: n.Title}), 26),
		})
	}
	strongest := 0.0
	for _, e := range m.Edges {
		strongest = max(strongest, e.Similarity)
	}
	for _, e := range m.Edges {
		from, to := places[e.A], places[e.B]
		far := min(1, max(from.Y-to.Y, to.Y-from.Y)/(6*arcsRow))
		bend := Point{round(arcsLine - 30 - 2*(arcsLine-40)*far), (from.Y + to.Y) / 2}
		strength := e.Similarity / strongest
		a.Curves = append(a.Curves, Curve{from, bend, to, round(1 + 3*strength), round(0.25 + 0.6*strength)})
	}
	return a
}
