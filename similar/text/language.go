package text

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/porter"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// language holds the rules of one language.
type language struct {
	name   string
	code   string                       // of ISO 639-1; "" where the name is of no language, or of one that has another name
	stem   func(*snowballstem.Env) bool // nil: none
	list   string                       // the stop list's name; "" without one
	trim   func(folded string) string   // drops an article or a suffix at an apostrophe; nil: nothing
	turkic bool                         // I is the capital of ı, and İ of i

	// initial says that a term begins as its word does once folded, where that is an ASCII
	// character and another ASCII character or nothing follows: the language neither drops nor
	// changes anything at the beginning.
	initial bool
}

// languages are all languages. Snowball publishes no stop list for Arabic, Romanian, Tamil and
// Turkish, so these have none. "porter" is English with Porter's first stemmer.
var languages = []language{
	{name: "arabic", code: "ar", stem: arabic.Stem},
	{name: "danish", code: "da", stem: danish.Stem, list: "danish"},
	{name: "dutch", code: "nl", stem: dutch.Stem, list: "dutch"},
	{name: "english", code: "en", stem: english.Stem, list: "english", trim: possessive, initial: true},
	{name: "finnish", code: "fi", stem: finnish.Stem, list: "finnish"},
	{name: "french", code: "fr", stem: french.Stem, list: "french", trim: elided("l m t qu n s j d c jusqu quoiqu lorsqu puisqu")},
	{name: "german", code: "de", stem: german.Stem, list: "german"},
	{name: "hungarian", code: "hu", stem: hungarian.Stem, list: "hungarian"},
	{name: "irish", code: "ga", stem: irish.Stem, list: "irish", trim: elided("d m b")},
	{name: "italian", code: "it", stem: italian.Stem, list: "italian",
		trim: elided("c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d")},
	{name: "none", initial: true},
	{name: "norwegian", code: "no", stem: norwegian.Stem, list: "norwegian"},
	{name: "porter", stem: porter.Stem, list: "english", trim: possessive, initial: true},
	{name: "portuguese", code: "pt", stem: portuguese.Stem, list: "portuguese"},
	{name: "romanian", code: "ro", stem: romanian.Stem},
	{name: "russian", code: "ru", stem: russian.Stem, list: "russian"},
	{name: "spanish", code: "es", stem: spanish.Stem, list: "spanish"},
	{name: "swedish", code: "sv", stem: swedish.Stem, list: "swedish"},
	{name: "tamil", code: "ta", stem: tamil.Stem},
	{name: "turkish", code: "tr", stem: turkish.Stem, trim: beforeApostrophe, turkic: true},
}

// Languages returns the names that Config.Language may have, sorted: the names of Snowball's
// stemmers ("porter" is its older one of English), and "none".
func Languages() []string {
	var names []string
	for _, l := range languages {
		names = append(names, l.name)
	}
	return names
}

// StopWords returns a language's stop list, sorted, and an error for a language that is unknown.
// The lists are Snowball's. Arabic, Romanian, Tamil, Turkish and "none" have none.
func StopWords(name string) ([]string, error) {
	l, err := languageOf(name)
	return l.stopWords(), err
}

func languageOf(name string) (language, error) {
	name = cmp.Or(name, "english")
	i := slices.IndexFunc(languages, func(l language) bool { return l.name == name })
	if i < 0 {
		return language{}, fmt.Errorf("text: unknown language %q; want one of %s", name, strings.Join(Languages(), ", "))
	}
	return languages[i], nil
}

//go:embed stop/*.txt
var stopLists embed.FS

// stopWords reads the language's list: a word a line, comments after "#".
func (l language) stopWords() []string {
	if l.list == "" {
		return nil
	}
	list, err := fs.ReadFile(stopLists, "stop/"+l.list+".txt")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var words []string
	for line := range strings.Lines(string(list)) {
		if w := strings.TrimSpace(line); w != "" && !strings.HasPrefix(w, "#") {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// possessive drops the English 's, as Lucene's EnglishPossessiveFilter does.
func possessive(word string) string { return strings.TrimSuffix(word, "'s") }

// elided returns a function that drops one of the given articles and the apostrophe after it, as
// Lucene's ElisionFilter does. The lists are Lucene's for these languages.
func elided(articles string) func(string) string {
	list := strings.Fields(articles)
	return func(word string) string {
		if article, rest, ok := strings.Cut(word, "'"); ok && rest != "" && slices.Contains(list, article) {
			return rest
		}
		return word
	}
}

// beforeApostrophe drops the apostrophe and the text after it, as Lucene's ApostropheFilter does.
// In Turkish the endings of a name follow an apostrophe.
func beforeApostrophe(word string) string {
	if name, _, ok := strings.Cut(word, "'"); ok && name != "" {
		return name
	}
	return word
}
