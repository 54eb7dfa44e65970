package main

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/tools/ptxpack"
	"github.com/gridstride/gridstride/internal/tour/link"
)

// tell prints a report, and the link that --share asks for.
func (c *checkJob) tell(r *report.Report, what []string) error {
	if err := c.print(r); err != nil || !c.share {
		return err
	}
	address, err := c.link(what[0])
	if err != nil {
		return fmt.Errorf("--share: %w", err)
	}
	out := c.out
	if c.format != "text" { // what reads the report reads no more
		out = c.err
	}
	_, err = fmt.Fprintf(out, "to run and watch it in the tour: %s\n", address)
	return err
}

// link is the address of a page of the tour with a PTX file and its launch.
func (c *checkJob) link(file string) (string, error) {
	if c.launch.shared > 0 {
		return "", fmt.Errorf("a link carries no --shared")
	}
	text, err := ptxpack.ReadFile(file)
	if err != nil {
		return "", err
	}
	config, err := launchConfig(c.launch.grid, c.launch.block, 0)
	if err != nil {
		return "", err
	}
	for _, a := range c.launch.args {
		if strings.Contains(a, ".npy") {
			return "", fmt.Errorf("--arg %s is a file, and a link carries none; want TYPE[N]=CONTENTS", a)
		}
	}
	return link.To(c.tour, link.Program{Text: text, Launch: link.Launch{
		Kernel: c.launch.entry, Grid: sizes(config.GridDim), Block: sizes(config.BlockDim), Args: c.launch.args,
	}})
}

// sizes are the sizes of a grid or a block. The zero Dim3 has none.
func sizes(d gridstride.Dim3) []int {
	switch {
	case d == gridstride.Dim3{}:
		return []int{}
	case d.Z > 1:
		return []int{d.X, d.Y, d.Z}
	case d.Y > 1:
		return []int{d.X, d.Y}
	}
	return []int{d.X}
}
