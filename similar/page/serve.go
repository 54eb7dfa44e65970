package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// stopTime is how long requests under way may take to end once a server stops, where Server.Stop
// is 0.
const stopTime = 5 * time.Second

// maxConnections is how many connections a server has at a time. Others wait until one of them
// ends: it does so after 30 seconds without a request, and sooner where a client sends or reads
// nothing.
const maxConnections = 512

// A Server serves a handler at an address.
//
// On an address of this machine it answers to the names of this machine alone, so that no page on
// the web can read the index by another name that leads here (DNS rebinding).
type Server struct {
	// Address is where it listens. One without a host, such as ":8080", is of this machine alone.
	// "0.0.0.0:8080" is open to others.
	Address string
	Handler http.Handler
	// Ready is called, if it is not nil, with the address of the page once it can be reached.
	Ready func(url string)
	// Drain is how long the server goes on after it is told to stop, while /readyz says 503 and
	// connections end with their answers, so that balancers and fronts leave it.
	Drain time.Duration
	// Stop is how long requests under way may take to end after that; 5 s where 0.
	Stop time.Duration
}

// Serve serves a handler at an address until the context ends: see Server.
func Serve(ctx context.Context, address string, h http.Handler, ready func(url string)) error {
	return (&Server{Address: address, Handler: h, Ready: ready}).Serve(ctx)
}

// Serve serves until the context ends, drains, and then lets the requests under way finish. It returns
// nil if the context ended it.
func (s *Server) Serve(ctx context.Context) error {
	address := s.Address
	if strings.HasPrefix(address, ":") {
		address = "localhost" + address
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("page: cannot listen on %s: %w", address, err)
	}
	at := l.Addr().String()
	long, isLong := s.Handler.(stopping)
	draining := &drained{Handler: s.Handler}
	var h http.Handler = draining
	if isLoopback(l.Addr()) {
		h = local(h)
	}
	server := newServer(h)
	if isLong {
		server.RegisterOnShutdown(long.stop)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(l, maxConnections)) }()
	if s.Ready != nil {
		s.Ready("http://" + at + "/")
	}
	select {
	case err := <-ended:
		return fmt.Errorf("page: %w", err)
	case <-ctx.Done():
	}
	if s.Drain > 0 {
		draining.on.Store(true)
		select {
		case err := <-ended:
			return fmt.Errorf("page: %w", err)
		case <-time.After(s.Drain):
		}
	}
	limit := cmp.Or(s.Stop, stopTime)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		_ = server.Close()
		return fmt.Errorf("page: requests were cut off, %v after the stop: %w", limit, err)
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// newServer returns a server whose clients have bounded time for everything.
func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(log.Writer(), "similar: ", 0),
	}
}

// A drained handler answers /livez, and says that it stops, once on is true.
type drained struct {
	http.Handler
	on atomic.Bool
}

// ServeHTTP implements http.Handler.
func (d *drained) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	stops := d.on.Load()
	if stops {
		w.Header().Set("Connection", "close")
		w.Header().Set(scatter.StopsHeader, "true")
	}
	switch {
	case r.URL.Path == "/livez" && r.Method == http.MethodGet:
		plainText(w, http.StatusOK, "well\n")
	case r.URL.Path == "/readyz" && r.Method == http.MethodGet && stops:
		plainText(w, http.StatusServiceUnavailable, "not ready: the server stops\n")
	default:
		d.Handler.ServeHTTP(w, r)
	}
}

func plainText(w http.ResponseWriter, status int, text string) {
	secure(w)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // an error is of the client's connection
}

// Public reports whether a server at an address can be reached from other machines: its host is no
// name of this one.
func Public(address string) bool {
	return !strings.HasPrefix(address, ":") && !isLocal(address)
}

func isLoopback(a net.Addr) bool {
	at, err := netip.ParseAddrPort(a.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}
