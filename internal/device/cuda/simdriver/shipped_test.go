//go:build linux

package simdriver

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/ptx/fatbin"
)

var (
	shipped      = flag.String("shipped", "", "a folder of others' libraries, whose kernels TestShipped loads")
	shippedCount = flag.String("shipped.count", "", "a file for TestShipped's counts")
)

// shippedIn counts what a file has.
type shippedIn struct {
	File     string         `json:"file"`
	Images   int            `json:"fat_binaries"`
	Modules  int            `json:"with_ptx_for_at_most_sm_90"`
	Kernels  int            `json:"kernels_loaded"`
	Failures map[string]int `json:"modules_refused,omitempty"`
}

// TestShipped loads every kernel of the PTX in the fat binaries of a folder's files, as a program that
// uses those libraries does: the PTX is parsed, verified and decoded.
func TestShipped(t *testing.T) {
	if *shipped == "" {
		t.Skip("SKIPPED: name a folder of libraries with -args -shipped")
	}
	var all []shippedIn
	err := filepath.WalkDir(*shipped, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if c := loadShipped(name, data); c.Images > 0 {
			t.Logf("%+v", c)
			all = append(all, c)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if *shippedCount != "" {
		text, _ := json.MarshalIndent(all, "", " ")
		if err := os.WriteFile(*shippedCount, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// loadShipped loads what the fat binaries in a file have for compute capability 9.0.
func loadShipped(name string, data []byte) shippedIn {
	c := shippedIn{File: filepath.Base(name), Failures: map[string]int{}}
	magic := binary.LittleEndian.AppendUint32(nil, fatbin.Magic)
	for {
		at := bytes.Index(data, magic)
		if at < 0 {
			return c
		}
		data = data[at:]
		if n, err := fatbin.Size(data); err == nil && n <= uint64(len(data)) {
			c.image(data[:n])
		}
		data = data[len(magic):]
	}
}

func (c *shippedIn) image(image []byte) {
	text, err := fatbin.Best(image, 90)
	if errors.Is(err, fatbin.ErrDamaged) {
		return // the magic's bytes by chance
	}
	c.Images++
	if err != nil {
		return
	}
	c.Modules++
	kernels, err := loadText(text)
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		c.Failures[reason]++
		return
	}
	c.Kernels += kernels
}

// loadText loads PTX into a new machine, and returns the number of its kernels.
func loadText(text string) (int, error) {
	tree, err := ptx.Parse("ptx", text)
	if err != nil {
		return 0, err
	}
	p, err := sim.New(sim.Config{}).Load(tree)
	if err != nil {
		return 0, err
	}
	defer p.Unload()
	return len(p.Entries()), nil
}
