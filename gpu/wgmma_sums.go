package gpu

// The fragments of sums that wgmma has, one for each number of columns.

// C64x8 is a thread's fragment of a sum of 64 rows and 8 columns.
type C64x8[T any] [4]T

// C64x16 is a thread's fragment of a sum of 64 rows and 16 columns.
type C64x16[T any] [8]T

// C64x24 is a thread's fragment of a sum of 64 rows and 24 columns.
type C64x24[T any] [12]T

// C64x32 is a thread's fragment of a sum of 64 rows and 32 columns.
type C64x32[T any] [16]T

// C64x40 is a thread's fragment of a sum of 64 rows and 40 columns.
type C64x40[T any] [20]T

// C64x48 is a thread's fragment of a sum of 64 rows and 48 columns.
type C64x48[T any] [24]T

// C64x56 is a thread's fragment of a sum of 64 rows and 56 columns.
type C64x56[T any] [28]T

// C64x64 is a thread's fragment of a sum of 64 rows and 64 columns.
type C64x64[T any] [32]T

// C64x72 is a thread's fragment of a sum of 64 rows and 72 columns.
type C64x72[T any] [36]T

// C64x80 is a thread's fragment of a sum of 64 rows and 80 columns.
type C64x80[T any] [40]T

// C64x88 is a thread's fragment of a sum of 64 rows and 88 columns.
type C64x88[T any] [44]T

// C64x96 is a thread's fragment of a sum of 64 rows and 96 columns.
type C64x96[T any] [48]T

// C64x104 is a thread's fragment of a sum of 64 rows and 104 columns.
type C64x104[T any] [52]T

// C64x112 is a thread's fragment of a sum of 64 rows and 112 columns.
type C64x112[T any] [56]T

// C64x120 is a thread's fragment of a sum of 64 rows and 120 columns.
type C64x120[T any] [60]T

// C64x128 is a thread's fragment of a sum of 64 rows and 128 columns.
type C64x128[T any] [64]T

// C64x136 is a thread's fragment of a sum of 64 rows and 136 columns.
type C64x136[T any] [68]T

// C64x144 is a thread's fragment of a sum of 64 rows and 144 columns.
type C64x144[T any] [72]T

// C64x152 is a thread's fragment of a sum of 64 rows and 152 columns.
type C64x152[T any] [76]T

// C64x160 is a thread's fragment of a sum of 64 rows and 160 columns.
type C64x160[T any] [80]T

// C64x168 is a thread's fragment of a sum of 64 rows and 168 columns.
type C64x168[T any] [84]T

// C64x176 is a thread's fragment of a sum of 64 rows and 176 columns.
type C64x176[T any] [88]T

// C64x184 is a thread's fragment of a sum of 64 rows and 184 columns.
type C64x184[T any] [92]T

// C64x192 is a thread's fragment of a sum of 64 rows and 192 columns.
type C64x192[T any] [96]T

// C64x200 is a thread's fragment of a sum of 64 rows and 200 columns.
type C64x200[T any] [100]T

// C64x208 is a thread's fragment of a sum of 64 rows and 208 columns.
type C64x208[T any] [104]T

// C64x216 is a thread's fragment of a sum of 64 rows and 216 columns.
type C64x216[T any] [108]T

// C64x224 is a thread's fragment of a sum of 64 rows and 224 columns.
type C64x224[T any] [112]T

// C64x232 is a thread's fragment of a sum of 64 rows and 232 columns.
type C64x232[T any] [116]T

// C64x240 is a thread's fragment of a sum of 64 rows and 240 columns.
type C64x240[T any] [120]T

// C64x248 is a thread's fragment of a sum of 64 rows and 248 columns.
type C64x248[T any] [124]T

// C64x256 is a thread's fragment of a sum of 64 rows and 256 columns.
type C64x256[T any] [128]T

// Sums64 is the fragments of sums of a type.
type Sums64[T any] interface {
	C64x8[T] | C64x16[T] | C64x24[T] | C64x32[T] | C64x40[T] | C64x48[T] |
		C64x56[T] | C64x64[T] | C64x72[T] | C64x80[T] | C64x88[T] | C64x96[T] |
		C64x104[T] | C64x112[T] | C64x120[T] | C64x128[T] | C64x136[T] | C64x144[T] |
		C64x152[T] | C64x160[T] | C64x168[T] | C64x176[T] | C64x184[T] | C64x192[T] |
		C64x200[T] | C64x208[T] | C64x216[T] | C64x224[T] | C64x232[T] | C64x240[T] |
		C64x248[T] | C64x256[T]
}

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x8[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x16[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x24[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x32[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x40[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x48[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x56[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x64[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x72[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x80[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x88[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x96[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x104[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x112[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x120[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x128[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x136[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x144[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x152[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x160[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x168[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x176[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x184[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x192[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x200[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x208[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x216[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x224[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x232[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x240[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x248[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (C64x256[T]) At(thread, i int) (row, col int) { return inC64(thread, i) }
