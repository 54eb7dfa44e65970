package query_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/query"
)

type (
	words  = query.Words
	phrase = query.Phrase
	group  = query.Group
)

var options = query.Options{Field: func(name string) bool { return name == "title" || name == "year" }}

func one(o query.Occur, c query.Clause) query.Item { return query.Item{Occur: o, Clause: c} }

func can(c query.Clause) query.Item  { return one(query.Optional, c) }
func must(c query.Clause) query.Item { return one(query.Required, c) }
func not(c query.Clause) query.Item  { return one(query.Excluded, c) }

// TestParse reads queries and what people paste.
func TestParse(t *testing.T) {
	t.Parallel()
	a, b, c := words{"a"}, words{"b"}, words{"c"}
	for text, want := range map[string]query.Clause{
		"":                        words{""},
		" a  b ":                  words{" a  b "},
		"a + b - c & d":           words{"a + b - c & d"},
		"gcc --help":              words{"gcc --help"},
		"f(x) = x^y, 3.5\" **b**": words{"f(x) = x^y, 3.5\" **b**"},
		`C:\dir\*.go and or`:      words{`C:\dir*.go and or`},
		"http://a.b/c?d=~e":       words{"http://a.b/c?d=~e"},
		"note: a":                 words{"note: a"},
		"+a b":                    group{must(a), can(b)},
		"a b -c":                  group{can(words{"a b"}), not(c)},
		"a AND b":                 group{must(a), must(b)},
		"a OR b":                  group{can(a), can(b)},
		"a OR b c":                group{can(a), can(words{"b c"})},
		"a b AND c":               group{can(a), can(group{must(b), must(c)})},
		"a AND NOT b":             group{must(a), not(b)},
		"a NOT b":                 group{can(a), not(b)},
		"+a AND b c":              group{must(group{must(a), must(b)}), can(c)},
		"a AND (b OR -c)":         group{must(a), must(group{can(b), not(c)})},
		"((a))":                   a,
		"C++ (see -O2)":           group{can(words{"C++"}), can(group{can(words{"see"}), not(words{"O2"})})},
		`"a b"`:                   phrase{"a b", 0},
		`“a b”~3 c`:               group{can(phrase{"a b", 3}), can(c)},
		`"a \" b"`:                phrase{`a " b`, 0},
		`-"a b" c`:                group{not(phrase{"a b", 0}), can(c)},
		"a* b~ c~2":               group{can(query.Prefix{Text: "a"}), can(query.Fuzzy{Text: "b", Distance: 1}), can(query.Fuzzy{Text: "c", Distance: 2})},
		"C++^2 a":                 group{can(query.Boosted{Clause: words{"C++"}, Factor: 2}), can(a)},
		"a*^.5":                   query.Boosted{Clause: query.Prefix{Text: "a"}, Factor: .5},
		`(a b)^2 "a b"~1^3`:       group{can(query.Boosted{Clause: words{"a b"}, Factor: 2}), can(query.Boosted{Clause: phrase{"a b", 1}, Factor: 3})},
		`\+a \AND \(b`:            words{"+a AND (b"},
		`a\* b`:                   words{"a* b"},
		"title:a b":               group{can(query.Field{Name: "title", Clause: a}), can(b)},
		`title:"a b"^2`:           query.Boosted{Clause: query.Field{Name: "title", Clause: phrase{"a b", 0}}, Factor: 2},
		"-title:(a b) c":          group{not(query.Field{Name: "title", Clause: words{"a b"}}), can(c)},
		"title:a:b":               query.Field{Name: "title", Clause: words{"a:b"}},
		"year:1990..2000":         query.Range{Name: "year", Low: "1990", High: "2000"},
		"+year:1990.. a":          group{must(query.Range{Name: "year", Low: "1990"}), can(a)},
		"year:<2000":              query.Range{Name: "year", High: "2000", OpenHigh: true},
		"year:>=1990":             query.Range{Name: "year", Low: "1990"},
	} {
		got, err := query.Parse(text, options)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %#v, want %#v; %v", text, got, want, err)
			continue
		}
		again, err := query.Parse(got.String(), options)
		if err != nil || again.String() != got.String() {
			t.Errorf("%q is written %q, and that is read as %#v; %v", text, got, again, err)
		}
	}
}

// TestTyping takes the last word for a prefix, too, while one types.
func TestTyping(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"hea":             "hea OR hea*",
		"a hea":           "a OR (hea OR hea*)",
		"a hea ":          `a hea`,
		"+a AND hea":      "+(+a +(hea OR hea*))",
		"a -hea":          "a -hea",
		"a NOT hea":       "a -hea",
		"a heap*":         "a OR heap*",
		`a "hea b"`:       `a OR "hea b"`,
		`a "hea b`:        `a OR "hea b"`,
		"C++":             "C++",
		"a h":             "a h",
		"title:hea":       "title:(hea OR hea*)",
		"-(a b) c OR hea": "-(a b) c OR (hea OR hea*)",
	} {
		o := options
		o.Typing = true
		if c, err := query.Parse(text, o); err != nil || c.String() != want {
			t.Errorf("%q is %v, want %s; %v", text, c, want, err)
		}
	}
}

