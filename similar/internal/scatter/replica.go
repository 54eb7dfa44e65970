package scatter

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// A shard has its replicas, and remembers how long its answers took.
type shard struct {
	number int
	names  []string // addresses, and names of the DNS

	mu       sync.Mutex
	replicas []*replica
	times    recent
}

// A replica is one server of a shard. The shard's mutex guards it.
type replica struct {
	url     string
	status  Status
	err     error         // why it cannot be asked
	late    int           // how often in a row it took too long to say how it is
	suspect bool          // it failed since it was looked at
	took    time.Duration // about how long it takes to answer
	running int           // requests that it has
}

// has reports whether the replica said that it has a version.
func (r *replica) has(version string) bool {
	for i := range r.status.count() {
		if r.status.at(i).Version == version {
			return true
		}
	}
	return false
}

var errUnknown = errors.New("nobody has looked at it yet")

// set gives the shard other replicas. Those that stay keep what is known of them.
func (s *shard) set(list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var replicas []*replica
	for _, url := range list {
		at := slices.IndexFunc(s.replicas, func(r *replica) bool { return r.url == url })
		switch {
		case slices.ContainsFunc(replicas, func(r *replica) bool { return r.url == url }):
		case at >= 0:
			replicas = append(replicas, s.replicas[at])
		default:
			replicas = append(replicas, &replica{url: url, err: errUnknown})
		}
	}
	s.replicas = replicas
}

// explore is the part of the requests that go to any replica, so that one that was slow is found to be
// fast again.
const explore = 0.01

// pick takes the replica to ask for a version, nil if there is none but those that were tried. One
// that has failed, or stops soon, is asked where there is no other.
func (s *shard) pick(version string, tried []*replica) *replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*replica
	for _, suspect := range []bool{false, true} {
		for _, r := range s.replicas {
			if r.err == nil && (r.suspect || r.status.stops) == suspect && r.has(version) && !slices.Contains(tried, r) {
				list = append(list, r)
			}
		}
		if len(list) > 0 {
			break
		}
	}
	if len(list) == 0 {
		return nil
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	best := list[0]
	if rand.Float64() >= explore {
		load := func(r *replica) time.Duration { return r.took * time.Duration(r.running+1) }
		for _, r := range list[1:] {
			if load(r) < load(best) {
				best = r
			}
		}
	}
	best.running++
	return best
}

// answered notes that a replica has answered.
func (s *shard) answered(r *replica, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.running--
	if r.suspect = false; r.took == 0 {
		r.took = took
	}
	r.took = (r.took + took) / 2
}

// slow notes that a replica has not answered yet.
func (s *shard) slow(r *replica, took time.Duration, suspect bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.took, r.suspect = max(r.took, took), r.suspect || suspect
}

// failed notes that a replica did not answer, or that nobody waited for it.
func (s *shard) failed(r *replica, suspect bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.running--
	r.suspect = r.suspect || suspect
}

// lateLooks is how often in a row a server may take too long to say how it is, until nobody asks
// it. One that has much to do may be late once.
const lateLooks = 2

// saw notes what a replica said of itself, or why it cannot be asked.
func (s *shard) saw(r *replica, status Status, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.err == nil && errors.Is(err, context.DeadlineExceeded) {
		if r.late++; r.late < lateLooks {
			return
		}
	}
	if r.err, r.late = err, 0; err == nil {
		r.status, r.suspect = status, false
	}
}

// others reports whether a replica answers that does not have a version.
func (s *shard) others(version string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.replicas, func(r *replica) bool { return r.err == nil && !r.has(version) })
}

// recent has the times of the last answers.
type recent struct {
	list [128]time.Duration
	n    int
	slow time.Duration // 19 of 20 took no longer
}

// Until it knows enough answers, a shard asks another replica after firstSlow.
const (
	firstSlow = 50 * time.Millisecond
	leastSlow = time.Millisecond
	enough    = 20
)

func (t *recent) add(took time.Duration) {
	t.list[t.n%len(t.list)] = took
	if t.n++; t.n == enough || t.n%16 == 0 && t.n > enough {
		sorted := slices.Sorted(slices.Values(t.list[:min(t.n, len(t.list))]))
		t.slow = max(leastSlow, sorted[len(sorted)*95/100])
	}
}

// note adds the time of an answer of the shard.
func (s *shard) note(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times.add(took)
}

// waits returns the time after which to ask another replica, too, and the time after which to give
// one up.
func (s *shard) waits() (hedge, stuck time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hedge = s.times.slow
	if hedge == 0 {
		hedge = firstSlow
	}
	return hedge, max(10*hedge, 250*time.Millisecond)
}
