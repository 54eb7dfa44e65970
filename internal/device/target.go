package device

import "github.com/gridstride/gridstride/internal/abi"

// CheckTarget says why the device does not run PTX for a target: nil if it does, else an error of
// ErrTarget.
func (i *Info) CheckTarget(t abi.Target) error {
	switch {
	case t.RunsOn(i.SM):
		return nil
	case t.SM > i.SM:
		return Errorf(ErrTarget, "needs %v, the device is sm_%d (%s)", t, i.SM, i.Name)
	}
	return Errorf(ErrTarget, "is for %v only, the device is sm_%d (%s): compile it for a target without the letter", t, i.SM, i.Name)
}
