package scatter

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A server of a shard describes itself by a Status.
type Status struct {
	Version   string          `json:"version"` // of the collection
	Documents int             `json:"documents"`
	Options   json.RawMessage `json:"options"` // of the index
	// Shard is the number of the shard and Of how many there are. Of is 0 where the server does not know.
	Shard int `json:"shard,omitempty"`
	Of    int `json:"of,omitempty"`
	// Held are other versions that the server answers, too. It had them before, and Version is the one
	// that it is to serve now.
	Held []Status `json:"held,omitempty"`

	stops bool // the server stops soon
}

// maxHeld is the most versions that a server may hold besides the one that it is to serve.
const maxHeld = 3

// count is how many versions a server has, and at returns one: number 0 is the one to serve now.
func (s *Status) count() int { return 1 + len(s.Held) }

func (s *Status) at(i int) *Status {
	if i == 0 {
		return s
	}
	return &s.Held[i-1]
}

// check says why a status is none.
func (s *Status) check() error {
	met := map[string]bool{}
	for i := range s.count() {
		v := s.at(i)
		if v.Version == "" || len(v.Version) > 256 || v.Documents < 0 || len(s.Held) > maxHeld || met[v.Version] {
			return errors.New("it answers as no server of a shard does")
		}
		met[v.Version] = true
	}
	return nil
}

// place says that a server has another shard than its place in the list says.
func (s *Status) place(shard, of int) error {
	for i := range s.count() {
		v := s.at(i)
		if v.Of != 0 && (v.Of != of || v.Shard != shard) {
			return fmt.Errorf("it has shard %d of %d, and stands in the list for shard %d of %d", v.Shard, v.Of, shard, of)
		}
	}
	return nil
}

// ServerState is how a server of a shard is.
type ServerState struct {
	Address   string `json:"address"`
	Version   string `json:"version,omitempty"`
	Documents int    `json:"documents"`
	// Held are other versions that it answers, too.
	Held  []string `json:"held,omitempty"`
	Error string   `json:"error,omitempty"` // why it cannot be asked
}

// A Version is one version of the collection, and the shards that have it.
type Version struct {
	Name      string
	Documents []int // of each shard, 0 of those that are missing
	Options   json.RawMessage
	Missing   []int // the shards that do not have it, or do not answer
}

// Watch looks at all servers again and again, until the context ends.
func (c *Cluster) Watch(ctx context.Context) {
	for {
		c.look(ctx)
		wait := c.options.Every
		if v, err := c.Version(ctx); err != nil || len(v.Missing) > 0 {
			wait /= 5 // a shard that is back, or has the version, is missing no longer
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// mostLooks is how many servers are looked at together.
const mostLooks = 64

// look asks all servers how they are.
func (c *Cluster) look(ctx context.Context) {
	slots := make(chan struct{}, mostLooks)
	var all sync.WaitGroup
	for _, s := range c.shards {
		if slices.ContainsFunc(s.names, func(name string) bool { return strings.HasPrefix(name, "dns:") }) {
			c.resolve(ctx, s)
		}
		s.mu.Lock()
		replicas := slices.Clone(s.replicas)
		s.mu.Unlock()
		for _, r := range replicas {
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				status, err := c.statusOf(ctx, s.number, r.url)
				if ctx.Err() != nil {
					return
				}
				s.saw(r, status, err)
			})
		}
	}
	all.Wait()
	if ctx.Err() != nil {
		return
	}
	select {
	case <-c.first:
	default:
		close(c.first)
	}
}

// statusTime is how long a server may take to say how it is.
const statusTime = 2 * time.Second

// maxStatus is the most bytes of a status.
const maxStatus = 1 << 20

// statusOf asks one server of a shard how it is.
func (c *Cluster) statusOf(ctx context.Context, shard int, url string) (status Status, err error) {
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+StatusPath, nil)
	if err != nil {
		return status, err
	}
	c.mu.Lock()
	if c.current != "" {
		req.Header.Set(VersionHeader, c.current) // the server keeps what fronts use
	}
	c.mu.Unlock()
	resp, err := c.options.HTTP.Do(req)
	if err != nil {
		return status, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxStatus))
	switch {
	case err != nil:
		return status, err
	case resp.StatusCode == http.StatusNotFound:
		return status, errors.New("it is no server of a shard: start it with similar serve IDX -table FILE")
	case resp.StatusCode != http.StatusOK:
		return status, fmt.Errorf("it answers with the status %d", resp.StatusCode)
	}
	if err := json.Unmarshal(text, &status); err != nil {
		return Status{}, errors.New("it answers as no server of a shard does")
	}
	if err := status.check(); err != nil {
		return Status{}, err
	}
	status.stops = resp.Header.Get(StopsHeader) != ""
	return status, status.place(shard, len(c.shards))
}

