package math64

import "github.com/gridstride/gridstride/internal/math/ieee"

// Y0 is the Bessel function of the second kind and order 0 of x, NaN for a negative x.
//
// Near 0 the logarithm is computed separately, and otherwise it is computed as J0.
func Y0(x float64) float64 {
	switch {
	case !(x > 0):
		if x == 0 {
			return ieee.Inf[float64](-1)
		}
		return ieee.NaN[float64]()
	case x < 0.6 || x >= 1.2 && x < 2.6:
		z := float64(x * x)
		high, low := logSum(x)
		return ieee.FMA(float64(0x1.45f306dc9c883p-1*(high+low)), j0Small(z), y0Small(z))
	case x < 1.2:
		return y0Zero1(x)
	case x < 5.5:
		return y0Zero2(x)
	case x < 8.1:
		return y0Zero3(x)
	case x == ieee.Inf[float64](1):
		return 0
	}
	n, high, low := besselPhase(x, besselShift0(x))
	return float64(quadrant(n, sinReduced(high, low), cosReduced(high, low)) * besselModulus0(x))
}

// Y1 is the Bessel function of the second kind and order 1 of x, NaN for a negative x. It is
// computed as Y0 is.
func Y1(x float64) float64 {
	switch {
	case !(x > 0):
		if x == 0 {
			return ieee.Inf[float64](-1)
		}
		return ieee.NaN[float64]()
	case x < 1.6:
		z := float64(x * x)
		high, low := logSum(x)
		smooth := float64(x * ieee.FMA(float64(0x1.45f306dc9c883p-1*(high+low)), j1Small(z), y1Small(z)))
		return smooth - 0x1.45f306dc9c883p-1/x
	case x < 3.7:
		return y1Zero1(x)
	case x < 7.1:
		return y1Zero2(x)
	case x == ieee.Inf[float64](1):
		return 0
	}
	n, high, low := besselPhase(x, besselShift1(x))
	return float64(-quadrant(n+1, sinReduced(high, low), cosReduced(high, low)) * besselModulus1(x))
}

// y0Zero1 is Y0 from 0.6 to 1.2, around its zero at 0.8936.
func y0Zero1(x float64) float64 {
	s := x - 0x1.ccp-1
	p := 0x1.ff1a77ead0ac4p-2
	p = ieee.FMA(p, s, -0x1.e52647122638p-2)
	p = ieee.FMA(p, s, 0x1.afdef282aeb9dp-3)
	p = ieee.FMA(p, s, -0x1.9778d3247051dp-3)
	p = ieee.FMA(p, s, 0x1.e6882d2936feap-3)
	p = ieee.FMA(p, s, -0x1.d0909973e72a9p-3)
	p = ieee.FMA(p, s, 0x1.b1c1d224f8d18p-3)
	p = ieee.FMA(p, s, -0x1.a15dcd71d6c61p-3)
	p = ieee.FMA(p, s, 0x1.946b091100043p-3)
	p = ieee.FMA(p, s, -0x1.895fb5c876907p-3)
	p = ieee.FMA(p, s, 0x1.81319ddd50332p-3)
	p = ieee.FMA(p, s, -0x1.7c3f7cb2f9f5p-3)
	p = ieee.FMA(p, s, 0x1.7afbc3e38847fp-3)
	p = ieee.FMA(p, s, -0x1.7e24ffc17a252p-3)
	p = ieee.FMA(p, s, 0x1.86e3163a80b8fp-3)
	p = ieee.FMA(p, s, -0x1.97ff36bd91bc4p-3)
	p = ieee.FMA(p, s, 0x1.b659d4340b2fep-3)
	p = ieee.FMA(p, s, -0x1.c67a3d57517a1p-3)
	p = ieee.FMA(p, s, 0x1.bd00a8cbfb612p-3)
	p = ieee.FMA(p, s, -0x1.f5b5ad10b0cddp-2)
	p = ieee.FMA(p, s, 0x1.c10aa12098df8p-1)
	return float64(((x - 0x1.c982eb8d417eap-1) - 0x1.ea9d270347f83p-56) * p)
}

