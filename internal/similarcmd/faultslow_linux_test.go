package similarcmd

import (
	"net/http"
	"slices"
	"time"
)

// A latency is how long a front takes for whole answers, in milliseconds.
type latency struct {
	Requests int     `json:"requests"`
	Median   float64 `json:"median_ms"`
	P95      float64 `json:"p95_ms"`
	P99      float64 `json:"p99_ms"`
}

func latencyOf(times []time.Duration) latency {
	slices.Sort(times)
	at := func(part float64) float64 { return times[int(part*float64(len(times)))].Seconds() * 1e3 }
	return latency{len(times), at(0.5), at(0.95), at(0.99)}
}

// The times with and without a slow server are measured by turns, so that what else the machine does
// is in both.
const (
	slowBlocks = 20
	ofBlock    = 150
)

// slowReplica measures how long a front takes for answers while all servers are well, and while one of
// the two servers of a shard takes 500 ms longer, beginning with the question after which it does.
func (c *city) slowReplica() map[string]any {
	var well, slow []time.Duration
	for block := range slowBlocks {
		well = c.timed(well)
		h := c.hosts[block%len(c.hosts)]
		h.slow.Store(int64(500 * time.Millisecond))
		slow = c.timed(slow)
		h.slow.Store(0)
		time.Sleep(1500 * time.Millisecond) // until what was slow has answered, and the front has looked again
	}
	a, b := latencyOf(well), latencyOf(slow)
	return map[string]any{"all servers are well": a, "one server is slowed by 500 ms": b, "p99 of the latter by the former": b.P99 / a.P99}
}

// timed asks questions one after the other, and appends how long whole answers take.
func (c *city) timed(times []time.Duration) []time.Duration {
	for n := range ofBlock {
		start := time.Now()
		body, status := c.ask(askedQueries[n%len(askedQueries)], 5*time.Second)
		took := time.Since(start)
		if status != http.StatusOK || missingPattern.MatchString(body) {
			c.t.Errorf("status %d after %v, while one server at most is slow: %.300s", status, took, body)
		}
		times = append(times, took)
	}
	return times
}
