// Gridstride compiles kernels written in Go to PTX, and runs PTX.
//
//	gridstride build [-check] [-v] [packages]   write kernels_gen.go and kernels_gen.ptx next to the kernels
//	gridstride ptx [package] Kernel             show a kernel's Go lines and the PTX of each
//	gridstride run file.ptx [flags]             run a kernel of a PTX file, from whichever compiler
//	gridstride check [packages]                 find races, bad accesses, divergent barriers in what tests launch
//	gridstride check file.ptx [flags]           … and in a kernel of a PTX file
//	gridstride check -- program                 … and in the kernels of any program that uses CUDA
//	gridstride profile [packages]               count what the kernels do that tests launch, by source line
//	gridstride profile file.ptx [flags]         … and a kernel of a PTX file
//	gridstride profile -- program               … and the kernels that a program launches
//	gridstride tune [packages]                  choose the constants of kernels by measurement
//	gridstride debug file.ptx [flags]           step a kernel forth and back
//	gridstride debug [package] Kernel [flags]   … of a package, with the names of its variables
//	gridstride dap                              … in an editor that speaks the Debug Adapter Protocol
//	gridstride tour                             write, run and watch kernels in a browser
//	gridstride vet [packages]                   find mistakes in kernels without running them
//	gridstride bench dot|reduce|matmul|…        time the variants of a kernel side by side
//	gridstride metric NAME a.npy [b.npy]        compute how far apart the vectors in NumPy files are
//	gridstride doctor                           say which driver and GPUs there are, or why none
//	gridstride version                          say which version this is
//
// "gridstride help run" explains the flags of a command. The exit status is 1 for a failure and 2
// for a command line that makes no sense. The status of check is 1 for findings and 2 if it could
// not decide. The status of profile is 2 also after an interruption.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/spf13/cobra"
)

func main() {
	if isVetTool(os.Args[1:]) {
		vetTool()
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs one command line and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	return cli.Run(newRoot(), args, stdout, stderr, printError)
}

func newRoot() *cobra.Command {
	return cli.Root("gridstride", "CUDA kernels in plain Go",
		"Gridstride compiles kernels written in Go to PTX, and runs PTX on a simulator or a GPU.",
		newBuild(), newPTX(), newRun(), newCheck(), newProfile(), newTune(), newDebug(), newDAP(), newTour(), newVet(), newBench(), newMetric(), newDoctor(), cli.Version())
}

func usagef(format string, args ...any) error { return cli.Usagef(format, args...) }

// printError prints an error for people. Errors in source code are printed as the go command prints
// them, one a line, so that editors find the positions.
func printError(w io.Writer, err error) {
	if list, ok := errors.AsType[compile.ErrorList](err); ok {
		fmt.Fprintln(w, list)
		return
	}
	fmt.Fprintf(w, "gridstride: %s\n", strings.TrimSpace(err.Error()))
	if errors.Is(err, gridstride.ErrTimeLimit) {
		fmt.Fprintln(w, "a longer time is set with --timeout")
	}
}