// y0Zero2 is Y0 from 2.6 to 5.5, around its zero at 3.958.
func y0Zero2(x float64) float64 {
	s := x - 0x1.04p+2
	p := -0x1.7103e291f4151p-49
	p = ieee.FMA(p, s, 0x1.619a844cbd9cdp-47)
	p = ieee.FMA(p, s, -0x1.b8b4332c1a0c3p-47)
	p = ieee.FMA(p, s, 0x1.1e227abfc08ccp-44)
	p = ieee.FMA(p, s, -0x1.d78e76467c738p-42)
	p = ieee.FMA(p, s, 0x1.ea71fb1e1204fp-40)
	p = ieee.FMA(p, s, -0x1.f23aa064d6ec1p-38)
	p = ieee.FMA(p, s, 0x1.0e4ae1ab5846bp-35)
	p = ieee.FMA(p, s, -0x1.211afc0c8e7edp-33)
	p = ieee.FMA(p, s, 0x1.300da0feb153p-31)
	p = ieee.FMA(p, s, -0x1.858d2bf8d13f1p-29)
	p = ieee.FMA(p, s, 0x1.0554e8050bf8dp-26)
	p = ieee.FMA(p, s, -0x1.15d929cedff02p-28)
	p = ieee.FMA(p, s, -0x1.47eb0dcf468ebp-22)
	p = ieee.FMA(p, s, -0x1.59518ad4b6d77p-18)
	p = ieee.FMA(p, s, 0x1.8c48190eedfd3p-15)
	p = ieee.FMA(p, s, 0x1.da444ca95728dp-13)
	p = ieee.FMA(p, s, -0x1.0fb5c9b5dbaf7p-9)
	p = ieee.FMA(p, s, -0x1.fb9b92397de0ep-8)
	p = ieee.FMA(p, s, 0x1.cc9d3dacfc995p-5)
	p = ieee.FMA(p, s, 0x1.01981e4ca8342p-4)
	p = ieee.FMA(p, s, -0x1.961847905d6f3p-2)
	return float64(((x - 0x1.fa9534d98569cp+1) - -0x1.f06ae7804384ep-54) * p)
}

// y0Zero3 is Y0 from 5.5 to 8.1, around its zero at 7.086.
func y0Zero3(x float64) float64 {
	s := x - 0x1.b4p+2
	p := -0x1.1748d7b972885p-43
	p = ieee.FMA(p, s, -0x1.d356a7a69522fp-41)
	p = ieee.FMA(p, s, 0x1.1a4dd9af530d3p-35)
	p = ieee.FMA(p, s, 0x1.1f7400fbfaa35p-33)
	p = ieee.FMA(p, s, -0x1.69b5656a20bcp-28)
	p = ieee.FMA(p, s, -0x1.289c778ab6645p-26)
	p = ieee.FMA(p, s, 0x1.54b7c3de3cf5p-21)
	p = ieee.FMA(p, s, 0x1.70351b5d92a3ap-20)
	p = ieee.FMA(p, s, -0x1.a25b24c51442bp-15)
	p = ieee.FMA(p, s, -0x1.026fffcb75865p-14)
	p = ieee.FMA(p, s, 0x1.2f6ee2ec1b849p-9)
	p = ieee.FMA(p, s, 0x1.be687078e114ep-11)
	p = ieee.FMA(p, s, -0x1.9783cda7430d7p-5)
	p = ieee.FMA(p, s, 0x1.7312374b41e01p-8)
	p = ieee.FMA(p, s, 0x1.357ea54dea9bap-2)
	return float64(((x - 0x1.c581dc4e72103p+2) - -0x1.9774a495f56cfp-54) * p)
}

// y1Zero1 is Y1 from 1.6 to 3.7, around its zero at 2.197.
func y1Zero1(x float64) float64 {
	s := x - 0x1.54p+1
	p := 0x1.8b147d2e011bcp-36
	p = ieee.FMA(p, s, -0x1.d8377a31322f6p-35)
	p = ieee.FMA(p, s, -0x1.977da625e2513p-37)
	p = ieee.FMA(p, s, -0x1.08e28b8625392p-37)
	p = ieee.FMA(p, s, 0x1.0acb1219ebce7p-31)
	p = ieee.FMA(p, s, -0x1.4465c2e00f965p-30)
	p = ieee.FMA(p, s, 0x1.3eb3cd2e567cap-29)
	p = ieee.FMA(p, s, -0x1.b2c73a99aec0ap-28)
	p = ieee.FMA(p, s, 0x1.2ff09b3cd0329p-26)
	p = ieee.FMA(p, s, -0x1.917d03bb73aaap-25)
	p = ieee.FMA(p, s, 0x1.08a477eb15e77p-23)
	p = ieee.FMA(p, s, -0x1.5ec90d53b340ep-22)
	p = ieee.FMA(p, s, 0x1.d0baf0646f171p-21)
	p = ieee.FMA(p, s, -0x1.336df70867d29p-19)
	p = ieee.FMA(p, s, 0x1.9643f056bd772p-18)
	p = ieee.FMA(p, s, -0x1.0d31228ca698bp-16)
	p = ieee.FMA(p, s, 0x1.64f2b4b7bf9a9p-15)
	p = ieee.FMA(p, s, -0x1.bbab3d5ba13bfp-14)
	p = ieee.FMA(p, s, 0x1.0ccebf94335e3p-12)
	p = ieee.FMA(p, s, -0x1.14a62274ff788p-10)
	p = ieee.FMA(p, s, 0x1.dd475ae1ec8fdp-9)
	p = ieee.FMA(p, s, 0x1.3d2c68085a347p-8)
	p = ieee.FMA(p, s, -0x1.068a812ea0303p-5)
	p = ieee.FMA(p, s, -0x1.31cdc6d814fdep-3)
	p = ieee.FMA(p, s, 0x1.d64af972efdfap-2)
	return float64(((x - 0x1.193bed4dff243p+1) - -0x1.bd1e50d219bfdp-55) * p)
}

