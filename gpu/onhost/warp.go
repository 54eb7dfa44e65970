package onhost

import (
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
)

// warpCalls are the functions whose first argument is a mask of lanes. Each gives the result for one
// of the lanes that c has.
var warpCalls = map[string]func(c *lanes, lane int) any{
	"SyncWarp":     func(*lanes, int) any { return nil },
	"ShflSync":     func(c *lanes, lane int) any { return c.from(lane, c.arg(lane, 2).(int)&(gpu.WarpSize-1)) },
	"ShflXorSync":  func(c *lanes, lane int) any { return c.from(lane, (lane^c.arg(lane, 2).(int))&(gpu.WarpSize-1)) },
	"ShflUpSync":   func(c *lanes, lane int) any { return c.from(lane, lane-c.arg(lane, 2).(int)&(gpu.WarpSize-1)) },
	"ShflDownSync": func(c *lanes, lane int) any { return c.from(lane, lane+c.arg(lane, 2).(int)&(gpu.WarpSize-1)) },

	"BallotSync": func(c *lanes, _ int) any { return c.ballot() },
	"AnySync":    func(c *lanes, _ int) any { return c.ballot() != 0 },
	"AllSync":    func(c *lanes, _ int) any { return c.ballot() == c.mask },
	"ElectSync":  func(c *lanes, lane int) any { return lane == bits.TrailingZeros32(c.mask) },

	"MatchAnySync": func(c *lanes, lane int) any { return c.same(lane) },
	"MatchAllSync": func(c *lanes, lane int) any { return c.same(lane) == c.mask },

	"ReduceAddSync": func(c *lanes, _ int) any { return c.reduce(add) },
	"ReduceMinSync": func(c *lanes, _ int) any { return c.reduce(smaller) },
	"ReduceMaxSync": func(c *lanes, _ int) any { return c.reduce(larger) },
	"ReduceAndSync": func(c *lanes, _ int) any { return c.reduce(and) },
	"ReduceOrSync":  func(c *lanes, _ int) any { return c.reduce(or) },
	"ReduceXorSync": func(c *lanes, _ int) any { return c.reduce(xor) },
}

// from is the value that a lane gets of another: its own where the other does not take part, as
// beyond the end of the warp.
func (c *lanes) from(lane, other int) any {
	if other < 0 || other >= gpu.WarpSize || c.mask>>other&1 == 0 {
		other = lane
	}
	return c.arg(other, 1)
}

// ballot has the bits of the lanes whose condition is true.
func (c *lanes) ballot() (mask uint32) {
	for m := c.mask; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m); c.arg(lane, 1).(bool) {
			mask |= 1 << lane
		}
	}
	return mask
}

// same has the bits of the lanes whose value has the bits of the given lane's.
func (c *lanes) same(lane int) (mask uint32) {
	want := image(c.arg(lane, 1))
	for m := c.mask; m != 0; m &= m - 1 {
		if other := bits.TrailingZeros32(m); image(c.arg(other, 1)) == want {
			mask |= 1 << other
		}
	}
	return mask
}

// image is the bytes of a value, as a string that can be compared.
func image(v any) string {
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	return string(unsafe.Slice((*byte)(p.UnsafePointer()), p.Elem().Type().Size()))
}

// reduce joins the values of all lanes.
func (c *lanes) reduce(op operator) any {
	m := c.mask
	result := reflect.ValueOf(c.arg(bits.TrailingZeros32(m), 1))
	for m &= m - 1; m != 0; m &= m - 1 {
		result = op(result, reflect.ValueOf(c.arg(bits.TrailingZeros32(m), 1)))
	}
	return result.Interface()
}
