package p

import (
	"embed"
	"errors"
	"fmt"
	"os"

	"example.com/geom"
)

type cell struct{ n int }

func (c *cell) add()    { c.n++ }
func (c cell) get() int { return c.n }

type pair struct{ a, b cell }

var (
	counter   int
	shares    [4]int
	addressed [4]int
	cut       [4]int
	handed    = []int{1, 2}
	grown     = []int{1, 2}
	kept      = []int{1, 2}
	method    pair
	ranged    [2]int
	alias     = &addressed
	unused    = os.Args // that no kernel reads

	fine          = [...]int{1, 2, 3}
	shown         = [...]int{1, 2, 3}
	cells         [2]cell
	fails         = errors.New("failure") // ERROR "a kernel cannot use errors.New"
	table         = map[int]int{}
	fn            = func() int { return 1 }
	out           = os.Getpid() // ERROR "a kernel cannot use os.Getpid"
	first, second = two()
	rows          = [][]int{{1}, {2}}
	huge          [1 << 21]byte
	loop          int
)

//go:embed p.go
var file [4]byte

//go:embed p.go
var files embed.FS

func two() (int, int) { return 1, 2 }

func init() {
	counter = 1
	shares[1]++
	p := &addressed[1]
	*p = cut[:][0]
	fmt.Println(handed)
	grown = append(grown, 3)
	x := (kept)
	x[0] = 1
	method.a.add()
	for ranged[0] = range 3 {
	}
	geom.Scale.X = 2
	fmt.Println(fine, fine[1], cells[1].get(), cells[0].n, shown)
	{
		fine := [4]int{}
		fine[0] = 1
		shown := &fine
		shown[1]++
	}
	_ = struct{ fine int }{fine: 1}
	_ = map[string]int{"x": fine[2]}
}

//gpu:kernel
func K(a []int) {
	a[0] = counter           // ERROR 9:"^counter may change, it is assigned at p.go:54:2: a kernel reads only package-level variables that are set in their declaration and nowhere else, pass it as a parameter of the kernel$"
	a[1] = shares[1]         // ERROR 9:"shares may change, it is assigned at p.go:55:2"
	a[2] = addressed[2]      // ERROR 9:"addressed may change, its address is taken at p.go:29:15"
	a[3] = cut[3]            // ERROR 9:"cut may change, it is sliced, which takes its address, at p.go:57:7"
	a[4] = handed[1]         // ERROR 9:"handed may change, the slice is handed on at p.go:58:14"
	a[5] = grown[1]          // ERROR 9:"grown may change, it is assigned at p.go:59:2"
	a[6] = kept[1]           // ERROR 9:"kept may change, the slice is handed on at p.go:60:8"
	a[7] = method.b.n        // ERROR 9:"method may change, its method add with a pointer receiver is called at p.go:62:2"
	a[8] = ranged[0]         // ERROR 9:"ranged may change, it is assigned at p.go:63:6"
	a[9] = int(geom.Scale.X) // ERROR 13:"geom.Scale may change, it is assigned at p.go:65:2"
	a[11] = fine[a[1]] + shown[1] + cells[1].get()
	a[12] = int(geom.Origin.X) + int(geom.Twice[1]) // ERROR 35:"geom.Twice may change, it is assigned at p.go:99:2"
	_ = fails
	_ = table[1] // ERROR 6:"table cannot be read by a kernel: a kernel cannot use maps"
	_ = fn()     // ERROR 6:"fn cannot be read by a kernel: a function in a variable may be another"
	a[13] = out
	a[14] = first + rows[1][0] // ERROR 18:"rows cannot be read by a kernel: a slice inside another type has elements that may change"
	_ = huge[3]                // ERROR 6:"huge cannot be read by a kernel: it has more than 1048576 bytes, pass it as a slice"
	_ = file[3]                // ERROR 6:"file cannot be read by a kernel: it is filled by //go:embed"
	loop++                     // ERROR 2:"loop may change, it is assigned at p.go:98:2"
	geom.Twice[0] = 1
}

var boxes = struct {
	values [4]int
	other  [4]int
	name   string
}{}

var letters = struct {
	values [4]int
	name   string
}{}

var (
	names  = [2]string{"ab", "cd"}
	listed = []string{"ab", "cd"}
	rooms  [2]struct {
		doors [3]int
		name  string
	}
)

func later() {
	boxes.values[1:][0] = 1
	fmt.Println(letters.name[1:], names[0][1:], listed[1][:1], rooms[1].name[1:])
	rooms[1].doors[:][0]++
}

//gpu:kernel
func Boxes(a []int) {
	a[0] = boxes.values[1] // ERROR 9:"boxes may change, it is sliced, which takes its address, at p.go:123:2"
	a[1] = letters.values[1] + len(names[a[0]]) + len(listed[a[0]])
	a[2] = rooms[1].doors[0] // ERROR 9:"rooms may change, it is sliced, which takes its address, at p.go:125:2"
}
