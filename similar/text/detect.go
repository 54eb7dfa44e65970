package text

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// LanguageNamed returns the name of a language, given the name or the code of two letters of ISO
// 639-1: "german" of "de".
func LanguageNamed(s string) (string, error) {
	i := slices.IndexFunc(languages, func(l language) bool { return s != "" && (l.name == s || l.code == s) })
	if i < 0 {
		var codes []string
		for _, l := range languages {
			if l.code != "" {
				codes = append(codes, l.code)
			}
		}
		return "", fmt.Errorf("text: unknown language %q; want one of %s, or of %s", s, strings.Join(codes, ", "), strings.Join(Languages(), ", "))
	}
	return languages[i].name, nil
}

// Detectable returns the names of the languages that Detect tells from each other, sorted: those with
// a stop list.
func Detectable() []string {
	var names []string
	for _, l := range languages {
		if l.list != "" && l.code != "" {
			names = append(names, l.name)
		}
	}
	return names
}

const (
	detectBytes = 4 << 10 // of texts that Detect looks at
	leastVotes  = 2       // stop words of a language that is found
)

// Detect returns the name of the language that texts are written in, and "" if it cannot say. The
// stop words of the first 4 KiB vote: one for each language that has it, in equal shares, so that a
// word of one language alone counts most (Grefenstette, Comparing two language identification
// schemes, JADT 1995, compares such votes with trigrams). A language needs two of them, and more of
// the votes than any other.
func Detect(texts iter.Seq[string]) string {
	votes, words := make([]int, len(languages)), make([]int, len(languages))
	lists, left := stopLanguages(), detectBytes
	for s := range texts {
		if left == 0 {
			break
		}
		s = s[:min(left, len(s))]
		left -= len(s)
		for w := range segments(s) {
			of := lists[strings.ToLower(s[w.start:w.end])]
			for _, i := range of {
				votes[i] += wholeVote / len(of)
				words[i]++
			}
		}
	}
	best, tied := 0, false
	for i, n := range votes {
		if n > votes[best] {
			best, tied = i, false
		} else if i != best && n == votes[best] {
			tied = true
		}
	}
	if tied || words[best] < leastVotes {
		return ""
	}
	return languages[best].name
}

// wholeVote is divisible by all numbers of languages, up to 14, that share a word.
const wholeVote = 360360

// stopLanguages returns the languages of each stop word.
var stopLanguages = sync.OnceValue(func() map[string][]int {
	lists := map[string][]int{}
	for i, l := range languages {
		if l.list == "" || l.code == "" {
			continue
		}
		for _, w := range l.stopWords() {
			lists[w] = append(lists[w], i)
		}
	}
	return lists
})
