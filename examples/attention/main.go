// Attention runs the attention of transformers and its gradients on a GPU, or on the simulator if
// there is none, and compares with the definition in float64.
//
//	go run ./examples/attention
//	go run ./examples/attention -queries 1000 -keys 2000 -heads 3 -size 128 -causal
//
// The kernels are FlashAttention-2's in the main: forward.go and backward.go have them, and
// README.md an introduction. The exit status is 1 if the two are further apart than roundings to
// bfloat16 explain, or if anything else failed, and 2 for arguments that make no sense.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/rand"
)

//go:generate go tool gridstride build

// tolerance is how far a result may be from float64's, as a part of the largest number. The
// kernels round the weights and the results to bfloat16, which has eight bits.
const tolerance = 1.0 / 64

// mostRows is how many queries, or keys, the command takes.
const mostRows = 1 << 20

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	var usage *usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "attention:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "attention:", err)
		os.Exit(1)
	}
}

// usageError is arguments that make no sense.
type usageError struct{ error }

// run runs the command.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("attention", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	queries := flags.Int("queries", 300, "`number` of queries of each head")
	keys := flags.Int("keys", 0, "`number` of keys of each head (default: of queries)")
	heads := flags.Int("heads", 2, "`number` of heads")
	size := flags.Int("size", 64, "`numbers` in a query: 64 or 128")
	causal := flags.Bool("causal", false, "let queries see no later keys")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(out)
		flags.Usage()
		return err
	} else if err != nil {
		return &usageError{err}
	}
	if *keys == 0 {
		*keys = *queries
	}
	shape := Shape{Queries: *queries, Keys: *keys, Causal: *causal, Scale: float32(1 / math.Sqrt(float64(*size)))}
	if err := shape.check(*heads, *heads**queries, *heads**keys, *heads**keys, *heads**queries); err != nil {
		return &usageError{err}
	}
	if n := *heads * max(*queries, *keys); n > mostRows {
		return &usageError{fmt.Errorf("%d rows; want at most %d, which the host computes too", n, mostRows)}
	}
	switch *size {
	case 64:
		return compare[Row64, Sums64](ctx, shape, *heads, out)
	case 128:
		return compare[Row128, Sums128](ctx, shape, *heads, out)
	}
	return &usageError{fmt.Errorf("-size %d: want 64 or 128", *size)}
}

// compare runs attention on a device and on the host, and says how far the two are apart.
func compare[R Row, S Sums](ctx context.Context, shape Shape, heads int, out io.Writer) error {
	dev, err := gridstride.Open()
	if err != nil {
		return err
	}
	in := random[R](shape, heads)
	got, err := attend[R, S](ctx, dev, in)
	if err := errors.Join(err, dev.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "on %v\n", dev)
	fmt.Fprintf(out, "%d heads of %d queries and %d keys of %d bfloat16, causal: %t\n",
		heads, shape.Queries, shape.Keys, 8*len(in.Q[0]), shape.Causal)
	fmt.Fprintf(out, "forward %.3f ms, backward %.3f ms\n", 1e3*got.Forward.Seconds(), 1e3*got.Backward.Seconds())
	want := refer(in)
	for _, part := range []struct {
		name string
		got  []R
		want [][]float64
	}{{"O", got.Out, want.out}, {"dQ", got.GradQ, want.gradQ}, {"dK", got.GradK, want.gradK}, {"dV", got.GradV, want.gradV}} {
		far := furthest(part.got, part.want)
		fmt.Fprintf(out, "%-2s is within %.2f%% of float64\n", part.name, 100*far)
		if !(far <= tolerance) {
			err = errors.Join(err, fmt.Errorf("%s is %.2f%% from float64; want at most %.2f%%", part.name, 100*far, 100*tolerance))
		}
	}
	return err
}

// random is inputs of random numbers, the same ones in each run.
func random[R Row](shape Shape, heads int) *Inputs[R] {
	r := rand.New(1, 1)
	rows := func(n int) []R {
		x := make([]R, n)
		for i := range x {
			for j := range 8 * len(x[i]) {
				x[i][j/8][j%8] = gpu.BFloat16Of(4*rand.Float[float32](&r) - 2)
			}
		}
		return x
	}
	return &Inputs[R]{
		Shape: shape, Heads: heads,
		Q: rows(heads * shape.Queries), K: rows(heads * shape.Keys), V: rows(heads * shape.Keys), Grad: rows(heads * shape.Queries),
	}
}
