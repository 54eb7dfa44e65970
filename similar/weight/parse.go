package weight

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// named are the schemes that have a name of one word. SMART's first triple is the document's, the
// second the query's.
var named = map[string]string{"counts": "nnn.nnn", "log": "lnn.lnn", "binary": "bnn.bnn"}

// Parse reads a scheme: "bm25", "bm25(k1=0.9,b=0.4)", where either may be left out, SMART's
// "lnc.ltc" with the triple of documents first, or "counts", "log", "binary", which are "nnn.nnn",
// "lnn.lnn" and "bnn.bnn". The empty string is Default.
func Parse(s string) (Scheme, error) {
	if s == "" {
		return Default, nil
	}
	if smart, ok := named[s]; ok {
		s = smart
	}
	if rest, ok := strings.CutPrefix(strings.ToLower(s), "bm25"); ok {
		return parseBM25(s, rest)
	}
	d, q, ok := strings.Cut(s, ".")
	if !ok || len(d) != 3 || len(q) != 3 {
		return Scheme{}, fmt.Errorf("weight: unknown scheme %q; write bm25, bm25(k1=0.9,b=0.4), counts, log, binary or two triples of SMART such as lnc.ltc", s)
	}
	scheme := Scheme{Kind: KindSMART, DocumentSMART: triple(d), QuerySMART: triple(q)}
	return scheme, scheme.Check()
}

func triple(s string) Triple { return Triple{Letter(s[0]), Letter(s[1]), Letter(s[2])} }

func parseBM25(whole, rest string) (Scheme, error) {
	s := Default
	if rest == "" {
		return s, nil
	}
	inner, ok := strings.CutPrefix(rest, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !ok || !closed {
		return Scheme{}, fmt.Errorf("weight: scheme %q: write bm25(k1=0.9,b=0.4)", whole)
	}
	for part := range strings.SplitSeq(inner, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		v, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil:
			return Scheme{}, fmt.Errorf("weight: scheme %q: %q is not a number; write bm25(k1=0.9,b=0.4)", whole, value)
		case name == "k1":
			s.K1 = v
		case name == "b":
			s.B = v
		default:
			return Scheme{}, fmt.Errorf("weight: scheme %q has no parameter %q; want k1 or b", whole, name)
		}
	}
	return s, s.Check()
}

// Check returns an error for a scheme that weighs nothing: a BM25 with a k1 below 0 or a b outside
// 0..1, a letter that SMART's notation does not have in its place.
func (s Scheme) Check() error {
	switch s.Kind {
	case KindDefault:
		return nil
	case KindBM25:
		if !(s.K1 >= 0) || math.IsInf(s.K1, 0) || !(s.B >= 0 && s.B <= 1) {
			return fmt.Errorf("weight: bm25 with k1 %v and b %v; k1 is at least 0, b is in 0..1", s.K1, s.B)
		}
		return nil
	case KindSMART:
		if err := s.DocumentSMART.check(); err != nil {
			return err
		}
		return s.QuerySMART.check()
	}
	return fmt.Errorf("weight: unknown kind of scheme %d", s.Kind)
}

func (t Triple) check() error {
	for _, place := range []struct {
		letter Letter
		of     string
		what   string
	}{{t.TF, tfLetters, "term frequency"}, {t.DF, dfLetters, "document frequency"}, {t.Norm, normLetters, "normalisation"}} {
		if strings.IndexByte(place.of, byte(place.letter)) < 0 {
			return fmt.Errorf("weight: %q in %q is no letter of %s; want one of %s", rune(place.letter), t, place.what, strings.Join(strings.Split(place.of, ""), ", "))
		}
	}
	return nil
}

// String returns the scheme as Parse reads it.
func (s Scheme) String() string {
	if s = s.Resolved(); s.Kind == KindSMART {
		return s.DocumentSMART.String() + "." + s.QuerySMART.String()
	}
	return fmt.Sprintf("bm25(k1=%v,b=%v)", s.K1, s.B)
}

// String returns the three letters.
func (t Triple) String() string { return string([]byte{byte(t.TF), byte(t.DF), byte(t.Norm)}) }

// MarshalText is String, so that Parse reads a scheme in JSON.
func (s Scheme) MarshalText() ([]byte, error) { return []byte(s.String()), s.Check() }

// UnmarshalText is Parse.
func (s *Scheme) UnmarshalText(b []byte) error {
	parsed, err := Parse(string(b))
	if err == nil {
		*s = parsed
	}
	return err
}
