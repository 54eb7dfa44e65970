package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/library/npy"
	"github.com/gridstride/gridstride/internal/machine/argspec"
	"github.com/gridstride/gridstride/internal/machine/runptx"
	"github.com/gridstride/gridstride/internal/tools/atomicfile"
	"github.com/gridstride/gridstride/internal/tools/ptxpack"
	"github.com/spf13/cobra"
)

// launchFlags say how a kernel of a PTX file is launched.
type launchFlags struct {
	entry, grid, block string
	shared             int
	args               []string
	sources            []string // where its source files may be
	dir                string   // where names that are not absolute are looked up; "" the working folder
}

// register adds the flags of a launch.
func (l *launchFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&l.entry, "entry", "", "`name` of the kernel in a PTX file; not needed if it has only one")
	flags.StringVar(&l.grid, "grid", "1", "`size` of the grid in blocks: N, NxM or NxMxK")
	flags.StringVar(&l.block, "block", "",
		"`size` of a block in threads: N, NxM or NxMxK; not needed where the kernel fixes it")
	flags.IntVar(&l.shared, "shared", 0, "dynamic shared memory of a block in `bytes`")
	flags.StringArrayVar(&l.args, "arg", nil, "an `argument` of the kernel; once for each, in order")
}

// registerSources adds the flag of those who quote source lines.
func (l *launchFlags) registerSources(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&l.sources, "sources", nil,
		"another `folder` with source files of a PTX file, whose lines may be quoted")
}

// refuse is the error of flags on a command line without a PTX file.
func (l *launchFlags) refuse(cmd *cobra.Command) error {
	for _, name := range []string{"entry", "grid", "block", "shared", "arg", "sources"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s is for a PTX file", name)
		}
	}
	return nil
}

// finder finds the sources of a PTX file. The file may name any, but only those in its own folder,
// in the module at hand and where --sources says are opened.
func (l *launchFlags) finder(file string) *sourcetext.Finder {
	dirs := []string{filepath.Dir(l.path(file))}
	for _, dir := range l.sources {
		dirs = append(dirs, l.path(dir))
	}
	return sourcetext.New(dirs...).InModule(l.path("."))
}

// path is a file or folder that somebody names.
func (l *launchFlags) path(name string) string {
	if l.dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.dir, name)
}

func launchConfig(grid, block string, shared int) (gridstride.Config, error) {
	config := gridstride.Config{SharedBytes: shared}
	if shared < 0 {
		return config, usagef("--shared %d: must not be negative", shared)
	}
	var err error
	if config.GridDim, err = parseDim("--grid", grid); err != nil {
		return config, err
	}
	if block != "" {
		config.BlockDim, err = parseDim("--block", block)
	}
	return config, err
}

// parseDim reads "4", "16x16" or "8x8x4".
func parseDim(flag, text string) (gridstride.Dim3, error) {
	sizes := [3]int{1, 1, 1}
	parts := strings.Split(text, "x")
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || i >= len(sizes) {
			return gridstride.Dim3{}, usagef("%s %s: want N, NxM or NxMxK", flag, text)
		}
		if n < 1 {
			return gridstride.Dim3{}, usagef("%s %s: every size must be at least 1", flag, text)
		}
		sizes[i] = n
	}
	return gridstride.Dim3{X: sizes[0], Y: sizes[1], Z: sizes[2]}, nil
}

// job is the launch of a kernel of a PTX file, with what --out says.
func (l *launchFlags) job(file string, outs []string) (*runptx.Job, error) {
	job, err := l.jobOf(file, l.entry, outs)
	if err != nil {
		return nil, err
	}
	job.PTX, err = ptxpack.ReadFile(l.path(file))
	return job, err
}

// jobOf is a launch without its PTX.
func (l *launchFlags) jobOf(name, entry string, outs []string) (*runptx.Job, error) {
	job := &runptx.Job{Name: name, Entry: entry, Save: npy.WriteFile}
	for _, dir := range l.sources {
		if info, err := os.Stat(l.path(dir)); err != nil || !info.IsDir() {
			return nil, usagef("--sources %s: there is no such folder", dir)
		}
	}
	var err error
	if job.Config, err = launchConfig(l.grid, l.block, l.shared); err != nil {
		return nil, err
	}
	read := func(name string) (*npy.Array, error) { return npy.ReadFile(l.path(name)) }
	return job, parseArgs(job, l.args, outs, read)
}

// parseArgs reads what --arg and --out say.
func parseArgs(job *runptx.Job, args, outs []string, read argspec.Files) error {
	for _, text := range args {
		arg, err := argspec.Parse(text, read)
		if err != nil {
			return fmt.Errorf("--arg %s: %w", text, err)
		}
		job.Args = append(job.Args, arg)
	}
	for _, text := range outs {
		out, err := argspec.ParseOut(text, job.Args)
		if err != nil {
			return fmt.Errorf("--out %s: %w", text, err)
		}
		if err := checkOut(out, job.Outs); err != nil {
			return fmt.Errorf("--out %s: %w", text, err)
		}
		job.Outs = append(job.Outs, out)
	}
	return nil
}

// checkOut refuses a file that could not be written after all the work, or that another --out would
// write over.
func checkOut(out argspec.Out, others []argspec.Out) error {
	if out.File == "" {
		return nil
	}
	for _, o := range others {
		if filepath.Clean(o.File) == filepath.Clean(out.File) {
			return fmt.Errorf("--out %d:%s writes the same file", o.Arg, o.File)
		}
	}
	return atomicfile.Ready(out.File)
}
