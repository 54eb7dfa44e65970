package page

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// until returns the context of a request, which ends when the server's time for one is over, or the
// client's, which scatter.TimeoutHeader has.
func (h *Handler) until(req *http.Request) (context.Context, context.CancelFunc) {
	limit := h.options.Timeout
	if n, err := strconv.ParseInt(req.Header.Get(scatter.TimeoutHeader), 10, 32); err == nil && n > 0 {
		limit = min(limit, time.Duration(n)*time.Millisecond)
	}
	return context.WithTimeout(req.Context(), limit)
}

// mostRepeats is how often a request is tried.
const mostRepeats = 3

// answering calls answer with what answers one request. Where a part of it is lost meanwhile, as a
// shard that has answered does so no longer, it does so again, without what was lost.
func (h *Handler) answering(ctx context.Context, answer func(answerer) error) error {
	var again repeat
	for n := 1; ; n++ {
		docs, err := h.docs.begin(ctx, &again)
		if err == nil {
			err = answer(docs)
		}
		if n == mostRepeats || ctx.Err() != nil || !errors.Is(err, errAgain) {
			return err
		}
	}
}

// errAgain is the error of a request that is to be tried again.
var errAgain = busy(time.Second, errors.New("the shards are changing: try again in a moment"))
