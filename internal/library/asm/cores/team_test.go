package cores

import (
	"fmt"
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
