package similarcmd

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/minhash"
)

// A file of a part of the groups begins with a partHead and ends with a partEnd, so that -merge knows
// what the groups are of, and that none is missing. Each is a line. The lines between are groups.

const partWriter = "similar duplicates 1"

// A partHead says what made a file.
type partHead struct {
	Writer     string             `json:"writer"` // partWriter
	Generation similar.Generation `json:"generation"`
	Part       string             `json:"part"` // I/N; empty for all
	Threshold  float64            `json:"threshold"`
	MinHash    minhash.Options    `json:"minhash"`
}

// A partEnd says how many groups a file has.
type partEnd struct {
	Groups int `json:"groups"`
}

// parts are the files of all parts of the groups of an index.
type parts struct {
	list *similar.Listing
	want partHead // of all of them, apart from Part

	seen map[int]string // the files by their parts
	of   int            // how many there are
}

// read yields the groups in files, two documents at a time. What is wrong with a file is the last
// result, and so is a file that is missing.
func (p *parts) read(files []string) iter.Seq2[[]int, error] {
	return func(yield func([]int, error) bool) {
		p.seen = map[int]string{}
		for _, name := range files {
			switch err := p.file(name, func(a, b int) bool { return yield([]int{a, b}, nil) }); {
			case err == errStop:
				return
			case err != nil:
				yield(nil, fmt.Errorf("%s: %w", name, err))
				return
			}
		}
		for part := range p.of {
			if _, ok := p.seen[part]; !ok {
				yield(nil, fmt.Errorf("the file of part %d/%d is missing: there are %d files", part, p.of, len(files)))
				return
			}
		}
	}
}

var errStop = errors.New("stop")

// file reads one file, and calls connect with two documents of a group.
func (p *parts) file(name string, connect func(a, b int) bool) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReaderSize(f, 1<<16))
	var head partHead
	if err := d.Decode(&head); err != nil {
		return fmt.Errorf("no part of similar duplicates: %w", err)
	}
	if err := p.check(name, head); err != nil {
		return err
	}
	for groups := 0; ; groups++ {
		t, err := d.Token()
		switch {
		case err != nil:
			return fmt.Errorf("it is not whole: %w; run its job again", err)
		case t == json.Delim('['):
			if err := p.group(d, connect); err != nil {
				return err
			}
		case t == json.Delim('{'):
			return p.end(d, groups)
		default:
			return fmt.Errorf("group %d is %v; want a list of ids", groups, t)
		}
	}
}

// check is an error for a file that is of another index or of other options, or of a part that was
// read already.
func (p *parts) check(name string, head partHead) error {
	var part shardOf
	want := p.want
	want.Part = head.Part
	switch {
	case head.Writer != partWriter:
		return fmt.Errorf("its writer is %q; want %q", head.Writer, partWriter)
	case part.Set(head.Part) != nil:
		return fmt.Errorf("it is part %q; want I/N", head.Part)
	case head.Generation != want.Generation:
		return errors.New("it is of another index, or the index has changed since")
	case head != want:
		return fmt.Errorf("it was made with -threshold %v -words %d -bands %d -rows %d; give the same to -merge",
			head.Threshold, head.MinHash.Words, head.MinHash.Bands, head.MinHash.Rows)
	case p.of > 0 && part.of != p.of:
		return fmt.Errorf("it is one of %d parts, and the files before are of %d", part.of, p.of)
	case p.seen[part.shard] != "":
		return fmt.Errorf("it is part %s, and so is %s", head.Part, p.seen[part.shard])
	}
	p.of, p.seen[part.shard] = part.of, name
	return nil
}

// group reads a list of ids after its bracket.
func (p *parts) group(d *json.Decoder, connect func(a, b int) bool) error {
	first := -1
	for {
		t, err := d.Token()
		if err != nil {
			return fmt.Errorf("it is not whole: %w; run its job again", err)
		}
		if t == json.Delim(']') {
			return nil
		}
		id, ok := t.(string)
		if !ok {
			return fmt.Errorf("a group has %v; want ids", t)
		}
		i, ok := p.list.Find(id)
		if !ok {
			return fmt.Errorf("document %q: %w", strings.ToValidUTF8(id, "?"), similar.ErrUnknown)
		}
		if first < 0 {
			first = i
		}
		if !connect(first, i) {
			return errStop
		}
	}
}

// end reads the end of a file after its brace.
func (p *parts) end(d *json.Decoder, groups int) error {
	name, err1 := d.Token()
	n, err2 := d.Token()
	_, err3 := d.Token()
	if err := errors.Join(err1, err2, err3); err != nil {
		return fmt.Errorf("it is not whole: %w; run its job again", err)
	}
	if name != "groups" || n != float64(groups) || d.More() {
		return fmt.Errorf("it ends with %v %v after %d groups; run its job again", name, n, groups)
	}
	return nil
}
