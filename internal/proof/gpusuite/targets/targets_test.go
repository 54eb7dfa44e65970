package targets

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// sets are the generated files, which a GPU's machine does not have in the test's folder.
//
//go:embed *.ptx
var sets embed.FS

// kernel has the methods of a launcher that the tests need.
type kernel interface {
	Target() string
	Launch(s *gridstride.Stream, cfg gridstride.Config, a gridstride.Buffer[int32]) error
}

func as[K kernel](k K, err error) (kernel, error) { return k, err }

var loaders = map[string]func(*gridstride.Device) (kernel, error){
	"Portable": func(d *gridstride.Device) (kernel, error) { return as(LoadPortable(d)) },
	"Tuned":    func(d *gridstride.Device) (kernel, error) { return as(LoadTuned(d)) },
	"Ampere":   func(d *gridstride.Device) (kernel, error) { return as(LoadAmpere[int32](d)) },
	"Newer":    func(d *gridstride.Device) (kernel, error) { return as(LoadNewer(d)) },
	"Hopper":   func(d *gridstride.Device) (kernel, error) { return as(LoadHopper(d)) },
}

// taken says, for devices of some capabilities, which target of each kernel they take, or "".
var taken = map[string]map[string]string{
	"sm_70":   {"Portable": "sm_70", "Tuned": "sm_70", "Ampere": "", "Newer": "", "Hopper": ""},
	"sm_75":   {"Portable": "sm_70", "Tuned": "sm_70", "Ampere": "", "Newer": "", "Hopper": ""},
	"sm_80":   {"Portable": "sm_70", "Tuned": "sm_80", "Ampere": "sm_80", "Newer": "sm_80", "Hopper": ""},
	"sm_90a":  {"Portable": "sm_70", "Tuned": "sm_90a", "Ampere": "sm_80", "Newer": "sm_90", "Hopper": "sm_90a"},
	"sm_100a": {"Portable": "sm_70", "Tuned": "sm_80", "Ampere": "sm_80", "Newer": "sm_90", "Hopper": ""},
}

// check loads each kernel, and launches those that load.
func check(t *testing.T, dev *gridstride.Device, want map[string]string) {
	t.Helper()
	const n = 33
	a, err := gridstride.CopyOf(dev, make([]int32, n))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Free()
	launches := int32(0)
	for name, load := range loaders {
		k, err := load(dev)
		switch {
		case want[name] == "":
			if !errors.Is(err, gridstride.ErrTarget) || !strings.Contains(err.Error(), "targets."+name) || !strings.Contains(err.Error(), dev.String()) {
				t.Errorf("%s on %s: %v", name, dev.Info().Target, err)
			}
			continue
		case err != nil:
			t.Error(err)
			continue
		case k.Target() != want[name]:
			t.Errorf("%s on %s: took %s, want %s", name, dev.Info().Target, k.Target(), want[name])
		}
		launches++
		if err := k.Launch(dev.Stream(), gridstride.Grid(2).Block(32), a); err != nil {
			t.Error(err)
		}
	}
	got, err := a.Read(t.Context(), dev.Stream(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v != launches {
			t.Fatalf("element %d is %d after %d launches", i, v, launches)
		}
	}
}

func TestPlayedTargets(t *testing.T) {
	t.Parallel()
	for target, want := range taken {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			dev := suitetest.Open(t, gridstride.Use("sim"), gridstride.SimTarget(target))
			if info := dev.Info(); info.Target != target {
				t.Errorf("the device says it runs %s", info.Target)
			}
			check(t, dev, want)
		})
	}
}

// TestDefaultTarget opens the simulator without a target: it plays sm_90a.
func TestDefaultTarget(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t, gridstride.Use("sim"))
	if info := dev.Info(); info.Target != "sm_90a" || info.MaxShared != 227<<10 {
		t.Errorf("%+v", info)
	}
	check(t, dev, taken["sm_90a"])
}

