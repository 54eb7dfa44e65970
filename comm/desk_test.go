package comm

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"
	"time"
)

// TestGoneWhileItWaits: a rank that has entered a collective and whose process ends is named, and not the
// ranks that have not come yet.
func TestGoneWhileItWaits(t *testing.T) {
	t.Parallel()
	d := &desk{hall: hall{ranks: 3}, wires: make([]*wire, 3)}
	d.closing, d.end = context.WithCancel(t.Context())
	defer d.end()
	here, there := net.Pipe()
	ended := make(chan struct{})
	go func() { d.attend(2, &wire{conn: here}); close(ended) }()
	rank := &wire{conn: there}
	if err := rank.send(message{Kind: enterMessage, Seq: 1}); err != nil {
		t.Fatal(err)
	}
	entered := func() bool {
		d.hall.mu.Lock()
		defer d.hall.mu.Unlock()
		return len(d.hall.waits) > 2 && d.hall.waits[2] != nil
	}
	for !entered() {
		time.Sleep(time.Millisecond)
	}
	there.Close()
	<-ended
	absent, ok := errors.AsType[*AbsentError](d.hall.lost)
	if !ok || !slices.Equal(absent.Ranks, []int{2}) {
		t.Errorf("%v, want one that names rank 2", d.hall.lost)
	}
}
