package beam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/linkedin/goavro/v2"
	"github.com/parquet-go/parquet-go"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/source"
	"github.com/gridstride/gridstride/similar/text"
)

// A table is a form of files of rows, whose columns the file names.
type table struct {
	form string
	// rows yields each row as names and values that package json writes. Values of bytes are strings.
	rows func(ctx context.Context, in io.Reader) iter.Seq2[map[string]any, error]
}

var tables = []table{{"parquet", parquetRows}, {"avro", avroRows}}

// documents yields the documents of a file: each row is read as a line of JSON lines. A row without
// an id has the file's, "#" and its number. An error of the file ends it.
func (t table) documents(ctx context.Context, o source.Options, id string, in io.Reader) iter.Seq2[similar.Document, error] {
	return func(yield func(similar.Document, error) bool) {
		n, stopped := 0, false
		defer func() {
			if p := recover(); p != nil && !stopped { // of a library, by bytes that it did not expect
				yield(similar.Document{}, &source.BadFile{Name: id, Line: n + 1, Err: fmt.Errorf("not %s: %v", t.form, p)})
			} else if p != nil {
				panic(p)
			}
		}()
		for row, err := range t.rows(ctx, in) {
			if ctx.Err() != nil {
				stopped = true
				yield(similar.Document{}, ctx.Err())
				return
			}
			if err != nil {
				stopped = true
				yield(similar.Document{}, &source.BadFile{Name: id, Err: fmt.Errorf("not %s: %w", t.form, err)})
				return
			}
			n++
			d, err := record(row, o.MaxFile)
			if err != nil {
				err = &source.BadFile{Name: id, Line: n, Err: err}
			} else if d.ID == "" {
				d.ID = fmt.Sprintf("%s#%d", id, n)
			}
			stopped = true // what panics in yield is not ours
			if !yield(d, err) {
				return
			}
			stopped = false
		}
	}
}

// record returns the document of a row of limit bytes at most.
func record(row map[string]any, limit int64) (similar.Document, error) {
	if err := valid(row); err != nil {
		return similar.Document{}, err
	}
	data, err := json.Marshal(row)
	if err != nil {
		return similar.Document{}, err
	}
	if int64(len(data)) > limit {
		return similar.Document{}, fmt.Errorf("%d bytes; want at most %d", len(data), limit)
	}
	return source.Record(data)
}

// valid returns an error for a value with text that is not UTF-8, which package json would change.
func valid(value any) error {
	switch v := value.(type) {
	case string:
		return text.Valid(v)
	case []any:
		for _, e := range v {
			if err := valid(e); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err := errors.Join(text.Valid(name), valid(v[name])); err != nil {
				return fmt.Errorf("member %.40q: %w", name, err)
			}
		}
	}
	return nil
}

// batchRows is how many rows of Parquet are read at once.
const batchRows = 64

// parquetRows yields the rows of a Parquet file. The file is copied to this machine, since its end
// says what is where.
func parquetRows(_ context.Context, in io.Reader) iter.Seq2[map[string]any, error] {
	return func(yield func(map[string]any, error) bool) {
		f, err := os.CreateTemp("", "similar-parquet-*")
		if err != nil {
			yield(nil, err)
			return
		}
		defer os.Remove(f.Name())
		defer f.Close()
		size, err := io.Copy(f, in)
		if err != nil {
			yield(nil, err)
			return
		}
		file, err := parquet.OpenFile(f, size)
		if err != nil {
			yield(nil, err)
			return
		}
		rows := parquet.NewGenericReader[any](file, file.Schema())
		defer rows.Close()
		batch := make([]any, batchRows)
		for err == nil {
			var n int
			clear(batch)
			n, err = rows.Read(batch)
			for _, row := range batch[:n] {
				members, ok := row.(map[string]any)
				if !ok {
					yield(nil, fmt.Errorf("a row is a %T", row))
					return
				}
				if !yield(members, nil) {
					return
				}
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(nil, err)
		}
	}
}

// avroRows yields the records of an Avro object container file. Where the schema gives a member
// several types, its value comes without the name of its type.
func avroRows(_ context.Context, in io.Reader) iter.Seq2[map[string]any, error] {
	return func(yield func(map[string]any, error) bool) {
		r, err := goavro.NewOCFReader(in)
		if err != nil {
			yield(nil, err)
			return
		}
		var schema struct {
			Fields []struct {
				Name string          `json:"name"`
				Type json.RawMessage `json:"type"`
			} `json:"fields"`
		}
		if err := json.Unmarshal([]byte(r.Codec().Schema()), &schema); err != nil || schema.Fields == nil {
			yield(nil, fmt.Errorf("the schema is %.100q; want a record", r.Codec().Schema()))
			return
		}
		for r.Scan() {
			value, err := r.Read()
			if err != nil {
				break
			}
			row, ok := value.(map[string]any)
			if !ok {
				yield(nil, fmt.Errorf("a record is a %T", value))
				return
			}
			for _, f := range schema.Fields {
				if strings.HasPrefix(string(f.Type), "[") {
					row[f.Name] = alone(row[f.Name])
				}
			}
			for name, v := range row {
				if b, ok := v.([]byte); ok {
					row[name] = string(b)
				}
			}
			if !yield(row, nil) {
				return
			}
		}
		if r.Err() != nil {
			yield(nil, r.Err())
		}
	}
}

// alone is the value of a union, which goavro gives as a map of the name of its type to it.
func alone(value any) any {
	if m, ok := value.(map[string]any); ok && len(m) == 1 {
		for _, v := range m {
			return v
		}
	}
	return value
}
