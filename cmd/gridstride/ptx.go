package main

import (
	"io"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/build"
	"github.com/gridstride/gridstride/internal/tools/ptxpack"
	"github.com/spf13/cobra"
)

const ptxHelp = `Ptx compiles a package and shows one of its kernels: each Go line as a comment, and
below it the PTX that it became. Below the line of a loop are the remarks about it, which gridstride
build -v prints: what was done to it, and what stood in the way. The package is named as for the go command; the default is the one
in the current folder. Of a generic kernel one instance is shown: Partial[float64], or Partial for
the first. The listing is PTX, which gridstride run takes. A package alone is answered with the names
of its kernels. A file of PTX, kernels_gen.ptx.zst, is shown as it is: gridstride build
compresses a PTX text of more than 64 KB.`

// isPTXFile reports whether an argument names a file of PTX, and no kernel.
func isPTXFile(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, abi.PackedSuffix), ".ptx")
}

func newPTX() *cobra.Command {
	var target string
	cmd := &cobra.Command{
		Use:     "ptx [package] Kernel | file.ptx.zst",
		Short:   "Show a kernel's Go lines and the PTX of each",
		Long:    ptxHelp,
		Example: "  gridstride ptx ./examples/dot 'Partial[float64]'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usagef("ptx takes a package and a kernel, or a kernel of the package in this folder; %d "+
					"arguments are given", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			pattern, kernel := ".", args[len(args)-1]
			if isPTXFile(kernel) && len(args) == 1 {
				text, err := ptxpack.ReadFile(kernel)
				if err == nil {
					_, err = io.WriteString(cmd.OutOrStdout(), text)
				}
				return err
			}
			name, _, _ := strings.Cut(kernel, "[")
			switch {
			case len(args) == 2:
				pattern = args[0]
			case strings.ContainsAny(name, "./"): // a package, and the kernel is missing
				pattern, kernel = kernel, ""
			}
			return build.List(cmd.Context(), cmd.OutOrStdout(), ".", pattern, kernel, target)
		},
	}
	cmd.Flags().StringVar(&target, "target", "",
		"show the PTX for this one of the kernel's `targets`, such as sm_90a (default the first)")
	return cmd
}
