// Package storetest starts servers of object stores for tests, which fail now and then.
package storetest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// A Store returns the address of something in a bucket that is there.
type Store func(name string) string

// S3 starts a server of S3 that fails one request of thirty.
func S3(t *testing.T) Store {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("papers"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(faulty(t, gofakes3.New(backend).Server(), 30))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	options := "?region=us-east-1&use_path_style=true&disable_https=true&response_checksum_validation=when_required&endpoint=" + url.QueryEscape(server.URL)
	return func(name string) string { return "s3://papers/" + name + options }
}

// faulty answers one request of some with 503, and cuts the body of as many answers to GET off.
func faulty(t *testing.T, real http.Handler, of int64) http.Handler {
	var n, cut atomic.Int64
	t.Cleanup(func() { t.Logf("%d requests of a store, and one of %d failed", n.Load(), of) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%of == 0 {
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		if r.Method != http.MethodGet || cut.Add(1)%of != of/2 {
			real.ServeHTTP(w, r)
			return
		}
		whole := httptest.NewRecorder()
		real.ServeHTTP(whole, r)
		for name, values := range whole.Header() {
			w.Header()[name] = values
		}
		body := whole.Body.Bytes()
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(whole.Code)
		_, _ = w.Write(body[:len(body)/2])
		if len(body) > 0 {
			panic(http.ErrAbortHandler)
		}
	})
}
