package directive

import "strings"

// Instances is the contents of a //gpu:instance or //gpu:needs comment: instances of generic
// functions, written as Go does, without spaces in them.
//
//	//gpu:instance parallel.Sort[Record,byKey]
//	//gpu:instance T=int32,float32 parallel.Sum[T] parallel.Max[T]
type Instances struct {
	// Types lists types for names in Of: each instance there stands for one a combination.
	Types []TypeList
	Of    []Name
}

// ParseInstances reads a comment whose name is InstanceName or NeedsName. If it returns errors, the
// Instances have what it could read.
func ParseInstances(comment string) (*Instances, []Error) {
	name, text, _ := Split(comment)
	p := &parser{k: &Kernel{}, name: name, at: len(name) + 1}
	var of []Name
	for text != "" {
		word, rest, _ := cut(text, ' ')
		key, value, ok := strings.Cut(word, "=")
		switch {
		case word == "":
		case ok && value != "" && identifiers(key) && name == InstanceName:
			p.types(key, value)
		case ok:
			p.errorf(p.at, "cannot read %q: write an instance, such as lib.Sum[float32]", word)
		default:
			of = append(of, Name{word, p.at})
		}
		p.at += len(text) - len(rest)
		text = rest
	}
	if len(of) == 0 {
		p.errorf(0, "names nothing: write an instance, such as lib.Sum[float32]")
	}
	return &Instances{Types: p.k.Types, Of: of}, p.errs
}

// Choices calls f with the types of each combination, by the names that the directive lists them
// for, until f returns false. The last name varies fastest.
func (in *Instances) Choices(f func(types map[string]string) bool) {
	var choose func(lists []TypeList, chosen map[string]string) bool
	choose = func(lists []TypeList, chosen map[string]string) bool {
		if len(lists) == 0 {
			return f(chosen)
		}
		for _, row := range lists[0].Rows {
			for i, p := range lists[0].Params {
				chosen[p.Text] = row[i].Text
			}
			if !choose(lists[1:], chosen) {
				return false
			}
		}
		return true
	}
	choose(in.Types, map[string]string{})
}
