package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/doctest"
)

// sizes are of the inputs: none, one, and no multiple of a warp or a block. large has a larger one
// for exhibits whose blocks take more than that.
var (
	sizes = []int{0, 1, 31, 33, 300}
	large = map[string]int{
		"radixsort": 3001, "kmeans": 3001, "pi": 5001, "fft": 1024, "softmax": 2003, "layernorm": 2003, "layernormgrad": 2003,
	}
)

// TestExhibits runs each exhibit under all checks, which find nothing, and host and device agree.
func TestExhibits(t *testing.T) {
	t.Parallel()
	for _, e := range exhibits {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			dev := gputest.Device(t)
			for _, size := range append(slices.Clone(sizes), large[e.name]) {
				v, err := e.see(t.Context(), dev, size)
				if err != nil {
					t.Fatal(err)
				}
				if v.differ != "" {
					t.Errorf("size %d: %s", size, v.differ)
				}
				if v.input == "" || size > 0 && v.kernel == 0 {
					t.Errorf("size %d: the input is %q, and the kernel took %v", size, v.input, v.kernel)
				}
			}
		})
	}
}

// TestRun runs the command.
func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), []string{"pi", "softmax"}, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "softmax ") || !strings.Contains(lines[2], "host and device agree   π is about 3.1") {
		t.Errorf("pi and softmax print\n%s", &out)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"sofmax":    `there is no exhibit "sofmax": there are softmax, `,
		"-scale 0":  "-scale 0: want a number from 1 to ",
		"-scale x":  `invalid value "x" for flag -scale`,
		"-loud":     "flag provided but not defined: -loud",
		"pi noname": `there is no exhibit "noname"`,
	} {
		err := run(t.Context(), strings.Fields(args), &strings.Builder{})
		var usage *usageError
		if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want usage error %q", args, err, want)
		}
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"-h"}, &out); err == nil || !strings.Contains(out.String(), "  softmax ") {
		t.Errorf("-h: %v\n%s", err, &out)
	}
}

// TestInterrupt ends the command while an exhibit computes on the host.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	end := make(chan struct{})
	defer close(end)
	e := &exhibit{name: "long", show: func(v *visit, size int) {
		interrupt()
		<-end
	}}
	if _, err := e.see(ctx, gputest.Device(t), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	if err := run(ctx, []string{"pi", "softmax"}, io.Discard); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") {
		t.Errorf("the command: %v, want one line that says %v", err, context.Canceled)
	}
}

// TestDifferent has an exhibit whose twin is wrong: the line says so, and so does the error.
func TestDifferent(t *testing.T) {
	t.Parallel()
	e := exhibit{name: "wrong", show: func(v *visit, size int) {
		v.input = "two numbers"
		compare(v, "number", copyOf(v, []int{1, 2}), []int{1, 3})
	}}
	var out strings.Builder
	err := e.print(t.Context(), gputest.Device(t), 1, &out)
	if err == nil || err.Error() != "wrong: number 1 is 2 on the device, 3 on the host" || !strings.Contains(out.String(), "DIFFERENT") {
		t.Errorf("%v\n%s", err, &out)
	}
}

var update = flag.Bool("update", false, "rewrite the table in README.md")

// TestReadme holds README.md to the exhibits.
func TestReadme(t *testing.T) {
	t.Parallel()
	if strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") {
		t.Skip("the README does not travel to GPU machines")
	}
	table := func() (string, error) {
		var b strings.Builder
		b.WriteString("| | algorithm | shows | lines |\n|---|---|---|---|\n")
		for _, e := range exhibits {
			text, err := os.ReadFile(e.file)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %d |\n", e.name, e.file, e.algorithm, e.shows,
				strings.Count(string(text), "\n"))
		}
		return b.String(), nil
	}
	c := doctest.Checker{Root: "../..", Update: *update, Regions: map[string]func() (string, error){"exhibits": table}}
	c.Check(t, "examples/gallery/README.md")
}
