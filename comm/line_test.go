package comm

import (
	"errors"
	"io"
	"net"
	"testing"
)

// TestAnswerBeforeEnd: an answer counts that came before the end of the connection, as when rank 0
// closes its member after the last collective.
func TestAnswerBeforeEnd(t *testing.T) {
	t.Parallel()
	for range 100 {
		here, there := net.Pipe()
		go io.Copy(io.Discard, there)
		l := &line{wire: wire{conn: here}, ranks: 2, answers: make(chan arrived, 1), change: make(chan struct{}), gone: make(chan struct{}), lost: errors.New("gone")}
		l.answers <- arrived{message: message{Kind: doneMessage, Dst: 7}}
		close(l.gone)
		if a, err := l.enter(t.Context(), message{}, nil); err != nil || a.Dst != 7 {
			t.Fatalf("%+v, %v", a, err)
		}
		here.Close()
	}
}
