package similar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/weight"
)

// A query's clauses say two things: which documents match (condition), and which terms count
// (occurrence). The score of a document is the same sum as of a query of words, over all terms that
// are not left out; so +, - and AND choose among documents and change no score.

// An occurrence is a term of a query, once or several times.
type occurrence struct {
	text   string
	df     int64   // the frequency that gives its weight
	count  int64   // its number in the query
	factor float64 // the sum of its boosts; count if it has none
}

// compiled is the clauses of a query, ready for a search.
type compiled struct {
	terms  []occurrence
	ranges bool // there are ranges, or values that choose among documents as ranges do
	filter
}

// A filter decides which documents match.
type filter struct {
	terms []string // those that it looks up, each once
	root  *condition
	reads bool // a document may have to be read
	alone bool // the query has no words: all documents that match are found, with the score 0
}

// A condition is a node of a filter. A nil one is no condition.
type condition struct {
	words  [][]int   // any of these must have all its terms, by their numbers in the filter
	phrase *phrase   // the words must be near each other in one text, if there is a phrase
	field  string    // if it is named, the words must be in it
	index  *Searcher // that analyses the field
	where  Condition // of a range, which has no words
	group  bool      // the condition is its parts instead

	required, optional, excluded []*condition
}

// A compiler makes a filter and terms of clauses.
type compiler struct {
	x *Searcher
	v *view
	compiled
	numbers map[string]int
	field   string // of the present clause, if it is about one
	silent  int    // excluded groups around the present clause: its words do not count
}

// compile compiles the clauses of a query.
func (x *Searcher) compile(v *view, c query.Clause) (*compiled, error) {
	if err := query.Check(c); err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	m := &compiler{x: x, v: v, numbers: map[string]int{}}
	root, err := m.clause(c, 1, query.Optional)
	m.root = root
	return &m.compiled, err
}

// clause compiles a clause whose words count a factor, and which occurs somehow in its group.
func (m *compiler) clause(c query.Clause, factor float64, o query.Occur) (*condition, error) {
	switch c := c.(type) {
	case query.Boosted:
		return m.clause(c.Clause, factor*c.Factor, o)
	case query.Group:
		return m.group(c, factor)
	case query.Field:
		return m.fielded(c, factor, o)
	case query.Range:
		return m.rangeOf(c)
	}
	if m.field != "" {
		if r := m.x.schema.ofAny(m.field); !r.ofWords() {
			return m.value(c, r, factor)
		}
	}
	found, err := m.leaf(c, factor, o)
	if found != nil && m.field != "" {
		m.reads = true
		for _, c := range append([]*condition{found}, found.optional...) { // a phrase in several languages is a group
			c.field, c.index = m.field, m.x
		}
	}
	return found, err
}

// fielded compiles a clause about a field. Its words count as others do, for what the whole document
// has of them.
func (m *compiler) fielded(c query.Field, factor float64, o query.Occur) (*condition, error) {
	if m.field != "" {
		return nil, fmt.Errorf("similar: the field %s within the field %s; fields have no fields", c.Name, m.field)
	}
	m.field = c.Name
	defer func() { m.field = "" }()
	return m.clause(c.Clause, factor, o)
}

// rangeOf compiles a range.
func (m *compiler) rangeOf(c query.Range) (*condition, error) {
	if c.Name == titleField || c.Name == textField {
		return nil, fmt.Errorf("similar: %w: %s: the %s of a document has no numbers and no dates", ErrQuery, c, c.Name)
	}
	var list []Condition
	add := func(open bool, sign, value string) error {
		if value == "" {
			return nil
		}
		if !open {
			sign += "="
		}
		of, err := comparison(c.Name, sign, value, c.String())
		list = append(list, of)
		return err
	}
	if err := cmp.Or(add(c.OpenLow, ">", c.Low), add(c.OpenHigh, "<", c.High)); err != nil {
		return nil, fmt.Errorf("similar: %w: %w", ErrQuery, err)
	}
	m.ranges = true
	if of, ok := within(c); ok {
		return &condition{where: of}, nil
	}
	return &condition{where: All(list...)}, nil
}

// leaf compiles a clause that has words itself.
func (m *compiler) leaf(c query.Clause, factor float64, o query.Occur) (*condition, error) {
	switch c := c.(type) {
	case query.Words:
		return m.words(c.Text, factor, o), nil
	case query.Phrase:
		return m.phrase(c, factor)
	case query.Prefix:
		return m.expanded(c.Text, factor, o, func(word string) ([]expansion, error) { return m.x.prefixTerms(m.v, m.analyzers(), word) })
	case query.Fuzzy:
		return m.expanded(c.Text, factor, o, func(word string) ([]expansion, error) {
			return m.x.fuzzyTerms(m.v, m.analyzers(), word, c.Distance, MaxFuzzyTerms)
		})
	}
	return nil, fmt.Errorf("similar: the index cannot answer %s", c)
}

