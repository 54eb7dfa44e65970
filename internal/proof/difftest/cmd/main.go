// Command cmd is the differential fuzzer's: it writes random kernels, runs them by Go on the host
// and compiled to PTX on the simulator, and compares the results bit for bit (see package
// difftest).
//
//	go run ./internal/proof/difftest/cmd -n 20000 -seed 1              a campaign
//	go run ./internal/proof/difftest/cmd -n 20000 -json summary.json   and its summary as JSON
//	go run ./internal/proof/difftest/cmd -print 17                     show the program of seed 17
//	go run ./internal/proof/difftest/cmd -program x.go                 compare one program, from a file
//	go run ./internal/proof/difftest/cmd -n 400 -without each           each of the compiler's passes left out
//	go run ./internal/proof/difftest/cmd -ptxas "$(.ci/ptxas)"         have NVIDIA's assembler take them too
//
// A GPU machine needs no Go: write a bundle here, programs with their PTX and what the host and the
// simulator made of them, and run it there, in several processes, since a driver compiles one
// module of a process at a time. Some programs are for sm_90, so the GPU must be a 9.0 or newer.
//
//	go run ./internal/proof/difftest/cmd -n 5000 -emit programs.bundle
//	go run ./internal/proof/difftest/cmd -emit saved.bundle internal/proof/difftest/testdata/programs/*.go
//	CGO_ENABLED=0 go build -o difftest ./internal/proof/difftest/cmd
//	GRIDSTRIDE_DEVICE=cuda ./difftest -run programs.bundle -processes 16 -json summary.json
//
// The exit status is 1 if a program differed. The first few that do are reduced and printed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/gridstride/gridstride/internal/proof/difftest"
	"github.com/gridstride/gridstride/internal/proof/difftest/gen"
)

type options struct {
	count, batch, module     int
	workers, processes, show int
	seed                     uint64
	json, program, print     string
	emit, run                string
	ptxas, target, without   string
	files                    []string
	limit                    time.Duration
	reduce, serve            bool
}

