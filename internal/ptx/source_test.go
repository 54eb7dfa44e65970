package ptx

import "testing"

func TestSource(t *testing.T) {
	t.Parallel()
	m, err := Parse("k.ptx", `.version 7.0
.target sm_70
.address_size 64
.file 1 "p/k.go"
.file 3 "p/other.go"
.entry before()
{
	.loc 1 2 3
	ret;
}
.entry k()
{
	bar.sync 0;
	.loc 1 20 2
	bar.sync 0;
	{
		.loc 3 30 4
		bar.sync 0;
	}
	ret;
}`)
	if err != nil {
		t.Fatal(err)
	}
	if files := m.Files(); len(files) != 2 || files[1] != "p/k.go" || files[3] != "p/other.go" {
		t.Errorf("files: %v", files)
	}
	for line, want := range map[int][2]int{1: {}, 9: {1, 2}, 13: {}, 15: {1, 20}, 18: {3, 30}, 20: {3, 30}} {
		got := [2]int{}
		if at := m.LocAt(line); at != nil {
			got = [2]int{at.File, at.Line}
		}
		if got != want {
			t.Errorf("line %d is from file and line %v, want %v", line, got, want)
		}
	}
}
