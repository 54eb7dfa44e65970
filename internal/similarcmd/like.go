package similarcmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/source"
	"github.com/spf13/cobra"
)

func newLike(p *places) *cobra.Command {
	var f finder
	var terms string
	cmd := &cobra.Command{
		Use:   "like IDX ID|FILE…",
		Short: "Find the documents most like some of the index, or files",
		Long: `Like finds the documents most like the named ones: documents of the index by their ids, and files,
which need not be in the index. - is a text from standard input. It searches for the terms that weigh
most in all of them together, 25 or as many as -terms says. It writes the same as query.`,
		Example: "  similar like idx container/heap\n  similar like idx draft.md notes.md\n  similar like idx - < ticket.txt",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cli.Usagef("like takes an index, and ids of documents or files")
			}
			var err error
			if f.terms, err = termsOf(terms); err != nil {
				return err
			}
			return f.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := p.collection(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer x.Close()
			q, err := likeQuery(cmd.Context(), x.Searcher, args[1:])
			if err != nil {
				return err
			}
			return f.find(cmd.Context(), cmd.OutOrStdout(), x.Searcher, q)
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&terms, "terms", "25", "use the `n` terms that weigh most, or all")
	return cmd
}

// termsOf reads a number of terms as similar.Query has it.
func termsOf(text string) (int, error) {
	if text == "all" {
		return -1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, cli.Usagef("-terms %s: want a number from 1 on, or all", text)
	}
	return n, nil
}

// likeQuery asks for what is like documents of the index and the first ones of files.
func likeQuery(ctx context.Context, x *similar.Searcher, names []string) (similar.Query, error) {
	var q similar.Query
	for _, name := range names {
		d, err := x.Document(name)
		switch {
		case err == nil:
			q.Like = append(q.Like, name)
		case !errors.Is(err, similar.ErrUnknown):
			return q, err
		default:
			if d, err = firstOf(ctx, name); err != nil {
				return q, err
			}
			q.Document = joined(q.Document, d)
		}
		if err := checkTerms(x, name, d); err != nil {
			return q, err
		}
	}
	return q, nil
}

// firstOf reads the first document of a file.
func firstOf(ctx context.Context, name string) (similar.Document, error) {
	reading, err := child()
	if err != nil {
		return similar.Document{}, err
	}
	o := source.Options{Strict: true, Stdin: stdin(ctx, []string{name}), Child: reading}
	for d, err := range source.Read(ctx, o, name) {
		if err != nil {
			return similar.Document{}, fmt.Errorf("%q is no document of the index, and no file that can be read: %w", name, err)
		}
		return d, nil
	}
	return similar.Document{}, fmt.Errorf("%q is no document of the index, and holds none", name)
}

// joined is a document with the texts of another one after its own. The other may be nil.
func joined(a *similar.Document, b similar.Document) *similar.Document {
	if a == nil {
		return &b
	}
	for _, text := range append([]string{b.Title, b.Text}, values(b.Fields)...) {
		a.Text += "\n\n" + text
	}
	return a
}
