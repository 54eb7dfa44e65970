package similarcmd

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"path/filepath"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/gpusimilar"
	"github.com/spf13/cobra"
)

const pairsHelp = `Pairs finds for each document its nearest documents, in the order of the ids. The ending of -o says
the form:

  .jsonl   an object a document: {"id", "nearest": [{"id", "score", "similarity"}]}; without -o, too
  .csv     a row a pair: id, rank, neighbor, score, similarity
  .npz     NumPy arrays of pairs: row, column, score and similarity. Rows and columns are places in
           a list of ids: id i is bytes ids[offsets[i]:offsets[i+1]], in UTF-8. All is made in
           memory, and written at the end

A similarity is the score over that of the document itself: about 1 for a copy.

While a .jsonl or .csv file is written, a second file whose name ends in .resume says how much of it
is there. After an interrupt or a crash, -resume goes on. It needs the same index and options, and
refuses a file that it did not write.

-part 3/64 writes the pairs of one of 64 ranges of the ids, 0 to 63, with all documents as neighbours.
The ranges have about the same work. As long as the documents are the same, the files of all parts one
after the other have the bytes of the file without -part: cat part0.csv part1.csv … > pairs.csv

-device cuda searches on a GPU, and -device sim on a simulated one, a segment or a shard of a version at
a time, and writes the same bytes, also in parts and after an interrupt. -n is 127 at most then, and an
index with vectors is refused.

-groups finds groups of near-duplicates instead, documents that similarities above the threshold
connect: a JSON list of ids a line.`

// pairer is the work of the command.
type pairer struct {
	options        similar.PairOptions
	out            string
	resume, groups bool
	part           shardOf
	device         string

	stdout, stderr io.Writer
}

func newPairs(p *places) *cobra.Command {
	var job pairer
	cmd := &cobra.Command{
		Use:     "pairs IDX",
		Short:   "Find for each document those nearest to it, or groups of near-duplicates",
		Long:    pairsHelp,
		Example: "  similar pairs idx -n 5 -o pairs.csv\n  similar pairs idx -groups -threshold 0.8",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("pairs takes one index")
			}
			return job.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := p.collection(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer x.Close()
			job.stdout, job.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			job.options.Part, job.options.Parts = job.part.shard, job.part.of
			if job.groups {
				return job.writeGroups(cmd.Context(), x.Searcher)
			}
			return job.run(cmd.Context(), x)
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&job.options.K, "neighbors", "n", 10, "`number` of neighbours of a document at most")
	flags.Float64Var(&job.options.Threshold, "threshold", 0, "only pairs of more than this `similarity`, 0 to 1; 0.8 for groups where not given")
	flags.StringVarP(&job.out, "output", "o", "", "`file` to write: .jsonl, .csv or .npz (default: JSON lines to standard output)")
	flags.BoolVar(&job.resume, "resume", false, "go on with the file that an interrupt left")
	flags.Var(&job.part, "part", "the part of the pairs to find and how many parts there are, as `I/N`")
	flags.StringVar(&job.device, "device", "", "`device` to search on: cuda, cuda:1 or sim (default: the processor)")
	flags.BoolVar(&job.groups, "groups", false, "find groups of near-duplicates")
	return cmd
}

// check says what is wrong with the flags.
func (job *pairer) check() error {
	form := filepath.Ext(job.out)
	switch {
	case job.options.K < 1:
		return cli.Usagef("-n %d: want 1 or more", job.options.K)
	case !(job.options.Threshold >= 0) || math.IsInf(job.options.Threshold, 0):
		return cli.Usagef("-threshold %v: want a number that is not negative", job.options.Threshold)
	case job.out != "" && form != ".jsonl" && form != ".csv" && form != ".npz":
		return cli.Usagef("-o %s: want a name that ends in .jsonl, .csv or .npz", job.out)
	case job.groups && (job.out != "" || job.resume):
		return cli.Usagef("-groups writes to standard output; -o and -resume are not for it")
	case job.part.of > 0 && job.groups:
		return cli.Usagef("-groups are of all documents; similar duplicates has parts")
	case job.part.of > 0 && form == ".npz":
		return cli.Usagef("-part needs -o with a .jsonl or .csv file, as the arrays of the parts do not make the array of all pairs")
	case job.device != "" && job.groups:
		return cli.Usagef("-groups are found by the processor alone; leave -device out")
	case job.device != "" && job.options.K >= gpusimilar.MaxK:
		return cli.Usagef("-n %d: a device finds up to %d neighbours", job.options.K, gpusimilar.MaxK-1)
	case job.resume && (job.out == "" || form == ".npz"):
		return cli.Usagef("-resume needs -o with the .jsonl or .csv file that is to be gone on with")
	}
	return nil
}

// run writes the neighbours of all documents.
func (job *pairer) run(ctx context.Context, x collection) (err error) {
	w, after, err := job.create(x.generation)
	if err != nil {
		return err
	}
	defer func() { // what fails in writing is said again in closing
		if closed := w.close(err == nil); err == nil {
			err = closed
		}
	}()
	o := job.options
	o.After = after
	all := int64(x.Len())
	if job.part.of > 1 {
		all = 0 // how many documents a part has is not known before
	}
	p := newProgress(job.stderr, "documents", all)
	defer p.end()
	pairs, done, err := job.pairs(ctx, x.Searcher, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	for n, err := range pairs {
		if err != nil {
			return err
		}
		if err := w.write(n); err != nil {
			return err
		}
		p.add(1, 1)
	}
	return nil
}

// pairs are the pairs, found by the processor or by a device.
func (job *pairer) pairs(ctx context.Context, x *similar.Searcher, o similar.PairOptions) (pairs iter.Seq2[similar.Neighbors, error], done func() error, err error) {
	if job.device == "" {
		return x.Pairs(ctx, o), func() error { return nil }, nil
	}
	dev, err := gridstride.Open(gridstride.Use(job.device))
	if err != nil {
		return nil, nil, err
	}
	h, err := gpusimilar.New(dev.Stream())
	if err != nil {
		return nil, nil, errors.Join(err, dev.Close())
	}
	return gpusimilar.Pairs(ctx, h, x, o), func() error { return errors.Join(h.Close(), dev.Close()) }, nil
}

// create opens what is written, and says after which document it goes on.
func (job *pairer) create(g similar.Generation) (w pairWriter, after string, err error) {
	switch filepath.Ext(job.out) {
	case "":
		return &stream{form: newLines(job.stdout)}, "", nil
	case ".npz":
		w, err = newArrays(job.out)
		return w, "", err
	}
	at := checkpoint{Writer: checkpointWriter, Generation: g, K: job.options.K, Threshold: job.options.Threshold, Part: job.part.String()}
	open := begin
	if job.resume {
		open = resume
	}
	file, err := open(job.out, at)
	if err != nil {
		return nil, "", err
	}
	s, err := newStream(file, file.at.Bytes == 0 && job.part.shard == 0)
	return s, string(file.at.After), err
}

// writeGroups writes the groups of near-duplicates.
func (job *pairer) writeGroups(ctx context.Context, x *similar.Searcher) error {
	threshold := job.options.Threshold
	if threshold == 0 {
		threshold = 0.8
	}
	groups, err := x.Groups(ctx, threshold)
	if err != nil {
		return err
	}
	w := newLines(job.stdout)
	for _, g := range groups {
		if err := w.encoder.Encode(g); err != nil {
			return err
		}
	}
	return w.flush()
}
