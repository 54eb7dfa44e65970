package similar

// distances computes edit distances to one word: of letters put in, left out, taken for another, and
// of neighbours exchanged, where no letter takes part in two edits (optimal string alignment: Boytsov,
// Indexing methods for approximate dictionary searching, 2011). Words come in byte order, so that
// the rows of the beginning that a word shares with the one before are there already.
type distances struct {
	word  []rune
	most  int // greater distances are of no interest
	runes []rune
	ends  []int   // of each rune: where it ends in the word's bytes
	rows  [][]int // rows[i][j] is the distance of the first i runes to the first j of word
	dead  int     // no word that begins with the first dead runes is near enough; none where 0
}

func newDistances(word string, most int) *distances {
	d := &distances{word: []rune(word), most: most}
	first := make([]int, len(d.word)+1)
	for j := range first {
		first[j] = j
	}
	d.rows = [][]int{first}
	return d
}

// of returns the distance of a word, or more than most. The word has its first same bytes in common
// with the word before.
func (d *distances) of(s string, same int) int {
	n := 0
	for n < len(d.ends) && d.ends[n] <= same {
		n++
	}
	if d.dead > 0 && n >= d.dead {
		d.runes, d.ends = d.runes[:n], d.ends[:n]
		return d.most + 1
	}
	from := 0
	if n > 0 {
		from = d.ends[n-1]
	}
	d.runes, d.ends, d.dead = d.runes[:n], d.ends[:n], 0
	for at, r := range s[from:] {
		if len(d.runes) >= len(d.word)+d.most {
			return d.most + 1
		}
		d.runes = append(d.runes, r)
		d.ends = append(d.ends, from+at+len(string(r)))
		if d.row(); d.dead > 0 {
			return d.most + 1
		}
	}
	return d.rows[len(d.runes)][len(d.word)]
}

// row computes the row of the last rune.
func (d *distances) row() {
	i := len(d.runes)
	if len(d.rows) == i {
		d.rows = append(d.rows, make([]int, len(d.word)+1))
	}
	row, above := d.rows[i], d.rows[i-1]
	row[0] = i
	least := i
	for j := 1; j < len(row); j++ {
		cost := 1
		if d.runes[i-1] == d.word[j-1] {
			cost = 0
		}
		row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
		if i > 1 && j > 1 && d.runes[i-1] == d.word[j-2] && d.runes[i-2] == d.word[j-1] {
			row[j] = min(row[j], d.rows[i-2][j-2]+1)
		}
		least = min(least, row[j])
	}
	if least > d.most { // the row above has most at least, and an exchange adds one to it
		d.dead = i
	}
}
