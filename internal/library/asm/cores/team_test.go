package cores

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestTeam goes through phases with teams of several sizes: each task is done once, and none before
// the phase ahead of it has ended. One phase has no tasks, others fewer than there are goroutines.
func TestTeam(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{0, 1, 2, 3, 16} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			phases := []int{1, 0, 2, 33, 1000, 1}
			done := make([][]atomic.Int32, len(phases))
			for i, tasks := range phases {
				done[i] = make([]atomic.Int32, tasks)
			}
			Together(workers, func(team *Team) {
				for i, tasks := range phases {
					team.Share(tasks, func(task int) {
						done[i][task].Add(1)
						if i == 0 {
							return
						}
						for earlier := range done[i-1] {
							if n := done[i-1][earlier].Load(); n != 1 {
								t.Errorf("task %d of phase %d runs when task %d of the phase before was done %d times",
									task, i, earlier, n)
								return
							}
						}
					})
				}
			})
			for i := range done {
				for task := range done[i] {
					if n := done[i][task].Load(); n != 1 {
						t.Errorf("task %d of phase %d was done %d times", task, i, n)
					}
				}
			}
		})
	}
}

// TestSleepingTeam makes a phase last longer than anyone looks for its end, so that they sleep.
func TestSleepingTeam(t *testing.T) {
	t.Parallel()
	var ended atomic.Bool
	Together(4, func(team *Team) {
		team.Share(1, func(int) {
			time.Sleep(50 * time.Millisecond)
			ended.Store(true)
		})
		if !ended.Load() {
			t.Error("the phase ended before its task")
		}
	})
}

// TestPanics has one task of a team panic, in several phases and by every goroutine: the caller can
// recover, and the others neither wait for ever nor begin another phase.
func TestPanics(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{2, 3, 16} {
		for _, bad := range []int{0, 1, 40} { // 40: while others have waited long
			var after atomic.Int32
			value := func() (value any) {
				defer func() { value = recover() }()
				Together(workers, func(team *Team) {
					team.Share(5, func(int) {})
					team.Share(41, func(task int) {
						if task == bad {
							time.Sleep(time.Duration(bad) * time.Millisecond)
							var none []int
							none[task]++
						}
					})
					after.Add(1)
				})
				return nil
			}()
			p, ok := value.(*Panic)
			var fault runtime.Error
			if !ok || !errors.As(p, &fault) || !strings.Contains(p.Error(), "TestPanics") {
				t.Errorf("%d workers: the caller recovers %v", workers, value)
			}
			if after.Load() != 0 {
				t.Errorf("%d workers: %d go on after the panic of one", workers, after.Load())
			}
		}
	}
}

// TestPanicOutside has goroutines panic between two phases.
func TestPanicOutside(t *testing.T) {
	t.Parallel()
	defer func() {
		if p, ok := recover().(*Panic); !ok || p.Value != "here" || p.Unwrap() != nil {
			t.Errorf("the caller recovers %v", p)
		}
	}()
	var first atomic.Bool
	Together(4, func(team *Team) {
		if first.CompareAndSwap(false, true) {
			panic("here")
		}
		team.Share(3, func(int) {})
	})
	t.Error("there is no panic")
}
