package gridstride_test

import (
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
)

// TestEmbedded loads kernels of one text from many goroutines, on two devices.
func TestEmbedded(t *testing.T) {
	// The text has a variable of 1 KiB: a device that has room for one of it shows that it is
	// loaded once.
	text := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .b8 table[1024];\n" +
		".visible .entry one() { ret; }\n.visible .entry two() { ret; }\n"
	e := gridstride.Embed("example.com/p/kernels_gen.ptx", text)
	var wg sync.WaitGroup
	for range 2 {
		dev := open(t, gridstride.Use("sim"), gridstride.SimMemory(2000))
		for i := range 8 {
			wg.Go(func() {
				k, err := e.Kernel(dev, []string{"one", "two"}[i%2], "p.Some")
				if err != nil {
					t.Error(err)
					return
				}
				if k.MaxThreads() == 0 || k.Name() != "p.Some" || k.Device() != dev {
					t.Errorf("kernel %s on %v", k.Name(), k.Device())
				}
			})
		}
	}
	wg.Wait()

	dev := open(t)
	_, err := e.Kernel(dev, "", "p.Generic")
	wantError(t, err, gridstride.ErrNoKernel, "p.Generic is not compiled for these type arguments; its //gpu:kernel comment lists those it is compiled for")
	_, err = e.Kernel(dev, "three", "p.Three")
	wantError(t, err, gridstride.ErrNoKernel, "module example.com/p/kernels_gen.ptx has no kernel three; it has one, two")
}

// TestEmbeddedAgain loads on a device without room, makes room, and loads again.
func TestEmbeddedAgain(t *testing.T) {
	dev := open(t, gridstride.Use("sim"), gridstride.SimMemory(2000))
	e := gridstride.Embed("k.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.global .align 4 .b8 table[1024] = {1};\n"+
		".visible .entry one() { .reg .b64 a; mov.u64 a, table; ret; }\n")
	b, err := gridstride.Make[byte](dev, 1500)
	must(t, err)
	k, err := e.Kernel(dev, "one", "p.One")
	must(t, err)
	launch := func() error { return k.Launch(dev.Stream(), gridstride.Grid(1).Block(1)) }
	err = launch()
	wantError(t, err, gridstride.ErrOutOfMemory, "launch p.One: load k.ptx: out of device memory: 1668 of 2000 bytes are in use")
	wantError(t, err, gridstride.ErrModule, err.Error())
	_, err = k.MaxActiveBlocks(1, 0)
	wantError(t, err, gridstride.ErrOutOfMemory, "occupancy of p.One: load k.ptx: out of device memory: 1668 of 2000 bytes are in use")
	if n := k.MaxThreads(); n != 0 {
		t.Errorf("a kernel that cannot be compiled has %d threads", n)
	}
	must(t, b.Free())
	must(t, launch())
	if n := k.MaxThreads(); n == 0 {
		t.Error("a compiled kernel has no threads")
	}
}
