package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestLongFlags(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                      "",
		"-k 3 -json --json -o":  "-k 3 --json --json -o",
		"run -o x -- -json":     "run -o x -- -json",
		"- -1 -n=3 -name=x -Wl": "- -1 --n=3 --name=x -Wl",
	} {
		if got := longFlags(strings.Fields(line)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}

// TestRun tells the exit statuses apart, and keeps from the terminal what it would obey.
func TestRun(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		status int
		says   string
	}{
		"":             {0, ""},
		"do well":      {0, ""},
		"do fail":      {1, "failed \\x1b[31m"},
		"do status":    {7, ""},
		"do -n many":   {2, `invalid argument "many" for "-n, --number" flag: want a number; see prog help do`},
		"dance":        {2, `"dance" is no command; there are do, version and help`},
		"version here": {2, `version takes no arguments, "here" is one`},
	} {
		cmd := &cobra.Command{Use: "do", RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "fail":
				return errors.New("failed \x1b[31m")
			case "status":
				return &StatusError{Status: 7}
			}
			return nil
		}}
		cmd.Flags().IntP("number", "n", 0, "")
		var out, says strings.Builder
		got := Run(Root("prog", "", "", cmd, Version()), strings.Fields(line), &out, &says, func(w io.Writer, err error) { fmt.Fprint(w, err) })
		if got != want.status || says.String() != want.says {
			t.Errorf("%q: status %d and %q, want %d and %q", line, got, &says, want.status, want.says)
		}
	}
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestLostOutput has commands print to a full device. Most ignore the result of Write, and their
// status was 0.
func TestLostOutput(t *testing.T) {
	t.Parallel()
	for line, status := range map[string]int{"version": 1, "help": 1, "say": 1, "say well": 1, "silent": 0} {
		say := &cobra.Command{Use: "say", RunE: func(cmd *cobra.Command, args []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "said")
			if len(args) > 0 {
				return nil
			}
			return err
		}}
		silent := &cobra.Command{Use: "silent", Run: func(*cobra.Command, []string) {}}
		var stderr strings.Builder
		got := Run(Root("prog", "", "", say, silent, Version()), strings.Fields(line), full{}, &stderr,
			func(w io.Writer, err error) { fmt.Fprintln(w, err) })
		said := ""
		if status != 0 {
			said = "standard output cannot be written: no space left\n"
		}
		if got != status || stderr.String() != said {
			t.Errorf("%s: status %d, %q; want %d, %q", line, got, stderr.String(), status, said)
		}
	}
}
