package storetest

import (
	"net/http/httptest"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

// GCS starts a server of Google Cloud Storage that fails one request of sixty: its library waits a
// second before it tries again.
func GCS(t *testing.T) Store {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	host := server.Listener.Addr().String()
	real, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, Scheme: "http", ExternalURL: "http://" + host, PublicHost: host})
	if err != nil {
		t.Fatal(err)
	}
	real.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "papers"})
	server.Config.Handler = faulty(t, real.HTTPHandler(), 60)
	server.Start()
	t.Cleanup(real.Stop)
	t.Cleanup(server.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", host)
	return func(name string) string { return "gs://papers/" + name }
}
