package amd64

// Distance appends the distance of a label from the next byte, in 32 bits: an entry of a table of
// places.
func (a *Asm) Distance(to Label) { a.distance(to) }

// Word appends 32 bits of data.
func (a *Asm) Word(v int32) { a.imm32(v) }
