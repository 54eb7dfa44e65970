package clusters

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// device is a device that has clusters. Without one the test is skipped.
func device(t *testing.T) *gridstride.Device {
	t.Helper()
	dev := gputest.Device(t)
	suitetest.HasClusters(t, dev)
	return dev
}

func TestRotate(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadRotate(dev)
	suitetest.Must(t, err)
	if k.ClusterDim() != (gridstride.Dim3{X: 4, Y: 1, Z: 1}) {
		t.Errorf("it is compiled for clusters of %v", k.ClusterDim())
	}
	for _, blocks := range []int{4, 12} {
		n := 96 * blocks
		in, want := make([]int32, n), make([]int32, n)
		for i := range in {
			in[i] = int32(i * i)
		}
		for i := range want {
			block := i / 96
			want[i] = in[(block/4*4+(block+3)%4)*96+i%96]
		}
		out := suitetest.OnDevice(t, dev, make([]int32, n))
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(blocks), suitetest.OnDevice(t, dev, in), out))
		if !slices.Equal(suitetest.Read(t, dev, out), want) {
			t.Errorf("%d blocks: wrong", blocks)
		}
	}
	cfg, err := k.GridFor(500)
	suitetest.Must(t, err)
	if cfg.GridDim.X != 8 {
		t.Errorf("a grid of %v blocks for 500 elements, want 8: whole clusters", cfg.GridDim)
	}
}

// TestCollect launches clusters of several shapes, and none.
func TestCollect(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadCollect(dev)
	suitetest.Must(t, err)
	for _, c := range []struct {
		cfg     gridstride.Config
		cluster [3]int
	}{
		{gridstride.Grid(3).Block(33), [3]int{1, 1, 1}},
		{gridstride.Grid(3).Block(1).Cluster(1), [3]int{1, 1, 1}},
		{gridstride.Grid(6).Block(31).Cluster(2), [3]int{2, 1, 1}},
		{gridstride.Grid(8).Block(40).Cluster(8), [3]int{8, 1, 1}},
		{gridstride.Grid(4, 2, 3).Block(5, 3, 2).Cluster(2, 2), [3]int{2, 2, 1}},
		{gridstride.Grid(2, 2, 4).Block(64).Cluster(2, 1, 2), [3]int{2, 1, 2}},
	} {
		t.Run(fmt.Sprint(c.cfg), func(t *testing.T) {
			want := collected(c.cfg, c.cluster)
			out := suitetest.OnDevice(t, dev, make([]int32, len(want)))
			suitetest.Must(t, k.Launch(dev.Stream(), c.cfg, out))
			if got := suitetest.Read(t, dev, out); !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

// collected is the output of Collect.
func collected(cfg gridstride.Config, cluster [3]int) []int32 {
	g, b := cfg.GridDim, cfg.BlockDim
	sum := b.X * (b.X - 1) / 2 * b.Y * b.Z
	n := cluster[0] * cluster[1] * cluster[2]
	var out []int32
	for block := range g.X * g.Y * g.Z {
		at := [3]int{block % g.X, block / g.X % g.Y, block / (g.X * g.Y)}
		for r := range n {
			in := [3]int{r % cluster[0], r / cluster[0] % cluster[1], r / (cluster[0] * cluster[1])}
			for i := range in {
				in[i] += at[i] / cluster[i] * cluster[i]
			}
			other := in[0] + g.X*(in[1]+g.Y*in[2])
			v := int32(sum + 1000*other)
			if other == block {
				v += 1000000
			}
			out = append(out, v)
		}
	}
	return out
}

func TestCount(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadCount(dev)
	suitetest.Must(t, err)
	for _, n := range []int{0, 1, 33, 1000} {
		values, want := make([]int32, n), make([]uint32, 52)
		for i := range values {
			values[i] = int32(i * 7 % len(want))
			want[values[i]]++
		}
		bins := suitetest.OnDevice(t, dev, make([]uint32, len(want)))
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(8).Block(33).Cluster(4).Shared(4*len(want)/4), suitetest.OnDevice(t, dev, values), bins))
		if got := suitetest.Read(t, dev, bins); !slices.Equal(got, want) {
			t.Errorf("%d values: %v, want %v", n, got, want)
		}
	}
}

func TestWhere(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadWhere(dev)
	suitetest.Must(t, err)
	g := gridstride.Dim3{X: 4, Y: 2, Z: 3}
	out := suitetest.OnDevice(t, dev, make([]gpu.Dim3, 3*24))
	suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(g.X, g.Y, g.Z).Block(33), out))
	for i, got := range slices.Collect(slices.Chunk(suitetest.Read(t, dev, out), 3)) {
		x, y, z := i%g.X, i/g.X%g.Y, i/(g.X*g.Y)
		want := []gpu.Dim3{{X: x / 2, Y: y / 2, Z: z}, {X: x % 2, Y: y % 2}, {X: 2, Y: 2, Z: 1}}
		if !slices.Equal(got, want) {
			t.Errorf("block (%d,%d,%d): %v, want %v", x, y, z, got, want)
		}
	}
}

// TestBeyond asks for ranks that the cluster has, and for one that it has not.
func TestBeyond(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadBeyond(dev)
	suitetest.Must(t, err)
	cfg := gridstride.Grid(2).Block(1).Cluster(2)
	out := suitetest.OnDevice(t, dev, make([]int32, 2))
	suitetest.Must(t, k.Launch(dev.Stream(), cfg, out, 1))
	if got := suitetest.Read(t, dev, out); !slices.Equal(got, []int32{7, 7}) {
		t.Errorf("%v", got)
	}
}

