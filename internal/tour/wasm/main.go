//go:build js && wasm

// Command wasm is the tour's worker: the compiler, the simulator and the checks in a browser. A page
// starts it in a Web Worker, sets gridstrideSources to the txtar archive of the sources, and waits for
// gridstrideReady. It then calls gridstride(request) with a JSON text, and gets the answer's JSON.
package main

import (
	"fmt"
	"syscall/js"

	"github.com/gridstride/gridstride/internal/tour/lab"
	"golang.org/x/tools/txtar"
)

func main() {
	array := js.Global().Get("gridstrideSources")
	archive := make([]byte, array.Get("length").Int())
	js.CopyBytesToGo(archive, array)
	sources, err := txtar.FS(txtar.Parse(archive))
	if err != nil {
		panic(fmt.Sprintf("the archive of sources: %v", err))
	}
	l := lab.New(sources)
	js.Global().Set("gridstride", js.FuncOf(func(_ js.Value, args []js.Value) any {
		request, answered := args[0].String(), args[1]
		go func() { answered.Invoke(l.Answer(request)) }()
		return nil
	}))
	js.Global().Get("gridstrideReady").Invoke()
	select {}
}
