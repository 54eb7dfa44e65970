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

	"golang.org/x/net/netutil"
)

// stopTime is how long requests under way may take to end once a server is told to stop.
const stopTime = 5 * time.Second

// maxConnections is how many connections a server has at a time. Others wait until one of them
// ends: it does so after 30 seconds without a request, and sooner where a client sends or reads
// nothing.
const maxConnections = 512

// Serve serves a handler at an address until the context ends, and then lets the requests under way
// finish. An address without a host, such as ":8080", is one of this machine alone. "0.0.0.0:8080"
// is open to others. Serve calls ready, if it is not nil, with the address of the page once it can
// be reached. It returns nil if the context ended it.
//
// On an address of this machine it answers to the names of this machine alone, so that no page on
// the web can read the index by another name that leads here (DNS rebinding).
func Serve(ctx context.Context, address string, h http.Handler, ready func(url string)) error {
	if strings.HasPrefix(address, ":") {
		address = "localhost" + address
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("page: cannot listen on %s: %w", address, err)
	}
	long, isLong := h.(stopping)
	if isLoopback(l.Addr()) {
		h = local(h)
	}
	at := l.Addr().String()
	l = netutil.LimitListener(l, maxConnections)
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(log.Writer(), "similar: ", 0),
	}
	if isLong {
		s.RegisterOnShutdown(long.stop)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	if ready != nil {
		ready("http://" + at + "/")
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

// Public reports whether a server at an address can be reached from other machines: its host is no
// name of this one.
func Public(address string) bool {
	return !strings.HasPrefix(address, ":") && !isLocal(address)
}

func isLoopback(a net.Addr) bool {
	at, err := netip.ParseAddrPort(a.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}
