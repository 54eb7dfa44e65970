// Package cli has the common parts of the commands of this module: flags, errors, exit statuses,
// interrupts, and output that does nothing to a terminal.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"

	"github.com/gridstride/gridstride/internal/tools/plain"
	"github.com/spf13/cobra"
)

// Root returns a command that consists of commands alone.
func Root(name, short, long string, commands ...*cobra.Command) *cobra.Command {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name())
	}
	root := &cobra.Command{
		Use:           name,
		Short:         short,
		Long:          long,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return Usagef("%q is no command; there are %s and help", args[0], strings.Join(names, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		said, _, number := strings.Cut(err.Error(), ": strconv.")
		if number {
			said += ": want a number"
		}
		return Usagef("%s; see %s help %s", said, name, cmd.Name())
	})
	root.AddCommand(commands...)
	return root
}

// Run runs one command line and returns the exit status: 0, 1 for a failure or where standard
// output cannot be written, 2 for a command line that makes no sense, or a StatusError's. An
// interrupt, or a SIGTERM, ends the context of the command, and a second one the program. Errors
// are printed by print.
func Run(root *cobra.Command, args []string, stdout, stderr io.Writer, print func(io.Writer, error)) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	out := &output{w: stdout}
	stderr = plain.NewWriter(stderr)
	root.SetArgs(longFlags(args))
	root.SetOut(plain.NewWriter(out))
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if failed := out.failure(); failed != nil && (err == nil || errors.Is(err, failed)) {
		err = fmt.Errorf("standard output cannot be written: %w", failed)
	}
	if err == nil {
		return 0
	}
	if s, ok := errors.AsType[*StatusError](err); ok {
		if s.Err != nil {
			print(stderr, s.Err)
		}
		return s.Status
	}
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	print(stderr, err)
	if _, usage := errors.AsType[*UsageError](err); usage {
		return 2
	}
	return 1
}

// output is standard output, which notes the first error. Commands may then print as they please, and
// one whose output is lost does not end as a success.
type output struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.err = cmp.Or(o.err, err)
	}
	return n, err
}

func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// StatusError ends the command with its own exit status. Its Err is nil where all has been said.
type StatusError struct {
	Status int
	Err    error
}

func (e *StatusError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

// UsageError is a command line that makes no sense.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// longFlags lets long flags be written with one dash, as Go's own tools write them: -check is
// --check.
func longFlags(args []string) []string {
	var out []string
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if len(arg) > 2 && arg[0] == '-' && (arg[1] >= 'a' && arg[1] <= 'z') {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}

// NoArgs refuses arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("%s takes no arguments, %q is one", cmd.Name(), args[0])
	}
	return nil
}

// IsTerminal reports whether a writer is a terminal.
func IsTerminal(w io.Writer) bool {
	w = plain.Raw(w)
	if o, ok := w.(*output); ok {
		w = o.w
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Version returns the command that says which version of the module this is.
func Version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the Go it was built with",
		Args:  NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s %s/%s\n", cmd.Root().Name(), version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}

// version is the module's version, or the commit if it was built from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "(devel)"
}
