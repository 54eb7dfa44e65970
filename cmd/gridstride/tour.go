package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/modsource"
	"github.com/gridstride/gridstride/internal/tour/course"
	"github.com/gridstride/gridstride/internal/tour/lab"
	"github.com/gridstride/gridstride/internal/tour/site"
	"github.com/spf13/cobra"
)

const tourHelp = `Tour serves the tutorial as pages in which kernels are written, run, checked and watched, and opens
them in a browser. The compiler and the simulator run in the page. Nothing is sent anywhere.

With -o DIR it writes the pages as files, which any web server can serve, and ends.

The program that runs in the page is built by the go command from the sources of gridstride, which
takes a minute the first time.`

// tourAddress is where the tour is served if nobody says otherwise, and where links lead then.
const tourAddress = "localhost:7755"

// tourJob is a command line of gridstride tour.
type tourJob struct {
	dir, address, exercises string
	open                    bool
	out, err                io.Writer
}

func newTour() *cobra.Command {
	var t tourJob
	cmd := &cobra.Command{
		Use:   "tour",
		Short: "Write, run and watch kernels in a browser",
		Long:  tourHelp,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("tour takes no %q; there is gridstride tour check DIR", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			t.out, t.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return t.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&t.dir, "output", "o", "", "write the pages into a `folder`, and serve nothing")
	flags.StringVar(&t.address, "http", tourAddress, "`address` to serve at; port 0 is any free one")
	flags.StringVar(&t.exercises, "exercises", "", "`folder` with exercises to have instead of the tour's own")
	flags.BoolVar(&t.open, "open", true, "open a browser")
	cmd.AddCommand(newTourCheck())
	return cmd
}

// run writes or serves the tour.
func (t *tourJob) run(ctx context.Context) error {
	exercises, err := readExercises(t.exercises)
	if err != nil {
		return err
	}
	moduleDir, err := tourModule(ctx)
	if err != nil {
		return err
	}
	dir := t.dir
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		dir = filepath.Join(cache, "gridstride", "tour", "site")
	}
	fmt.Fprintln(t.err, "building the tour; the first time takes a minute")
	if err := site.Assemble(ctx, moduleDir, dir, exercises); err != nil {
		return err
	}
	if t.dir != "" {
		fmt.Fprintf(t.out, "%s has the tour; index.html is its first page\n", dir)
		return nil
	}
	return t.serve(ctx, dir)
}

// tourModule is the folder with the sources of this gridstride.
func tourModule(ctx context.Context) (string, error) {
	dir, _, err := modsource.Dir(ctx)
	if errors.Is(err, exec.ErrNotFound) {
		return "", site.ErrNoGo
	}
	return dir, err
}

// serve serves a folder until the context ends.
func (t *tourJob) serve(ctx context.Context, dir string) error {
	listener, err := net.Listen("tcp", t.address)
	if err != nil && t.address == tourAddress { // another tour may be there
		listener, err = net.Listen("tcp", "localhost:0")
	}
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 10 * time.Second}
	address := "http://" + listener.Addr().String() + "/"
	fmt.Fprintf(t.out, "the tour is at %s; Ctrl-C ends it\n", address)
	if t.open {
		openBrowser(address)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}

// openBrowser opens a page in the user's browser. Without one, the address is on the terminal.
func openBrowser(address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	if cmd := exec.Command(name, args...); cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // the browser's status is of no use here
	}
}

// readExercises reads the exercises of a folder, or the tour's own.
func readExercises(dir string) ([]*course.Exercise, error) {
	if dir == "" {
		return course.Own()
	}
	list, err := course.Read(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return list, nil
}

func newTourCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check DIR",
		Short: "Test the exercises of a folder",
		Long: `Check tests exercises, each a folder with start.go, want.go and solution.go: the solution must pass the
tests and limits, and what a learner starts with must not. Package internal/tour/course says what the
files have.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("tour check takes one folder of exercises")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return checkExercises(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
}

// checkExercises tests exercises, and says what is wrong with each.
func checkExercises(ctx context.Context, out io.Writer, dir string) error {
	list, err := readExercises(dir)
	if err != nil {
		return err
	}
	moduleDir, err := tourModule(ctx)
	if err != nil {
		return err
	}
	l := lab.New(os.DirFS(moduleDir))
	bad := 0
	for _, x := range list {
		if err := x.Check(ctx, l); err != nil {
			fmt.Fprintf(out, "%s: %v\n", x.Name, err)
			bad++
			continue
		}
		fmt.Fprintf(out, "%s: ok\n", x.Name)
	}
	if bad > 0 {
		return &cli.StatusError{Status: 1, Err: nil}
	}
	return ctx.Err()
}
