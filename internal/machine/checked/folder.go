package checked

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// The files of the folder through which programs and the command that has started them talk. The
// programs' files have any name that fits the pattern.
const (
	// ReportFiles are the files of reports, each a line of JSON. A program writes one.
	ReportFiles = "report-*.jsonl"
	// LaunchFiles are there while launches are announced or under way. A program has one at a time.
	// It remains after a program ends before it has reported a launch.
	LaunchFiles = "launch-*"
	// InterruptFile is made by the command: the launches under way are to end, and to be reported
	// as far as they have come.
	InterruptFile = "interrupt"
)

// lookEvery is how often a launch under way looks for the interrupt.
const lookEvery = 100 * time.Millisecond

// Folder is the program's side of such a folder. A program that is run by the command has one for
// all its devices.
type Folder struct {
	dir  string
	show bool // each launch, before it runs

	mu      sync.Mutex
	reports *os.File
	lost    bool   // a report could not be written
	running int    // launches announced or under way
	launch  string // the file that says so
	ctx     context.Context
	cancel  context.CancelFunc // ends ctx, and with it the launches under way
}

var folders struct {
	sync.Mutex
	at map[string]*Folder
}

// folderAt is the Folder of a path, the same each time.
func folderAt(dir string, show bool) *Folder {
	folders.Lock()
	defer folders.Unlock()
	if folders.at == nil {
		folders.at = map[string]*Folder{}
	}
	if folders.at[dir] == nil {
		folders.at[dir] = &Folder{dir: dir, show: show}
	}
	return folders.at[dir]
}

// write adds a report.
func (f *Folder) write(r *report.Report) error {
	short := *r
	short.Orders = nil
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	if f.reports == nil {
		f.reports, err = os.CreateTemp(f.dir, ReportFiles)
	}
	if err == nil {
		_, err = f.reports.Write(short.Line())
	}
	if err != nil {
		f.lost = true
		return fmt.Errorf("%s: the report of a launch cannot be written: %w", EnvVar, err)
	}
	return nil
}

// begin begins a launch. Its context ends with the given one, and when the command asks for that.
// done is to be called when the launch has been reported.
func (f *Folder) begin(ctx context.Context) (both context.Context, done func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.interrupted() {
		return nil, nil, context.Canceled
	}
	if err := f.count(); err != nil {
		return nil, nil, err
	}
	both, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(f.ctx, cancel)
	return both, func() {
		stop()
		cancel()
		f.end()
	}, nil
}

// announce says that a launch is queued, so that a program that ends before the launch begins is seen
// to have left it out. done is to be called when the launch has ended.
func (f *Folder) announce() (done func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count() != nil {
		return func() {} // begin will have the error again
	}
	return f.end
}

// count counts a launch, and makes the file that says that one is under way. It needs f.mu.
func (f *Folder) count() error {
	if f.running == 0 {
		file, err := os.CreateTemp(f.dir, LaunchFiles)
		if err != nil {
			return fmt.Errorf("%s: a launch cannot be announced: %w", EnvVar, err)
		}
		f.launch = file.Name()
		if err := file.Close(); err != nil {
			return err
		}
		f.ctx, f.cancel = context.WithCancel(context.Background())
		go f.look(f.ctx, f.cancel)
	}
	f.running++
	return nil
}

// end ends a launch, or the announcement of one.
func (f *Folder) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running--; f.running > 0 {
		return
	}
	f.cancel()
	if !f.lost {
		_ = os.Remove(f.launch) // if it stays, the command says that it cannot decide
	}
}

// look cancels the launches under way when the command asks for that. It returns when none is under
// way any more.
func (f *Folder) look(ctx context.Context, cancel context.CancelFunc) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for !f.interrupted() {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	cancel()
}

func (f *Folder) interrupted() bool {
	_, err := os.Stat(filepath.Join(f.dir, InterruptFile))
	return !errors.Is(err, os.ErrNotExist)
}
