package similarcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar/version"
	"github.com/spf13/cobra"
)

// mostPointer is the most bytes of a file that names a version.
const mostPointer = 4096

// placeOf returns the place that the name of a version leads to: a folder, which may be behind a
// link, or what the first line of a file names, by a URL or a path from the file's folder.
func placeOf(name string) (string, error) {
	if strings.Contains(name, "://") {
		return name, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return filepath.EvalSymlinks(name)
	}
	if !info.Mode().IsRegular() || info.Size() > mostPointer {
		return "", fmt.Errorf("%s is no version, and no file that names one", name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	line = strings.TrimSpace(line)
	switch {
	case line == "" || len(text) > mostPointer || !plainLine(line):
		return "", fmt.Errorf("%s names no version; its first line is to be the path of one", name)
	case strings.Contains(line, "://") || filepath.IsAbs(line):
		return line, nil
	}
	return filepath.Join(filepath.Dir(name), filepath.FromSlash(line)), nil
}

// plainLine reports whether a line has nothing that no path has.
func plainLine(line string) bool {
	return utf8.ValidString(line) && !strings.ContainsFunc(line, unicode.IsControl)
}

// isVersion reports whether a name leads to a version: a URL, or a folder with a version's manifest or
// with shards.
func isVersion(name string) bool {
	if strings.Contains(name, "://") {
		return true
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		place, err := placeOf(name)
		if err != nil || strings.Contains(place, "://") {
			return err == nil
		}
		name = place
	}
	f, err := os.Open(filepath.Join(name, "manifest"))
	if err == nil {
		defer f.Close()
		first := make([]byte, 1)
		_, err := io.ReadFull(f, first)
		return err == nil && first[0] == '{'
	}
	shards, _ := filepath.Glob(filepath.Join(name, "shard-[0-9][0-9][0-9][0-9][0-9]")) // the pattern is right
	return len(shards) > 0
}

// shardOf is the value of a flag: shard I of N, as I/N.
type shardOf struct{ shard, of int }

func (s *shardOf) Type() string { return "I/N" }

func (s *shardOf) String() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.shard, s.of)
}

func (s *shardOf) Set(text string) error {
	var rest string
	n, _ := fmt.Sscanf(text, "%d/%d%s", &s.shard, &s.of, &rest) // it ends early
	if n != 2 || s.of < 1 || s.of > version.MaxShards || s.shard < 0 || s.shard >= s.of {
		return fmt.Errorf("want I/N, with I of 0 to N-1 and N up to %d, such as 3/64", version.MaxShards)
	}
	return nil
}

// oneVersion refuses all but one argument.
func oneVersion(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return cli.Usagef("%s takes a version", cmd.Name())
	}
	return nil
}

func newSeal(p *places) *cobra.Command {
	return &cobra.Command{
		Use:   "seal VERSION",
		Short: "End a version whose shards similar index -shard wrote",
		Long: `Seal checks that all shards of a version are there, and writes the statistics of all documents and
the manifest. From then on the version can be searched. Seal may run any number of times.`,
		Example: "  similar seal /data/papers-7",
		Args:    oneVersion,
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := p.store(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := errors.Join(version.Seal(cmd.Context(), store.Store), store.Close()); err != nil {
				return err
			}
			v, closeBoth, err := p.version(cmd.Context(), args[0], version.Options{Shards: []int{}})
			if err != nil {
				return err
			}
			defer closeBoth()
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s in %s\n", args[0], count.Of(int(v.Documents()), "document"), count.Of(v.Of(), "shard"))
			return err
		},
	}
}

func newCompact(p *places) *cobra.Command {
	var to string
	part := shardOf{0, 1}
	cmd := &cobra.Command{
		Use:   "compact VERSION -o OTHER",
		Short: "Merge the shards of a version to fewer",
		Long: `Compact merges the shards of a version that is sealed to one shard of another version, or with
-shard 3/8 those that belong to shard 3 of 8. The number divides the number of shards that there
are. The other version has the same bytes as if its shards had been indexed. Seal it then.`,
		Example: "  similar compact papers-7 -o papers-7-whole\n  similar seal papers-7-whole",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || to == "" {
				return cli.Usagef("compact takes a version, and -o with the other one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.compact(cmd.Context(), to, args[0], version.ShardOptions{Shard: part.shard, Of: part.of}); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: shard %d of %d\n", to, part.shard, part.of)
			return err
		},
	}
	cmd.Flags().StringVarP(&to, "output", "o", "", "the `version` to write")
	cmd.Flags().Var(&part, "shard", "the shard to write and how many there will be, as `I/N`")
	return cmd
}

// compact merges shards of a version to a shard of another one.
func (p *places) compact(ctx context.Context, to, from string, o version.ShardOptions) (err error) {
	source, err := p.store(ctx, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := p.store(ctx, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	cache, err := p.cacheOf(source)
	if err != nil {
		return err
	}
	return version.Compact(ctx, target.Store, source.Store, o, cache)
}

func newGC(p *places) *cobra.Command {
	var older time.Duration
	var broken, list bool
	cmd := &cobra.Command{
		Use:   "gc VERSION",
		Short: "Remove what killed jobs left in a version",
		Long: `Gc removes the files of a version that no manifest names and that are older than -older, and names
them. A job that runs has such files, too: -older must be longer than a job takes. Only files of
names that similar gives are removed. With -broken all of a version that was never sealed goes.`,
		Example: "  similar gc papers-7 -list\n  similar gc papers-7 -older 48h",
		Args:    oneVersion,
		RunE: func(cmd *cobra.Command, args []string) error {
			if older < 0 {
				return cli.Usagef("-older %v: want 0 or more", older)
			}
			store, err := p.store(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			err = collect(cmd.Context(), cmd.OutOrStdout(), args[0], store.Store, older, broken, list)
			return errors.Join(err, store.Close())
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&older, "older", 24*time.Hour, "the least `age` of a file that is removed")
	flags.BoolVar(&broken, "broken", false, "remove the shards of a version that was never sealed, too")
	flags.BoolVar(&list, "list", false, "name the files, and remove none")
	return cmd
}

// collect removes the garbage of a version, or lists it.
func collect(ctx context.Context, w io.Writer, name string, store version.Store, older time.Duration, broken, list bool) error {
	files, err := version.Garbage(ctx, store, older, broken)
	if err != nil {
		return err
	}
	if !list {
		if err := version.Remove(ctx, store, files); err != nil {
			return err
		}
	}
	bytes, did := int64(0), "removed"
	if list {
		did = "to remove"
	}
	for _, f := range files {
		bytes += f.Size
		if _, err := fmt.Fprintln(w, f.Name); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "%s: %s of %d bytes %s\n", name, count.Of(len(files), "file"), bytes, did)
	return err
}