func main() {
	var o options
	flag.IntVar(&o.count, "n", 1000, "programs")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the first program; the others follow")
	flag.IntVar(&o.batch, "batch", 200, "programs compiled together")
	flag.IntVar(&o.module, "module", 20, "programs compiled into one module of a bundle")
	flag.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "batches worked on at once")
	flag.IntVar(&o.show, "show", 3, "differing programs to print")
	flag.BoolVar(&o.reduce, "reduce", true, "reduce the programs that are printed")
	flag.StringVar(&o.json, "json", "", "write the summary to this file")
	flag.StringVar(&o.program, "program", "", "compare the program in this file instead")
	flag.StringVar(&o.ptxas, "ptxas", "", "assemble every program with NVIDIA's assembler at this path, too")
	flag.StringVar(&o.target, "target", "sm_90", "what -ptxas assembles for")
	flag.StringVar(&o.without, "without", "", "leave out the compiler's pass of this name; \"each\" leaves out one pass after another, for -n programs each")
	flag.StringVar(&o.emit, "emit", "", "write the programs to this bundle instead, or those of the files that follow the flags")
	flag.StringVar(&o.run, "run", "", "run this bundle on the device that GRIDSTRIDE_DEVICE names instead")
	flag.IntVar(&o.processes, "processes", 1, "processes that run the bundle")
	flag.DurationVar(&o.limit, "limit", 0, "begin no more programs after this time")
	flag.BoolVar(&o.serve, "serve", false, "be one of those processes: take programs from standard input")
	flag.StringVar(&o.print, "print", "", "print the program of this seed instead")
	flag.Parse()
	o.files = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	differ, err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "difftest:", err)
		os.Exit(2)
	}
	if differ {
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (differ bool, err error) {
	if o.print != "" {
		var seed uint64
		if _, err := fmt.Sscan(o.print, &seed); err != nil {
			return false, fmt.Errorf("-print %s: not a seed", o.print)
		}
		fmt.Print(gen.Program(seed))
		return false, nil
	}
	switch {
	case len(o.files) > 0 && o.emit == "":
		return false, fmt.Errorf("%s: files of programs go with -emit alone; -program compares one", o.files[0])
	case o.without == each && (o.emit != "" || o.program != ""):
		return false, errors.New("-without each goes with -n and -seed, and not with -emit or -program; name one pass")
	case o.serve:
		return false, difftest.Serve(ctx, os.Stdin, os.Stdout)
	case o.run != "":
		return runBundle(ctx, o)
	}
	oracle, err := difftest.NewOracle(ctx)
	if err != nil {
		return false, err
	}
	defer oracle.Close()
	compiler, err := newCompiler(ctx, o)
	if err != nil {
		return false, err
	}
	if o.without == each {
		return withoutEach(ctx, oracle, compiler, o)
	}
	if o.emit != "" {
		return false, emit(ctx, oracle, compiler, o)
	}
	checker := difftest.Checker{Oracle: oracle, Device: compiler}
	if o.program != "" {
		return one(ctx, checker, o)
	}
	sum, err := campaign(ctx, checker, o)
	if err != nil {
		return sum.Differ > 0, err
	}
	return report(sum, o)
}

// newCompiler is the compiler under test and the simulator, with the assembler before it and without the
// pass that the flags name.
func newCompiler(ctx context.Context, o options) (*difftest.Compiler, error) {
	var machine difftest.Machine = difftest.Simulator{}
	if o.ptxas != "" {
		machine = difftest.Assembler{Machine: machine, Ptxas: o.ptxas, Target: o.target}
	}
	compiler, err := difftest.NewCompiler(ctx, ".", machine)
	if err != nil || o.without == "" || o.without == each {
		return compiler, err
	}
	if compiler, err = compiler.Without(o.without); err != nil {
		return nil, fmt.Errorf("-without %s: %w", o.without, err)
	}
	return compiler, nil
}

// one compares the program of a file.
func one(ctx context.Context, c difftest.Checker, o options) (bool, error) {
	text, err := os.ReadFile(o.program)
	if err != nil {
		return false, err
	}
	p, err := c.Oracle.Parse(string(text))
	if err != nil {
		return false, err
	}
	verdicts, err := c.Check(ctx, []*difftest.Program{p})
	if err != nil {
		return false, err
	}
	if len(verdicts) == 0 {
		return false, fmt.Errorf("%s does not end on the host", o.program)
	}
	if verdicts[0].Difference == nil {
		fmt.Printf("no difference: %d threads, %d of them fail on both sides\n", verdicts[0].Threads, verdicts[0].Failed)
		return false, nil
	}
	return true, show(ctx, c, o, verdicts[0])
}

// campaign compares o.count programs, and prints the first ones that differ.
func campaign(ctx context.Context, checker difftest.Checker, o options) (difftest.Summary, error) {
	var differing []difftest.Verdict
	c := difftest.Campaign{
		Checker: checker, First: o.seed, Count: o.count, Batch: o.batch, Workers: o.workers, Limit: o.limit,
		Progress: func(s difftest.Summary) {
			fmt.Fprintf(os.Stderr, "\r%d of %d programs, %d differ, %.0f s ", s.Programs, o.count, s.Differ, s.Seconds)
		},
		Differ: func(v difftest.Verdict) {
			if len(differing) < o.show {
				differing = append(differing, v)
			}
		},
	}
	sum, err := c.Run(ctx)
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return sum, err
	}
	for _, v := range differing {
		if err := show(ctx, checker, o, v); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// show prints a program that differs, reduced if that is wanted.
func show(ctx context.Context, c difftest.Checker, o options, v difftest.Verdict) error {
	seed := v.Program.Seed
	if o.reduce {
		var err error
		if v, err = c.Reduce(ctx, v); err != nil {
			return err
		}
	}
	fmt.Printf("---- seed %d differs: %s\n%s\n", seed, v.Difference, v.Program.Source)
	return nil
}
