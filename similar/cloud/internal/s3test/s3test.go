// Package s3test is a server of S3 for tests.
package s3test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Start starts a server that answers one request of ten with 503. It returns what follows
// s3://papers and a path in an address.
func Start(t *testing.T) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("papers"); err != nil {
		t.Fatal(err)
	}
	real := gofakes3.New(backend).Server()
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%10 == 0 {
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		real.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return "?region=us-east-1&use_path_style=true&disable_https=true&response_checksum_validation=when_required&endpoint=" + url.QueryEscape(server.URL)
}
