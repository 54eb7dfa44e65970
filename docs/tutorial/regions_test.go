package tutorial

// regions make the computed parts of the chapters, by name.
var regions = map[string]func() (string, error){}