// TestNamedTarget opens simulators as GRIDSTRIDE_DEVICE names them.
func TestNamedTarget(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]any{"sim:sm_75": {"sm_75", 64 << 10}, "sim:sm_80": {"sm_80", 163 << 10}, "sim:sm_90": {"sm_90a", 227 << 10}} {
		info := suitetest.Open(t, gridstride.Use(name)).Info()
		if got := [2]any{info.Target, info.MaxShared}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for _, bad := range []gridstride.Option{gridstride.Use("sim:sm_60"), gridstride.Use("sim:90"), gridstride.SimTarget("volta")} {
		if _, err := gridstride.Open(gridstride.Use("sim"), bad); !errors.Is(err, gridstride.ErrNoDevice) {
			t.Errorf("%v", err)
		}
	}
}

// TestRefusal pins the text of the error for a device that runs none of a kernel's targets.
func TestRefusal(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t, gridstride.Use("sim"), gridstride.SimTarget("sm_80"))
	_, err := LoadHopper(dev)
	want := "targets.Hopper is not compiled for " + dev.String() +
		": github.com/gridstride/gridstride/internal/proof/gpusuite/targets/kernels_gen_sm_90a.ptx needs sm_90a, the device is sm_80 (simulator)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestLoadOfAnyTarget loads one text: a device that was asked to play a target refuses others.
func TestLoadOfAnyTarget(t *testing.T) {
	t.Parallel()
	text, err := sets.ReadFile("kernels_gen_sm_90a.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for target, ok := range map[string]bool{"sm_80": false, "sm_90": true, "sm_100": false} {
		_, err := suitetest.Open(t, gridstride.Use("sim"), gridstride.SimTarget(target)).Load("k.ptx", string(text))
		if ok && err != nil || !ok && (!errors.Is(err, gridstride.ErrTarget) || !errors.Is(err, gridstride.ErrModule)) {
			t.Errorf("PTX for sm_90a on %s: %v", target, err)
		}
	}
	newer := regexp.MustCompile(`\.version .*\n\.target .*`).ReplaceAllString(string(text), ".version 8.6\n.target sm_100a")
	if _, err := suitetest.Open(t, gridstride.Use("sim")).Load("k.ptx", newer); err != nil {
		t.Errorf("a simulator that was asked for no target refuses PTX for a newer one: %v", err)
	}
}

// TestSets holds each file to the kernels that ask for its target.
func TestSets(t *testing.T) {
	t.Parallel()
	files, _ := fs.Glob(sets, "*.ptx")
	entry := regexp.MustCompile(`\.entry (\w+)`)
	got := map[string]string{}
	for _, file := range files {
		text, err := sets.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range entry.FindAllStringSubmatch(string(text), -1) {
			got[file] += " " + m[1]
		}
	}
	for file, want := range map[string]string{
		"kernels_gen.ptx":       " Portable",
		"kernels_gen_sm_70.ptx": " Tuned",
		"kernels_gen_sm_80.ptx": " Tuned Ampere_int32 Ampere_int64 Newer", "kernels_gen_sm_90.ptx": " Newer",
		"kernels_gen_sm_90a.ptx": " Tuned Hopper",
	} {
		if got[file] != want || len(files) != 5 {
			t.Errorf("%s has%s, want%s", file, got[file], want)
		}
	}
}

// TestOnStandIn runs TestOnGPU with simulated drivers, with GPUs of several capabilities.
func TestOnStandIn(t *testing.T) {
	t.Parallel()
	if !standIns {
		t.Skip("the stand-in for the driver is for linux")
	}
	for target := range taken {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOnGPU$", "-test.v")
			c.Env = append(os.Environ(), standInEnv+"="+target, "GRIDSTRIDE_DEVICE=cuda")
			if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestOnGPU") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// standInEnv is the variable that makes the tests use a simulated driver. Its value is the target
// of the simulated GPU.
const standInEnv = "GRIDSTRIDE_TEST_STANDIN_TARGET"

// TestOnGPU checks the choice of a GPU, if present.
func TestOnGPU(t *testing.T) {
	dev := suitetest.Open(t)
	if dev.Info().Backend != "cuda" {
		t.Skip("no GPU")
	}
	want, ok := taken[dev.Info().Target]
	if !ok {
		t.Skipf("nothing is said of %s", dev.Info().Target)
	}
	check(t, dev, want)
}
