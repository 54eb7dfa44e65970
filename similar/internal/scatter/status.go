package scatter

import (
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
}

// ServerState is how a server of a shard is.
type ServerState struct {
	Address   string `json:"address"`
	Version   string `json:"version,omitempty"`
	Documents int    `json:"documents"`
	Error     string `json:"error,omitempty"` // why it cannot be asked
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
				status, err := c.statusOf(ctx, r.url)
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

// statusOf asks one server how it is.
func (c *Cluster) statusOf(ctx context.Context, url string) (status Status, err error) {
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+StatusPath, nil)
	if err != nil {
		return status, err
	}
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
	if err := json.Unmarshal(text, &status); err != nil || status.Version == "" || len(status.Version) > 256 || status.Documents < 0 {
		return Status{}, errors.New("it answers as no server of a shard does")
	}
	return status, nil
}

// ErrNone is the error of a collection whose shards all do not answer.
var ErrNone = errors.New("no shard answers")

// Version returns the version that a request is to see: the one before as long as all shards have
// it, or else one that all have, or else one that most have. It waits until all servers were looked
// at once.
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
	has := map[string]*Version{}
	shards := map[string]int{}
	for _, s := range c.shards {
		for name, status := range s.versions() {
			if has[name] == nil {
				has[name] = &Version{Name: name, Options: status.Options, Documents: make([]int, len(c.shards))}
			}
			has[name].Documents[s.number] = status.Documents
			shards[name]++
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	best := c.current
	for name := range has {
		if n, most := shards[name], shards[best]; n > most || n == most && best != c.current && name < best {
			best = name
		}
	}
	if has[best] == nil {
		return v, ErrNone
	}
	c.current, v = best, *has[best]
	for i, s := range c.shards {
		if _, ok := s.versions()[best]; !ok {
			v.Missing = append(v.Missing, i)
		}
	}
	return v, nil
}

// versions are the versions that the replicas have which answer.
func (s *shard) versions() map[string]Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := map[string]Status{}
	for _, r := range s.replicas {
		if r.err == nil {
			list[r.status.Version] = r.status
		}
	}
	return list
}

// Servers returns how the servers of each shard are.
func (c *Cluster) Servers() (list [][]ServerState) {
	for _, s := range c.shards {
		s.mu.Lock()
		states := []ServerState{}
		for _, r := range s.replicas {
			state := ServerState{Address: r.url, Version: r.status.Version, Documents: r.status.Documents}
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