// TestBeyondTheCluster asks for ranks that the cluster does not have.
func TestBeyondTheCluster(t *testing.T) {
	t.Parallel()
	device(t)
	dev, err := gridstride.Open()
	suitetest.Must(t, err)
	defer dev.Close()
	k, err := LoadBeyond(dev)
	suitetest.Must(t, err)
	out := suitetest.OnDevice(t, dev, make([]int32, 2))
	for _, rank := range []int{-1, 2, 1 << 33} {
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(2).Block(1).Cluster(2), out, rank))
		var failed *gridstride.KernelError
		if err := dev.Stream().Wait(t.Context()); !errors.As(err, &failed) ||
			!strings.Contains(err.Error(), fmt.Sprintf("index out of range [%d]", rank)) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestAround has clusters and the grid meet in one launch.
func TestAround(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadAround(dev)
	suitetest.Must(t, err)
	for _, c := range []struct{ blocks, cluster, threads int }{{1, 1, 1}, {2, 2, 33}, {6, 2, 31}, {8, 8, 64}, {12, 4, 40}} {
		n := c.blocks * c.threads
		in, want := make([]int32, n), make([]int32, n)
		for i := range in {
			in[i] = int32(i*i + 1)
		}
		for i := range want {
			from := (i + c.cluster*c.threads) % n
			block := from / c.threads
			want[i] = in[(block/c.cluster*c.cluster+(block+1)%c.cluster)*c.threads+i%c.threads]
		}
		middle, out := suitetest.OnDevice(t, dev, make([]int32, n)), suitetest.OnDevice(t, dev, make([]int32, n))
		cfg := gridstride.Grid(c.blocks).Block(c.threads).Cluster(c.cluster)
		suitetest.Must(t, k.Launch(dev.Stream(), cfg, suitetest.OnDevice(t, dev, in), middle, out))
		if !slices.Equal(suitetest.Read(t, dev, out), want) {
			t.Errorf("%v: wrong", c)
		}
	}
}

// TestAroundTooLarge asks for more blocks than run at once, in clusters.
func TestAroundTooLarge(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadAround(dev)
	suitetest.Must(t, err)
	most, err := k.MaxCooperativeBlocks(64, 0)
	suitetest.Must(t, err)
	one := suitetest.OnDevice(t, dev, make([]int32, 1))
	cfg := gridstride.Grid(most/2*2 + 2).Block(64).Cluster(2)
	if err := k.Launch(dev.Stream(), cfg, one, one, one); !errors.Is(err, gridstride.ErrLimit) ||
		!strings.Contains(err.Error(), "MaxCooperativeBlocks") {
		t.Errorf("%v blocks: %v", cfg.GridDim, err)
	}
}

// TestRefused launches clusters that the kernel or the device does not allow.
func TestRefused(t *testing.T) {
	t.Parallel()
	dev := device(t)
	rotate, err := LoadRotate(dev)
	suitetest.Must(t, err)
	collect, err := LoadCollect(dev)
	suitetest.Must(t, err)
	var none gridstride.Buffer[int32]
	for want, err := range map[string]error{
		"launch clusters.Rotate: a cluster of (2,1,1) blocks, the kernel is compiled for (4,1,1) only": rotate.Launch(dev.Stream(),
			gridstride.Grid(4).Cluster(2), none, none),
		"launch clusters.Rotate: a grid of (6,1,1) is no whole number of clusters of (4,1,1)": rotate.Launch(dev.Stream(),
			gridstride.Grid(6), none, none),
		"launch clusters.Collect: a cluster of (3,3,1) is 9 blocks, the limit is 8": collect.Launch(dev.Stream(),
			gridstride.Grid(9, 9).Block(1).Cluster(3, 3), none),
		"launch clusters.Collect: cluster (0,1,1): its x dimension is 0, it must be 1 to 4": collect.Launch(dev.Stream(),
			gridstride.Grid(4).Block(1).Cluster(0), none),
	} {
		if !errors.Is(err, gridstride.ErrLimit) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestNoClusters is for a device without: the kernels are refused by name.
func TestNoClusters(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open(gridstride.Use("sim:sm_80"))
	suitetest.Must(t, err)
	defer dev.Close()
	if n := dev.Info().MaxCluster; n != 1 {
		t.Errorf("its clusters have up to %d blocks", n)
	}
	if _, err := LoadRotate(dev); !errors.Is(err, gridstride.ErrTarget) || !strings.Contains(err.Error(), "needs sm_90, the device is sm_80") {
		t.Errorf("%v", err)
	}
	const text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }"
	m, err := dev.Load("k.ptx", text)
	suitetest.Must(t, err)
	k, err := m.Kernel("k")
	suitetest.Must(t, err)
	want := "launch k: a cluster of (2,1,1) blocks, and " + dev.String() + " has no clusters: they need sm_90 or newer"
	if err := k.Launch(dev.Stream(), gridstride.Grid(2).Block(1).Cluster(2)); !errors.Is(err, gridstride.ErrLimit) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestPass(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadPass(dev)
	suitetest.Must(t, err)
	const blocks = 8
	for _, rounds := range []int{0, 1, 5} {
		in, want := make([]int32, 64*blocks*rounds), make([]int32, 64*blocks*rounds)
		for i := range in {
			in[i] = int32(i * i)
		}
		for i := range want {
			block, round := i/(64*rounds), i/64%rounds
			from := block/4*4 + (block+3)%4
			want[i] = in[(from*rounds+round)*64+63-i%64]
		}
		out := suitetest.OnDevice(t, dev, make([]int32, len(want)))
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(blocks), suitetest.OnDevice(t, dev, in), out, rounds))
		if !slices.Equal(suitetest.Read(t, dev, out), want) {
			t.Errorf("%d rounds: wrong", rounds)
		}
	}
}
