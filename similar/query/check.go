package query

import (
	"errors"
	"fmt"
)

// Check returns an error for a tree that is out of bounds or has no meaning: a clause that is nil, a
// boost or distance that is not possible, too many clauses, too many within each other.
func Check(c Clause) error {
	return check(c, MaxTree, &budget{MaxClauses, MaxNodes})
}

// A budget is how many leaves and how many nodes a tree may still have.
type budget struct{ leaves, nodes int }

func check(c Clause, depth int, left *budget) error {
	if depth < 0 {
		return fmt.Errorf("a query of clauses within each other, more than %d deep", MaxTree)
	}
	left.nodes--
	switch c.(type) {
	case Group, Boosted, Field:
	default:
		left.leaves--
	}
	if min(left.leaves, left.nodes) < 0 {
		return errMany
	}
	switch c := c.(type) {
	case nil:
		return errors.New("a query with a clause that is nil")
	case Phrase:
		if c.Slop < 0 || c.Slop > MaxSlop {
			return fmt.Errorf("a phrase with a slop of %d; want 0 to %d", c.Slop, MaxSlop)
		}
	case Fuzzy:
		if c.Distance < 1 || c.Distance > MaxDistance {
			return fmt.Errorf("the fuzzy word %q with a distance of %d; want 1 to %d", c.Text, c.Distance, MaxDistance)
		}
	case Boosted:
		if !(c.Factor >= MinBoost && c.Factor <= MaxBoost) {
			return fmt.Errorf("a boost of %v; want %v to %v", c.Factor, MinBoost, MaxBoost)
		}
		return check(c.Clause, depth-1, left)
	case Field:
		if c.Name == "" {
			return errors.New("a query with a field that has no name")
		}
		return check(c.Clause, depth-1, left)
	case Range:
		if c.Name == "" || c.Low == "" && c.High == "" {
			return errors.New("a range needs the name of a field, and one bound at least")
		}
	case Group:
		for _, item := range c {
			if item.Occur > Excluded {
				return fmt.Errorf("a clause that occurs as %d; want Optional, Required or Excluded", item.Occur)
			}
			if err := check(item.Clause, depth-1, left); err != nil {
				return err
			}
		}
	}
	return nil
}

var errMany = fmt.Errorf("more than %d clauses; leave some out", MaxClauses)
