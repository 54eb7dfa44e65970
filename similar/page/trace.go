package page

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"

	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// A request has a trace, as W3C's Trace Context has it: the id of what a client began, in the header
// Traceparent. A server that gets none makes one. Logs have it with the id of the request's own part,
// its span, and of the span that asked. Fronts pass the trace on, with their span as the one that asks.

type traceKey struct{}

// A span is one request's part of a trace.
type span struct {
	trace, id string
	parent    string // the span that asked; empty if nobody said
	flags     string
	state     string // the header Tracestate, which is others'
}

var tracePattern = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$`)

// The zero ids are none, and a longer state need not be passed on.
const (
	noTrace  = "00000000000000000000000000000000"
	noSpan   = "0000000000000000"
	maxState = 512
)

// traced returns the request with its span.
func traced(r *http.Request) (*http.Request, *span) {
	s := &span{id: random(8), flags: "01"}
	if m := tracePattern.FindStringSubmatch(r.Header.Get(scatter.TraceHeader)); m != nil && m[1] != noTrace && m[2] != noSpan {
		s.trace, s.parent, s.flags = m[1], m[2], m[3]
		if state := strings.Join(r.Header.Values(scatter.TraceStateHeader), ","); len(state) <= maxState {
			s.state = state
		}
	} else {
		s.trace = random(16)
	}
	return r.WithContext(context.WithValue(r.Context(), traceKey{}, s)), s
}

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// traceOf returns the headers of a request that is a part of another one.
func traceOf(ctx context.Context) (parent, state string) {
	s, ok := ctx.Value(traceKey{}).(*span)
	if !ok {
		return "", ""
	}
	return "00-" + s.trace + "-" + s.id + "-" + s.flags, s.state
}
