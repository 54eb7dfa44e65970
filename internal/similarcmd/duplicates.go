package similarcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gridstride/gridstride/internal/tools/atomicfile"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/duplicates"
	"github.com/spf13/cobra"
)

const duplicatesHelp = `Duplicates finds groups of documents that are nearly the same: a JSON list of ids a line, the groups
and the ids of each in order. Documents are compared by the sequences of five words (-words) that
title and text have. Two are connected if they share -threshold of all sequences that they have
together, and a group is all documents that connections lead to.

Not all are compared with all. Each document has 20 keys (-bands), of six values each (-rows), and
those that share a key are compared: of pairs at 0.7, 0.8 and 0.9 these are 92, 99.8 and
99.9999 %. More bands, or fewer rows, find more, and take longer.

-memory bounds what is sorted in memory. What is more goes to a temporary file in -tmp, of 240 bytes a
document. Apart from that, 12 bytes a document are in memory.

-part 3/20 finds the groups by a part of the keys, and -merge makes one list of the files of all
parts. A job may run any number of times, and writes the same bytes. The index must be the same:

  similar duplicates papers-7 -part 0/20 -o part-0.jsonl     and 19 more
  similar duplicates papers-7 -merge part-*.jsonl -o groups.jsonl`

// deduplicator is the work of the command.
type deduplicator struct {
	options duplicates.Options
	memory  byteSize
	part    shardOf
	out     string
	merge   bool
	places  *places

	name string

	stdout, stderr io.Writer
}

func newDuplicates(p *places) *cobra.Command {
	job := deduplicator{places: p}
	cmd := &cobra.Command{
		Use:     "duplicates IDX|VERSION",
		Short:   "Find groups of documents that are nearly the same, in a collection of any size",
		Long:    duplicatesHelp,
		Example: "  similar duplicates idx\n  similar duplicates idx -threshold 0.9 -o groups.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case job.merge && len(args) < 2:
				return cli.Usagef("duplicates -merge takes an index and the files of all parts")
			case job.merge && job.part.of > 0:
				return cli.Usagef("-merge is of all parts; -part is not for it")
			case !job.merge && len(args) != 1:
				return cli.Usagef("duplicates takes one index")
			case !(job.options.Threshold > 0 && job.options.Threshold <= 1):
				return cli.Usagef("-threshold %v: want more than 0, and 1 at most", job.options.Threshold)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			job.name, job.stdout, job.stderr = args[0], cmd.OutOrStdout(), cmd.ErrOrStderr()
			job.options.Memory = int64(job.memory)
			job.options.Part, job.options.Parts = job.part.shard, job.part.of
			return job.run(cmd.Context(), args[1:])
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&job.options.Threshold, "threshold", 0.8, "the least `similarity`, 0 to 1, of two documents that are connected")
	flags.IntVar(&job.options.MinHash.Words, "words", 5, "`number` of words of a sequence")
	flags.IntVar(&job.options.MinHash.Bands, "bands", 20, "`number` of keys of a document")
	flags.IntVar(&job.options.MinHash.Rows, "rows", 6, "`number` of values of a key")
	flags.Var(&job.memory, "memory", "`bytes` to sort in, such as 1GB (default 256MB)")
	flags.StringVar(&job.options.Dir, "tmp", "", "`folder` of the temporary file (default: the system's)")
	flags.StringVarP(&job.out, "output", "o", "", "`file` to write (default: standard output)")
	flags.Var(&job.part, "part", "the part of the keys to look at and how many parts there are, as `I/N`")
	flags.BoolVar(&job.merge, "merge", false, "make one list of the files of all parts")
	return cmd
}

// run finds the groups, or merges those in files, and writes them.
func (job *deduplicator) run(ctx context.Context, files []string) error {
	x, err := job.places.collection(ctx, job.name)
	if err != nil {
		return err
	}
	defer x.Close()
	list, err := x.List(ctx)
	if err != nil {
		return err
	}
	var groups *duplicates.Groups
	head := partHead{partWriter, x.generation, job.part.String(), job.options.Threshold, job.options.MinHash}
	if job.merge {
		p := parts{list: list, want: head}
		groups, err = duplicates.Merge(ctx, list.Len(), p.read(files), job.options)
	} else {
		groups, err = job.find(ctx, list)
	}
	if err != nil {
		return err
	}
	return job.write(ctx, list, groups, head)
}

// find finds the groups, and says what was not looked for.
func (job *deduplicator) find(ctx context.Context, list *similar.Listing) (*duplicates.Groups, error) {
	o := job.options
	if found := o.MinHash.Recall(o.Threshold); found < 0.9 && o.Parts < 2 {
		fmt.Fprintf(job.stderr, "similar: of pairs at -threshold %v, %.0f %% are found; more -bands, or fewer -rows, find more\n", o.Threshold, 100*found)
	}
	p := newProgress(job.stderr, "documents", int64(list.Len()))
	o.Read = func(n int) { p.add(n, int64(n)) }
	groups, err := duplicates.Find(ctx, list, o)
	p.end()
	if err == nil && groups.Cut > 0 {
		fmt.Fprintf(job.stderr, "similar: more than %[1]d documents share a key, %[2]d times: each of them was compared with the %[1]d before it\n", duplicates.Window, groups.Cut)
	}
	return groups, err
}

// write writes the groups to standard output, or as a whole file.
func (job *deduplicator) write(ctx context.Context, list *similar.Listing, groups *duplicates.Groups, head partHead) error {
	if job.out == "" {
		_, _, err := writeGroups(ctx, job.stdout, list, groups, head)
		return err
	}
	var n, documents int
	err := atomicfile.Stream(job.out, func(w io.Writer) (err error) {
		n, documents, err = writeGroups(ctx, w, list, groups, head)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(job.stdout, "%s: %s of %s, of %d\n", job.out, count.Of(n, "group"), count.Of(documents, "document"), list.Len())
	return err
}

// writeGroups writes a line for each group, and what a part begins and ends with.
func writeGroups(ctx context.Context, w io.Writer, list *similar.Listing, groups *duplicates.Groups, head partHead) (n, documents int, err error) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if head.Part != "" {
		if err := e.Encode(head); err != nil {
			return 0, 0, err
		}
	}
	n, documents, err = groups.Write(ctx, w, list.ID)
	if err == nil && head.Part != "" {
		err = e.Encode(partEnd{n})
	}
	return n, documents, err
}
