package checked

import (
	"context"
	"os"
	"os/signal"
	"sync"
)

// interrupts lets the launches under way say what they have found so far before an interrupt ends
// the process.
var interrupts = sync.OnceValue(func() *interruption {
	i := &interruption{}
	var cancel context.CancelFunc
	i.ctx, cancel = context.WithCancel(context.Background())
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	go func() {
		<-c
		cancel()
		i.launches.Lock() // waits for those under way
		signal.Stop(c)
		i.launches.Unlock()
		interruptSelf()
	}()
	return i
})

// interruption is the one interrupt of a process.
type interruption struct {
	ctx      context.Context // ends with it
	launches sync.RWMutex    // each launch holds it for reading
}

// launch is the context of a launch, which ends with the process's too; done is to be called when
// the launch has told what it found.
func (i *interruption) launch(ctx context.Context) (both context.Context, done func()) {
	i.launches.RLock()
	both, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(i.ctx, cancel)
	return both, func() {
		stop()
		cancel()
		i.launches.RUnlock()
	}
}

// interruptSelf lets the interrupt take its course, as if nobody had waited: it ends the process,
// or goes to a handler of the program's own.
func interruptSelf() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt)
	}
	if err != nil { // Windows cannot
		os.Exit(130)
	}
}
