package vet

// Level says between which threads of the grid a value differs.
type Level uint8

// The levels.
const (
	PerWarp    Level = 1 << iota // between warps
	PerLane                      // between the lanes of a warp
	PerBlock                     // between blocks, of one cluster too
	PerCluster                   // between clusters, and between none of the blocks of one

	perThread = PerWarp | PerLane    // between the threads of a block
	inCluster = perThread | PerBlock // between the threads of a cluster
)

// Dependence says between which threads of the grid a value differs, either by itself or because
// parameters of the function differ. A value that is the same for all threads has the zero
// Dependence.
type Dependence struct {
	Own Level
	// Params are the parts of parameters, a bit each, whose values it is made of; Warps those that
	// it sees as one value a warp, as a vote does.
	Params, Warps uint64
}

// parameter is the dependence of a part of a parameter, by number. Those beyond the 64th count as
// the 64th.
func parameter(i int) Dependence { return Dependence{Params: 1 << min(i, 63)} }

func (d Dependence) or(e Dependence) Dependence {
	return Dependence{d.Own | e.Own, d.Params | e.Params, d.Warps | e.Warps}
}

// ofWarp is the dependence of one value that the lanes of a warp have made together.
func (d Dependence) ofWarp() Dependence {
	if d.Own&perThread != 0 {
		d.Own = d.Own&^perThread | PerWarp
	}
	return Dependence{d.Own, 0, d.Params | d.Warps}
}

// variesInWarp reports whether the lanes of a warp may see different values, for some arguments.
func (d Dependence) variesInWarp() bool { return d.Own&PerLane != 0 || d.Params != 0 }

// with is the dependence when the parameters' parts have the arguments' dependences.
func (d Dependence) with(args []Dependence) Dependence {
	sum := Dependence{Own: d.Own}
	for i, arg := range args {
		if d.Params>>min(i, 63)&1 != 0 {
			sum = sum.or(arg)
		}
		if d.Warps>>min(i, 63)&1 != 0 {
			sum = sum.or(arg.ofWarp())
		}
	}
	return sum
}
