package page

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
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