// y1Zero2 is Y1 from 3.7 to 7.1, around its zero at 5.43.
func y1Zero2(x float64) float64 {
	s := x - 0x1.5ap+2
	p := 0x1.8161cc46ea17bp-54
	p = ieee.FMA(p, s, -0x1.ed83ed69a8d0fp-52)
	p = ieee.FMA(p, s, 0x1.2c39e4c333ab5p-50)
	p = ieee.FMA(p, s, -0x1.a90358842f71dp-48)
	p = ieee.FMA(p, s, 0x1.64639b970805p-45)
	p = ieee.FMA(p, s, -0x1.ea525c6c29762p-43)
	p = ieee.FMA(p, s, 0x1.5cf1722e73c51p-40)
	p = ieee.FMA(p, s, -0x1.535406ef725dap-38)
	p = ieee.FMA(p, s, 0x1.03e5466ffbc57p-38)
	p = ieee.FMA(p, s, -0x1.a8ddd8a8214efp-32)
	p = ieee.FMA(p, s, 0x1.87878aadef756p-28)
	p = ieee.FMA(p, s, 0x1.9f70d241f119ap-26)
	p = ieee.FMA(p, s, -0x1.282e85626091fp-21)
	p = ieee.FMA(p, s, -0x1.729116e2beaeep-19)
	p = ieee.FMA(p, s, 0x1.8997e0e0b7e4dp-15)
	p = ieee.FMA(p, s, 0x1.25b86e7d7445bp-13)
	p = ieee.FMA(p, s, -0x1.1e1a5ae3573d4p-9)
	p = ieee.FMA(p, s, -0x1.0347fa19d0217p-8)
	p = ieee.FMA(p, s, 0x1.a3b3d6238d907p-5)
	p = ieee.FMA(p, s, 0x1.da39a85e085d5p-6)
	p = ieee.FMA(p, s, -0x1.5d357aab70ae7p-2)
	return float64(((x - 0x1.5b7fe4e87b02ep+2) - 0x1.dfe7bac228e8cp-52) * p)
}

// y0Small is Y0 without its logarithm, for z = x*x, from 0 to 2.6 squared.
func y0Small(z float64) float64 {
	p := -0x1.32392044353d3p-63
	p = ieee.FMA(p, z, 0x1.f35ceaa44158p-55)
	p = ieee.FMA(p, z, -0x1.310150ef97d1ep-46)
	p = ieee.FMA(p, z, 0x1.2393b09c912cep-38)
	p = ieee.FMA(p, z, -0x1.a6ee784df055ap-31)
	p = ieee.FMA(p, z, 0x1.bce4a5fba70ccp-24)
	p = ieee.FMA(p, z, -0x1.3e997941f4c2bp-17)
	p = ieee.FMA(p, z, 0x1.1a6206b7b9414p-11)
	p = ieee.FMA(p, z, -0x1.075b1bbf41359p-6)
	p = ieee.FMA(p, z, 0x1.6bbcb41034286p-3)
	p = ieee.FMA(p, z, -0x1.2e4d699cbd01fp-4)
	return p
}

// y1Small is (Y1(x)+2/(pi*x))/x without its logarithm, for z = x*x, from 0 to 1.6 squared.
func y1Small(z float64) float64 {
	p := -0x1.0b6e08a4f07d4p-50
	p = ieee.FMA(p, z, 0x1.2a23026c0c931p-42)
	p = ieee.FMA(p, z, -0x1.f0cd564f3fc93p-35)
	p = ieee.FMA(p, z, 0x1.32e5a38ecac5bp-27)
	p = ieee.FMA(p, z, -0x1.0a780ac525931p-20)
	p = ieee.FMA(p, z, 0x1.2c7dbffcd9fb5p-14)
	p = ieee.FMA(p, z, -0x1.835b97894bdc8p-9)
	p = ieee.FMA(p, z, 0x1.bd3975c75b4a6p-5)
	p = ieee.FMA(p, z, -0x1.91866143cbc8ap-3)
	return p
}
