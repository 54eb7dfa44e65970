package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/spf13/cobra"
)

const doctorHelp = `Doctor says which NVIDIA driver and GPUs this machine has, or why there is none
that can be used and what to do about it, and on which device programs run. It fails where
GRIDSTRIDE_DEVICE asks for a device that cannot be used.`

func newDoctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say which driver and GPUs there are, or why none",
		Long:  doctorHelp,
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			writeDiagnosis(cmd.OutOrStdout(), cuda.Diagnose())
			dev, err := gridstride.Open()
			if err != nil {
				return err
			}
			info := dev.Info()
			if err := dev.Close(); err != nil {
				return err
			}
			why, _, _ := strings.Cut(info.Why, ":") // the driver's part says the rest
			if os.Getenv("GRIDSTRIDE_DEVICE") != "" {
				why = info.Why
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "\nprograms run on: %s (%s)\n", info.Name, why)
			return err
		},
	}
}

// writeDiagnosis prints a diagnosis as a table of two columns.
func writeDiagnosis(w io.Writer, d cuda.Diagnosis) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer t.Flush()
	row := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	if d.Library == "" {
		row("driver", "none: its library could not be loaded")
		for i, path := range d.Tried {
			row([]string{"  looked for", ""}[min(i, 1)], "%s", path)
		}
	} else {
		takes := ""
		if d.PTX.Major > 0 {
			takes = fmt.Sprintf(", takes PTX up to %v", d.PTX)
		}
		row("driver", "CUDA %v%s (%s)", d.Version, takes, d.Library)
	}
	row("  in the kernel", "%s", orNone(d.Kernel))
	row("  device files", "%s", orNone(strings.Join(d.Nodes, ", ")))
	if d.PCI > 0 {
		row("  on the PCI bus", "%d", d.PCI)
	}
	if d.Container != "" {
		row("container", "%s", d.Container)
	}
	if len(d.Hidden) > 0 {
		row("environment", "%s", strings.Join(d.Hidden, ", "))
	}
	for i, g := range d.GPUs {
		writeGPU(row, i, g)
	}
	if d.Err != nil {
		row("no GPU", "%v", firstLine(d.Err))
		row("what to do", "%s", d.Advice)
	}
}

func writeGPU(row func(name, format string, args ...any), number int, g cuda.GPU) {
	row(fmt.Sprintf("cuda:%d", number), "%s", g.Name)
	row("  compute capability", "%s", g.Capability)
	row("  memory", "%.1f GiB, %d bits at %d MHz, ECC %s", float64(g.Memory)/(1<<30), g.BusBits, g.MemoryClockMHz,
		onOff(g.ECC))
	row("  multiprocessors", "%d at up to %d MHz", g.Multiprocessors, g.ClockMHz)
	if g.Err != nil {
		row("  not read", "%v", firstLine(g.Err))
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
