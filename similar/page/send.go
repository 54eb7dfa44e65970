package page

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

const (
	answerBytes = 24 << 20 // about the most of an answer: it drops hits after that, and more says so
	MaxAnswer   = 32 << 20 // the most bytes of an answer
	chunkBytes  = 64 << 10 // a client gets chunkTime for each chunk of this size
	chunkTime   = 10 * time.Second
	sendTime    = time.Minute // for all of them
)

// A body is an answer in the making.
type body struct{ bytes.Buffer }

var errLarge = &statusError{status: http.StatusUnprocessableEntity, err: fmt.Errorf("the answer has more than %d MB: ask for fewer documents", MaxAnswer>>20)}

// Write implements io.Writer. It fails with errLarge.
func (b *body) Write(p []byte) (int, error) {
	if b.Len()+len(p) > MaxAnswer {
		return 0, errLarge
	}
	return b.Buffer.Write(p)
}

// send sends an answer that is there in full. Answers that clients are slow to read share
// limits.most bytes: one that finds no room is dropped, and its client is told to come again.
func (l *limits) send(w http.ResponseWriter, code int, text []byte, retry time.Duration) {
	size := int64(len(text))
	if l.unread.Add(size) > l.most {
		code, retry = http.StatusTooManyRequests, time.Second
		text = []byte("too many answers wait to be read: try again in a moment\n")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	defer l.unread.Add(-size)
	if code == http.StatusServiceUnavailable || code == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(int(min(60, max(1, math.Ceil(retry.Seconds()))))))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(code)
	control, end := http.NewResponseController(w), time.Now().Add(sendTime)
	for len(text) > 0 {
		// An error of the deadline means that the writer has none, as a test's.
		next := time.Now().Add(chunkTime)
		if next.After(end) {
			next = end
		}
		_ = control.SetWriteDeadline(next)
		n := min(chunkBytes, len(text))
		if _, err := w.Write(text[:n]); err != nil {
			return // the client's connection
		}
		text = text[n:]
	}
}

// retryAfter is when a request that failed may be made again.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.retry
	}
	return 0
}
