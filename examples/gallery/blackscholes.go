package main

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

var blackScholesExhibit = exhibit{
	name: "blackscholes", file: "blackscholes.go", size: 5000, show: showBlackScholes,
	algorithm: "the prices of European options by Black and Scholes",
	shows:     "slices of structs, `gpu.Log`, `Exp` and `Erfc` in float64",
}

// Option is the right to buy, or to sell, at a price at a time.
type Option struct {
	Spot, Strike float64 // the share's price now, and the price to buy or sell it for
	Years        float64 // until then
	Volatility   float64 // of the share, in a year
}

// Price is the worth of the rights to buy and to sell.
type Price struct{ Call, Put float64 }

// BlackScholes computes the price of each option, for a rate of interest: F. Black and M. Scholes,
// "The Pricing of Options and Corporate Liabilities", Journal of Political Economy 81 (1973).
//
//gpu:kernel
func BlackScholes(options []Option, rate float64, prices []Price) {
	for i := range gpu.GridStride(len(options)) {
		prices[i] = options[i].price(rate)
	}
}

// price is for both sides. A conversion keeps Go from fusing a product with what it is added to.
func (o *Option) price(rate float64) Price {
	deviation := float64(o.Volatility * gpu.Sqrt(o.Years))
	drift := gpu.FMA(o.Volatility/2, o.Volatility, rate)
	d1 := gpu.FMA(drift, o.Years, gpu.Log(o.Spot/o.Strike)) / deviation
	d2 := d1 - deviation
	strike := o.Strike * gpu.Exp(-rate*o.Years) // its worth today
	return Price{
		Call: gpu.FMA(o.Spot, normal(d1), float64(-strike*normal(d2))),
		Put:  gpu.FMA(-o.Spot, normal(-d1), float64(strike*normal(-d2))),
	}
}

// normal is the probability that a standard normal number is below x.
func normal(x float64) float64 { return gpu.Erfc(x*(-1/math.Sqrt2)) / 2 }

// blackScholesOnHost is BlackScholes's twin.
func blackScholesOnHost(options []Option, rate float64) []Price {
	prices := make([]Price, len(options))
	for i := range options {
		prices[i] = options[i].price(rate)
	}
	return prices
}

func showBlackScholes(v *visit, n int) {
	const rate = 0.02
	v.input = fmt.Sprintf("%d options, float64", n)
	spots, strikes := uniform[float64](n, 5, 30), uniform[float64](n+1, 1, 100)
	years, volatilities := uniform[float64](n+2, 0.25, 10), uniform[float64](n+3, 0.1, 0.6)
	host := make([]Option, n)
	for i := range host {
		host[i] = Option{Spot: spots[i], Strike: strikes[i], Years: years[i], Volatility: volatilities[i]}
	}
	options, prices := copyOf(v, host), room[Price](v, n)
	kernel := load(v, LoadBlackScholes)
	v.launch(func() error { return kernel.Launch(v.stream, gridstride.Grid(32).Block(128), options, rate, prices) })
	compare(v, "price", prices, blackScholesOnHost(host, rate))
}
