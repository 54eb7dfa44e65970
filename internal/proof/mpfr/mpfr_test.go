package mpfr

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/ulp"
)

func library(t *testing.T) *Library {
	l, err := Load()
	if errors.Is(err, ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func exactly(r ulp.Real) *big.Float {
	sum := new(big.Float).SetPrec(200).Add(big.NewFloat(r.High), big.NewFloat(r.Low))
	return sum.SetMantExp(sum, r.Exponent)
}

func TestSet(t *testing.T) {
	t.Parallel()
	z := New()
	for _, x := range []float64{1, -1, 0, 3, 1.0 / 3, math.Pi, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, math.Inf(1), math.Inf(-1)} {
		if got, want := z.Set(x).Real(), ulp.Of(x); got != want {
			t.Errorf("%v is %v, want %v", x, got, want)
		}
	}
	if r := z.Set(math.Copysign(0, -1)).Real(); r.High != 0 || !math.Signbit(r.High) {
		t.Errorf("-0 is %v", r)
	}
	if r := z.Set(math.NaN()).Real(); r.High == r.High {
		t.Errorf("NaN is %v", r)
	}
}

// TestFunctions compares with numbers from other sources than MPFR.
func TestFunctions(t *testing.T) {
	t.Parallel()
	l := library(t)
	t.Logf("MPFR %s", l.Version())
	exp, err := l.Unary("exp")
	if err != nil {
		t.Fatal(err)
	}
	pow, err := l.Binary("pow")
	if err != nil {
		t.Fatal(err)
	}
	jn, err := l.OfInteger("jn")
	if err != nil {
		t.Fatal(err)
	}
	lgamma, err := l.Lgamma()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Unary("nothing"); err == nil {
		t.Error("MPFR has a function called nothing")
	}
	z := New()
	check := func(name, want string) {
		t.Helper()
		w, _, err := big.ParseFloat(want, 10, 200, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		got := exactly(z.Real())
		d := new(big.Float).Sub(got, w)
		if d.Sign() != 0 && d.MantExp(nil) > w.MantExp(nil)-104 {
			t.Errorf("%s is %.40g, want %s", name, got, want)
		}
	}
	exp(z, New().Set(1))
	check("e", "2.7182818284590452353602874713526624977572470937")
	exp(z, New().Set(-1))
	check("1/e", "0.36787944117144232159552377016146086744581113103")
	pow(z, New().Set(2), New().Set(0.5))
	check("the square root of 2", "1.41421356237309504880168872420969807856967187537694")
	jn(z, 1, New().Set(1))
	check("J1(1)", "0.44005058574493351595968220371891491312737")
	if sign := lgamma(z, New().Set(-0.5)); sign != -1 {
		t.Errorf("the gamma function at -1/2 has the sign %d", sign)
	}
	check("log|gamma(-1/2)|", "1.2655121234846453964889457971347059238990")
	exp(z, New().Set(-1e5))
	if r := z.Real(); r.Exponent != -144270 {
		t.Errorf("the exponent of e^-100000 is %d", r.Exponent)
	}
}
