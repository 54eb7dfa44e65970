package eval

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Query is one question of a test collection.
type Query struct{ ID, Text string }

// Qrels are a collection's judgements: the grade of a document for a query, by the ids of both. A
// grade of 1 or more is relevant, and a document without a grade is not.
type Qrels map[string]map[string]int

// Binary returns the judgements with every relevant document at grade 1 and every other at 0.
func (q Qrels) Binary() Qrels {
	b := Qrels{}
	for query, grades := range q {
		b[query] = map[string]int{}
		for id, grade := range grades {
			b[query][id] = min(max(grade, 0), 1)
		}
	}
	return b
}

// maxLine bounds a line of queries or judgements, in bytes.
const maxLine = 1 << 24

// ReadQueries reads queries, either a line each, an id, a tab and the text, or TREC's topics, from
// which it takes the number and the title. The error of a line that is neither, of an id that
// occurs twice and of bytes that are not UTF-8 names the line. Time and memory grow with the bytes
// of r in proportion, and a line has 16 MB at most.
func ReadQueries(r io.Reader) ([]Query, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(1 << 12)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("eval: queries: %w", err)
	}
	read := readTSV
	if bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("<")) {
		read = readTopics
	}
	var queries []Query
	seen := map[string]bool{}
	err = read(b, func(q Query) error {
		if seen[q.ID] {
			return fmt.Errorf("query %q is given twice", q.ID)
		}
		seen[q.ID] = true
		queries = append(queries, q)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("eval: queries: %w", err)
	}
	return queries, nil
}

// lines calls do for each line that is not blank, and adds the line's number to its error.
func lines(r io.Reader, do func(line string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	n := 0
	for s.Scan() {
		n++
		line := strings.TrimPrefix(s.Text(), "\ufeff")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if !utf8.ValidString(line) {
			return fmt.Errorf("line %d: not UTF-8", n)
		}
		if err := do(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

func readTSV(r io.Reader, add func(Query) error) error {
	return lines(r, func(line string) error {
		id, text, ok := strings.Cut(line, "\t")
		id, text = strings.TrimSpace(id), strings.TrimSpace(text)
		if !ok || id == "" {
			return fmt.Errorf("%.40q is not an id, a tab and a text", line)
		}
		return add(Query{id, text})
	})
}

// readTopics reads TREC's topics: <top>, then <num> and <title> with what follows them up to the
// next tag, and </top>. Some collections close <num> and <title>, some write "Number:" after the
// first.
func readTopics(r io.Reader, add func(Query) error) error {
	var num, head strings.Builder // what follows <num> and <title>
	tag := ""
	end := func() error {
		id := strings.TrimSpace(strings.TrimPrefix(squeeze(num.String()), "Number:"))
		title := strings.TrimSpace(strings.TrimPrefix(squeeze(head.String()), "Topic:"))
		if id == "" || title == "" {
			return fmt.Errorf("a topic without a number or a title ends here")
		}
		return add(Query{id, title})
	}
	err := lines(r, func(line string) error {
		for len(line) > 0 {
			text, rest, more := strings.Cut(line, "<")
			switch tag {
			case "num":
				num.WriteString(text + " ")
			case "title":
				head.WriteString(text + " ")
			}
			if !more {
				return nil
			}
			name, after, ok := strings.Cut(rest, ">")
			if !ok {
				return fmt.Errorf("the tag %.40q has no end", "<"+rest)
			}
			tag, line = strings.ToLower(strings.TrimSpace(name)), after
			switch tag {
			case "top":
				num.Reset()
				head.Reset()
			case "/top":
				if err := end(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil && tag != "/top" && num.Len() > 0 && tag != "/topics" {
		err = fmt.Errorf("the last topic has no </top>")
	}
	return err
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// ReadQrels reads judgements in TREC's form: query, a number that is not used, document and grade,
// parted by white space, or by tabs alone if a line has three, so that ids may have spaces. The
// error of a line that is not such and of a pair that is judged twice names the line. Time and
// memory grow with the bytes of r in proportion, and a line has 16 MB at most.
func ReadQrels(r io.Reader) (Qrels, error) {
	q := Qrels{}
	err := lines(r, func(line string) error {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) != 4 {
			f = strings.Fields(line)
		}
		if len(f) != 4 {
			return fmt.Errorf("%.40q is not query, 0, document and grade", line)
		}
		grade, err := strconv.Atoi(strings.TrimSpace(f[3]))
		if err != nil {
			return fmt.Errorf("the grade %q is no number", f[3])
		}
		if q[f[0]] == nil {
			q[f[0]] = map[string]int{}
		}
		if _, twice := q[f[0]][f[2]]; twice {
			return fmt.Errorf("document %q is judged twice for query %q", f[2], f[0])
		}
		q[f[0]][f[2]] = grade
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("eval: judgements: %w", err)
	}
	return q, nil
}
