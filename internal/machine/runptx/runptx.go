// Package runptx runs one kernel of a PTX text once, with arguments described as on a command line:
// on any device, under the checks, or counting what it does. It reads no flags and no files, starts
// no processes and builds for js/wasm: the commands run, check and profile read those for it.
//
// A page in a browser that has the source of a kernel calls, in this order,
//
//   - compile.Compile with a Source of the text and sourcefs.Importer, which reads package gpu from
//     an archive of this module that the page has fetched (zip.Reader is an fs.FS). The text of the
//     result is its Stamp followed by its PTX.
//   - argspec.Parse with argspec.NoFiles for each argument, and argspec.ParseOut for each buffer to
//     print
//   - Job.Run on a device that gridstride.Open gives it for Use("sim")
//   - Job.Check, and format.Text, format.JSON or format.SARIF for its report
//   - Job.Profile, and Text, JSON or HTML of its report
//
// sourcetext.Texts with the same text makes reports quote its lines. TestPage does all of this.
package runptx

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/npy"
	"github.com/gridstride/gridstride/internal/machine/argspec"
)

// Job is a launch to run. Name is the name of the PTX in errors, and Entry the name of the kernel in
// it, which may be empty if it has only one. Run fills in a block size that Config leaves to the
// kernel.
type Job struct {
	Name   string
	PTX    string
	Entry  string
	Config gridstride.Config
	Args   []*argspec.Arg
	Outs   []argspec.Out
	// Save writes a buffer of Outs that has a file: npy.WriteFile on disk. It may be nil if none has.
	Save func(file string, a *npy.Array) error
}

// Run runs the job on the device, waits for it and says on out what ran, and what is in the buffers
// of Outs that have no file. The others are saved only when the kernel has run to its end. The error
// names the argument, the place in the PTX or the thread that is to blame.
func (j *Job) Run(ctx context.Context, dev *gridstride.Device, out io.Writer) error {
	module, err := dev.Load(j.Name, j.PTX)
	if err != nil {
		return err
	}
	defer module.Close()
	kernel, err := j.kernel(module)
	if err != nil {
		return err
	}
	if j.Config.BlockDim == (gridstride.Dim3{}) {
		j.Config.BlockDim = kernel.BlockDim()
	}
	stream := dev.NewStream()
	defer stream.Close()
	buffers, args, err := j.arguments(ctx, dev, stream, kernel)
	defer free(buffers)
	if err != nil {
		return err
	}

	start := stream.Record()
	if err := kernel.Launch(stream, j.Config, args...); err != nil {
		return err
	}
	elapsed, err := stream.Record().Since(ctx, start)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s on %v: grid %v, block %v, %.3f ms\n", kernel.Name(), dev, j.Config.GridDim, j.Config.BlockDim,
		float64(elapsed)/float64(time.Millisecond))
	for _, o := range j.Outs { // one that fails is no reason to lose the others
		err = errors.Join(err, j.output(ctx, stream, kernel, buffers, o, out))
	}
	return err
}

// kernel finds the kernel to run.
func (j *Job) kernel(module *gridstride.Module) (*gridstride.Kernel, error) {
	names := module.Kernels()
	entry := j.Entry
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s has no kernel (.entry)", j.Name)
	case entry == "" && len(names) > 1:
		return nil, fmt.Errorf("%s has %d kernels, choose one with --entry: %s", j.Name, len(names), strings.Join(names, ", "))
	case entry == "":
		entry = names[0]
	case !slices.Contains(names, entry):
		return nil, fmt.Errorf("%s has no kernel %s; it has %s", j.Name, entry, strings.Join(names, ", "))
	}
	kernel, err := module.Kernel(entry)
	if err != nil {
		return nil, err
	}
	var none gridstride.Dim3
	if j.Config.BlockDim == none && kernel.BlockDim() == none {
		return nil, fmt.Errorf("%s does not fix its block size: give it with --block", entry)
	}
	return kernel, nil
}

// arguments allocates and fills the buffers, and makes the arguments of the launch. The buffers are
// the caller's to free, also with an error.
func (j *Job) arguments(ctx context.Context, dev *gridstride.Device, stream *gridstride.Stream, kernel *gridstride.Kernel) (
	buffers []gridstride.Buffer[byte], args []any, err error,
) {
	params := kernel.Params()
	if len(params) != len(j.Args) {
		return nil, nil, fmt.Errorf("%s takes %d arguments (%s), %d are given with --arg", kernel.Name(), len(params), signature(params), len(j.Args))
	}
	buffers = make([]gridstride.Buffer[byte], len(j.Args))
	for i, arg := range j.Args {
		var value any
		switch {
		case arg.Buffer && strings.HasSuffix(params[i].Type, "]") && params[i].Type != "[]":
			value, err = structure(arg, params[i].Size)
		case arg.Buffer:
			if buffers[i], err = upload(ctx, dev, stream, arg); err == nil {
				value, err = typed(buffers[i], arg.Lanes*arg.Elem.Size)
			}
			if err == nil && arg.Map != nil {
				value, err = tensorMap(buffers[i], arg)
			}
		default:
			value = arg.Elem.Value(arg.Data())
		}
		if err != nil {
			return buffers, nil, fmt.Errorf("--arg %s: %w", arg.Text, err)
		}
		args = append(args, value)
	}
	return buffers, args, nil
}

