package difftest

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gridstride/gridstride/internal/proof/difftest/gen"
)

// Device runs programs: the compiler and a machine under it. It must be safe for use from several
// goroutines.
type Device interface {
	Name() string
	Run(ctx context.Context, programs []*Program) []Outcome
}

// Checker compares a device with the host.
type Checker struct {
	Oracle *Oracle
	Device Device
}

// Verdict is the result of one program.
type Verdict struct {
	Program    *Program
	Threads    int
	Failed     int // threads that failed on the host
	Difference *Difference
}

// Check runs the programs on both sides. A program that does not end on the host has no verdict,
// and is not in the result.
func (c *Checker) Check(ctx context.Context, programs []*Program) ([]Verdict, error) {
	want, err := c.Oracle.Run(ctx, programs)
	if err != nil {
		return nil, err
	}
	var ended []*Program
	verdicts := make([]Verdict, 0, len(programs))
	for i, p := range programs {
		if !want[i].TimedOut {
			want[len(ended)] = want[i]
			ended = append(ended, p)
		}
	}
	got := c.Device.Run(ctx, ended)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, p := range ended {
		verdicts = append(verdicts, Verdict{p, p.Threads(), len(want[i].Failures), p.Compare(want[i], got[i])})
	}
	return verdicts, nil
}

// Campaign is a run over many seeds.
type Campaign struct {
	Checker
	First   uint64 // seed of the first program
	Count   int
	Batch   int // programs compiled together
	Workers int
	Limit   time.Duration // begin no more batches after this time; 0 for none
	// Progress, if not nil, is called after each batch, one call at a time.
	Progress func(Summary)
	// Differ, if not nil, is called for every program that differs, one call at a time.
	Differ func(Verdict)
}

// Summary is the record of a campaign.
type Summary struct {
	Device   string         `json:"device"`
	Driver   string         `json:"driver,omitempty"`
	Oracle   string         `json:"oracle"`
	First    uint64         `json:"first_seed"`
	Programs int            `json:"programs"`
	Differ   int            `json:"differences"`
	Seeds    []uint64       `json:"differing_seeds,omitempty"`
	Kinds    map[string]int `json:"difference_kinds,omitempty"`
	Timeouts int            `json:"not_ended_on_host"`
	// Same counts the programs of a bundle that left the simulator's memory to the byte, NaNs' bits
	// and padding too; Other are the seeds of those that did not, though no result differs.
	Same      int            `json:"same_bytes_as_simulator,omitempty"`
	Other     []uint64       `json:"seeds_of_other_bytes,omitempty"`
	Threads   int            `json:"threads"`
	Failed    int            `json:"threads_failed_on_both"`
	WithFails int            `json:"programs_with_failing_threads"`
	Lines     int            `json:"lines_of_go"`
	Contain   map[string]int `json:"programs_containing"`
	Seconds   float64        `json:"seconds"`
}

// Run runs the campaign. The error is one of the oracle or the generator, or of ctx. A difference
// is none.
func (c *Campaign) Run(ctx context.Context) (Summary, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	sum := Summary{
		Device: c.Device.Name(), Oracle: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		First: c.First, Kinds: map[string]int{}, Contain: map[string]int{},
	}
	batches := make(chan []uint64)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range c.Workers {
		wg.Go(func() {
			for seeds := range batches {
				programs, verdicts, err := c.batch(ctx, seeds)
				if err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				c.add(&sum, programs, verdicts)
				sum.Seconds = time.Since(start).Seconds()
				if c.Progress != nil {
					c.Progress(sum)
				}
				mu.Unlock()
			}
		})
	}
	for done := 0; done < c.Count && ctx.Err() == nil && (c.Limit == 0 || time.Since(start) < c.Limit); {
		n := min(c.Batch, c.Count-done)
		seeds := make([]uint64, n)
		for i := range seeds {
			seeds[i] = c.First + uint64(done+i)
		}
		done += n
		select {
		case batches <- seeds:
		case <-ctx.Done():
		}
	}
	close(batches)
	wg.Wait()
	return sum, context.Cause(ctx)
}

func (c *Campaign) batch(ctx context.Context, seeds []uint64) ([]*Program, []Verdict, error) {
	programs := make([]*Program, len(seeds))
	for i, seed := range seeds {
		p, err := c.Oracle.Parse(gen.Program(seed))
		if err != nil {
			return nil, nil, fmt.Errorf("seed %d: the generator wrote a program that is not Go: %w", seed, err)
		}
		programs[i] = p
	}
	verdicts, err := c.Check(ctx, programs)
	return programs, verdicts, err
}

func (c *Campaign) add(s *Summary, programs []*Program, verdicts []Verdict) {
	s.Programs += len(programs)
	s.Timeouts += len(programs) - len(verdicts)
	for _, p := range programs {
		s.Lines += strings.Count(p.Source, "\n")
		for f := range p.features() {
			s.Contain[f]++
		}
	}
	for _, v := range verdicts {
		s.Threads += v.Threads
		if v.Failed > 0 {
			s.WithFails++
		}
		if v.Difference == nil {
			s.Failed += v.Failed
			continue
		}
		s.Differ++
		s.Seeds = append(s.Seeds, v.Program.Seed)
		s.Kinds[v.Difference.Kind]++
		if c.Differ != nil {
			c.Differ(v)
		}
	}
}

// features are the constructs that a program contains, for the summary.
func (p *Program) features() map[string]bool {
	set := map[string]bool{}
	file, err := parser.ParseFile(token.NewFileSet(), "", p.Source, 0)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			set["for"] = true
		case *ast.RangeStmt:
			set["range"] = true
		case *ast.SwitchStmt:
			set["switch"] = true
		case *ast.BranchStmt:
			set[n.Tok.String()] = true
		case *ast.FuncLit:
			set["function literal"] = true
		case *ast.FuncDecl:
			set["method"] = set["method"] || n.Recv != nil
			set["type parameter"] = set["type parameter"] || n.Type.TypeParams != nil && n.Name.Name != "fitø"
		case *ast.StructType:
			set["struct"] = true
		case *ast.ArrayType:
			if n.Len != nil {
				set["array"] = true
			}
		case *ast.SliceExpr:
			set["re-slice"] = true
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				set["pointer"] = true
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.QUO, token.REM:
				set["division"] = true
			case token.SHL, token.SHR:
				set["shift"] = true
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && (id.Name == "math" || id.Name == "bits" || id.Name == "gpu") {
				set[id.Name+"."+n.Sel.Name] = true
			}
		}
		return true
	})
	for k, v := range set {
		if !v {
			delete(set, k)
		}
	}
	return set
}
