package similar

import (
	"errors"
	"fmt"
	"testing"
)

// TestWordLists remembers words up to its bound, and no error.
func TestWordLists(t *testing.T) {
	t.Parallel()
	var l wordLists
	found := 0
	find := func() ([]Word, error) {
		found++
		return []Word{{"iterator", found}}, nil
	}
	broken := errors.New("broken")
	if _, err := l.of("iter", func() ([]Word, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Fatalf("the error of the search is %v, want %v", err, broken)
	}
	for range 3 {
		if words, err := l.of("iter", find); err != nil || len(words) != 1 || words[0].Count != 1 {
			t.Fatalf("the words are %v, %v; want those found first", words, err)
		}
	}
	for i := range 3 * maxWordLists {
		if _, err := l.of(fmt.Sprint(i), find); err != nil || len(l.list) > maxWordLists {
			t.Fatalf("the words of %d terms are remembered, %v; want %d at most", len(l.list), err, maxWordLists)
		}
	}
	if found != 1+3*maxWordLists {
		t.Errorf("words were looked for %d times, want %d", found, 1+3*maxWordLists)
	}
}
