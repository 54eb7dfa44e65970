package page

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"regexp"

	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// A request has a trace, as W3C's Trace Context has it: the id of what a client began, in the header
// Traceparent. A server that gets none makes one. Logs have the id, and fronts pass it on.

type traceKey struct{}

var tracePattern = regexp.MustCompile(`^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$`)

// traced returns the request with its trace, and the trace's id.
func traced(r *http.Request) (*http.Request, string) {
	id := ""
	if m := tracePattern.FindStringSubmatch(r.Header.Get(scatter.TraceHeader)); m != nil {
		id = m[1]
	} else {
		id = random(16)
	}
	return r.WithContext(context.WithValue(r.Context(), traceKey{}, id)), id
}

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// traceOf is the header of a request that is a part of another one.
func traceOf(ctx context.Context) string {
	id, ok := ctx.Value(traceKey{}).(string)
	if !ok {
		return ""
	}
	return "00-" + id + "-" + random(8) + "-01"
}
