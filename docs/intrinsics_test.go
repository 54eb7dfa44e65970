package docs

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
)

// groupRow is a row of the table of package gpu's functions: the group, its functions, who calls
// them together, and a remark, which is the page's own.
var groupRow = regexp.MustCompile(`(?m)^\| ([a-z ]+) \| (.*) \| (.*) \| (.*) ?\|$`)

// TestIntrinsics compares the table of package gpu's functions with abi.Intrinsics. With -update it
// writes its first columns.
func TestIntrinsics(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	start := strings.Index(string(text), "| group | functions |")
	end := start + strings.Index(string(text[start:]), "\n\n")
	if start < 0 {
		t.Fatal("the page has no table of functions")
	}
	groups := []abi.Group{}
	table := groupRow.ReplaceAllStringFunc(string(text[start:end]), func(row string) string {
		m := groupRow.FindStringSubmatch(row)
		if m[1] == "group" {
			return row
		}
		groups = append(groups, abi.Group(m[1]))
		calls, together := describeGroup(abi.Group(m[1]))
		if calls != m[2] || together != m[3] {
			if !*update {
				t.Errorf("the functions of %s are\n\t%s, called by %q\nthe page says (run with -update)\n\t%s, called by %q",
					m[1], calls, together, m[2], m[3])
			}
		}
		return fmt.Sprintf("| %s | %s | %s | %s |", m[1], calls, together, strings.TrimSpace(m[4]))
	})
	for _, in := range abi.Intrinsics {
		if len(groups) == 0 || !strings.Contains(table, "`"+in.Name) {
			t.Errorf("the table has no row for %s, the group of %s", in.Group, in.Name)
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(string(text[:start])+table+string(text[end:])), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// describeGroup lists the functions of a group, and says who calls them together.
func describeGroup(g abi.Group) (calls, together string) {
	var list, alone []string
	for _, in := range abi.Intrinsics {
		if in.Group != g {
			continue
		}
		var params []string
		name, inferred := in.Name, in.Constraint() == ""
		for _, p := range in.Params() {
			if strings.HasPrefix(p.Type, "...") {
				p.Name += "..."
			}
			params = append(params, p.Name)
			inferred = inferred || strings.HasSuffix(p.Type, "T")
		}
		switch {
		case !inferred:
			name += "[T]"
		case strings.HasPrefix(in.Signature, "[F ") && strings.HasSuffix(in.ResultType(), "F"):
			name += "[F]"
		}
		list = append(list, fmt.Sprintf("`%s(%s)`", name, strings.Join(params, ", ")))
		switch in.Together {
		case abi.OneThread:
			alone = append(alone, "`"+in.Name+"`")
		case abi.MaskThreads:
			together = "the threads of `mask`"
		case abi.WarpThreads:
			together = "the threads of the warp, all 32"
		case abi.WarpgroupThreads:
			together = "the threads of the warpgroup, all 128"
		case abi.BlockThreads:
			together = "the threads of the block"
		case abi.CountThreads:
			together = "as many threads of the block as they say"
		case abi.ClusterThreads:
			together = "the threads of the cluster"
		case abi.GridThreads:
			together = "the threads of the grid"
		}
	}
	if together != "" && len(alone) > 0 {
		together += ", except for " + strings.Join(alone, ", ")
	}
	return strings.Join(list, ", "), together
}
