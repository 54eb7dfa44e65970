package cuda

import "fmt"

// PTXVersion is a version of the PTX language, as in ".version 8.5".
type PTXVersion struct{ Major, Minor int }

// String returns "8.5".
func (v PTXVersion) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Less reports that v is older than w.
func (v PTXVersion) Less(w PTXVersion) bool {
	return v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor
}

// ptxVersions is the newest PTX that the driver of each CUDA version takes, newest first (PTX ISA
// manual, "Release Notes").
var ptxVersions = []struct {
	cuda Version
	ptx  PTXVersion
}{
	{13010, PTXVersion{9, 1}}, {13000, PTXVersion{9, 0}},
	{12090, PTXVersion{8, 8}}, {12080, PTXVersion{8, 7}}, {12070, PTXVersion{8, 6}}, {12050, PTXVersion{8, 5}},
	{12040, PTXVersion{8, 4}}, {12030, PTXVersion{8, 3}}, {12020, PTXVersion{8, 2}}, {12010, PTXVersion{8, 1}}, {12000, PTXVersion{8, 0}},
	{11080, PTXVersion{7, 8}}, {11070, PTXVersion{7, 7}}, {11060, PTXVersion{7, 6}}, {11050, PTXVersion{7, 5}}, {11040, PTXVersion{7, 4}},
	{11030, PTXVersion{7, 3}}, {11020, PTXVersion{7, 2}}, {11010, PTXVersion{7, 1}}, {11000, PTXVersion{7, 0}},
	{10020, PTXVersion{6, 5}}, {10010, PTXVersion{6, 4}}, {10000, PTXVersion{6, 3}},
	{9020, PTXVersion{6, 2}}, {9010, PTXVersion{6, 1}}, {9000, PTXVersion{6, 0}}, {8000, PTXVersion{5, 0}},
}

// PTX is the newest PTX that a driver of CUDA version v takes. known is false where v is newer than
// what this package knows, and the driver may take more, or older.
func (v Version) PTX() (newest PTXVersion, known bool) {
	for _, row := range ptxVersions {
		if v >= row.cuda {
			return row.ptx, v/10 <= ptxVersions[0].cuda/10
		}
	}
	return PTXVersion{}, false
}
