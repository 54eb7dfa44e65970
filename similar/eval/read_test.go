package eval_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/eval"
)

// TestTopicsInProportion doubles a topic: what is allocated doubles.
func TestTopicsInProportion(t *testing.T) {
	read := func(n int) uint64 {
		text := "<top>\n<num> 1\n<title> x\n" + strings.Repeat("yy\n", n/10) + "<desc>\n" + strings.Repeat("abcdefghi\n", n) + "</top>\n"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		queries, err := eval.ReadQueries(strings.NewReader(text))
		runtime.ReadMemStats(&after)
		if err != nil || len(queries) != 1 || !strings.HasPrefix(queries[0].Text, "x yy") {
			t.Fatalf("got %d queries, %v", len(queries), err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	once, twice := read(20_000), read(40_000)
	if twice > 5*once/2+1<<20 {
		t.Errorf("a topic allocates %d bytes, and one that is twice as long %d", once, twice)
	}
}

func FuzzQueries(f *testing.F) {
	for _, s := range []string{"1\theap\n", "<top>\n<num> Number: 1\n<title> Topic: heap\n<desc> d\n</top>\n", "<top><num>1</num><title>a</title></top>", "<", "\ufeff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		queries, err := eval.ReadQueries(strings.NewReader(s))
		seen := map[string]bool{}
		for _, q := range queries {
			if err != nil || q.ID == "" || seen[q.ID] || strings.ToValidUTF8(q.ID+q.Text, "") != q.ID+q.Text {
				t.Errorf("got %q, %v", q, err)
			}
			seen[q.ID] = true
		}
	})
}

func FuzzQrels(f *testing.F) {
	for _, s := range []string{"1 0 a 1\n", "1\t0\ta b\t-9223372036854775808\n", "1 0 a 9223372036854775807\n", "\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := eval.ReadQrels(strings.NewReader(s))
		if (q == nil) != (err != nil) {
			t.Errorf("got %v, %v", q, err)
		}
		for _, grades := range q.Binary() {
			for id, grade := range grades {
				if grade < 0 || grade > 1 {
					t.Errorf("%q has grade %d", id, grade)
				}
			}
		}
	})
}
