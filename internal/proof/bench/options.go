package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Options say what to run.
type Options struct {
	// What names the benchmark, one of Names.
	What string
	// Sizes are the sizes to run at, one after the other.
	Sizes []Size
	// DType is the element type: "float32" or "float64", and for reduce and collective also
	// "int32" and "int64".
	DType string
	// Data names the contents of the vectors and matrices: "random", "ramp" or "sqrt2", random when
	// empty.
	Data string
	// Variants are the names of those to run, all when empty. A variant that is named is run at its
	// full size whatever that takes.
	Variants []string
	// TimeLimit is how long a launch may take while it is counted, as in check.Options. The device
	// that is measured has its own limit.
	TimeLimit time.Duration
	// Progress, when not nil, is told what is under way.
	Progress func(text string)
	// Setting is noted in every row. The device's part of it is filled in.
	Setting Setting
}

// Size is the length N of the vectors; of matmul, A is M by N and B is N by L; of level2 and
// level3, matrices are N by N.
type Size struct {
	N int `json:"n"`
	M int `json:"m,omitempty"`
	L int `json:"l,omitempty"`
}

// Setting is where, when and how a row was measured.
type Setting struct {
	Device     string `json:"device"`
	Capability string `json:"capability,omitempty"`
	Driver     string `json:"driver,omitempty"`
	Date       string `json:"date,omitempty"`
	Commit     string `json:"commit,omitempty"`
	Command    string `json:"command,omitempty"`
}

// Kinds of input. Vectors of Ramp are 0, 1, 2, … and all 2, so that their dot product is n(n-1).
// Vectors and matrices of Sqrt2 are all √2, so that every sum is twice its number of terms.
const (
	Random = "random"
	Ramp   = "ramp"
	Sqrt2  = "sqrt2"
)

func (o *Options) progress(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// Check is an error where the options make no sense.
func (o *Options) Check() error {
	if !slices.Contains(names, o.What) {
		return fmt.Errorf("bench: there is no benchmark %q: want %s or %s", o.What,
			strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
	}
	k := kinds[o.What]
	if !slices.Contains(k.types, o.DType) {
		return fmt.Errorf("bench: %s has no kernels for %q: its element types are %s", o.What, o.DType,
			strings.Join(k.types, ", "))
	}
	switch o.Data {
	case "", Random, Sqrt2:
	case Ramp:
		if k.noRamp {
			return fmt.Errorf("bench: %s has no data %q: want random or sqrt2", o.What, Ramp)
		}
	default:
		return fmt.Errorf("bench: there is no data %q: want random, ramp or sqrt2", o.Data)
	}
	if o.Data == Sqrt2 && strings.HasPrefix(o.DType, "int") {
		return fmt.Errorf("bench: %s holds no √2: take a float type, or other data", o.DType)
	}
	if len(o.Sizes) == 0 {
		return fmt.Errorf("bench: no size is given")
	}
	for _, s := range o.Sizes {
		if err := s.check(o.What); err != nil {
			return err
		}
	}
	return nil
}

func (s Size) check(what string) error {
	for _, d := range []struct {
		name string
		n    int
	}{{"n", s.N}, {"m", s.M}, {"l", s.L}} {
		if d.n < 0 {
			return fmt.Errorf("bench: %s is %d: a size is not negative", d.name, d.n)
		}
	}
	if s.N == 0 && !kinds[what].empty {
		return fmt.Errorf("bench: n is 0: %s takes a size of at least 1", what)
	}
	return nil
}

// shape is the size as text: "n=1000", "m=1 n=2 l=3".
func (s Size) shape(what string) string {
	if kinds[what].product {
		return fmt.Sprintf("m=%d n=%d l=%d", s.M, s.N, s.L)
	}
	return fmt.Sprintf("n=%d", s.N)
}

// fits returns an error if the device could never hold that number of bytes.
func (ss *bencher) fits(bytes float64) error {
	ss.need = bytes
	room := float64(ss.dev.Info().Memory)
	if bytes > 0.97*room || bytes > math.MaxInt64/4 {
		return fmt.Errorf("bench: the input and working memory are %.1f GB, and %v has %.1f GB", bytes/1e9, ss.dev,
			room/1e9)
	}
	return nil
}