// TestParseErrors holds errors to the place that they name.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"é (b":                               "column 3: the bracket that begins here is not closed",
		"a) b":                               "column 2: the bracket ) closes none",
		`a "b`:                               "column 3: the phrase that begins here has no quote at its end",
		"a AND":                              "column 6: want a word, a phrase or a bracket after AND, and found the end",
		"a OR )":                             "column 6: want a word, a phrase or a bracket after OR, and found the bracket )",
		"AND a":                              "column 1: AND has nothing before it; want a word, a phrase or a bracket",
		"a OR AND b":                         "column 6: want a word, a phrase or a bracket after OR, and found AND",
		"NOT -a":                             "column 5: want a word, a phrase or a bracket after NOT, and found -",
		"-a":                                 "column 1: the query says only what to leave out; add a word to find",
		"()":                                 "column 2: brackets around nothing; want a word, a phrase or a bracket in them",
		`""`:                                 "column 1: the phrase has no words",
		`"a"~x`:                              "column 5: want a number after ~",
		`"a"~1001`:                           `column 5: a phrase with the slop "1001"; want 0 to 1000`,
		"a~3":                                `column 1: the fuzzy word "a" with a distance of 3; want 1 to 2`,
		"a^0":                                `column 3: a boost of "0"; want 0.001 to 1000`,
		"(a)^1.2.3":                          `column 5: a boost of "1.2.3"; want 0.001 to 1000`,
		"title:AND a":                        "column 7: want a word, a phrase or a bracket after title:",
		strings.Repeat("(", 40) + "a":        "column 33: more than 32 brackets within each other",
		strings.Repeat("+a ", 1025):          "column 3073: more than 1024 clauses; leave some out",
		"a" + strings.Repeat(" AND a", 1024): "column 1: more than 1024 clauses; leave some out",
	} {
		c, err := query.Parse(text, options)
		var e *query.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%.30q is %v, %v; want %s", text, c, err, want)
		}
	}
}

// FuzzParse holds every text to an error in the text, or to a tree within bounds that is read again
// as it is written.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`+a AND ("b c"~2^3 OR d* -e~1)^.5 title:f year:1..2 \"g`, "C++ (see -O2)", "“x” a\xff(b(c", `\AND "a\\" -\+b`, "title:(year:>a) -(b)*~2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := query.Parse(s, options)
		var e *query.Error
		if err != nil {
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(s) || e.Column() < 1 || e.Problem == "" {
				t.Fatalf("%q: %#v", s, err)
			}
			return
		}
		typing := options
		typing.Typing = true
		if c, err := query.Parse(s, typing); err != nil || query.Check(c) != nil {
			t.Fatalf("%q while it is typed: %v", s, err)
		}
		if err := query.Check(c); err != nil {
			t.Fatalf("%q is %#v: %v", s, c, err)
		}
		again, err := query.Parse(c.String(), options)
		if strings.TrimSpace(c.String()) == "" {
			return
		}
		if err != nil || again.String() != c.String() {
			t.Fatalf("%q is written %q and read as %v, %v", s, c, again, err)
		}
		if strings.Join(query.Texts(again), " ") != strings.ToValidUTF8(strings.Join(query.Texts(c), " "), "\ufffd") && c.String() != again.String() {
			t.Fatalf("%q has other words once it is written: %q", s, again)
		}
	})
}

// TestCheck refuses trees that Parse would not make.
func TestCheck(t *testing.T) {
	t.Parallel()
	deep := query.Clause(words{"a"})
	for range 1000 {
		deep = query.All(deep)
	}
	for i, c := range []query.Clause{
		nil, deep, query.Any(nil), phrase{"a", -1}, phrase{"a", 1001}, query.Fuzzy{Text: "a"}, query.Fuzzy{Text: "a", Distance: 3},
		query.Boosted{Clause: words{"a"}}, query.Boosted{Clause: words{"a"}, Factor: -1}, query.Boosted{Factor: 1},
		query.Field{Clause: words{"a"}}, query.Range{Name: "a"}, group{one(3, words{"a"})}, make(group, 5),
	} {
		if err := query.Check(c); err == nil {
			t.Errorf("tree %d is taken for good", i)
		}
	}
	many := make(group, query.MaxClauses+1)
	for i := range many {
		many[i].Clause = words{"a"}
	}
	if query.Check(many) == nil || query.Check(many[1:query.MaxClauses]) != nil {
		t.Error("the bound of clauses does not hold")
	}
}
