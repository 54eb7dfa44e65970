package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// Prism may wait for ever for a worker that has died. So each worker that prism starts in this
// process keeps a connection to it, the lifeline, whose address is in the environment.
const lifelineVar = "SIMILARBEAM_LIFELINE"

// deathGrace is how long a job may take to end after its worker did.
const deathGrace = 10 * time.Second

var errWorkerDied = errors.New("the worker died, and the runner did not end the job")

// listenForDeaths returns the ids of workers that have ended. It is for one reader.
func listenForDeaths(ctx context.Context) (<-chan string, error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, err
	}
	if err := os.Setenv(lifelineVar, l.Addr().String()); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	context.AfterFunc(ctx, func() { _ = l.Close() })
	died := make(chan string)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				r := bufio.NewReader(io.LimitReader(conn, 1<<12))
				id, _ := r.ReadString('\n')
				_, _ = io.Copy(io.Discard, r) // ends when the worker does
				select {
				case died <- id:
				case <-ctx.Done():
				}
			}()
		}
	}()
	return died, nil
}

// cancelWhenDead cancels a job of a name some time after a worker of it has died.
func cancelWhenDead(ctx context.Context, died <-chan string, job string, cancel context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-died:
			if strings.Contains(id, job) {
				time.AfterFunc(deathGrace, func() { cancel(errWorkerDied) })
			}
		}
	}
}

// holdLifeline connects a worker to the process that started prism, if that is there.
func holdLifeline(id string) error {
	address := os.Getenv(lifelineVar)
	if address == "" {
		return nil
	}
	var err error
	if lifeline, err = net.Dial("tcp", address); err != nil {
		return err
	}
	_, err = fmt.Fprintln(lifeline, id)
	return err
}

// lifeline ends with the process: what nobody refers to may be closed before.
var lifeline net.Conn
