package native

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var flushInstructionCache = windows.NewLazySystemDLL("kernel32.dll").NewProc("FlushInstructionCache")

// executable returns the code in memory that can be executed and not written; nil where the system
// refuses it, as it does for processes under Arbitrary Code Guard.
func executable(code []byte) []byte {
	n := uintptr(len(code))
	at, err := windows.VirtualAlloc(0, n, windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil
	}
	text := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n) // memory that is not Go's
	copy(text, code)
	var before uint32
	if windows.VirtualProtect(at, n, windows.PAGE_EXECUTE_READ, &before) != nil || flushInstructionCache.Find() != nil {
		release(text)
		return nil
	}
	if done, _, _ := flushInstructionCache.Call(uintptr(windows.CurrentProcess()), at, n); done == 0 {
		release(text)
		return nil
	}
	return text
}

// release gives the memory of code back.
func release(text []byte) {
	_ = windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(text))), 0, windows.MEM_RELEASE)
}
