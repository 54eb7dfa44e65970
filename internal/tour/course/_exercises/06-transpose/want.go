package main

//tour:test the blocks fit grid=2x2 block=8x4 s32[128]=ramp s32[128] s64=8 s64=16
//tour:test the blocks reach over the edges grid=2x3 block=8x8 s32[221]=ramp s32[221] s64=17 s64=13
//tour:test one row grid=5x1 block=8x8 s32[37]=random:1 s32[37] s64=1 s64=37
//tour:par instructions=270
//tour:hint A row of y has rows elements, not columns.
//tour:hint Threads over an edge must do nothing: two comparisons.

//gpu:kernel
func Want(x, y []int32, rows, columns int) {
	for r := range rows {
		for c := range columns {
			y[c*rows+r] = x[r*columns+c]
		}
	}
}
