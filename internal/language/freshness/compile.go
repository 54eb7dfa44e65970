package freshness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// command is the command that compiles kernels, of the version that the package's module requires.
const command = "github.com/gridstride/gridstride/cmd/gridstride"

const (
	compileLimit = 10 * time.Minute // of a compilation, which may have to build the command first
	mostSaid     = 8 << 10          // bytes of the command's errors that the error repeats
)

// Compile runs gridstride build in the package's folder, by the go command of PATH. The error
// repeats the command's errors. It takes a second or more, and the first time as long as Go takes
// to build the command.
//
// It starts the process without os/exec, which no other part of a small program needs.
func (p *Package) Compile() error {
	name, err := goCommand()
	if err != nil {
		return err
	}
	in, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer in.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	process, err := os.StartProcess(name, []string{"go", "run", command, "build", "."},
		&os.ProcAttr{Dir: p.dir, Env: environment(os.Environ(), tags()), Files: []*os.File{in, write, write}})
	write.Close()
	if err != nil {
		read.Close()
		return err
	}
	return wait(process, read, compileLimit)
}

// wait waits for a process that writes its errors to a pipe, and kills it after a time.
func wait(process *os.Process, errs *os.File, limit time.Duration) error {
	said := make(chan string, 1)
	go func() {
		defer errs.Close()
		said <- strings.TrimSpace(beginning(errs, mostSaid))
	}()
	late := time.AfterFunc(limit, func() { _ = process.Kill() })
	state, err := process.Wait()
	if !late.Stop() {
		return fmt.Errorf("gridstride build took longer than %v", limit)
	}
	if err == nil && state.Success() {
		return nil
	}
	select {
	case text := <-said:
		return fmt.Errorf("gridstride build: %s", text)
	case <-time.After(time.Second): // a child of the process lives on, and holds the pipe
		return fmt.Errorf("gridstride build: %v", state)
	}
}

// beginning reads a file to its end and returns the first bytes. io.ReadAll and io.Copy would link
// the code that lets the system copy from file to file.
func beginning(f *os.File, bytes int) string {
	var text strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		text.Write(buf[:min(n, bytes-text.Len())])
		if err != nil {
			return text.String()
		}
	}
}

// goCommand finds the go command in PATH.
func goCommand() (string, error) {
	name := "go"
	if runtime.GOOS == "windows" {
		name = "go.exe"
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		file := filepath.Join(dir, name)
		if !filepath.IsAbs(file) {
			continue // of the folder that the program happens to be in
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return file, nil
		}
	}
	return "", errors.New("the go command is not in PATH")
}

// environment is the environment of the command: it runs on this machine, whatever system the
// program is for, with the program's build tags, and asks nothing of the programs it starts.
func environment(env []string, tags string) []string {
	flags := ""
	var kept []string
	for _, e := range env {
		switch name, value, _ := strings.Cut(e, "="); name {
		case "GOOS", "GOARCH", "GRIDSTRIDE_STALE", "GRIDSTRIDE_CHECK":
		case "GOFLAGS":
			flags = value
		default:
			kept = append(kept, e)
		}
	}
	if tags != "" {
		flags = strings.TrimSpace(flags + " -tags=" + tags)
	}
	if flags != "" {
		kept = append(kept, "GOFLAGS="+flags)
	}
	return kept
}

// tags are the build tags of the program.
func tags() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				return s.Value
			}
		}
	}
	return ""
}

// started is when the program began to run.
var started = time.Now()

// built is a time at which the sources of the program were as it was built from, as far as that is
// known. What go run and go test start, they have compared with the sources right before.
func built() time.Time {
	name, err := os.Executable()
	if err != nil {
		return time.Time{}
	}
	for element := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if strings.HasPrefix(element, "go-build") { // in the folder for temporary files, or in Go's build cache
			return started
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
