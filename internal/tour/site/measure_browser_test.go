package site

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

var measured = flag.String("measured", "", "measure the tour, and write what is measured into a `file`")

// dotProgram is the dot product with blocks of 64.
const dotProgram = `package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=64
func Partial(a, b, c []float32) {
	cache := gpu.Shared[[64]float32]()
	tid := gpu.ThreadIdx.X
	var sum float32
	for i := range gpu.GridStride(len(a)) {
		sum += a[i] * b[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()
	for s := gpu.BlockDim.X / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		c[gpu.BlockIdx.X] = cache[0]
	}
}
`

// measures are the measured sizes and times of the tour, in bytes and milliseconds.
type measures struct {
	Compressed map[string]int // bytes of the files of the first chapter
	load
	Phone   load
	Dot     []int // compile, run, check and draw a dot product of 4 blocks of 64, sorted
	Steps   steps
	Compile []int // the compiler's answer after a change, without the 40 ms that the page waits for more, sorted
}

// TestMeasure measures the tour, if it is asked for.
func TestMeasure(t *testing.T) {
	if *measured == "" {
		t.Skip("nothing is measured without -measured")
	}
	open, address := browser(t), serve(t)
	f := measures{Compressed: sizes(t)}
	ctx := open(t)
	f.load = loaded(t, ctx, address)
	launch := launched([]int{4}, "f32[1000]=ramp", "f32[1000]=ones", "f32[4]")
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(address+"try.html"+linkTo(t, map[string]any{"text": dotProgram, "launch": launch})),
		until(`document.querySelector(".cm-content")`))
	for range 15 {
		do(t, ctx, run(`delete document.querySelector(".bench-body").dataset.took`), run(`delete document.querySelector(".bench-body").dataset.compiled`),
			typing(dotProgram+"\n// "), until(`document.querySelector(".bench-body").dataset.compiled`))
		f.Compile = append(f.Compile, js[int](t, ctx, `Number(document.querySelector(".bench-body").dataset.compiled)`))
		do(t, ctx, typing(dotProgram), clickText(".bench-body", "Run"), until(`document.querySelector(".bench-body").dataset.took`))
		f.Dot = append(f.Dot, js[int](t, ctx, `Number(document.querySelector(".bench-body").dataset.took)`))
	}
	f.Steps = stepped(t, ctx, address)
	held := open(t)
	do(t, held, phone)
	f.Phone = loaded(t, held, serve(t)) // the browser has nothing of another address
	slices.Sort(f.Dot)
	slices.Sort(f.Compile)
	text, err := json.MarshalIndent(f, "", "\t")
	if err == nil {
		err = os.WriteFile(*measured, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// steps are the times of a step in a long launch, by an instruction and by a line, and of a seek, sorted.
type steps struct {
	Instructions                          int
	Forward, Back, NextLine, LastLine, To []float64
}

// longProgram runs a million instructions of warps.
const longProgram = `package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=256
func Iterate(x []float32, times int) {
	i := gpu.BlockIdx.X*256 + gpu.ThreadIdx.X
	v := x[i]
	for range times {
		v = 3.75 * v * (1 - v)
	}
	x[i] = v
}
`

// stepped steps through a launch of a million instructions of warps, at times all over it.
func stepped(t *testing.T, ctx context.Context, address string) (f steps) {
	t.Helper()
	launch := launched([]int{32}, "f32[8192]=random:1", "s64=1040")
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(address+"try.html"+linkTo(t, map[string]any{"text": longProgram, "launch": launch})),
		until(`document.querySelector(".cm-content")`), clickText(".bench-body", "Run"), until(`document.querySelector(".bench-body").dataset.took`),
		clickText(".tabs", "Step"), until(where+`.startsWith("0 of")`), press("to the end"), until(`document.querySelector(".where").innerText.includes("has ended")`))
	f.Instructions = js[int](t, ctx, `Number(document.querySelector(".watch input[type=range]").max)`)
	for i := range 15 {
		took := func(act deed) float64 {
			do(t, ctx, run(`delete document.querySelector(".watch").dataset.took`), act, until(`document.querySelector(".watch").dataset.took`))
			return js[float64](t, ctx, `Number(document.querySelector(".watch").dataset.took)`)
		}
		at := f.Instructions / 16 * (i*7%15 + 1)
		f.To = append(f.To, took(run(fmt.Sprintf(`((s) => { s.value = %d; s.dispatchEvent(new Event("input")); })(document.querySelector(".watch input[type=range]"))`, at))))
		f.Forward = append(f.Forward, took(press("one instruction forward")))
		f.Back = append(f.Back, took(press("one instruction back")))
		f.NextLine = append(f.NextLine, took(press("on to the next line")))
		f.LastLine = append(f.LastLine, took(press("back to the line before")))
	}
	for _, list := range [][]float64{f.Forward, f.Back, f.NextLine, f.LastLine, f.To} {
		slices.Sort(list)
	}
	return f
}

// sizes are the compressed sizes of what a page loads.
func sizes(t *testing.T) map[string]int {
	t.Helper()
	dir, err := assembled()
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]int{}
	for _, name := range []string{"01-threads.html", "tour.css", "tour.js", "worker.js", "wasm_exec.js", "sources.txtar.gz", "tour.wasm.zst"} {
		text, err := os.ReadFile(dir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		list[name] = len(text)
		if name != "sources.txtar.gz" && name != "tour.wasm.zst" {
			small, err := gzipped(text)
			if err != nil {
				t.Fatal(err)
			}
			list[name] = len(small)
		}
	}
	return list
}
