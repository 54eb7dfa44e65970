package english

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// phrase is a turn of phrase and what to write in its place.
type phrase struct {
	match  *regexp.Regexp
	unless string // beginnings, apart by |, of the words after it that make it harmless
	write  string
}

// phrases are fifteen of them. The sixteenth is a semicolon in place of another sentence.
var phrases = []phrase{
	{start(`so (?:many|much)\b`), "that|as|more|less|better", "the number: n arrivals, k bytes"},
	{start(`(?:is|are|was|were) what\b`), "", "the subject first, then the verb"},
	{start(`(?:^|[.:,] )what (?:is|are|was|has|had|they|it|a|an|the)\b`), "", "the name of the thing: the bytes that"},
	{start(`(?:those|that) of\b`), "", "the noun again: the rows of B"},
	{start(`of which\b`), "", "whose, or another sentence"},
	{start(`but for\b`), "", "except, or without"},
	{start(`(?:lies|lie)\b`), "on|about", "is at, is in"},
	{start(`stands?\b`), "for|alone|out", "is, is in, remains"},
	{start(`behind\b`), "", "after"},
	{start(`beside\b`), "", "next to, compared with"},
	{start(`where (?:it|they|there)\b`), "", "if, when"},
	{start(`(?:is|are) (?:left|held|taken|kept|asked|put)\b`), "", "an active verb with its subject"},
	{start(`comes? (?:of|behind|from|before|after)\b`), "", "follows, is caused by"},
	{start(`as \w+(?: \w+)? has (?:it|them)\b`), "", "as in, like"},
	{start(`of (?:its|their|his) own\b`), "", "its own"},
}

func start(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }

// find calls yield with the place of each phrase in a text. A phrase inside a word is none.
func (p *phrase) find(text string, yield func(from, to int)) {
	for _, at := range p.match.FindAllStringIndex(text, -1) {
		first, _ := utf8.DecodeRuneInString(text[at[0]:])
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		if at[0] > 0 && inWord(first) && inWord(before) {
			continue
		}
		if !p.harmless(text[at[1]:]) {
			yield(at[0], at[1])
		}
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '\'' }

// harmless reports whether the text after a phrase makes it another one, as in "so much that".
func (p *phrase) harmless(after string) bool {
	for word := range strings.SplitSeq(p.unless, "|") {
		if word != "" && strings.HasPrefix(after, " "+word) {
			return true
		}
	}
	return false
}
