package usage

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Assembler is NVIDIA's assembler, ptxas.
type Assembler struct{ path string }

// FindAssembler looks for ptxas where CUDA's programs are: in the folder that CUDA_HOME or CUDA_PATH
// names, in PATH, and in /usr/local/cuda. It returns nil if there is none.
func FindAssembler() *Assembler {
	names := []string{"ptxas", "/usr/local/cuda/bin/ptxas"}
	for _, variable := range []string{"CUDA_PATH", "CUDA_HOME"} {
		if dir := os.Getenv(variable); dir != "" {
			names = append([]string{filepath.Join(dir, "bin", "ptxas")}, names...)
		}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return &Assembler{path}
		}
	}
	return nil
}

// leastSM is the compute capability for which modules are measured that older GPUs run as well.
const leastSM = 90

// assembledFor is the target for which a module is measured.
func assembledFor(m *ptx.Module) abi.Target {
	t := m.MainTarget()
	if t.SM < leastSM {
		return abi.Target{SM: leastSM}
	}
	return t
}

// Measure assembles a module and returns the usage of its kernels by name. An assembler that is too
// old for the module, or refuses it for another reason, gives no usage.
//
// Errors: ctx's, and those of starting the assembler or of writing a file for it.
func (a *Assembler) Measure(ctx context.Context, m *ptx.Module) (map[string]Usage, error) {
	dir, err := os.MkdirTemp("", "gridstride-usage-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "kernels.ptx")
	if err := os.WriteFile(file, []byte(m.String()), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, a.path, "-v", fmt.Sprintf("-arch=%v", assembledFor(m)), file, "-o", os.DevNull)
	log, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if _, refused := errors.AsType[*exec.ExitError](err); refused {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("registers of kernels: %w", err)
	}
	return parse(log), nil
}

var (
	entryLine  = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	stackLine  = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores`)
	usedLine   = regexp.MustCompile(`Used (\d+) registers`)
	sharedText = regexp.MustCompile(`(\d+) bytes smem`)
)

// parse reads what ptxas -v prints.
func parse(log []byte) map[string]Usage {
	all := map[string]Usage{}
	name, u := "", Usage{}
	for lines := bufio.NewScanner(bytes.NewReader(log)); lines.Scan(); {
		line := lines.Text()
		if m := entryLine.FindStringSubmatch(line); m != nil {
			name, u = m[1], Usage{}
		}
		if m := stackLine.FindStringSubmatch(line); m != nil {
			u.Stack, u.Spilled = number(m[1]), number(m[2])
		}
		if m := usedLine.FindStringSubmatch(line); m != nil && name != "" {
			u.Registers = number(m[1])
			if m := sharedText.FindStringSubmatch(line); m != nil {
				u.Shared = number(m[1])
			}
			all[strings.Clone(name)] = u
			name = ""
		}
	}
	return all
}

// number is a number of at most a few digits.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
