package page

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// A new version is asked the questions that came last before it is served, so that what they need is
// in memory.
const (
	keptQuestions = 64
	keptBytes     = 64 << 10 // of a question
	warmTime      = 10 * time.Second
)

// A keptQuestion is a request that changes nothing.
type keptQuestion struct {
	method, address string
	body            []byte
}

// recentQuestions are the last requests.
type recentQuestions struct {
	mu   sync.Mutex
	list [keptQuestions]*keptQuestion
	n    int
}

// note remembers a request, whose body can still be read.
func (q *recentQuestions) note(r *http.Request) {
	get := r.Method == http.MethodGet && (r.URL.Path == "/" || r.URL.Path == "/api/search")
	post := r.Method == http.MethodPost && (r.URL.Path == "/shard/matches" || r.URL.Path == "/shard/hits")
	address := r.URL.RequestURI()
	if !get && !post || len(address) > keptBytes || r.ContentLength < 0 || r.ContentLength > keptBytes {
		return
	}
	body := make([]byte, r.ContentLength)
	n, err := io.ReadFull(r.Body, body)
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body[:n]), r.Body), r.Body}
	if err != nil {
		return // who answers the request meets the error, too
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list[q.n%len(q.list)] = &keptQuestion{r.Method, address, body}
	q.n++
}

// ask asks a version the last questions. What it answers does not matter.
func (q *recentQuestions) ask(ctx context.Context, h http.Handler, version string) {
	q.mu.Lock()
	list := q.list
	q.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, warmTime)
	defer cancel()
	for _, one := range list {
		if one == nil || ctx.Err() != nil {
			continue
		}
		r, err := http.NewRequestWithContext(ctx, one.method, one.address, bytes.NewReader(one.body))
		if err != nil {
			continue
		}
		r.Header.Set(scatter.VersionHeader, version)
		h.ServeHTTP(&nowhere{http.Header{}}, r)
	}
}

// nowhere takes an answer that nobody reads.
type nowhere struct{ header http.Header }

func (w *nowhere) Header() http.Header         { return w.header }
func (w *nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (w *nowhere) WriteHeader(int)             {}
