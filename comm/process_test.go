package comm_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
)

// The variables that make TestRank one rank of a group of processes, with its rendezvous: "1 of 3 at
// file:///…". It runs programEnv programs. With loopEnv it enters collectives until one fails, and
// with timeEnv, a number of bytes, it measures sums of that size.
const (
	rankEnv    = "GRIDSTRIDE_TEST_RANK"
	programEnv = "GRIDSTRIDE_TEST_PROGRAMS"
	loopEnv    = "GRIDSTRIDE_TEST_LOOP"
	timeEnv    = "GRIDSTRIDE_TEST_TIME"
)

// TestRank is the program of a process of TestProcesses.
func TestRank(t *testing.T) {
	var at comm.Rendezvous
	if n, _ := fmt.Sscanf(os.Getenv(rankEnv), "%d of %d at %s", &at.Rank, &at.Ranks, &at.Address); n != 3 {
		t.Skip("is run by TestProcesses")
	}
	devs := devices(t, at.Rank+1)
	s := devs[len(devs)-1].Stream()
	m, err := comm.Join(t.Context(), s, at, comm.Options{})
	must(t, err)
	fmt.Println("joined:", m.NCCL())
	if size, err := strconv.Atoi(os.Getenv(timeEnv)); err == nil {
		timeSums(t, m, size)
		must(t, m.Close())
		return
	}
	p := newProgram(m, s)
	count, err := strconv.Atoi(os.Getenv(programEnv))
	must(t, err)
	err = p.runMany(t.Context(), count)
	for seed := uint64(0); os.Getenv(loopEnv) != "" && err == nil; seed++ {
		err = p.run(t.Context(), seed, 1)
	}
	if err != nil {
		fmt.Println("failed:", errors.Is(err, comm.ErrAborted) || errors.Is(err, comm.ErrAbsent), strings.ReplaceAll(err.Error(), "\n", " "))
		os.Exit(0)
	}
	must(t, m.Close())
	fmt.Println("ran:", count, "programs")
}

// process is a rank that runs.
type process struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// start starts the processes of a group. The test kills those that run at its end.
func start(t testing.TB, ranks int, env ...string) (all []process) {
	t.Helper()
	at := place(t).Address
	for rank := range ranks {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRank$", "-test.timeout=900s")
		cmd.Env = append(append(os.Environ(), env...), rankEnv+"="+strconv.Itoa(rank)+" of "+strconv.Itoa(ranks)+" at "+at)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		all = append(all, process{cmd, bufio.NewScanner(out)})
	}
	return all
}

// after reads to the line that begins with a word, and returns the rest of it.
func (p process) after(t testing.TB, word string) string {
	t.Helper()
	var seen []string
	for p.lines.Scan() {
		if rest, ok := strings.CutPrefix(p.lines.Text(), word+": "); ok {
			return rest
		}
		seen = append(seen, p.lines.Text())
	}
	t.Fatalf("no %q in %q", word, seen)
	return ""
}

// ranksFor is how many processes a test can have: GPUs, or any number on simulated devices.
func ranksFor(t testing.TB, want int) int {
	if standIn != nil {
		t.Skip("the stand-in is of one process")
	}
	if !onGPU() {
		return want
	}
	n := min(want, len(devices(t, want)))
	if n < 2 {
		t.Skip("one GPU")
	}
	return n
}

// TestProcesses runs random programs on ranks that are processes.
func TestProcesses(t *testing.T) {
	parallel(t)
	for _, p := range start(t, ranksFor(t, 3), programEnv+"="+strconv.Itoa(*programs/4)) {
		t.Log(p.after(t, "joined"))
		t.Log(p.after(t, "ran"))
	}
}

// TestProcessKilled: when a process is killed the others end, and say who is gone. Nothing hangs.
func TestProcessKilled(t *testing.T) {
	parallel(t)
	ranks := ranksFor(t, 3)
	for victim := range ranks {
		t.Run(fmt.Sprint(victim), func(t *testing.T) {
			all := start(t, ranks, loopEnv+"=1", programEnv+"=3")
			for _, p := range all {
				p.after(t, "joined")
			}
			time.Sleep(time.Duration(20*victim) * time.Millisecond)
			must(t, all[victim].cmd.Process.Kill())
			for rank, p := range all {
				if rank == victim {
					continue
				}
				said := p.after(t, "failed")
				if !strings.HasPrefix(said, "true ") || !strings.Contains(said, fmt.Sprintf("rank %d has ", victim)) {
					t.Errorf("rank %d: %s", rank, said)
				}
			}
		})
	}
}

// timeSums prints the median time that an AllReduce of float32 takes on the device.
func timeSums(t *testing.T, m *comm.Member, size int) {
	x, err := gridstride.Make[float32](m.Stream().Device(), size/4)
	must(t, err)
	defer x.Free()
	must(t, x.Zero(m.Stream()))
	var times []time.Duration
	for range 23 {
		start := m.Stream().Record()
		for range 10 {
			must(t, comm.EnterAllReduce(t.Context(), m, comm.Sum, x, x))
		}
		took, err := m.Stream().Record().Since(t.Context(), start)
		must(t, err)
		times = append(times, took/10)
	}
	times = times[3:] // the first calls load and connect
	slices.Sort(times)
	fmt.Println("took:", times[len(times)/2].Nanoseconds())
}

// BenchmarkProcesses sums float32 over two GPUs, each with its own process, from 1 KB to 1 GB a
// rank, as BenchmarkAllReduce does for GPUs of one process.
func BenchmarkProcesses(b *testing.B) {
	ranks := ranksFor(b, 2)
	for size := 1 << 10; size <= 1<<30; size *= 4 {
		b.Run(fmt.Sprintf("ranks=%d/bytes=%d", ranks, size), func(b *testing.B) {
			var ns float64
			for b.Loop() {
				for _, p := range start(b, ranks, timeEnv+"="+strconv.Itoa(size)) {
					var err error
					ns, err = strconv.ParseFloat(p.after(b, "took"), 64)
					must(b, err)
				}
			}
			b.ReportMetric(2*float64(ranks-1)/float64(ranks)*float64(size)/ns, "bus-GB/s")
			b.ReportMetric(ns/1e3, "us")
		})
	}
}
