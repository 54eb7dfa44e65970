package archtest

import (
	"fmt"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	gopackages "golang.org/x/tools/go/packages"
)

// serving are the packages that answer requests, and that open what is served.
var serving = []string{"similar", "similar/page", "similar/internal/scatter", "similar/version"}

// monotonic are the methods of time.Time that use the monotonic clock of times that time.Now returns.
var monotonic = []string{"Add", "After", "Before", "Compare", "Sub"}

// wallClock are the places in these packages that depend on the clock of a machine, and what for.
var wallClock = map[string]string{
	"similar/page/sync.go UTC":         "a page shows when a sync began",
	"similar/page/sync.go Format":      "a page shows when a sync began",
	"similar/version/cache.go Chtimes": "the cache removes what was used least, by files' times",
	"similar/version/cache.go ModTime": "the cache removes what was used least, by files' times",
	"similar/version/folder.go ModTime": "similar gc compares a file's time with the time of a file that it " +
		"writes to the same store",
}

// TestClock holds what serves to the monotonic clock. A machine whose clock is wrong, or set, answers as
// another one does. A package that does not read the time has dates of documents alone.
func TestClock(t *testing.T) {
	t.Parallel()
	var patterns []string
	for _, name := range serving {
		patterns = append(patterns, module+"/"+name)
	}
	list, err := gopackages.Load(&gopackages.Config{Mode: gopackages.NeedName | gopackages.NeedFiles | gopackages.NeedSyntax |
		gopackages.NeedTypes | gopackages.NeedTypesInfo | gopackages.NeedImports}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, p := range list {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		reads := false
		depends := map[string]string{}
		for id, used := range p.TypesInfo.Uses {
			f, ok := used.(*types.Func)
			reads = reads || ok && f.FullName() == "time.Now"
			if ok && dependsOnClock(f) {
				at := p.Fset.Position(id.Pos())
				depends[fmt.Sprintf("%s/%s %s", local(p.PkgPath), filepath.Base(at.Filename), f.Name())] = at.String()
			}
		}
		if reads {
			maps.Copy(found, depends)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(found)) {
		if wallClock[place] == "" {
			t.Errorf("%s depends on the clock of the machine (%s); use the monotonic clock, or say in wallClock why it may", place, found[place])
		}
	}
	for place := range wallClock {
		if found[place] == "" {
			t.Errorf("%s is in wallClock, and does not depend on the clock", place)
		}
	}
}

// dependsOnClock reports whether what a function does, or returns, depends on a clock that may be set.
func dependsOnClock(f *types.Func) bool {
	receiver := f.Signature().Recv()
	switch {
	case f.Pkg() == nil:
		return false
	case f.Pkg().Path() == "time" && receiver == nil:
		return slices.Contains([]string{"Unix", "UnixMilli", "UnixMicro", "Date", "Parse", "ParseInLocation"}, f.Name())
	case f.Pkg().Path() == "time":
		return types.TypeString(receiver.Type(), nil) == "time.Time" && !slices.Contains(monotonic, f.Name())
	case f.Pkg().Path() == "os" && receiver == nil:
		return f.Name() == "Chtimes"
	}
	return f.Pkg().Path() == "io/fs" && f.Name() == "ModTime"
}
