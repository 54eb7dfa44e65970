package difftest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Assembler is a Machine before which NVIDIA's assembler takes every module. The driver of a user's
// GPU has the same assembler in it, and a crash of it ends the user's process. What ptxas refuses,
// or crashes on, fails to load.
type Assembler struct {
	Machine
	Ptxas  string // the path of ptxas
	Target string // such as sm_90
}

// Load implements Machine.
func (a Assembler) Load(text string) (Kernels, error) {
	if err := a.assemble(text); err != nil {
		return nil, err
	}
	return a.Machine.Load(text)
}

func (a Assembler) assemble(text string) error {
	dir, err := os.MkdirTemp("", "assemble")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "kernels.ptx")
	if err := writeFile(file, []byte(text)); err != nil {
		return err
	}
	out, err := exec.Command(a.Ptxas, "-arch="+a.Target, "-o", os.DevNull, file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ptxas for %s: %w\n%s", a.Target, err, tail(string(out), 2000))
	}
	return nil
}
