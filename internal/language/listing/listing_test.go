package listing

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gridstride/gridstride/internal/ptx"
)

const module = `.version 6.3
.target sm_30
.address_size 64
.file 1 "example.com/k/kernel.go"
.file 2 "lib/add.go"
.global .align 1 .b8 message[3] = {104, 105, 0};
.global .align 4 .u32 unused;

.visible .entry Other()
{
	ret;
}

.visible .entry Add(
	.param .u32 n
)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	.loc 1 4 7
	ld.param.u32 %r1, [n];
	.loc 1 4 2
	mov.u64 %rd1, message;
	.loc 2 2 9
	add.u32 %r2, %r1, 1;
	.loc 1 99 1
	ret;
}
`

const kernelGo = `package k

func Add(n uint32) {
	m := lib.Add(n)
}
`

func TestPrint(t *testing.T) {
	m, err := ptx.Parse("kernels_gen.ptx", module)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err = Print(&b, m, "Add", func(name string) File {
		if name == "example.com/k/kernel.go" {
			return File{"k/kernel.go", []byte(kernelGo)}
		}
		return File{Name: name}
	}, []Remark{
		{"k/kernel.go", 3, "loop: gone"}, {"k/kernel.go", 3, "loop: both"}, {"k/kernel.go", 4, "loop: here"},
		{"other.go", 7, "loop: elsewhere"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `.version 6.3
.target sm_30
.address_size 64
.global .align 1 .b8 message[3] = {104, 105, 0};

.visible .entry Add(
	.param .u32 n
)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;

	// k/kernel.go:3  func Add(n uint32) {
	//   loop: gone
	//   loop: both

	// other.go:7
	//   loop: elsewhere

	// k/kernel.go:4  m := lib.Add(n)
	//   loop: here
	ld.param.u32 %r1, [n];
	mov.u64 %rd1, message;

	// lib/add.go:2
	add.u32 %r2, %r1, 1;

	// k/kernel.go:99
	ret;
}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := ptx.Parse("listing", b.String()); err != nil {
		t.Errorf("the listing is no PTX: %v", err)
	}
}
