// Similar indexes documents and finds those most like a text or a document.
//
//	similar index SOURCE… -o IDX                read files, folders or Go packages into an index
//	similar add SOURCE… -o IDX                  add documents to an index
//	similar sync [SOURCE…] -o IDX               make an index equal to its sources
//	similar delete IDX ID…                      delete documents
//	similar copy IDX -o COPY                    copy an index, or bring a copy up to date
//	similar verify IDX                          read all of an index and compare its checksums
//	similar seal VERSION                        end a version whose shards similar index -shard wrote
//	similar compact VERSION -o OTHER            merge the shards of a version to fewer
//	similar gc VERSION                          remove what killed jobs left
//	similar query IDX words…                    find the documents most like some words, or that match a query
//	similar like IDX ID|FILE                    … like a document of the index, or a file
//	similar pairs IDX                           find for each document those nearest to it
//	similar duplicates IDX                      find groups of documents that are nearly the same
//	similar eval IDX -queries Q -qrels J        measure the answers by a test collection's judgements
//	similar serve IDX…                          show indexes as pages and a JSON API
//	similar table IDX… -o FILE                  write the statistics of a collection in several indexes
//	similar front -shards LIST                  show a collection that is in shards of several servers
//	similar version                             say which version this is
//
// An index is a folder. "similar help index" explains the flags of a command. The exit status is 1
// for a failure, 2 for a command line that makes no sense, and 3 if documents were read, and some were
// skipped or took the place of others.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/source"
	"github.com/gridstride/gridstride/similar/version"
	"github.com/spf13/cobra"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == readChild {
		source.ServeChild()
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// readChild is the hidden command that makes a process of this program one that reads documents.
const readChild = "read-child"

// child is this program as one that reads documents within bounds of time and memory.
func child() (*source.Child, error) {
	exe, err := os.Executable()
	return &source.Child{Args: []string{exe, readChild}}, err
}

// run runs one command line and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	return cli.Run(newRoot(), args, stdout, stderr, func(w io.Writer, err error) {
		fmt.Fprintf(w, "similar: %s\n", strings.TrimPrefix(strings.TrimSpace(err.Error()), "similar: "))
	})
}

func newRoot() *cobra.Command {
	return cli.Root("similar", "Find the documents most like a text or a document",
		"Similar indexes documents, and finds those most like a text or a document. It says why, and serves a page.",
		newIndex(), newAdd(), newSync(), newDelete(), newCopy(), newVerify(), newSeal(), newCompact(), newGC(), newTable(), newSchema(),
		newQuery(), newLike(), newPairs(), newDuplicates(), newEval(), newServe(), newFront(), cli.Version())
}

// open opens the index in a folder.
func open(ctx context.Context, dir string) (*similar.Index, error) {
	x, err := similar.Open(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no index; make one with: similar index SOURCE -o %s", dir, dir)
	}
	return x, err
}

// A collection is an open index or version.
type collection struct {
	*similar.Searcher
	generation similar.Generation
	Close      func() error
}

// openAny opens an index or a version.
func openAny(ctx context.Context, name string) (collection, error) {
	if !isVersion(name) {
		x, err := open(ctx, name)
		if err != nil {
			return collection{}, err
		}
		return collection{x.Searcher, x.Generation(), x.Close}, nil
	}
	place, err := placeOf(name)
	if err != nil {
		return collection{}, err
	}
	store, err := storeOf(place)
	if err != nil {
		return collection{}, err
	}
	v, err := version.Open(ctx, store, version.Options{})
	if errors.Is(err, version.ErrUnsealed) {
		err = fmt.Errorf("%w with: similar seal %s", err, name)
	}
	if err != nil {
		return collection{}, err
	}
	return collection{v.Searcher, similar.Generation{Number: 1, Stamp: v.Sum()}, v.Close}, nil
}
