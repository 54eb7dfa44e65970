// Package scatter asks the servers of shards over HTTP. Each shard may have several servers, its
// replicas.
//
// A request goes to the replica that answers soonest. Where that takes longer than 19 of 20 answers of
// the shard, another replica gets it, too, and the first answer counts (hedged requests: Dean and
// Barroso, The Tail at Scale, CACM 56(2), 2013). A replica that fails, or answers with what is no
// answer, gives its turn to another.
package scatter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Headers of requests and answers.
const (
	VersionHeader = "Similar-Version" // of the collection, which an answer is of
	TimeoutHeader = "Similar-Timeout" // the milliseconds that a client has for a request
	TraceHeader   = "Traceparent"     // of W3C's Trace Context
	// TraceStateHeader goes with TraceHeader.
	TraceStateHeader = "Tracestate"
	StopsHeader      = "Similar-Stops" // of answers of a server that stops soon: others are to be asked
)

// StatusPath is where a server of a shard says what it has.
const StatusPath = "/shard/status"

// Options are the options of a cluster. The zero value is good.
type Options struct {
	HTTP      *http.Client  // asks servers; if nil, one that follows no redirections
	Every     time.Duration // how often to look at the servers; 1 s if 0
	MaxAnswer int64         // the most bytes of an answer; 32 MB if 0
	Quorum    float64       // the part of a shard's servers, 0 to 1, that a new version takes; half where 0: see Version
	Observe   func(Attempt) // is called after each request to a server, if it is not nil, by several goroutines
	// LookupSRV finds servers by a name of the DNS; the system's if nil.
	LookupSRV func(ctx context.Context, name string) ([]*net.SRV, error)
}

// An Attempt is how a request to one server went.
type Attempt struct {
	Shard  int
	Server string
	Path   string
	Took   time.Duration
	Bytes  int
	Hedge  bool   // whether another replica was asked before
	Result string // "ok", "refused", "busy", "version", "failed", or "dropped" where another replica was sooner
}

// A Cluster is the servers of the shards of a collection. Any number of goroutines may use it at once.
type Cluster struct {
	options Options
	shards  []*shard

	mu      sync.Mutex
	current string        // the version that requests see
	first   chan struct{} // closed after the first look at all servers
	tokens  float64       // for hedges
}

// maxReplicas is the most servers of one shard.
const maxReplicas = 64

// Parse reads a list of shards: commas between the shards, and bars between the replicas of a shard.
// Each replica is an address, such as http://a:8080, or dns:NAME for the servers that the DNS has under a
// name (SRV).
func Parse(list string) (shards [][]string, err error) {
	met := map[string]bool{}
	for i, text := range strings.Split(list, ",") {
		var replicas []string
		for _, address := range strings.Split(text, "|") {
			address = strings.TrimRight(strings.TrimSpace(address), "/")
			if err := checkAddress(address); err != nil {
				return nil, fmt.Errorf("shard %d: %w", i, err)
			}
			if met[address] {
				return nil, fmt.Errorf("shard %d: %s is there twice: its documents would be, too", i, address)
			}
			met[address] = true
			replicas = append(replicas, address)
		}
		if len(replicas) > maxReplicas {
			return nil, fmt.Errorf("shard %d has %d replicas; want %d at most", i, len(replicas), maxReplicas)
		}
		shards = append(shards, replicas)
	}
	return shards, nil
}

func checkAddress(address string) error {
	if name, ok := strings.CutPrefix(address, "dns:"); ok {
		if name == "" {
			return errors.New("dns: without a name; want one such as dns:_http._tcp.shard-0.example.org")
		}
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("%q is no address of a server; want one such as http://a:8080", address)
	}
	return nil
}

// New returns the cluster of some shards, each a list of replicas as Parse returns them. It asks
// nobody: see Watch.
func New(shards [][]string, o Options) (*Cluster, error) {
	if len(shards) == 0 {
		return nil, errors.New("a cluster of no shards; give one at least")
	}
	if o.HTTP == nil {
		o.HTTP = newClient()
	}
	if o.Quorum < 0 || o.Quorum > 1 {
		return nil, fmt.Errorf("the quorum is %v; want 0 to 1", o.Quorum)
	}
	if o.Quorum == 0 {
		o.Quorum = 0.5
	}
	if o.Every == 0 {
		o.Every = time.Second
	}
	if o.MaxAnswer == 0 {
		o.MaxAnswer = 32 << 20
	}
	if o.LookupSRV == nil {
		o.LookupSRV = func(ctx context.Context, name string) ([]*net.SRV, error) {
			_, list, err := net.DefaultResolver.LookupSRV(ctx, "", "", name)
			return list, err
		}
	}
	c := &Cluster{options: o, first: make(chan struct{}), tokens: mostTokens}
	for i, replicas := range shards {
		if len(replicas) == 0 {
			return nil, fmt.Errorf("shard %d has no server", i)
		}
		s := &shard{number: i, names: slices.Clone(replicas)}
		for _, address := range replicas {
			if !strings.HasPrefix(address, "dns:") {
				s.replicas = append(s.replicas, &replica{url: address, err: errUnknown})
			}
		}
		c.shards = append(c.shards, s)
	}
	return c, nil
}

// newClient returns a client for many requests to few servers. It follows no redirections: a server
// must not send it elsewhere.
func newClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy, t.MaxIdleConns, t.MaxIdleConnsPerHost, t.DisableCompression = nil, 0, 256, true
	t.DialContext = (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.IdleConnTimeout = 20 * time.Second // servers close after 30
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Len returns the number of shards.
func (c *Cluster) Len() int { return len(c.shards) }

// Close closes the connections that are not in use.
func (c *Cluster) Close() { c.options.HTTP.CloseIdleConnections() }

// resolve finds the servers of a shard that has names of the DNS. If a name cannot be found now, its
// servers stay.
func (c *Cluster) resolve(ctx context.Context, s *shard) {
	var list []string
	for _, name := range s.names {
		host, ok := strings.CutPrefix(name, "dns:")
		if !ok {
			list = append(list, name)
			continue
		}
		found, err := c.options.LookupSRV(ctx, host)
		if err != nil {
			return
		}
		for _, srv := range found {
			at := net.JoinHostPort(strings.TrimSuffix(srv.Target, "."), strconv.Itoa(int(srv.Port)))
			list = append(list, "http://"+at)
		}
	}
	s.set(list[:min(len(list), maxReplicas)])
}
