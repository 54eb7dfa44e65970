package gputest_test

import (
	"os"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// TestTexturesChecked: the checks know which texels of an array the host has written.
func TestTexturesChecked(t *testing.T) {
	text, err := os.ReadFile("../testdata/textures.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for name, written := range map[string]bool{"written": true, "unwritten": false} {
		t.Run(name, func(t *testing.T) { checkedTexture(t, string(text), written) })
	}
}

// checkedTexture reads an array by a texture, after the host has written it or before.
func checkedTexture(t *testing.T, text string, written bool) {
	if !written {
		gputest.Expect(t, gputest.Finding{Kind: "uninitialized"})
	}
	dev := gputest.Device(t)
	module, err := dev.Load("textures.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	k, err := module.Kernel("box")
	if err != nil {
		t.Fatal(err)
	}
	a, err := gridstride.MakeArray[float32](dev, gridstride.ArrayShape{Width: 8, Height: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Free()
	s := dev.Stream()
	if written {
		if err := a.Write(t.Context(), s, make([]float32, 32)); err != nil {
			t.Fatal(err)
		}
	}
	tex, err := a.Texture(gridstride.Sampler{})
	if err != nil {
		t.Fatal(err)
	}
	defer tex.Free()
	out, err := gridstride.Make[float32](dev, 32)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Free()
	one := gridstride.Config{GridDim: gridstride.Dim3{X: 1, Y: 1, Z: 1}, BlockDim: gridstride.Dim3{X: 8, Y: 4, Z: 1}}
	if err := k.Launch(s, one, out, tex, int32(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}
