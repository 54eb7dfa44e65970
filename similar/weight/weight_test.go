package weight

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestLogarithm(t *testing.T) {
	t.Parallel()
	for x := 1e-300; x < 1e300; x *= 1.37 {
		if got, want := ln(x), math.Log(x); math.Abs(got-want) > 4e-16*max(1, math.Abs(want)) {
			t.Fatalf("ln(%v) = %v, want %v", x, got, want)
		}
	}
	if ln(1) != 0 || log10(1) != 0 {
		t.Error("the logarithm of 1 is not 0")
	}
}

func TestBM25(t *testing.T) {
	t.Parallel()
	c := Collection{Documents: 10, Terms: 1000, Postings: 700}
	s := BM25(0.9, 0.4)
	d := Document{Length: 250}
	near(t, "document", s.Document(3, 4, d, c), 3*1.9/(3+0.9*(1-0.4+0.4*2.5)))
	near(t, "query", s.Query([]Term{{2, 4}}, c)[0], 2*math.Log(1+6.5/4.5))
	if got := s.Query([]Term{{2, 0}}, c)[0]; got != 0 {
		t.Errorf("a term that no document has weighs %v", got)
	}
	if (Scheme{}).Document(3, 4, d, c) != Default.Document(3, 4, d, c) {
		t.Error("the zero scheme is not the default")
	}
}

// TestSMART holds each letter to its formula.
func TestSMART(t *testing.T) {
	t.Parallel()
	c := Collection{Documents: 1000, Terms: 90_000, Postings: 50_000}
	d := Document{Length: 60, Unique: 20, MaxTF: 8, Norm: 7}
	const tf, df = 5, 50
	for letters, want := range map[string]float64{
		"nnn": 5,
		"lnn": 1 + math.Log10(5),
		"ann": 0.5 + 0.5*5/8,
		"bnn": 1,
		"Lnn": (1 + math.Log10(5)) / (1 + math.Log10(3)),
		"ntn": 5 * math.Log10(20),
		"npn": 5 * math.Log10(19),
		"nnc": 5. / 7,
		"nnu": 5 / (0.8*50 + 0.2*20),
		"ltc": (1 + math.Log10(5)) * math.Log10(20) / 7,
	} {
		s, err := Parse(letters + ".nnn")
		if err != nil {
			t.Fatal(err)
		}
		near(t, letters, s.Document(tf, df, d, c), want)
		if bound := s.Bound(tf, df, 1, c); s.Document(tf, df, d, c) > bound*(1+1e-12) {
			t.Errorf("%s exceeds its bound %v", letters, bound)
		}
	}
	if got := triple("npn").rarity(600, c); got != 0 {
		t.Errorf("a term in more than half of the documents has %v for p", got)
	}
}

// TestQueryNorm works the query of figure 6.4's kind by hand: the weights of ltc have length 1.
func TestQueryNorm(t *testing.T) {
	t.Parallel()
	s, _ := Parse("lnc.ltc")
	w := s.Query([]Term{{1, 10}, {3, 0}, {2, 100}}, Collection{Documents: 1000, Terms: 1, Postings: 1})
	a, b := 2.0, 1+math.Log10(2)
	near(t, "first", w[0], a/math.Hypot(a, b))
	near(t, "absent", w[1], 0)
	near(t, "third", w[2], b/math.Hypot(a, b))
	if w := s.Query([]Term{{1, 10}}, Collection{Documents: 10}); w[0] != 0 {
		t.Errorf("a query of terms without weight is %v", w)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for in, out := range map[string]string{
		"": "bm25(k1=1.5,b=0.6)", "bm25": "bm25(k1=1.5,b=0.6)", "bm25(k1=0.9)": "bm25(k1=0.9,b=0.6)", "BM25(b=0,k1=2)": "bm25(k1=2,b=0)",
		"counts": "nnn.nnn", "log": "lnn.lnn", "binary": "bnn.bnn", "ltc.lnc": "ltc.lnc", "Lnu.apn": "Lnu.apn",
	} {
		s, err := Parse(in)
		if err != nil || s.String() != out {
			t.Errorf("Parse(%q) is %q, %v; want %q", in, s, err, out)
		}
		var again Scheme
		text, err := s.MarshalText()
		if err != nil || again.UnmarshalText(text) != nil || again != s {
			t.Errorf("%q is not read again as it was written", text)
		}
	}
	for _, bad := range []string{"bm26", "bm25(", "bm25()", "bm25(k1=x)", "bm25(k2=1)", "bm25(k1=-1)", "bm25(b=2)", "bm25(k1=nan)", "bm25(k1=inf)", "ltc", "xtc.lnc", "lxc.lnc", "ltx.lnc", "ltc.lnb", "ltcc.ln"} {
		if s, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q) is %v without an error", bad, s)
		}
	}
}
