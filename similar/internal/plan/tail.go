package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A sample is times of answers, in milliseconds, as quantiles at equal distances: the first is the
// least and the last the greatest.
type sample []float64

// at returns the quantile p of 0 to 1, between two quantiles on a line.
func (s sample) at(p float64) float64 {
	x := p * float64(len(s)-1)
	i := min(int(x), len(s)-2)
	return s[i] + (x-float64(i))*(s[i+1]-s[i])
}

// draws is the number of requests of a simulation: 200 are above its 99th percentile.
const draws = 20_000

// hedgeAt is the quantile of a shard's times after which a front asks another server of the shard,
// so that it asks at most 5 % more.
const hedgeAt = 0.95

// A tail is how long a front waits for the slowest of its shards.
type tail struct{ median, p99, p999 float64 }

// wait simulates requests to a number of shards. Each shard takes a time of the sample. Where hedged, a
// second server of a slow shard is asked at hedgeAt, and the sooner answer counts (J. Dean and L. A.
// Barroso, The Tail at Scale, 2013). The times of shards are drawn independently. In truth a query
// of frequent words is slow in all shards at once, so that true medians are lower.
func (s sample) wait(shards int, hedged bool) tail {
	random := rand.New(rand.NewPCG(1, uint64(shards)))
	slow := s.at(hedgeAt)
	times := make([]float64, draws)
	for i := range times {
		for range shards {
			t := s.at(random.Float64())
			if hedged && t > slow {
				t = min(t, slow+s.at(random.Float64()))
			}
			times[i] = max(times[i], t)
		}
	}
	slices.Sort(times)
	at := func(p float64) float64 { return times[int(math.Round(p*(draws-1)))] }
	return tail{at(0.5), at(0.99), at(0.999)}
}