func signature(params []gridstride.Param) string {
	if len(params) == 0 {
		return "none"
	}
	var parts []string
	for _, p := range params {
		parts = append(parts, p.Name+" "+p.Type)
	}
	return strings.Join(parts, ", ")
}

// upload makes the buffer of an argument, with its contents if it has any.
func upload(ctx context.Context, dev *gridstride.Device, stream *gridstride.Stream, arg *argspec.Arg) (gridstride.Buffer[byte], error) {
	buffer, err := gridstride.Make[byte](dev, arg.Size())
	if err != nil {
		return buffer, err
	}
	if data := arg.Data(); data != nil {
		err = buffer.Write(ctx, stream, data)
	}
	return buffer, err
}

// typed is the buffer with elements of that many bytes, so that a kernel that takes its length gets
// the number of elements.
func typed(buffer gridstride.Buffer[byte], size int) (any, error) {
	switch size {
	case 2:
		return gridstride.Cast[uint16](buffer)
	case 3:
		return gridstride.Cast[[3]byte](buffer)
	case 4:
		return gridstride.Cast[uint32](buffer)
	case 6:
		return gridstride.Cast[[3]uint16](buffer)
	case 8:
		return gridstride.Cast[uint64](buffer)
	case 12:
		return gridstride.Cast[[3]uint32](buffer)
	case 16:
		return gridstride.Cast[[2]uint64](buffer)
	case 24:
		return gridstride.Cast[[3]uint64](buffer)
	case 32:
		return gridstride.Cast[[4]uint64](buffer)
	}
	return buffer, nil
}

// structure is the value of an argument that the kernel takes as size bytes: a struct or an array.
func structure(arg *argspec.Arg, size int) (any, error) {
	data := arg.Data()
	switch {
	case data == nil:
		return nil, errors.New("the kernel takes it by value, so it needs contents: =zeros, say")
	case len(data) != size:
		return nil, fmt.Errorf("has %d bytes, and the kernel takes %d by value", len(data), size)
	}
	v := reflect.New(reflect.ArrayOf(size, reflect.TypeFor[byte]())).Elem()
	reflect.Copy(v, reflect.ValueOf(data))
	return v.Interface(), nil
}

// output writes or prints what the job wants to know of a buffer.
func (j *Job) output(
	ctx context.Context, stream *gridstride.Stream, kernel *gridstride.Kernel, buffers []gridstride.Buffer[byte], o argspec.Out, out io.Writer,
) error {
	arg := j.Args[o.Arg]
	data, err := contents(ctx, stream, buffers[o.Arg], arg.Elem.Size)
	if err != nil {
		return err
	}
	if o.File == "" {
		_, err := fmt.Fprintf(out, "%d %s: %s\n", o.Arg, kernel.Params()[o.Arg].Name, elements(arg, data))
		return err
	}
	if err := j.Save(o.File, arg.Array(data)); err != nil {
		return fmt.Errorf("--out %d:%s: %w", o.Arg, o.File, err)
	}
	return nil
}

// contents reads a buffer as elements of that many bytes, which checks count.
func contents(ctx context.Context, stream *gridstride.Stream, b gridstride.Buffer[byte], size int) ([]byte, error) {
	switch size {
	case 2:
		return contentsAs[uint16](ctx, stream, b)
	case 4:
		return contentsAs[uint32](ctx, stream, b)
	case 8:
		return contentsAs[uint64](ctx, stream, b)
	}
	return b.Read(ctx, stream, nil)
}

func contentsAs[T any](ctx context.Context, stream *gridstride.Stream, b gridstride.Buffer[byte]) ([]byte, error) {
	typed, err := gridstride.Cast[T](b)
	if err != nil {
		return nil, err
	}
	elements, err := typed.Read(ctx, stream, nil)
	if err != nil {
		return nil, err
	}
	return binary.Append(nil, binary.LittleEndian, elements)
}

// maxPrinted is how many elements of a buffer are printed.
const maxPrinted = 100

func elements(arg *argspec.Arg, data []byte) string {
	var parts []string
	for i := range min(arg.Values(), maxPrinted) {
		parts = append(parts, arg.Elem.Format(data, i))
	}
	if n := arg.Values(); n > maxPrinted {
		parts = append(parts, fmt.Sprintf("… (%d elements)", n))
	}
	return strings.Join(parts, " ")
}

func free(buffers []gridstride.Buffer[byte]) {
	for _, b := range buffers {
		_ = b.Free() // of a buffer of ours, which can only have been freed by Close
	}
}
