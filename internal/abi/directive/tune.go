package directive

import (
	"go/token"
	"strconv"
	"strings"
)

// Tune is the contents of a //gpu:tune comment: the values among which gridstride tune chooses for
// constants, the benchmark that measures them, and the tests that must pass with each.
//
//	//gpu:tune TestSum BenchmarkSum block=64,128,256 unroll=1,2,4
type Tune struct {
	Tests     []Name // without any, all of the package's must pass
	Benchmark Name
	Choices   []Choices
}

// Choices are the values that a constant may have.
type Choices struct {
	Constant Name
	Values   []Name // whole numbers as Go writes them, or true and false
}

// mostValues bounds the values of a constant: more are a mistake.
const mostValues = 4096

// ParseTune reads a comment whose name is TuneName. If it returns errors, the Tune has what it could
// read.
func ParseTune(comment string) (*Tune, []Error) {
	p := &tuneParser{parser: parser{name: TuneName, at: len(TuneName) + 1}, tune: &Tune{}}
	_, text, _ := Split(comment)
	for text != "" {
		word, rest, _ := strings.Cut(text, " ")
		p.word(strings.TrimSpace(word))
		p.at += len(text) - len(rest)
		text = rest
	}
	if p.errs != nil {
		return p.tune, p.errs
	}
	switch {
	case p.tune.Benchmark.Text == "":
		p.at = 0
		p.errorf(0, "there is no benchmark: write //gpu:tune BenchmarkSum block=64,128")
	case len(p.tune.Choices) == 0:
		p.errorf(0, "there is nothing to choose: write %s block=64,128", p.tune.Benchmark.Text)
	}
	return p.tune, p.errs
}

type tuneParser struct {
	parser
	tune *Tune
}

// word reads one of the words of the directive.
func (p *tuneParser) word(word string) {
	key, values, isChoice := strings.Cut(word, "=")
	switch {
	case word == "":
	case !token.IsIdentifier(key):
		p.errorf(p.at, "cannot read %q: write TestSum BenchmarkSum block=64,128", Short(word))
	case isChoice:
		p.choices(key, values)
	case strings.HasPrefix(word, "Test"):
		p.tune.Tests = append(p.tune.Tests, Name{word, p.at})
	case strings.HasPrefix(word, "Benchmark") && p.tune.Benchmark.Text != "":
		p.errorf(p.at, "a second benchmark: one function measures the constants, with a b.Run for each shape")
	case strings.HasPrefix(word, "Benchmark"):
		p.tune.Benchmark = Name{word, p.at}
	default:
		p.errorf(p.at, "cannot read %q: write TestSum BenchmarkSum block=64,128", Short(word))
	}
}

// choices reads the values of a constant.
func (p *tuneParser) choices(key, values string) {
	for _, c := range p.tune.Choices {
		if c.Constant.Text == key {
			p.errorf(p.at, "%s is given twice: write its values in one list", key)
			return
		}
	}
	if n := strings.Count(values, ",") + 1; n > mostValues {
		p.errorf(p.at, "%s has %d values: want at most %d", key, n, mostValues)
		return
	}
	c := Choices{Constant: Name{key, p.at}}
	at, seen := p.at+len(key)+1, map[string]bool{}
	for text := range strings.SplitSeq(values, ",") {
		value := ValueOf(text)
		switch {
		case value == "":
			p.errorf(at, "%s=%s: want whole numbers, or true and false", key, Short(text))
		case seen[value]:
			p.errorf(at, "%s=%s is listed twice", key, Short(text))
		}
		seen[value] = true
		c.Values = append(c.Values, Name{text, at})
		at += len(text) + 1
	}
	p.tune.Choices = append(p.tune.Choices, c)
}

// ValueOf is the value of a literal in a form that two literals of one value share: 16 for 0x10. It is
// "" for what is neither a whole number of 64 bits nor true or false.
func ValueOf(text string) string {
	if text == "true" || text == "false" {
		return text
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil && text[0] != '+' {
		return strconv.FormatInt(n, 10)
	}
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		return strconv.FormatUint(n, 10)
	}
	return ""
}

// Short is the beginning of a text, as much as a message can show.
func Short(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
