package lanes

import "testing"

// TestArrivals checks how a phase's arrivals are shown, too many of them among them.
func TestArrivals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word Mbarrier
		want string
	}{
		{NewMbarrier(4), "0 of 4 arrivals"},
		{NewMbarrier(4).Arrive(3), "3 of 4 arrivals"},
		{NewMbarrier(1).Await(2), "0 of 3 arrivals"},
		{NewMbarrier(1).Expect(8).Arrive(1), "1 of 1 arrivals"},
		{NewMbarrier(1).Expect(8).Arrive(1).Arrive(2), "2 arrivals more than the 1 that it takes"},
		{NewMbarrier(1<<20 - 1), "0 of 1048575 arrivals"},
	} {
		if got := c.word.Arrivals(); got != c.want {
			t.Errorf("%#x has %s, want %s", uint64(c.word), got, c.want)
		}
	}
}
