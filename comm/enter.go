package comm

import (
	"context"

	"github.com/gridstride/gridstride"
)

// EnterAllReduce is a rank's part of [AllReduce]. All ranks enter it with the same operation, type and
// length of src.
//
// Errors: ErrMismatch, ErrAbsent with ctx's, and AllReduce's. All ranks get the same error.
func EnterAllReduce[T Number](ctx context.Context, m *Member, op Op, dst, src gridstride.Buffer[T]) error {
	what := collective{Call: "AllReduce", Op: op, Root: noRoot, N: src.Len()}
	return enter(ctx, m, what, pair[T]{dst, src}, directly[T](m, op), func(g *Group, dst, src []gridstride.Buffer[T]) error {
		return AllReduce(g, op, dst, src)
	})
}

// EnterAllReduceReproducible is a rank's part of [AllReduceReproducible]. All ranks enter it with the
// same type and length of dst.
//
// Errors: as for [EnterAllReduce].
func EnterAllReduceReproducible[T Float](ctx context.Context, m *Member, dst, src gridstride.Buffer[T]) error {
	what := collective{Call: "AllReduceReproducible", Op: noOp, Root: noRoot, N: dst.Len()}
	return enter(ctx, m, what, pair[T]{dst, src}, false, func(g *Group, dst, src []gridstride.Buffer[T]) error {
		return AllReduceReproducible(g, dst, src)
	})
}

// EnterReduceScatter is a rank's part of [ReduceScatter]. All ranks enter it with the same operation,
// type and length of dst.
//
// Errors: as for [EnterAllReduce].
func EnterReduceScatter[T Number](ctx context.Context, m *Member, op Op, dst, src gridstride.Buffer[T]) error {
	what := collective{Call: "ReduceScatter", Op: op, Root: noRoot, N: dst.Len()}
	return enter(ctx, m, what, pair[T]{dst, src}, directly[T](m, op), func(g *Group, dst, src []gridstride.Buffer[T]) error {
		return ReduceScatter(g, op, dst, src)
	})
}

// EnterReduce is a rank's part of [Reduce]. All ranks enter it with the same operation, root, type and
// length of src. dst is used of root alone.
//
// Errors: as for [EnterAllReduce].
func EnterReduce[T Number](ctx context.Context, m *Member, op Op, root int, dst, src gridstride.Buffer[T]) error {
	if err := m.g.checkRank("EnterReduce", "root", root); err != nil {
		return err
	}
	what := collective{Call: "Reduce", Op: op, Root: root, N: src.Len()}
	return enter(ctx, m, what, pair[T]{dst, src}, directly[T](m, op), func(g *Group, dst, src []gridstride.Buffer[T]) error {
		return Reduce(g, op, root, dst[root], src)
	})
}

// EnterBroadcast is a rank's part of [Broadcast]. All ranks enter it with the same root, type and
// length of the buffer.
//
// Errors: as for [EnterAllReduce].
func EnterBroadcast[T any](ctx context.Context, m *Member, root int, buffer gridstride.Buffer[T]) error {
	what := collective{Call: "Broadcast", Op: noOp, Root: root, N: buffer.Len()}
	return enter(ctx, m, what, pair[T]{src: buffer}, m.g.usesNCCL(), func(g *Group, _, buffers []gridstride.Buffer[T]) error {
		return Broadcast(g, root, buffers)
	})
}

// EnterAllGather is a rank's part of [AllGather]. All ranks enter it with the same type and length of
// src.
//
// Errors: as for [EnterAllReduce].
func EnterAllGather[T any](ctx context.Context, m *Member, dst, src gridstride.Buffer[T]) error {
	what := collective{Call: "AllGather", Op: noOp, Root: noRoot, N: src.Len()}
	return enter(ctx, m, what, pair[T]{dst, src}, m.g.usesNCCL(), func(g *Group, dst, src []gridstride.Buffer[T]) error {
		return AllGather(g, dst, src)
	})
}

// EnterAllToAll is a rank's part of [AllToAll]. All ranks enter it with the same type and length of
// src.
//
// Errors: as for [EnterAllReduce].
func EnterAllToAll[T any](ctx context.Context, m *Member, dst, src gridstride.Buffer[T]) error {
	what := collective{Call: "AllToAll", Op: noOp, Root: noRoot, N: src.Len()}
	return enter(ctx, m, what, pair[T]{dst, src}, m.g.usesNCCL(), func(g *Group, dst, src []gridstride.Buffer[T]) error {
		return AllToAll(g, dst, src)
	})
}

// directly reports that NCCL can do a reduction of T with the bits that are promised.
func directly[T Number](m *Member, op Op) bool {
	_, ok := reductionOf[T](m.g, op)
	return ok
}
