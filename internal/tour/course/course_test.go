package course

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/gridstride/gridstride/internal/tour/lab"
)

var counted = flag.Bool("counted", false, "print the counts of the solutions, for new limits")

// TestOwn checks the tour's own exercises: their solutions pass, and what one begins with does not.
func TestOwn(t *testing.T) {
	t.Parallel()
	list, err := Own()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 24 {
		t.Errorf("there are %d exercises, want 24 at least", len(list))
	}
	for _, x := range list {
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			l := lab.New(os.DirFS("../../.."))
			if err := x.Check(t.Context(), l); err != nil {
				t.Error(err)
			}
			if *counted {
				for _, g := range []*lab.Grade{l.Grade(t.Context(), &x.Course, x.Start), l.Grade(t.Context(), &x.Course, x.Solution)} {
					for _, c := range g.Counted {
						fmt.Println("counted", x.Name, c.Count, c.Got)
					}
				}
			}
		})
	}
}
