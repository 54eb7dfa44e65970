package racecheck

// locations are the syncVars, by their keys. Most locations that atomics change have none. So a
// lookup first asks a filter, which has one bit for many keys. The bit is clear if none of them has
// a syncVar (B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", CACM 1970).
// The zero value is ready.
type locations struct {
	vars   map[varKey]*syncVar
	filter [filterBits / 64]uint64
}

const filterBits = 1 << 12

// bit is the place of a key in the filter.
func (k varKey) bit() (word int, bit uint64) {
	const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio spreads neighbours (Knuth, volume 3, 6.4)
	h := uint64(k) * golden >> 52
	return int(h / 64), 1 << (h % 64)
}

// at returns the syncVar of a key, or nil.
func (l *locations) at(k varKey) *syncVar {
	if word, bit := k.bit(); l.filter[word]&bit == 0 {
		return nil
	}
	return l.vars[k]
}

// put adds a syncVar, in the place of one with its key.
func (l *locations) put(v *syncVar) {
	if l.vars == nil {
		l.vars = map[varKey]*syncVar{}
	}
	word, bit := v.key.bit()
	l.filter[word] |= bit
	l.vars[v.key] = v
}

// remove drops the syncVar of a key. Its bit stays: others may have it.
func (l *locations) remove(k varKey) { delete(l.vars, k) }
