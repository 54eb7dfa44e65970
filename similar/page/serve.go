package page

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// stopTime is how long requests under way may take to end once a server is told to stop.
const stopTime = 5 * time.Second

// Serve serves a handler at an address until the context ends, and then lets the requests under way
// finish. An address without a host, such as ":8080", is one of this machine alone; "0.0.0.0:8080"
// is open to others. ready, where it is not nil, is called with the address of the page once it can
// be reached. It returns nil where the context ended it.
//
// On an address of this machine it answers to the names of this machine alone, so that no page on
// the web can read the index by a name of its own that leads here (DNS rebinding).
func Serve(ctx context.Context, address string, h http.Handler, ready func(url string)) error {
	if strings.HasPrefix(address, ":") {
		address = "localhost" + address
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("page: cannot listen on %s: %w", address, err)
	}
	if isLoopback(l.Addr()) {
		h = local(h)
	}
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(log.Writer(), "similar: ", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	if ready != nil {
		ready("http://" + l.Addr().String() + "/")
	}
	select {
	case err := <-ended:
		return fmt.Errorf("page: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if err := s.Shutdown(stop); err != nil {
		_ = s.Close()
		return fmt.Errorf("page: requests were cut off, %v after the stop: %w", stopTime, err)
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

func isLoopback(a net.Addr) bool {
	at, err := netip.ParseAddrPort(a.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// local answers to requests that call this machine by a name that only it has.
func local(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.Trim(host, "[]")
		if a, err := netip.ParseAddr(host); host != "localhost" && !strings.HasSuffix(host, ".localhost") && (err != nil || !a.Unmap().IsLoopback()) {
			http.Error(w, "this server answers to localhost alone", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}
