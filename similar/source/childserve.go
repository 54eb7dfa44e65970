package source

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// The exit statuses of a child that is over a limit.
const (
	exitMemory = 83
	exitTime   = 84
)

// ServeChild makes this process a Child: it reads files from standard input, writes their texts to
// standard output, and exits when its parent closes standard input or ends. It never returns. The
// process exits by itself, too, where a file takes more than the limits that its parent set.
func ServeChild() {
	signal.Ignore(os.Interrupt) // a terminal sends it to the parent as well, which decides
	err := serveChild(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// job is a request with its bytes.
type job struct {
	request
	data []byte
}

func serveChild(in io.Reader, out io.Writer) error {
	if _, err := io.WriteString(out, greeting); err != nil {
		return err
	}
	b := bufio.NewReader(in)
	dec, enc := gob.NewDecoder(b), gob.NewEncoder(out)
	var l limits
	if err := dec.Decode(&l); err != nil {
		return err
	}
	var deadline atomic.Int64 // of the file that is read, or 0
	l.watch(&deadline)
	jobs := make(chan job)
	go func() { // it sees the parent's end also while a file is read
		for {
			var j job
			err := dec.Decode(&j.request)
			if err == nil {
				j.data = make([]byte, j.Size)
				_, err = io.ReadFull(b, j.data)
			}
			if err != nil {
				os.Exit(0)
			}
			jobs <- j
		}
	}()
	for j := range jobs {
		deadline.Store(time.Now().Add(l.Time).UnixNano())
		var a response
		var err error
		if a.Title, a.Text, err = parse(context.Background(), j.Form, j.data, j.MaxFile); err != nil {
			a = response{Err: err.Error(), Limit: errors.Is(err, ErrLimit)}
		}
		deadline.Store(0)
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

// watch ends the process if it takes too much memory, or time for one file. One allocation may be
// too large for the watch to see it in time: if the system can bound a process, it does.
func (l *limits) watch(deadline *atomic.Int64) {
	const slack = 64 << 20
	debug.SetMemoryLimit(l.Memory - l.Memory/8)
	debug.SetMaxStack(int(min(l.Memory/8, 64<<20)))
	limitData(uint64(l.Memory) + uint64(l.Memory)/4 + slack)
	go func() {
		samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		for range time.Tick(5 * time.Millisecond) {
			metrics.Read(samples)
			if samples[0].Value.Uint64()-samples[1].Value.Uint64() > uint64(l.Memory) {
				os.Exit(exitMemory)
			}
			if at := deadline.Load(); at != 0 && time.Now().UnixNano() > at {
				os.Exit(exitTime)
			}
		}
	}()
}

// parse reads a file of a form that is one document. A panic is the error of a broken file: the
// libraries that read PDF and other forms panic on some.
func parse(ctx context.Context, form string, data []byte, limit int64) (title, text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			title, text = "", ""
			if stopped, ok := p.(stopped); ok {
				err = stopped.error
			} else {
				err = fmt.Errorf("broken: %v", p)
			}
		}
	}()
	read := parsers[form]
	if read == nil {
		return "", "", fmt.Errorf("%w: %q", ErrForm, form)
	}
	title, text, err = read(ctx, data, limit)
	if err == nil && int64(len(text)) > limit {
		return "", "", tooMuchText(limit)
	}
	return title, text, err
}

// stopped is the value of a reader's panic to leave a library that goes on.
type stopped struct{ error }

func tooMuchText(limit int64) error {
	return fmt.Errorf("%w: its text has more than %d bytes", ErrLimit, limit)
}
