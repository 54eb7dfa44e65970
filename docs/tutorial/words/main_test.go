package main

import (
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/similar"
)

// TestByHand holds the program to the chapter's figures, worked out by hand.
func TestByHand(t *testing.T) {
	t.Parallel()
	for what, want := range map[bool][3]float64{
		false: {1 / math.Sqrt(24), 0, 1. / 3},
		true:  {0.0452, 0, 0.0826},
	} {
		c, err := vectors(short, what)
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			if got := cosine(c.vectors[pair[0]], c.vectors[pair[1]]); math.Abs(got-want[i]) > 5e-5 {
				t.Errorf("weighed %v: the cosine of %v is %v, want %v", what, pair, got, want[i])
			}
		}
	}
	if cosine(vector{}, vector{"a": 1}) != 0 {
		t.Error("the cosine of nothing is not 0")
	}
}

// TestDevice computes cosines on a checked device, and compares them with the loop's.
func TestDevice(t *testing.T) {
	for _, n := range []int{1, 3, 33} {
		var documents []similar.Document
		for i := range n {
			documents = append(documents, similar.Document{ID: string(rune('a' + i)), Text: strings.Repeat("heap ", i+1) + strings.Repeat("stack ", n-i) + "queue"})
		}
		c, err := vectors(documents, false)
		if err != nil {
			t.Fatal(err)
		}
		matrix, columns, _ := c.dense()
		got, err := multiply(t.Context(), gputest.Device(t), n, columns, matrix, n-1)
		if err != nil {
			t.Fatal(err)
		}
		if list := kernelCosines(t, matrix, columns); !near(list, got) {
			t.Errorf("%d documents: the kernel says %v, and gpublas %v", n, list, got)
		}
		for i, score := range got {
			if want := cosine(c.vectors[n-1], c.vectors[i]); math.Abs(float64(score)-want) > 1e-6 {
				t.Errorf("%d documents: cosine %d is %v, want %v", n, i, score, want)
			}
		}
	}
}

// kernelCosines has Cosines compute the cosines of the last row with all of them.
func kernelCosines(t *testing.T, matrix []float32, columns int) []float32 {
	t.Helper()
	dev := gputest.Device(t)
	k, err := LoadCosines(dev)
	if err != nil {
		t.Fatal(err)
	}
	copied := func(x []float32) gridstride.Buffer[float32] {
		b, err := gridstride.CopyOf(dev, x)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := b.Free(); err != nil {
				t.Error(err)
			}
		})
		return b
	}
	rows := len(matrix) / columns
	out, s := copied(make([]float32, rows)), dev.Stream()
	if err := k.Launch(s, gridstride.Grid(rows), copied(matrix), copied(matrix[(rows-1)*columns:]), out); err != nil {
		t.Fatal(err)
	}
	list, err := out.Read(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func near(x, y []float32) bool {
	return slices.EqualFunc(x, y, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 })
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"want one of counts, tfidf and gpu":         {},
		"gpu needs -like":                           {"gpu"},
		`the standard library has no package "foo"`: {"-like", "foo", "counts"},
	} {
		if _, err := exec.LookPath("go"); err != nil && slices.Contains(args, "-like") {
			t.Log("go is not there, which knows the standard library's packages: not tried:", want)
			continue
		}
		if err := run(t.Context(), args, new(strings.Builder)); err == nil || err.Error() != want {
			t.Errorf("%q: %v", args, err)
		}
	}
}
