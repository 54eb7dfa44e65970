package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
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

// ReadQueries reads queries in one of three forms. Lines have an id, a tab and the text. Lines of JSON
// are objects of BEIR (_id and text) or of ir_datasets (query_id and text, or title). Of TREC's topics
// it takes the number and the title. The error of a line that is none of
// these, of an id that occurs twice and of bytes that are not UTF-8 names the line. Time and memory
// grow with the bytes of r in proportion, and a line has 16 MB at most.
func ReadQueries(r io.Reader) ([]Query, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(1 << 12)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("eval: queries: %w", err)
	}
	read := readTSV
	switch head := bytes.TrimLeft(head, "\ufeff \t\r\n"); {
	case bytes.HasPrefix(head, []byte("<")):
		read = readTopics
	case bytes.HasPrefix(head, []byte("{")):
		read = readObjects
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

func readObjects(r io.Reader, add func(Query) error) error {
	return lines(r, func(line string) error {
		var o struct {
			BEIR  string `json:"_id"`
			IR    string `json:"query_id"`
			ID    string `json:"id"`
			Text  string `json:"text"`
			Title string `json:"title"`
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			return fmt.Errorf("%.40q is not an object of a query: %w", line, err)
		}
		id, text := cmp.Or(o.BEIR, o.IR, o.ID), cmp.Or(o.Text, o.Title)
		if id == "" || text == "" {
			return fmt.Errorf("%.40q has no _id, query_id or id, or neither text nor title", line)
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

// ReadQrels reads judgements in one of three forms. TREC's lines have a query, a number that is not
// used, a document and a grade. BEIR's first line names the columns query-id, corpus-id and score.
// Lines of JSON are objects of ir_datasets, with query_id, doc_id and relevance. Columns are
// parted by white space, or by tabs alone if a line has one less than columns, so that ids may have
// spaces. The error of a line that is not such and of a pair that is judged twice names the line.
// Time and memory grow with the bytes of r in proportion, and a line has 16 MB at most.
func ReadQrels(r io.Reader) (Qrels, error) {
	q := Qrels{}
	form := trec
	first := true
	err := lines(r, func(line string) error {
		if first {
			first = false
			if form = formOf(line); form == beir {
				return nil
			}
		}
		j, err := judgementOf(line, form)
		if err != nil {
			return err
		}
		if q[j.query] == nil {
			q[j.query] = map[string]int{}
		}
		if _, twice := q[j.query][j.document]; twice {
			return fmt.Errorf("document %q is judged twice for query %q", j.document, j.query)
		}
		q[j.query][j.document] = j.grade
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("eval: judgements: %w", err)
	}
	return q, nil
}

// A form is a form of judgements.
type form int

const (
	trec form = iota
	beir
	objects
)

// formOf returns the form that the first line of judgements tells.
func formOf(line string) form {
	switch f := strings.Fields(line); {
	case strings.HasPrefix(f[0], "{"):
		return objects
	case len(f) == 3 && f[0] == "query-id" && f[1] == "corpus-id" && f[2] == "score":
		return beir
	}
	return trec
}

// A judgement is one line of judgements.
type judgement struct {
	query, document string
	grade           int
}

func judgementOf(line string, form form) (j judgement, err error) {
	switch form {
	case objects:
		var o struct {
			Query    string `json:"query_id"`
			Document string `json:"doc_id"`
			Grade    *int   `json:"relevance"`
		}
		if err = json.Unmarshal([]byte(line), &o); err == nil && (o.Query == "" || o.Document == "" || o.Grade == nil) {
			err = errors.New("a member is missing")
		}
		if err != nil {
			return j, fmt.Errorf("%.40q is not an object with query_id, doc_id and relevance: %w", line, err)
		}
		return judgement{o.Query, o.Document, *o.Grade}, nil
	case beir:
		f, ok := columns(line, 3)
		if !ok {
			return j, fmt.Errorf("%.40q is not query, document and score", line)
		}
		j.grade, err = gradeOf(f[2])
		j.query, j.document = f[0], f[1]
		return j, err
	}
	f, ok := columns(line, 4)
	if !ok {
		return j, fmt.Errorf("%.40q is not query, 0, document and grade", line)
	}
	j.grade, err = gradeOf(f[3])
	j.query, j.document = f[0], f[2]
	return j, err
}

// columns parts a line into n columns, at tabs if these make n, and at white space otherwise.
func columns(line string, n int) ([]string, bool) {
	f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
	if len(f) != n {
		f = strings.Fields(line)
	}
	return f, len(f) == n
}

func gradeOf(s string) (int, error) {
	grade, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return 0, fmt.Errorf("the grade %q is no whole number", s)
	}
	return grade, nil
}
