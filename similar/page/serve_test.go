package page

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// TestServe answers on this machine alone, refuses names that are not this machine's, and stops
// when told, after the request under way.
func TestServe(t *testing.T) {
	t.Parallel()
	begun, end := make(chan bool), make(chan bool)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			begun <- true
			<-end
		}
		io.WriteString(w, "well")
	})
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- Serve(ctx, ":0", slow, func(url string) { address <- url }) }()
	url := <-address
	if !strings.HasPrefix(url, "http://127.0.0.1:") && !strings.HasPrefix(url, "http://[::1]:") {
		t.Errorf("listens at %s", url)
	}
	if got := fetch(t, url, ""); got != "200 well" {
		t.Errorf("localhost: %s", got)
	}
	if got := fetch(t, url, "attacker.example:80"); !strings.HasPrefix(got, "421 ") {
		t.Errorf("another name: %s", got)
	}
	answer := make(chan string, 1)
	go func() { answer <- fetch(t, url+"slow", "") }()
	<-begun
	stop()
	select {
	case err := <-ended:
		t.Fatalf("ended under a request: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	end <- true
	if got := <-answer; got != "200 well" {
		t.Errorf("the request under way: %s", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := Serve(t.Context(), "localhost:99999", slow, nil); err == nil || !strings.Contains(err.Error(), "cannot listen on localhost:99999") {
		t.Errorf("a port that is none: %v", err)
	}
}

func fetch(t *testing.T, url, host string) string {
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		return err.Error()
	}
	req.Host = host
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error()
	}
	return res.Status[:4] + string(body)
}

// TestServeDrains tells a server to stop: it says so, goes on for a while, and ends after the request
// under way, which takes longer.
func TestServeDrains(t *testing.T) {
	t.Parallel()
	begun, end := make(chan bool), make(chan bool)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			begun <- true
			<-end
		}
		io.WriteString(w, "well")
	})
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	const drain = 700 * time.Millisecond
	s := &Server{Address: ":0", Handler: h, Ready: func(url string) { address <- url }, Drain: drain, Stop: time.Minute}
	go func() { ended <- s.Serve(ctx) }()
	url := <-address
	for path, want := range map[string]string{"livez": "200 well\n", "readyz": "200 well", "": "200 well"} {
		if got := fetch(t, url+path, ""); got != want {
			t.Errorf("/%s: %q", path, got)
		}
	}
	answer := make(chan string, 1)
	go func() { answer <- fetch(t, url+"slow", "") }()
	<-begun
	start := time.Now()
	stop()
	for !strings.HasPrefix(fetch(t, url+"readyz", ""), "503 not ready: the server stops") {
		if time.Since(start) > drain {
			t.Fatal("it does not say that it stops")
		}
	}
	for path, want := range map[string]string{"livez": "200 well\n", "": "200 well"} {
		if got := fetch(t, url+path, ""); got != want {
			t.Errorf("while it stops, /%s: %q", path, got)
		}
	}
	res, err := http.Get(url)
	if err != nil || !res.Close || res.Header.Get(scatter.StopsHeader) == "" {
		t.Errorf("%v, %v: connections are to end", res, err)
	}
	res.Body.Close()
	select {
	case err := <-ended:
		t.Fatalf("ended under a request, after %v: %v", time.Since(start), err)
	case <-time.After(drain + 100*time.Millisecond):
	}
	if got := fetch(t, url, ""); !strings.Contains(got, "refused") {
		t.Errorf("after it has drained: %s", got)
	}
	end <- true
	if got := <-answer; got != "200 well" {
		t.Errorf("the request under way: %s", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