// ErrNone is the error of a collection whose shards all do not answer.
var ErrNone = errors.New("no shard answers")

// Version returns the version that a request is to see: of those that most shards have the one that a
// quorum has in most shards, of these the one that most servers are to serve now, or else the one
// before. So requests see a new version when all shards have it, and the one before as long as
// they do. Version waits until all servers were looked at once.
func (c *Cluster) Version(ctx context.Context) (v Version, err error) {
	select {
	case <-c.first:
	default:
		select {
		case <-c.first:
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
	has := map[string]*candidate{}
	for _, s := range c.shards {
		s.vote(c.options.Quorum, len(c.shards), has)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var best *candidate
	for _, one := range has {
		if best == nil || one.compare(best, c.current) > 0 {
			best = one
		}
	}
	if best == nil {
		return v, ErrNone
	}
	c.current = best.Name
	for i, there := range best.there {
		if !there {
			best.Missing = append(best.Missing, i)
		}
	}
	return best.Version, nil
}

// A candidate is a version that some servers have.
type candidate struct {
	Version
	there   []bool // whether each shard has it
	shards  int    // that have it
	quorums int    // shards in which a quorum has it
	wants   int    // servers that are to serve it now
	here    int    // servers of the shard that votes
}

// compare is above 0 if a is the better version for a request.
func (a *candidate) compare(b *candidate, current string) int {
	is := func(name string) int {
		if name == current {
			return 1
		}
		return 0
	}
	return cmp.Or(a.shards-b.shards, a.quorums-b.quorums, a.wants-b.wants, is(a.Name)-is(b.Name), cmp.Compare(b.Name, a.Name))
}

// vote adds the versions of a shard's replicas that answer.
func (s *shard) vote(quorum float64, of int, has map[string]*candidate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := 0
	for _, r := range s.replicas {
		if r.err != nil {
			continue
		}
		answer++
		for i := range r.status.count() {
			v := r.status.at(i)
			one := has[v.Version]
			if one == nil {
				one = &candidate{Version: Version{Name: v.Version, Options: v.Options, Documents: make([]int, of)}, there: make([]bool, of)}
				has[v.Version] = one
			}
			if i == 0 {
				one.wants++
			}
			if !one.there[s.number] {
				one.shards++
			}
			one.there[s.number], one.Documents[s.number] = true, v.Documents
			one.here++
		}
	}
	for _, one := range has {
		if one.here > 0 && float64(one.here) >= quorum*float64(answer) {
			one.quorums++
		}
		one.here = 0
	}
}

// Servers returns how the servers of each shard are.
func (c *Cluster) Servers() (list [][]ServerState) {
	for _, s := range c.shards {
		s.mu.Lock()
		states := []ServerState{}
		for _, r := range s.replicas {
			state := ServerState{Address: r.url, Version: r.status.Version, Documents: r.status.Documents}
			for _, v := range r.status.Held {
				state.Held = append(state.Held, v.Version)
			}
			if r.err != nil {
				state.Error = r.err.Error()
			}
			states = append(states, state)
		}
		s.mu.Unlock()
		list = append(list, states)
	}
	return list
}
