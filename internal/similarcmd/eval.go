package similarcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/eval"
	"github.com/spf13/cobra"
)

const evalHelp = `Eval asks the queries of a test collection and scores the answers by its judgements. It reads
queries and judgements in the forms of TREC, BEIR and ir_datasets. It writes, for each query and in the
mean,

  map       average precision over the first 1000 documents
  ndcg@10   discounted gain of the first ten, with the grades as gains, by that of the best list
  P@10      relevant documents among the first 10, divided by 10; P@30 likewise
  recall    relevant documents found, divided by all

With -baseline and a file that -json wrote for the same queries, it also says for how many queries
each measure got better and worse, and how likely such a difference of the means is by chance: p, of
Fisher's randomisation test. It is common to take a difference for real where p is below 0.05.`

// evaluator is the work of the command.
type evaluator struct {
	queries, qrels string
	options        eval.Options
	feedback       feedback
	binary, asJSON bool
	baseline       string
}

func newEval(p *places) *cobra.Command {
	var job evaluator
	cmd := &cobra.Command{
		Use:   "eval IDX -queries Q.tsv -qrels QRELS",
		Short: "Measure the answers by a test collection's judgements",
		Long:  evalHelp,
		Example: `  similar eval idx -queries queries.tsv -qrels qrels.txt -json > before.json
  similar eval idx -queries queries.tsv -qrels qrels.txt -feedback rm3 -baseline before.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return cli.Usagef("eval takes one index")
			case job.queries == "" || job.qrels == "":
				return cli.Usagef("eval needs -queries and -qrels")
			case job.options.Depth < 1:
				return cli.Usagef("-depth %d: want 1 or more", job.options.Depth)
			}
			var err error
			job.options.Search.Feedback, err = job.feedback.value()
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := p.collection(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer x.Close()
			return job.run(cmd, x.Searcher)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&job.queries, "queries", "", "`file` of queries")
	flags.StringVar(&job.qrels, "qrels", "", "`file` of judgements")
	flags.IntVar(&job.options.Depth, "depth", 1000, "`number` of documents that are looked at for each query")
	job.feedback.add(cmd)
	flags.BoolVar(&job.binary, "binary", false, "take every grade above 0 as 1")
	flags.StringVar(&job.baseline, "baseline", "", "`file` that -json wrote before, to compare with")
	flags.BoolVar(&job.asJSON, "json", false, "write one JSON object")
	return cmd
}

func (job *evaluator) run(cmd *cobra.Command, x *similar.Searcher) error {
	queries, err := readFile(cmd.Context(), job.queries, eval.ReadQueries)
	if err != nil {
		return err
	}
	qrels, err := readFile(cmd.Context(), job.qrels, eval.ReadQrels)
	if err != nil {
		return err
	}
	if job.binary {
		qrels = qrels.Binary()
	}
	var before *eval.Report
	if job.baseline != "" {
		if before, err = readFile(cmd.Context(), job.baseline, readReport); err != nil {
			return err
		}
	}
	r, err := eval.Run(cmd.Context(), x, queries, qrels, job.options)
	if err != nil {
		return err
	}
	var differences []eval.Difference
	if before != nil {
		if differences, err = eval.Compare(cmd.Context(), before, r); err != nil {
			return fmt.Errorf("%s: %w", job.baseline, err)
		}
	}
	if job.asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
			*eval.Report
			Comparison []eval.Difference `json:"comparison,omitempty"`
		}{r, differences})
	}
	if err := writeReport(cmd.OutOrStdout(), r); err != nil {
		return err
	}
	return writeDifferences(cmd.OutOrStdout(), differences)
}

// readReport reads what -json wrote.
func readReport(r io.Reader) (*eval.Report, error) {
	var report eval.Report
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return nil, fmt.Errorf("not what similar eval -json writes: %w", err)
	}
	return &report, nil
}

// writeDifferences writes a table of how measures differ from the baseline's.
func writeDifferences(w io.Writer, differences []eval.Difference) error {
	if len(differences) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%-8s %8s %8s %8s %7s %7s %8s\n", "", "before", "now", "change", "better", "worse", "p")
	for _, d := range differences {
		if err == nil {
			_, err = fmt.Fprintf(w, "%-8s %8.4f %8.4f %+8.4f %7d %7d %8.5f\n", d.Measure, d.Baseline, d.Mean, d.Mean-d.Baseline, d.Better, d.Worse, d.P)
		}
	}
	return err
}

// readFile reads a file, and names it in its error. It ends with the context, even if the file is a
// pipe to which nobody writes.
func readFile[T any](ctx context.Context, name string, read func(io.Reader) (T, error)) (v T, err error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		f, err := os.Open(name)
		if err != nil {
			done <- result{err: err}
			return
		}
		defer f.Close()
		v, err := read(f)
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		return v, ctx.Err()
	}
}

// writeReport writes a table of the queries, and the means.
func writeReport(w io.Writer, r *eval.Report) error {
	line := func(name string, m eval.Measures) error {
		_, err := fmt.Fprintf(w, "%-12s %7.4f %7.4f %7.4f %7.4f %7.4f\n", name, m.MAP, m.NDCG10, m.P10, m.P30, m.Recall)
		return err
	}
	if _, err := fmt.Fprintf(w, "%-12s %7s %7s %7s %7s %7s\n", "query", "map", "ndcg@10", "P@10", "P@30", "recall"); err != nil {
		return err
	}
	for _, q := range r.Queries {
		if err := line(q.ID, q.Measures); err != nil {
			return err
		}
	}
	if err := line("all", r.Measures); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d queries judged, %d without a judgement; %d judged that were not asked\n", r.Judged, r.Unjudged, r.Unasked)
	return err
}
