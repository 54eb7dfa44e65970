// Package query is the query language of package similar: the tree of a query, and the parser that
// makes it of a text.
//
//	heap tree            documents with one of the words, or both
//	+heap tree -binary   heap must be there, binary must not, and tree adds to the score
//	heap AND (tree OR queue) AND NOT binary
//	"priority queue"     the words next to each other; "priority queue"~3 as near as that
//	heap*                words that begin so
//	algoritm~1           words that differ in one letter
//	heap^2 tree          heap counts twice
//	title:heap           in a field, if the reader of the query knows such a field
//
// docs/query.md has all of it. Parse reads a text, and String writes a clause so that Parse reads it
// again. A tree may as well be made in Go:
//
//	query.Group{{query.Required, query.Words{Text: "heap"}}, {query.Excluded, query.Words{Text: "binary"}}}
//
// The package knows words as stretches between spaces. An index decides
// which terms they are.
package query

// Bounds of a query. A query that Parse returns keeps to them, and Check holds others to them.
const (
	MaxClauses  = 1024    // words between operators, phrases, prefixes, fuzzy words and ranges
	MaxDepth    = 32      // brackets within each other, in a text
	MaxTree     = 160     // clauses within each other, in a tree
	MaxNodes    = 1 << 16 // clauses of a tree, those that hold others included
	MaxDistance = 2       // letters that a fuzzy word may differ in
	MaxSlop     = 1000    // of a phrase
	MaxBoost    = 1000
	MinBoost    = 0.001
)

// A Clause is a node of a query's tree: Words, Phrase, Prefix, Fuzzy, Group, Boosted, Field or Range.
// It is immutable, and any number of goroutines may use it.
type Clause interface {
	// String writes the clause in the query language.
	String() string
	write(w *writer)
}

// Words is text without operators: documents with any of its words. A word of several terms, such as
// well-known, is in a document that has all of them if the clause is the operand of AND, + or -, and
// in a document that has one of them otherwise.
type Words struct{ Text string }

// Phrase is words in their order. Slop is how many places the words may be away from it: the places
// of the words, less their places in the phrase, differ by at most Slop. 0 is the phrase itself, and
// two words in the other order are 2 away.
type Phrase struct {
	Text string
	Slop int
}

// Prefix is any word that begins so.
type Prefix struct{ Text string }

// Fuzzy is any word that is at most Distance edits away: letters put in, left out, taken for
// another, or two neighbours exchanged.
type Fuzzy struct {
	Text     string
	Distance int // 1..MaxDistance
}

// Boosted is a clause whose words count Factor times.
type Boosted struct {
	Clause Clause
	Factor float64 // MinBoost..MaxBoost
}

// Field is a clause about one field of the documents.
type Field struct {
	Name   string
	Clause Clause
}

// Range is values of a field from Low to High. An empty bound is none.
type Range struct {
	Name              string
	Low, High         string
	OpenLow, OpenHigh bool // the bound itself does not belong to it
}

// Group is several clauses. A document matches if it matches every Required clause and no Excluded
// one, and, where none is Required, one of those that are Optional, if there are any.
type Group []Item

// Item is a clause of a group.
type Item struct {
	Occur  Occur
	Clause Clause
}

// Occur says how a group needs a clause.
type Occur uint8

const (
	Optional Occur = iota
	Required
	Excluded
)

// All is a group of clauses that are all required: AND.
func All(list ...Clause) Group { return group(Required, list) }

// Any is a group of clauses; one must match: OR.
func Any(list ...Clause) Group { return group(Optional, list) }

func group(o Occur, list []Clause) Group {
	var g Group
	for _, c := range list {
		g = append(g, Item{o, c})
	}
	return g
}

// Texts returns the words of a clause that find documents, without the excluded ones, in order.
// They are marked in answers.
func Texts(c Clause) []string {
	var list []string
	walk(c, func(c Clause) {
		if text := textOf(c); text != "" {
			list = append(list, text)
		}
	})
	return list
}

// HasFields reports whether a clause, which may be nil, is about fields, or has parts that are.
func HasFields(c Clause) bool {
	switch c := c.(type) {
	case Field, Range:
		return true
	case Boosted:
		return HasFields(c.Clause)
	case Group:
		for _, item := range c {
			if HasFields(item.Clause) {
				return true
			}
		}
	}
	return false
}

func textOf(c Clause) string {
	switch c := c.(type) {
	case Words:
		return c.Text
	case Phrase:
		return c.Text
	case Prefix:
		return c.Text
	case Fuzzy:
		return c.Text
	}
	return ""
}

// walk visits the leaves of a clause that are not excluded.
func walk(c Clause, visit func(Clause)) {
	switch c := c.(type) {
	case Group:
		for _, item := range c {
			if item.Occur != Excluded {
				walk(item.Clause, visit)
			}
		}
	case Boosted:
		walk(c.Clause, visit)
	case Field:
		walk(c.Clause, visit)
	default:
		visit(c)
	}
}
