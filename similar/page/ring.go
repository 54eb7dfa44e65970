package page

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gridstride/gridstride/similar"
)

// The size of a map's picture, in its units, which are pixels if there is room.
const (
	mapWidth, mapHeight = 1160.0, 600.0
	ringX, ringY        = 285.0, 262.0 // half axes of the ring of the labels
	nearest             = 0.4          // of the way to the ring: the least distance of a node
)

// A Point is a place in the picture.
type Point struct{ X, Y float64 }

// A Spoke is one neighbour of a map as it is drawn: on a line from the centre, nearer to it the
// more similar it is, with its label at the line's end.
type Spoke struct {
	Node
	Number    int // its place in the list, from 1
	At        Point
	End       Point
	Label     Point
	Anchor    string  // of the label: start on the right, end on the left
	Radius    float64 // of its circle
	Neighbour int     // of the ring: the next one clockwise, by its number
	Caption   []Line
}

// A Line is one line of a label.
type Line struct {
	Y    float64
	Text string
}

// A Curve joins two neighbours that are like each other.
type Curve struct {
	From, Bend, To Point
	Width          float64
	Opacity        float64
}

// A Drawing is a map with the places of all that is in it.
type Drawing struct {
	Width, Height float64
	Centre        Point
	Caption       []Line  // of the centre
	Spokes        []Spoke // by number
	Curves        []Curve
}

// draw places the nodes of a map. Nodes that are like each other are neighbours on the ring.
func draw(m *Map) *Drawing {
	d := &Drawing{Width: mapWidth, Height: mapHeight, Centre: Point{mapWidth / 2, mapHeight / 2}}
	const below = 40 // the centre's circle
	d.Caption = caption(heading(&similar.Document{ID: m.Centre.ID, Title: m.Centre.Title}), d.Centre.Y+below, true)
	ring := around(m)
	d.Spokes = make([]Spoke, len(m.Nodes))
	for place, i := range ring {
		angle := 2*math.Pi*(float64(place)+0.5)/float64(len(ring)) - math.Pi/2
		d.Spokes[i] = newSpoke(m.Nodes[i], angle, nearness(m, i))
		d.Spokes[i].Number, d.Spokes[i].Neighbour = i+1, ring[(place+1)%len(ring)]+1
		d.Spokes[i].label(len(ring))
	}
	strongest := 0.0
	for _, e := range m.Edges {
		strongest = max(strongest, e.Similarity)
	}
	for _, e := range m.Edges {
		d.Curves = append(d.Curves, newCurve(d.Spokes[e.A].At, d.Spokes[e.B].At, d.Centre, e.Similarity/strongest))
	}
	return d
}

// nearness is how near a node of a map is to the centre, 0..1: 1 for the most similar, and above 0
// for the least.
func nearness(m *Map, i int) float64 {
	most, least := m.Nodes[0].Similarity, 0.8*m.Nodes[len(m.Nodes)-1].Similarity
	if most <= least {
		return 0
	}
	return (m.Nodes[i].Similarity - least) / (most - least)
}

func newSpoke(n Node, angle, near float64) Spoke {
	cos, sin := math.Cos(angle), math.Sin(angle)
	at := func(way float64) Point {
		return Point{round(mapWidth/2 + way*ringX*cos), round(mapHeight/2 + way*ringY*sin)}
	}
	s := Spoke{
		Node: n, At: at(nearest + (0.94-nearest)*(1-near)), End: at(1), Label: at(1.03),
		Anchor: "start", Radius: round(11 + 5*near),
	}
	if cos < 0 {
		s.Anchor = "end"
	}
	return s
}

// newCurve joins two places by a curve that bends towards the centre.
func newCurve(a, b, centre Point, strength float64) Curve {
	middle := func(x, y, c float64) float64 { return round(((x+y)/2 + c) / 2) }
	return Curve{a, Point{middle(a.X, b.X, centre.X), middle(a.Y, b.Y, centre.Y)}, b, round(1 + 3*strength), round(0.15 + 0.5*strength)}
}

// label breaks the name of a node into lines: into two if the ring has few enough nodes to leave
// room.
func (s *Spoke) label(nodes int) {
	s.Caption = caption(heading(&similar.Document{ID: s.ID, Title: s.Node.Title}), round(s.Label.Y+5), nodes <= mapNodes)
}

// caption is a name as a line, or as two about the same place where two are allowed and it is long.
func caption(name string, y float64, two bool) []Line {
	const width, height = 34, 18.0
	first, second := name, ""
	if list := []rune(name); len(list) > width && two {
		at := width
		if space := strings.LastIndex(string(list[:width+1]), " "); space > 0 {
			at = utf8.RuneCountInString(name[:space])
		}
		first, second = string(list[:at]), strings.TrimSpace(string(list[at:]))
	}
	if second == "" {
		return []Line{{round(y), shorten(first, width)}}
	}
	return []Line{{round(y - height/2), first}, {round(y + height/2), shorten(second, width)}}
}

func round(v float64) float64 { return math.Round(v*100) / 100 }

// shorten cuts a text after n characters, and says so.
func shorten(s string, n int) string {
	list := []rune(s)
	if len(list) <= n {
		return s
	}
	return string(list[:n-1]) + "…"
}

// around orders the nodes of a map on a ring: beginning with the most similar each is followed by
// the one most like it, and then stretches are turned round while that brings more likes side by
// side (2-opt; G. A. Croes, A Method for Solving Traveling-Salesman Problems, 1958).
func around(m *Map) []int {
	n := len(m.Nodes)
	like := make([][]float64, n)
	for i := range like {
		like[i] = make([]float64, n)
	}
	for _, e := range m.Edges {
		like[e.A][e.B], like[e.B][e.A] = e.Similarity, e.Similarity
	}
	ring := chain(like)
	for better := true; better; {
		better = false
		for i := 0; i < n-1; i++ {
			for j := i + 1; j < n; j++ {
				before, after := ring[(i+n-1)%n], ring[(j+1)%n]
				now := like[before][ring[i]] + like[ring[j]][after]
				if like[before][ring[j]]+like[ring[i]][after] > now+1e-12 && before != ring[j] {
					slices.Reverse(ring[i : j+1])
					better = true
				}
			}
		}
	}
	return ring
}

// chain begins with node 0 and goes on to the one most like the last.
func chain(like [][]float64) []int {
	var ring []int
	used := make([]bool, len(like))
	for len(ring) < len(like) {
		best := -1
		for i := range like {
			if !used[i] && (best < 0 || len(ring) > 0 && like[ring[len(ring)-1]][i] > like[ring[len(ring)-1]][best]) {
				best = i
			}
		}
		used[best] = true
		ring = append(ring, best)
	}
	return ring
}
