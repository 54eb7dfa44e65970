package page

import (
	"net/http"
	"time"

	"github.com/gridstride/gridstride/similar/snippet"
)

// An Observation is how a request went.
type Observation struct {
	Index  string // the name of the index
	Route  string // the pattern that the address met, as "GET /api/search"
	Status int
	Bytes  int64 // of the answer
	Took   time.Duration
}

// A recorder notes what is written.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the writer.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// maxLogged is the most bytes of an address that are logged.
const maxLogged = 256

// observe tells of a request that was answered.
func (h *Handler) observe(r *http.Request, part *span, w *recorder, start time.Time) {
	o := Observation{Index: h.options.Name, Route: r.Pattern, Status: w.status, Bytes: w.bytes, Took: time.Since(start)}
	if h.options.Observe != nil {
		h.options.Observe(o)
	}
	if h.options.Log != nil {
		h.options.Log.Info("request", "index", o.Index, "method", r.Method, "path", snippet.Head(r.URL.Path, maxLogged), "query", snippet.Head(r.URL.RawQuery, maxLogged),
			"status", o.Status, "bytes", o.Bytes, "took", o.Took, "remote", r.RemoteAddr, "trace", part.trace, "span", part.id, "parent", part.parent)
	}
}
