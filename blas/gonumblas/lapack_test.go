package gonumblas

import (
	"flag"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
)

var wholeLAPACK = flag.Bool("lapack", false, "run all of gonum's suite of LAPACK, which takes minutes")

// often are the routines that most others use.
var often = []string{"Dgetrf", "Dgetri", "Dgetrs", "Dpotrf", "Dgeqrf", "Dgelqf", "Dgels", "Dlarfb", "Dormqr", "Dtrtri", "Dsyev", "Dsytrd", "Dgehrd"}

// TestTestlapack is gonum's suite of LAPACK with our BLAS in use.
func TestTestlapack(t *testing.T) {
	blas64.Use(Implementation{})
	defer blas64.Use(gonum.Implementation{})
	for _, test := range lapackTests {
		if *wholeLAPACK || slices.Contains(often, test.name) {
			t.Run(test.name, test.run)
		}
	}
}

// lapackTests is gonum's suite, as in its lapack/gonum/lapack_test.go. It leaves out Dlaln2, which
// calls no BLAS and whose test draws numbers without a seed: some miss its tolerance.
var lapackTests = []struct {
	name string
	run  func(t *testing.T)
}{
	{"Dbdsqr", func(t *testing.T) { testlapack.DbdsqrTest(t, lapackgonum.Implementation{}) }},
	{"Dhseqr", func(t *testing.T) { testlapack.DhseqrTest(t, lapackgonum.Implementation{}) }},
	{"Dgebak", func(t *testing.T) { testlapack.DgebakTest(t, lapackgonum.Implementation{}) }},
	{"Dgebal", func(t *testing.T) { testlapack.DgebalTest(t, lapackgonum.Implementation{}) }},
	{"Dgebd2", func(t *testing.T) { testlapack.Dgebd2Test(t, lapackgonum.Implementation{}) }},
	{"Dgebrd", func(t *testing.T) { testlapack.DgebrdTest(t, lapackgonum.Implementation{}) }},
	{"Dgecon", func(t *testing.T) { testlapack.DgeconTest(t, lapackgonum.Implementation{}) }},
	{"Dgeev", func(t *testing.T) { testlapack.DgeevTest(t, lapackgonum.Implementation{}) }},
	{"Dgehd2", func(t *testing.T) { testlapack.Dgehd2Test(t, lapackgonum.Implementation{}) }},
	{"Dgehrd", func(t *testing.T) { testlapack.DgehrdTest(t, lapackgonum.Implementation{}) }},
	{"Dgelqf", func(t *testing.T) { testlapack.DgelqfTest(t, lapackgonum.Implementation{}) }},
	{"Dgelq2", func(t *testing.T) { testlapack.Dgelq2Test(t, lapackgonum.Implementation{}) }},
	{"Dgeql2", func(t *testing.T) { testlapack.Dgeql2Test(t, lapackgonum.Implementation{}) }},
	{"Dgels", func(t *testing.T) { testlapack.DgelsTest(t, lapackgonum.Implementation{}) }},
	{"Dgerq2", func(t *testing.T) { testlapack.Dgerq2Test(t, lapackgonum.Implementation{}) }},
	{"Dgesc2", func(t *testing.T) { testlapack.Dgesc2Test(t, lapackgonum.Implementation{}) }},
	{"Dgeqp3", func(t *testing.T) { testlapack.Dgeqp3Test(t, lapackgonum.Implementation{}) }},
	{"Dgeqr2", func(t *testing.T) { testlapack.Dgeqr2Test(t, lapackgonum.Implementation{}) }},
	{"Dgeqrf", func(t *testing.T) { testlapack.DgeqrfTest(t, lapackgonum.Implementation{}) }},
	{"Dgerqf", func(t *testing.T) { testlapack.DgerqfTest(t, lapackgonum.Implementation{}) }},
	{"Dgesv", func(t *testing.T) { testlapack.DgesvTest(t, lapackgonum.Implementation{}) }},
	{"Dgetc2", func(t *testing.T) { testlapack.Dgetc2Test(t, lapackgonum.Implementation{}) }},
	{"Dgetri", func(t *testing.T) { testlapack.DgetriTest(t, lapackgonum.Implementation{}) }},
	{"Dgetf2", func(t *testing.T) { testlapack.Dgetf2Test(t, lapackgonum.Implementation{}) }},
	{"Dgetrf", func(t *testing.T) { testlapack.DgetrfTest(t, lapackgonum.Implementation{}) }},
	{"Dgetrs", func(t *testing.T) { testlapack.DgetrsTest(t, lapackgonum.Implementation{}) }},
	{"Dgghrd", func(t *testing.T) { testlapack.DgghrdTest(t, lapackgonum.Implementation{}) }},
	{"Dggsvd3", func(t *testing.T) { testlapack.Dggsvd3Test(t, lapackgonum.Implementation{}) }},
	{"Dggsvp3", func(t *testing.T) { testlapack.Dggsvp3Test(t, lapackgonum.Implementation{}) }},
	{"Dgtsv", func(t *testing.T) { testlapack.DgtsvTest(t, lapackgonum.Implementation{}) }},
	{"Dlabrd", func(t *testing.T) { testlapack.DlabrdTest(t, lapackgonum.Implementation{}) }},
	{"Dlacn2", func(t *testing.T) { testlapack.Dlacn2Test(t, lapackgonum.Implementation{}) }},
	{"Dlacpy", func(t *testing.T) { testlapack.DlacpyTest(t, lapackgonum.Implementation{}) }},
	{"Dlae2", func(t *testing.T) { testlapack.Dlae2Test(t, lapackgonum.Implementation{}) }},
	{"Dlaev2", func(t *testing.T) { testlapack.Dlaev2Test(t, lapackgonum.Implementation{}) }},
	{"Dlaexc", func(t *testing.T) { testlapack.DlaexcTest(t, lapackgonum.Implementation{}) }},
	{"Dlag2", func(t *testing.T) { testlapack.Dlag2Test(t, lapackgonum.Implementation{}) }},
	{"Dlags2", func(t *testing.T) { testlapack.Dlags2Test(t, lapackgonum.Implementation{}) }},
	{"Dlagtm", func(t *testing.T) { testlapack.DlagtmTest(t, lapackgonum.Implementation{}) }},
	{"Dlahqr", func(t *testing.T) { testlapack.DlahqrTest(t, lapackgonum.Implementation{}) }},
	{"Dlahr2", func(t *testing.T) { testlapack.Dlahr2Test(t, lapackgonum.Implementation{}) }},
	{"Dlangb", func(t *testing.T) { testlapack.DlangbTest(t, lapackgonum.Implementation{}) }},
	{"Dlange", func(t *testing.T) { testlapack.DlangeTest(t, lapackgonum.Implementation{}) }},
	{"Dlangt", func(t *testing.T) { testlapack.DlangtTest(t, lapackgonum.Implementation{}) }},
	{"Dlanhs", func(t *testing.T) { testlapack.DlanhsTest(t, lapackgonum.Implementation{}) }},
	{"Dlapy2", func(t *testing.T) { testlapack.Dlapy2Test(t, lapackgonum.Implementation{}) }},
	{"Dlapll", func(t *testing.T) { testlapack.DlapllTest(t, lapackgonum.Implementation{}) }},
	{"Dlapmr", func(t *testing.T) { testlapack.DlapmrTest(t, lapackgonum.Implementation{}) }},
	{"Dlapmt", func(t *testing.T) { testlapack.DlapmtTest(t, lapackgonum.Implementation{}) }},
	{"Dlas2", func(t *testing.T) { testlapack.Dlas2Test(t, lapackgonum.Implementation{}) }},
	{"Dlascl", func(t *testing.T) { testlapack.DlasclTest(t, lapackgonum.Implementation{}) }},
	{"Dlaset", func(t *testing.T) { testlapack.DlasetTest(t, lapackgonum.Implementation{}) }},
	{"Dlasrt", func(t *testing.T) { testlapack.DlasrtTest(t, lapackgonum.Implementation{}) }},
	{"Dlassq", func(t *testing.T) { testlapack.DlassqTest(t, lapackgonum.Implementation{}) }},
	{"Dlaswp", func(t *testing.T) { testlapack.DlaswpTest(t, lapackgonum.Implementation{}) }},
	{"Dlasy2", func(t *testing.T) { testlapack.Dlasy2Test(t, lapackgonum.Implementation{}) }},
	{"Dlansb", func(t *testing.T) { testlapack.DlansbTest(t, lapackgonum.Implementation{}) }},
	{"Dlanst", func(t *testing.T) { testlapack.DlanstTest(t, lapackgonum.Implementation{}) }},
	{"Dlansy", func(t *testing.T) { testlapack.DlansyTest(t, lapackgonum.Implementation{}) }},
	{"Dlantb", func(t *testing.T) { testlapack.DlantbTest(t, lapackgonum.Implementation{}) }},
	{"Dlantr", func(t *testing.T) { testlapack.DlantrTest(t, lapackgonum.Implementation{}) }},
	{"Dlanv2", func(t *testing.T) { testlapack.Dlanv2Test(t, lapackgonum.Implementation{}) }},
	{"Dlaqr04", func(t *testing.T) { testlapack.Dlaqr04Test(t, lapackgonum.Implementation{}) }},
	{"Dlaqp2", func(t *testing.T) { testlapack.Dlaqp2Test(t, lapackgonum.Implementation{}) }},
	{"Dlaqps", func(t *testing.T) { testlapack.DlaqpsTest(t, lapackgonum.Implementation{}) }},
	{"Dlaqr1", func(t *testing.T) { testlapack.Dlaqr1Test(t, lapackgonum.Implementation{}) }},
	{"Dlaqr23", func(t *testing.T) { testlapack.Dlaqr23Test(t, lapackgonum.Implementation{}) }},
	{"Dlaqr5", func(t *testing.T) { testlapack.Dlaqr5Test(t, lapackgonum.Implementation{}) }},
	{"Dlarf", func(t *testing.T) { testlapack.DlarfTest(t, lapackgonum.Implementation{}) }},
	{"Dlarfb", func(t *testing.T) { testlapack.DlarfbTest(t, lapackgonum.Implementation{}) }},
	{"Dlarfg", func(t *testing.T) { testlapack.DlarfgTest(t, lapackgonum.Implementation{}) }},
	{"Dlarft", func(t *testing.T) { testlapack.DlarftTest(t, lapackgonum.Implementation{}) }},
	{"Dlarfx", func(t *testing.T) { testlapack.DlarfxTest(t, lapackgonum.Implementation{}) }},
	{"Dlartg", func(t *testing.T) { testlapack.DlartgTest(t, lapackgonum.Implementation{}) }},
	{"Dlasq1", func(t *testing.T) { testlapack.Dlasq1Test(t, lapackgonum.Implementation{}) }},
	{"Dlasq2", func(t *testing.T) { testlapack.Dlasq2Test(t, lapackgonum.Implementation{}) }},
	{"Dlasr", func(t *testing.T) { testlapack.DlasrTest(t, lapackgonum.Implementation{}) }},
	{"Dlasv2", func(t *testing.T) { testlapack.Dlasv2Test(t, lapackgonum.Implementation{}) }},
	{"Dlatbs", func(t *testing.T) { testlapack.DlatbsTest(t, lapackgonum.Implementation{}) }},
	{"Dlatrd", func(t *testing.T) { testlapack.DlatrdTest(t, lapackgonum.Implementation{}) }},
	{"Dlatrs", func(t *testing.T) { testlapack.DlatrsTest(t, lapackgonum.Implementation{}) }},
	{"Dlauu2", func(t *testing.T) { testlapack.Dlauu2Test(t, lapackgonum.Implementation{}) }},
	{"Dlauum", func(t *testing.T) { testlapack.DlauumTest(t, lapackgonum.Implementation{}) }},
	{"Dorg2r", func(t *testing.T) { testlapack.Dorg2rTest(t, lapackgonum.Implementation{}) }},
	{"Dorgbr", func(t *testing.T) { testlapack.DorgbrTest(t, lapackgonum.Implementation{}) }},
	{"Dorghr", func(t *testing.T) { testlapack.DorghrTest(t, lapackgonum.Implementation{}) }},
	{"Dorg2l", func(t *testing.T) { testlapack.Dorg2lTest(t, lapackgonum.Implementation{}) }},
	{"Dorgl2", func(t *testing.T) { testlapack.Dorgl2Test(t, lapackgonum.Implementation{}) }},
	{"Dorglq", func(t *testing.T) { testlapack.DorglqTest(t, lapackgonum.Implementation{}) }},
	{"Dorgql", func(t *testing.T) { testlapack.DorgqlTest(t, lapackgonum.Implementation{}) }},
	{"Dorgqr", func(t *testing.T) { testlapack.DorgqrTest(t, lapackgonum.Implementation{}) }},
	{"Dorgr2", func(t *testing.T) { testlapack.Dorgr2Test(t, lapackgonum.Implementation{}) }},
	{"Dorgtr", func(t *testing.T) { testlapack.DorgtrTest(t, lapackgonum.Implementation{}) }},
	{"Dormbr", func(t *testing.T) { testlapack.DormbrTest(t, lapackgonum.Implementation{}) }},
	{"Dormhr", func(t *testing.T) { testlapack.DormhrTest(t, lapackgonum.Implementation{}) }},
	{"Dorml2", func(t *testing.T) { testlapack.Dorml2Test(t, lapackgonum.Implementation{}) }},
	{"Dormlq", func(t *testing.T) { testlapack.DormlqTest(t, lapackgonum.Implementation{}) }},
	{"Dormqr", func(t *testing.T) { testlapack.DormqrTest(t, lapackgonum.Implementation{}) }},
	{"Dormr2", func(t *testing.T) { testlapack.Dormr2Test(t, lapackgonum.Implementation{}) }},
	{"Dorm2r", func(t *testing.T) { testlapack.Dorm2rTest(t, lapackgonum.Implementation{}) }},
	{"Dpbcon", func(t *testing.T) { testlapack.DpbconTest(t, lapackgonum.Implementation{}) }},
	{"Dpbtf2", func(t *testing.T) { testlapack.Dpbtf2Test(t, lapackgonum.Implementation{}) }},
	{"Dpbtrf", func(t *testing.T) { testlapack.DpbtrfTest(t, lapackgonum.Implementation{}) }},
	{"Dpbtrs", func(t *testing.T) { testlapack.DpbtrsTest(t, lapackgonum.Implementation{}) }},
	{"Dpocon", func(t *testing.T) { testlapack.DpoconTest(t, lapackgonum.Implementation{}) }},
	{"Dpotf2", func(t *testing.T) { testlapack.Dpotf2Test(t, lapackgonum.Implementation{}) }},
	{"Dpotrf", func(t *testing.T) { testlapack.DpotrfTest(t, lapackgonum.Implementation{}) }},
	{"Dpotri", func(t *testing.T) { testlapack.DpotriTest(t, lapackgonum.Implementation{}) }},
	{"Dpotrs", func(t *testing.T) { testlapack.DpotrsTest(t, lapackgonum.Implementation{}) }},
	{"Dpstf2", func(t *testing.T) { testlapack.Dpstf2Test(t, lapackgonum.Implementation{}) }},
	{"Dpstrf", func(t *testing.T) { testlapack.DpstrfTest(t, lapackgonum.Implementation{}) }},
	{"Dpttrf", func(t *testing.T) { testlapack.DpttrfTest(t, lapackgonum.Implementation{}) }},
	{"Dpttrs", func(t *testing.T) { testlapack.DpttrsTest(t, lapackgonum.Implementation{}) }},
	{"Dptsv", func(t *testing.T) { testlapack.DptsvTest(t, lapackgonum.Implementation{}) }},
	{"Dptcon", func(t *testing.T) { testlapack.DptconTest(t, lapackgonum.Implementation{}) }},
	{"Drscl", func(t *testing.T) { testlapack.DrsclTest(t, lapackgonum.Implementation{}) }},
	{"Dsteqr", func(t *testing.T) { testlapack.DsteqrTest(t, lapackgonum.Implementation{}) }},
	{"Dsterf", func(t *testing.T) { testlapack.DsterfTest(t, lapackgonum.Implementation{}) }},
	{"Dsyev", func(t *testing.T) { testlapack.DsyevTest(t, lapackgonum.Implementation{}) }},
	{"Dsytd2", func(t *testing.T) { testlapack.Dsytd2Test(t, lapackgonum.Implementation{}) }},
	{"Dsytrd", func(t *testing.T) { testlapack.DsytrdTest(t, lapackgonum.Implementation{}) }},
	{"Dtgsja", func(t *testing.T) { testlapack.DtgsjaTest(t, lapackgonum.Implementation{}) }},
	{"Dtbtrs", func(t *testing.T) { testlapack.DtbtrsTest(t, lapackgonum.Implementation{}) }},
	{"Dtrcon", func(t *testing.T) { testlapack.DtrconTest(t, lapackgonum.Implementation{}) }},
	{"Dtrevc3", func(t *testing.T) { testlapack.Dtrevc3Test(t, lapackgonum.Implementation{}) }},
	{"Dtrexc", func(t *testing.T) { testlapack.DtrexcTest(t, lapackgonum.Implementation{}) }},
	{"Dtrti2", func(t *testing.T) { testlapack.Dtrti2Test(t, lapackgonum.Implementation{}) }},
	{"Dtrtri", func(t *testing.T) { testlapack.DtrtriTest(t, lapackgonum.Implementation{}) }},
	{"Dtrtrs", func(t *testing.T) { testlapack.DtrtrsTest(t, lapackgonum.Implementation{}) }},
	{"Iladlc", func(t *testing.T) { testlapack.IladlcTest(t, lapackgonum.Implementation{}) }},
	{"Iladlr", func(t *testing.T) { testlapack.IladlrTest(t, lapackgonum.Implementation{}) }},
	{"Dgesvd", func(t *testing.T) { testlapack.DgesvdTest(t, lapackgonum.Implementation{}, 1e-13) }},
}
