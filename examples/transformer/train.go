package main

import (
	"math"

	"github.com/gridstride/gridstride/gpu/rand"
)

// The task is to say a sequence of random words backwards.

// firstWeights is random weights, the same ones in each run.
func firstWeights() (weights []float32) {
	r := rand.New(1, 0)
	for i, n := range parts {
		for range n {
			switch {
			case i >= gains: // a gain is 1 and a bias 0
				weights = append(weights, float32((i-gains+1)%2))
			default:
				weights = append(weights, (2*rand.Float[float32](&r)-1)/8)
			}
		}
	}
	return weights
}

// batch is random sequences, and each of them backwards. Each step has its own.
func batch(step, sequences int) (tokens, targets []int32) {
	r := rand.New(2, uint64(step))
	tokens, targets = make([]int32, sequences*length), make([]int32, sequences*length)
	for i := range tokens {
		tokens[i] = r.Int32N(words)
		sequence, place := i/length, i%length
		targets[sequence*length+length-1-place] = tokens[i]
	}
	return tokens, targets
}

// rates are the numbers that Adam uses in a step. Steps count from 1.
func rates(step int) Rates {
	r := Rates{Rate: 0.003, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9}
	r.Correct1 = float32(1 - math.Pow(float64(r.Beta1), float64(step)))
	r.Correct2 = float32(1 - math.Pow(float64(r.Beta2), float64(step)))
	return r
}

// train trains a model on a machine, and returns its weights and the mean loss of each step.
func train(m *machine, steps, sequences int) (weights, losses []float32, err error) {
	first := firstWeights()
	b := newModel(m, first, sequences)
	tokens, targets := copyOf(m, make([]int32, sequences*length)), copyOf(m, make([]int32, sequences*length))
	for step := 1; step <= steps && m.err == nil; step++ {
		words, backwards := batch(step, sequences)
		tokens.write(m, words)
		targets.write(m, backwards)
		b.forward(tokens, targets)
		b.backward(tokens)
		b.adam(b.weights, b.grads, b.means, b.squares, len(first), rates(step))
		losses = append(losses, mean(b.losses.read(m)))
	}
	weights = b.weights.read(m)
	return weights, losses, m.close()
}

func mean(x []float32) (mean float32) {
	for _, v := range x {
		mean += v
	}
	return mean / float32(len(x))
}