// words compiles words. A word of several terms, such as "well-known", must have all of them to be
// required or excluded.
func (m *compiler) words(text string, factor float64, o query.Occur) *condition {
	var list []int
	m.countText(text, allTerms, factor, func(t string) { list = append(list, m.number(t)) })
	c := &condition{}
	if o == query.Optional {
		for _, n := range list {
			c.words = append(c.words, []int{n})
		}
	} else {
		for _, word := range strings.Fields(text) {
			m.ways(c, word)
		}
	}
	if c.words == nil {
		return nil
	}
	return c
}

// ways adds to a condition the terms of a word, by each analyzer.
func (m *compiler) ways(c *condition, word string) {
	for _, a := range m.analyzers() {
		for _, way := range a.Ways(word) {
			var all []int
			for _, t := range way {
				if t, ok := m.x.mapped(t); ok {
					all = append(all, m.number(t))
				}
			}
			same := func(other []int) bool { return slices.Equal(all, other) }
			if all != nil && !slices.ContainsFunc(c.words, same) {
				c.words = append(c.words, all)
			}
		}
	}
}

// count counts a term that is not left out.
func (m *compiler) count(t string, factor float64) {
	if m.silent == 0 {
		m.terms = append(m.terms, occurrence{t, m.v.df(t), 1, factor})
	}
}

// number returns the number of a term in the filter.
func (m *compiler) number(t string) int {
	n, ok := m.numbers[t]
	if !ok {
		n = len(m.filter.terms)
		m.numbers[t], m.filter.terms = n, append(m.filter.terms, t)
	}
	return n
}

// group compiles a group. Clauses without terms are as if they were not there.
func (m *compiler) group(g query.Group, factor float64) (*condition, error) {
	c := &condition{group: true}
	to := [...]*[]*condition{query.Optional: &c.optional, query.Required: &c.required, query.Excluded: &c.excluded}
	for _, item := range g {
		if item.Occur == query.Excluded {
			m.silent++
		}
		part, err := m.clause(item.Clause, factor, item.Occur)
		if item.Occur == query.Excluded {
			m.silent--
		}
		if err != nil {
			return nil, err
		}
		if part != nil {
			*to[item.Occur] = append(*to[item.Occur], part)
		}
	}
	if len(c.required)+len(c.optional)+len(c.excluded) == 0 {
		return nil, nil
	}
	return c, nil
}

// weighClauses returns the terms of compiled clauses, and of the counts of what a query says besides
// them, with their weights, in byte order. A boost is a factor of the weight that the term would
// have.
func (v *view) weighClauses(c *compiled, counts map[string]int64) []queryTerm {
	list := slices.Clone(c.terms)
	for t, n := range counts {
		list = append(list, occurrence{t, v.df(t), n, float64(n)})
	}
	slices.SortStableFunc(list, func(a, b occurrence) int {
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.df, b.df))
	})
	joined := list[:0]
	for _, o := range list {
		if last := len(joined) - 1; last >= 0 && joined[last].text == o.text && joined[last].df == o.df {
			joined[last].count += o.count
			joined[last].factor += o.factor
			continue
		}
		joined = append(joined, o)
	}
	terms := make([]weight.Term, len(joined))
	for i, o := range joined {
		terms[i] = weight.Term{Count: o.count, DF: o.df}
	}
	var weighed []queryTerm
	for i, w := range v.scheme.Query(terms, v.collection) {
		o := joined[i]
		w *= o.factor / float64(o.count)
		if last := len(weighed) - 1; last >= 0 && weighed[last].text == o.text {
			weighed[last].weight += w
		} else if w > 0 {
			weighed = append(weighed, queryTerm{o.text, v.df(o.text), w})
		}
	}
	return weighed
}

// simplify returns the filter without the conditions that every document with a term of the query
// meets, nil if it has no others. It is for queries that say nothing besides the clauses.
func (c *compiled) simplify() *filter {
	f := c.filter
	if f.root == nil || f.root.loose() {
		return nil
	}
	if f.root.group && len(f.root.required) == 0 && !slices.ContainsFunc(f.root.optional, func(c *condition) bool { return !c.loose() }) {
		f.root = &condition{group: true, excluded: f.root.excluded}
	}
	return &f
}

// loose reports whether one term of a condition's is enough for it.
func (c *condition) loose() bool {
	if !c.group {
		return c.phrase == nil && c.field == "" && c.where == nil && !slices.ContainsFunc(c.words, func(all []int) bool { return len(all) > 1 })
	}
	return len(c.required)+len(c.excluded) == 0 && !slices.ContainsFunc(c.optional, func(c *condition) bool { return !c.loose() })
}

// must appends the terms that every document has that meets a condition.
func (c *condition) must(dst []int) []int {
	switch {
	case !c.group && len(c.words) == 1:
		return append(dst, c.words[0]...)
	case c.group:
		for _, r := range c.required {
			dst = r.must(dst)
		}
		if len(c.required) == 0 && len(c.optional) == 1 {
			dst = c.optional[0].must(dst)
		}
	}
	return dst
}
