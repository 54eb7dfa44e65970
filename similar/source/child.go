package source

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A Child is a process that reads the files whose readers may need any amount of memory or time:
// PDF, Markdown, and the archives of Word and EPUB. A Read starts it for the first such file, gives
// it one file after the other, and ends it. Where a file takes more than the limits, or breaks the
// process, the file is a BadFile, and another process is started for the next one.
type Child struct {
	// Args is the command line of a program that calls ServeChild. A program that is its own child
	// calls it first of all in main, when an argument tells it to:
	//
	//	exe, err := os.Executable()
	//	…
	//	o.Child = &source.Child{Args: []string{exe, "read-child"}}
	Args []string
	// Time is the longest time for one file; 30 seconds where 0.
	Time time.Duration
	// Memory is how much memory the process may take, in bytes; 1 GB where 0. A quarter more may be
	// taken for a moment.
	Memory int64
}

// The limits where a Child has none.
const (
	DefaultChildTime   = 30 * time.Second
	DefaultChildMemory = 1 << 30
)

// ErrLimit is the error of a file that takes more time or memory than its reader may.
var ErrLimit = errors.New("over the limit of its reader")

// greeting is the first thing that a child says: another program would say something else.
const greeting = "gridstride reader 1\n"

// limits are the first message of a parent.
type limits struct {
	Time   time.Duration
	Memory int64
}

// request is a file for the child. Its bytes follow it.
type request struct {
	Form    string
	Size    int64
	MaxFile int64
}

// response is the child's message for a file.
type response struct {
	Title, Text, Err string
	Limit            bool // whether Err is an ErrLimit
}

// running is a child that runs.
type running struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	enc    *gob.Encoder
	dec    *gob.Decoder
	stderr tail
	limits limits
}

// tail keeps the first bytes that are written, which name the cause where a process dies.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	t.Buffer.Write(p[:min(len(p), max(0, 1<<12-t.Len()))])
	return len(p), nil
}

// start starts a child and waits until it speaks.
func (c *Child) start(ctx context.Context) (*running, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("Child.Args is empty")
	}
	if c.Time < 0 || c.Memory < 0 {
		return nil, fmt.Errorf("Child.Time is %v and Child.Memory %d; want 0 or more", c.Time, c.Memory)
	}
	r := &running{cmd: exec.Command(c.Args[0], c.Args[1:]...), limits: limits{min(c.Time, math.MaxInt64/2), c.Memory}} // room to add to
	if r.limits.Time == 0 {
		r.limits.Time = DefaultChildTime
	}
	if r.limits.Memory == 0 {
		r.limits.Memory = DefaultChildMemory
	}
	r.cmd.Stderr = &r.stderr
	r.cmd.WaitDelay = time.Second
	var err error
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = bufio.NewReader(out)
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = r.cmd.Process.Kill() })
	defer stop()
	said := make([]byte, len(greeting))
	if _, err := io.ReadFull(r.out, said); err != nil || string(said) != greeting {
		r.kill()
		return nil, fmt.Errorf("%q does not call ServeChild: it says %.80q %.80q", c.Args[0], said, r.stderr.String())
	}
	r.enc, r.dec = gob.NewEncoder(r.in), gob.NewDecoder(r.out)
	if err := r.enc.Encode(r.limits); err != nil {
		r.kill()
		return nil, err
	}
	return r, nil
}

// kill ends the child and waits for its end.
func (r *running) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// read gives the child a file. The second error says that the child is dead.
func (r *running) read(ctx context.Context, q request, data []byte) (a response, dead error) {
	ctx, cancel := context.WithTimeout(ctx, r.limits.Time+time.Second) // the child looks at its own clock first
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = r.cmd.Process.Kill() })
	defer stop()
	err := r.enc.Encode(q)
	if err == nil {
		_, err = r.in.Write(data)
	}
	if err == nil {
		err = r.dec.Decode(&a)
	}
	if err == nil {
		return a, nil
	}
	r.kill()
	said := r.stderr.String()
	switch code := r.cmd.ProcessState.ExitCode(); {
	case code == exitTime || ctx.Err() != nil:
		err = fmt.Errorf("%w: not read within %v", ErrLimit, r.limits.Time)
	case code == exitMemory || strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate memory"):
		err = fmt.Errorf("%w: more than %d MB of memory", ErrLimit, r.limits.Memory>>20)
	case strings.Contains(said, "stack overflow"):
		err = fmt.Errorf("%w: it is nested too deep", ErrLimit)
	default:
		said, _, _ = strings.Cut(said, "\n")
		err = fmt.Errorf("the process that reads it ended: %v %s", r.cmd.ProcessState, said)
	}
	return response{}, err
}

// errNoChild is the error of a child that cannot be started, which ends the reading.
var errNoChild = errors.New("no process to read PDF, Markdown, DOCX and EPUB in")

// inChild reads a file in the child.
func (r *reader) inChild(form string, data []byte) (title, text string, err error) {
	if r.running == nil {
		if r.running, err = r.Child.start(r.ctx); err != nil {
			r.running = nil
			if r.ctx.Err() != nil {
				return "", "", r.ctx.Err()
			}
			return "", "", fmt.Errorf("%w: %w", errNoChild, err)
		}
	}
	a, dead := r.running.read(r.ctx, request{form, int64(len(data)), r.MaxFile}, data)
	if dead != nil {
		r.running = nil
		return "", "", dead
	}
	if a.Err != "" {
		return "", "", &told{a.Err, a.Limit}
	}
	return a.Title, a.Text, nil
}

// told is an error that the child tells.
type told struct {
	text  string
	limit bool
}

func (t *told) Error() string        { return t.text }
func (t *told) Is(target error) bool { return t.limit && target == ErrLimit }

// isolated reports whether files of a form are read in the child.
func (r *reader) isolated(form string) bool {
	return r.Child != nil && slices.Contains([]string{"pdf", "md", "markdown", "docx", "epub"}, form)
}

// close ends the child.
func (r *reader) close() {
	if r.running != nil {
		r.running.kill()
		r.running = nil
	}
}
