package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// TestTraining trains for 100 steps on a device and on the host: the loss falls, and all weights have
// the same bits.
func TestTraining(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const steps = 100
	weights, losses := trained(t, dev, steps, 2)
	if first, last := losses[0], losses[steps-1]; !(first > 2.5 && first < 3.5 && last < 0.1) {
		t.Errorf("the loss falls from %v to %v; want about ln 16, and less than 0.1", first, last)
	}
	twins, twinLosses := trained(t, nil, steps, 2)
	if differ := difference("loss", losses, twinLosses) + difference("weight", weights, twins); differ != "" {
		t.Error(differ)
	}
	if slices.Equal(weights, firstWeights()) {
		t.Error("the weights have not changed")
	}
}

// trained trains on a device, or on the host where dev is nil.
func trained(t *testing.T, dev *gridstride.Device, steps, sequences int) (weights, losses []float32) {
	t.Helper()
	weights, losses, err := train(newMachine(t.Context(), dev), steps, sequences)
	if err != nil {
		t.Fatal(err)
	}
	return weights, losses
}

// TestChecks trains under all checks, which find nothing.
func TestChecks(t *testing.T) {
	t.Parallel()
	weights, losses := trained(t, gputest.Device(t), 2, 1)
	twins, twinLosses := trained(t, nil, 2, 1)
	if differ := difference("loss", losses, twinLosses) + difference("weight", weights, twins); differ != "" {
		t.Error(differ)
	}
}

// TestGradients moves each part of the weights along its gradient: the loss rises by the square of
// the gradient's length, times how far the weights go.
func TestGradients(t *testing.T) {
	t.Parallel()
	weights := firstWeights()
	_, grads := lossAndGrads(t, weights)
	first := 0
	for i, n := range parts {
		grad := grads[first:][:n]
		var square float64
		for _, g := range grad {
			square += float64(g) * float64(g)
		}
		far := 0.01 / math.Sqrt(square)
		loss := func(far float64) float64 {
			moved := slices.Clone(weights)
			for j, g := range grad {
				moved[first+j] += float32(far * float64(g))
			}
			loss, _ := lossAndGrads(t, moved)
			return loss
		}
		if slope := (loss(far) - loss(-far)) / (2 * far); !(math.Abs(slope-square) < 0.02*square) {
			t.Errorf("part %d: the loss rises by %v, the gradient says %v", i, slope, square)
		}
		first += n
	}
}

// lossAndGrads is the mean loss of a batch, and its gradients, on the host.
func lossAndGrads(t *testing.T, weights []float32) (loss float64, grads []float32) {
	t.Helper()
	m := newMachine(t.Context(), nil)
	b := newModel(m, weights, 2)
	words, backwards := batch(1, 2)
	tokens, targets := copyOf(m, words), copyOf(m, backwards)
	b.forward(tokens, targets)
	b.backward(tokens)
	for _, l := range b.losses.read(m) {
		loss += float64(l) / float64(len(words))
	}
	grads = b.grads.read(m)
	if err := m.close(); err != nil {
		t.Fatal(err)
	}
	return loss, grads
}

// TestRun runs the command.
func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), strings.Fields("-steps 3 -sequences 1"), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"on device ", "step    3: loss 2.", "host and device agree: all 37120 weights and 3 losses"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it prints no %q:\n%s", want, &out)
		}
	}
	for args, want := range map[string]string{
		"-steps 0":        "0 steps of 2 sequences; want 1 to 1000000 of 1 to 1000",
		"-sequences 1001": "100 steps of 1001 sequences",
		"-step 1":         "flag provided but not defined: -step",
	} {
		err := run(t.Context(), strings.Fields(args), &strings.Builder{})
		var usage *usageError
		if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want usage error %q", args, err, want)
		}
	}
}

// TestDifference finds a number that differs in its sign bit alone.
func TestDifference(t *testing.T) {
	t.Parallel()
	minus := float32(math.Copysign(0, -1))
	if got := difference("weight", []float32{1, 0}, []float32{1, minus}); got != "weight 1 is 0 on the device, -0 on the host; " {
		t.Errorf("it says %q", got)
	}
}
