package tune

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// MostCombinations bounds the combinations of a group's values.
const MostCombinations = 1 << 53

// Combinations is the number of combinations of a group's values.
func (g *Group) Combinations() (uint64, error) {
	total := uint64(1)
	for _, k := range g.Constants {
		n := uint64(len(k.Values))
		if total > MostCombinations/n {
			return 0, fmt.Errorf("%v: the values have more than 2^53 combinations: want fewer", g.Pos)
		}
		total *= n
	}
	return total, nil
}

// Pick returns the choices to try, at most n: all combinations, or if there are more a sample that the
// seed decides, in which each of the others has the same chance (Floyd's algorithm, Bentley,
// Programming Pearls: A Sample of Brilliance, CACM 30(9), 1987). The declared choice is the first, and
// the others follow in the order of the comment.
func (g *Group) Pick(n int, seed uint64) ([]Choice, error) {
	total, err := g.Combinations()
	if err != nil || n < 1 {
		return nil, err
	}
	declared := g.number(g.Declared())
	others := total - 1
	wanted := min(others, uint64(n-1))
	random := rand.New(rand.NewPCG(seed, 0))
	taken := map[uint64]bool{}
	for last := others - wanted; last < others; last++ {
		if at := random.Uint64N(last + 1); !taken[at] {
			taken[at] = true
		} else {
			taken[last] = true
		}
	}
	numbers := make([]uint64, 0, wanted)
	for at := range taken {
		if at >= declared {
			at++
		}
		numbers = append(numbers, at)
	}
	slices.Sort(numbers)
	choices := []Choice{g.Declared()}
	for _, at := range numbers {
		choices = append(choices, g.choice(at))
	}
	return choices, nil
}

// number numbers the choices of a group: the last constant changes fastest.
func (g *Group) number(c Choice) (n uint64) {
	for i, k := range g.Constants {
		n = n*uint64(len(k.Values)) + uint64(c[i])
	}
	return n
}

// choice is the choice of a number.
func (g *Group) choice(n uint64) Choice {
	c := make(Choice, len(g.Constants))
	for i, k := range slices.Backward(g.Constants) {
		values := uint64(len(k.Values))
		c[i], n = int(n%values), n/values
	}
	return c
}
