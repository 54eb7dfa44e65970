package gridstride

import (
	"errors"
	"strings"
	"testing"
)

// TestLineInfo opens a GPU, here a simulated one, whose modules are to have lines.
func TestLineInfo(t *testing.T) {
	b, err := openGPU(0, nil)
	if err != nil {
		t.Skip("no GPU and no stand-in:", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	t.Setenv(linesEnv, "no/such/folder")
	if _, err = Open(Use("cuda")); !errors.Is(err, ErrNoDevice) || !strings.Contains(err.Error(), `GRIDSTRIDE_LINEINFO is "no/such/folder"; want a folder`) {
		t.Errorf("%v", err)
	}
	t.Setenv(linesEnv, ".")
	dev, err := Open(Use("cuda"))
	if err != nil {
		t.Fatal(err)
	}
	const ptx = ".version 6.0\n.target sm_70\n.address_size 64\n" +
		".file 1 \"github.com/gridstride/gridstride/gpus.go\"\n.visible .entry k()\n{\n\t.loc 1 7 1\n\tret;\n}\n"
	m, err := dev.Load("k.ptx", ptx)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.Close(), dev.Close()); err != nil {
		t.Error(err)
	}
}
