//go:build linux

package simdriver

import (
	"runtime"
	"slices"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// reach makes a device reach what its access says of a reservation. It needs the reservation's turn.
// Work that may use memory whose piece becomes another is waited for.
func (d *driver) reach(dev *device, r *reservation) {
	d.virtual.mu.Lock()
	want := r.runs(dev)
	d.virtual.mu.Unlock()
	d.mu.Lock()
	var gone []run
	for _, old := range d.virtual.runs {
		if old.dev == dev && old.addr-r.addr < r.size && !slices.Contains(want, old) {
			gone = append(gone, old)
		}
	}
	d.mu.Unlock()
	change := func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.virtual.runs = slices.DeleteFunc(d.virtual.runs, func(x run) bool { return slices.Contains(gone, x) })
		for _, x := range gone {
			if dev.board != nil {
				dev.board.machine.Disown(uint64(x.addr))
			}
		}
		for _, x := range want {
			if !slices.Contains(d.virtual.runs, x) {
				d.virtual.runs = append(d.virtual.runs, x)
				x.adopt()
			}
		}
	}
	if len(gone) == 0 {
		change()
		return
	}
	d.still(dev, change)
}

// runs are the ranges that a device reaches. It needs virtual.mu.
func (r *reservation) runs(dev *device) []run {
	var list []run
	for _, m := range r.maps {
		if m.access[dev] == 0 {
			continue
		}
		if last := len(list) - 1; last >= 0 && list[last].addr+list[last].size == m.addr {
			list[last].size += m.size
		} else {
			list = append(list, run{dev, m.addr, m.size})
		}
	}
	return list
}

// adopt makes a range the device's memory, if the device is in use. It needs driver.mu.
func (x run) adopt() {
	if x.dev.board != nil {
		_ = x.dev.board.machine.Adopt(memoryAt(x.addr, x.size)) // addresses of a reservation are free
	}
}

// still calls f while no stream of a device works. It waits for what is queued.
func (d *driver) still(dev *device, f func()) {
	for {
		list := d.streamsOn(dev)
		for _, s := range list {
			s.wait()
		}
		n := 0
		for n < len(list) && list[n].begin() {
			n++
		}
		done := n == len(list)
		if done {
			f()
		}
		for _, s := range list[:n] {
			s.end(cuda.Success)
		}
		if done {
			return
		}
		runtime.Gosched()
	}
}

// streamsOn are the streams of all contexts of a device.
func (d *driver) streamsOn(dev *device) []*stream {
	d.mu.Lock()
	var contexts []*context
	for _, x := range d.handles {
		if c, ok := x.(*context); ok && c.dev == dev {
			contexts = append(contexts, c)
		}
	}
	d.mu.Unlock()
	var list []*stream
	for _, c := range contexts {
		list = append(append(list, c.streams.all()...), c.streams.null)
	}
	return list
}
