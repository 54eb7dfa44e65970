package main

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/build"
	"github.com/gridstride/gridstride/internal/compile"
	"github.com/spf13/cobra"
)

const buildHelp = `Build compiles the kernels of packages, functions marked //gpu:kernel, and writes
two files beside them: kernels_gen.ptx, and kernels_gen.go with a typed launcher for each kernel.
The kernels that ask for a target (target=sm_90a) are in a PTX file of its own,
kernels_gen_sm_90a.ptx. Files that would not change are not touched, and those of which no kernel is
left are removed.

Packages are named as for the go command; the default is the package in the current folder. Packages
without kernels are passed over. When anything is wrong, every error of every package is printed,
and nothing is written.`

func newBuild() *cobra.Command {
	var check, verify, verbose bool
	cmd := &cobra.Command{
		Use:   "build [-check] [-verify] [-v] [packages]",
		Short: "Compile the kernels of packages to PTX and launchers",
		Long:  buildHelp,
		RunE: func(cmd *cobra.Command, patterns []string) error {
			packages, err := build.Packages(cmd.Context(), ".", compile.Options{Verify: verify}, patterns...)
			if err != nil {
				return err
			}
			for _, p := range packages {
				for _, note := range p.Notes {
					if verbose {
						fmt.Fprintf(cmd.OutOrStdout(), "%v: %s: %s\n", note.Pos, note.Kernel, note.Text)
					}
				}
			}
			if check {
				return checkFresh(packages)
			}
			for _, p := range packages {
				written, err := p.Write()
				if err != nil {
					return err
				}
				if verbose {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", p.Path, changes(written))
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing, and fail where a generated file is stale")
	cmd.Flags().BoolVar(&verify, "verify", false, "check the compiler's own work after every pass, which takes longer")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print what was compiled, and what in it costs time")
	return cmd
}

// checkFresh is an error that names all stale files.
func checkFresh(packages []*build.Package) error {
	var stale []string
	for _, p := range packages {
		names, err := p.Stale()
		if err != nil {
			return err
		}
		stale = append(stale, names...)
	}
	if len(stale) > 0 {
		return fmt.Errorf("stale, run gridstride build: %s", strings.Join(stale, ", "))
	}
	return nil
}

func changes(written []string) string {
	if len(written) == 0 {
		return "up to date"
	}
	return "wrote " + strings.Join(written, ", ")
}
