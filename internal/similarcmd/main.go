// Package similarcmd is the command similar, for programs that know different stores: cmd/similar has
// folders alone, and the module similar/cloud the object stores of clouds.
package similarcmd

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
	"github.com/spf13/cobra"
)

// Main runs the command line of the process, and ends it. Versions lie in folders and in the stores
// of the schemes.
func Main(schemes Schemes) {
	if len(os.Args) == 2 && os.Args[1] == readChild {
		source.ServeChild()
	}
	os.Exit(run(schemes, os.Args[1:], os.Stdout, os.Stderr))
}

// readChild is the hidden command that makes a process of this program one that reads documents.
const readChild = "read-child"

// child is this program as one that reads documents within bounds of time and memory.
func child() (*source.Child, error) {
	exe, err := os.Executable()
	return &source.Child{Args: []string{exe, readChild}}, err
}

// run runs one command line and returns the exit status.
func run(schemes Schemes, args []string, stdout, stderr io.Writer) int {
	return cli.Run(newRoot(schemes), args, stdout, stderr, func(w io.Writer, err error) {
		fmt.Fprintf(w, "similar: %s\n", strings.TrimPrefix(strings.TrimSpace(err.Error()), "similar: "))
	})
}

func newRoot(schemes Schemes) *cobra.Command {
	p := &places{schemes: schemes}
	root := cli.Root("similar", "Find the documents most like a text or a document",
		"Similar indexes documents, and finds those most like a text or a document. It says why, and serves a page.",
		newIndex(p), newAdd(), newSync(), newDelete(), newCopy(), newVerify(p), newSeal(p), newCompact(p), newGC(p), newTable(), newSchema(),
		newQuery(p), newLike(p), newPairs(p), newDuplicates(p), newEval(p), newServe(p), newFront(), cli.Version())
	p.flags(root.PersistentFlags())
	return root
}

// open opens the index in a folder.
func open(ctx context.Context, dir string) (*similar.Index, error) {
	x, err := similar.Open(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no index; make one with: similar index SOURCE -o %s", dir, dir)
	}
	return x, err
}
