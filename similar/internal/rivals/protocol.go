package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Each engine is a separate program, in whatever language, that answers requests on standard input
// with a line each on standard output. The members of both are parted by tabs. The first of an
// answer is nanoseconds of processor time, or 0:
//
//	index FILE DIR THREADS MEGABYTES   makes an index in DIR of the documents of FILE, with that
//	                                   number of threads, and that memory for new documents
//	merge DIR                          makes one segment of the index
//	open DIR                           opens the index for the queries that follow
//	query KIND TEXT                    reads the ten best documents; the answer has their ids, too
//
// A line of FILE is a document: its id, the names of its flags, parted by spaces, and its text. KIND
// is words (any of the words), and (all of them), phrase, prefix, like (the documents most like a
// text), or the name of a flag: any of the words, in documents that have the flag. All engines index
// positions and store the text, have BM25 with their own defaults and the words of English, and are
// left as they come otherwise.

// A process is an engine that runs.
type process struct {
	name    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Reader
}

func start(name string, command []string) (*process, error) {
	p := &process{name: name, cmd: exec.Command(command[0], command[1:]...)}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.answers = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// ask sends a request and returns the members of the answer.
func (p *process) ask(request ...string) ([]string, error) {
	if _, err := fmt.Fprintln(p.in, strings.Join(request, "\t")); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	line, err := p.answers.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s: %s: no answer: %w", p.name, request[0], err)
	}
	return strings.Split(strings.TrimSuffix(line, "\n"), "\t"), nil
}

// timed is ask, with the first member of the answer as a time.
func (p *process) timed(request ...string) (time.Duration, []string, error) {
	answer, err := p.ask(request...)
	if err != nil {
		return 0, nil, err
	}
	ns, err := strconv.ParseInt(answer[0], 10, 64)
	return time.Duration(ns), answer[1:], err
}

func (p *process) close() error {
	p.in.Close()
	return p.cmd.Wait()
}

// peak returns the most memory that the process has had, in bytes, as Linux tells it.
func (p *process) peak() (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseInt(kilobytes, 10, 64)
	return n << 10, err
}

// serve answers requests with an engine of this program, until standard input ends.
func serve(e engine) error {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		d, ids, err := respond(e, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		if err != nil {
			return err
		}
		fmt.Fprintln(out, strings.Join(append([]string{strconv.FormatInt(int64(d), 10)}, ids...), "\t"))
		if err := out.Flush(); err != nil {
			return err
		}
	}
}

func respond(e engine, request []string) (d time.Duration, ids []string, err error) {
	switch request[0] {
	case "index":
		megabytes, err := strconv.Atoi(request[4])
		if err != nil {
			return 0, nil, err
		}
		threads, err := strconv.Atoi(request[3])
		if err != nil {
			return 0, nil, err
		}
		return 0, nil, e.index(request[1], request[2], threads, megabytes)
	case "merge":
		return 0, nil, e.merge(request[1])
	case "open":
		d, err = took(func() error { return e.open(request[1]) })
		return d, nil, err
	case "query":
		d, err = took(func() (err error) { ids, err = e.query(request[1], request[2]); return err })
		return d, ids, err
	}
	return 0, nil, fmt.Errorf("request %q", request[0])
}
