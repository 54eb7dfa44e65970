package lab

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// hostile are commands that a page may ask for, right and wrong.
var hostile = []string{
	"", "help", "stepi any", "backi any", "step", "back", "finding", "other", "who cache[0] 5", "who cache[-1]", "who sums[0]", "warps all", "regs",
	"lanes tid", "locals", "args", "print %r1", "print cache[99999999999999999999]", "watch cache write", "continue", "reverse", "break 12", "break 999999",
	"goto end", "goto start", "goto 99999999999999999999", "goto -1", "step 1000000000", "thread 63 block 0", "thread 64", "delete 7", "list", "stack", "ptx",
	"quit", "print 0xffffffffffffffff:f64", "who shared+99999:u32", "print shared+18446744073709551615:u64", "\x00", strings.Repeat("x", 1<<16),
}

// TestTurns asks for many things at once, for two programs by turns. Each is answered, and none is a
// fault.
func TestTurns(t *testing.T) {
	t.Parallel()
	l := newLab()
	defer l.leave()
	var wait sync.WaitGroup
	for g := range uint64(16) {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(g, 1))
			for range 12 {
				text, args := reduced, []string{"s32[64]=ramp", "s32[1]=zeros"}
				if random.IntN(4) == 0 {
					text, args = strided, []string{"s32[320]=ramp", "s32[1]=zeros"}
				}
				r := Request{Do: "look", Text: text, Launch: Launch{Grid: []int{1}, Args: args}, Look: Look{At: random.Uint64N(300), Command: hostile[random.IntN(len(hostile))]}}
				if random.IntN(12) == 0 {
					r.Do = "run"
				}
				asked, err := json.Marshal(r)
				if err != nil {
					t.Error(err)
					return
				}
				var a answer
				if err := json.Unmarshal([]byte(l.Answer(string(asked))), &a); err != nil || a.Fault != "" || a.Moment == nil && a.Result == nil {
					t.Errorf("%.200s: %v, %s", asked, err, a.Fault)
				}
				if a.Moment != nil && strings.Contains(a.Moment.Error, "fault of gridstride") {
					t.Errorf("%.200s: %s", asked, a.Moment.Error)
				}
			}
		})
	}
	wait.Wait()
}
