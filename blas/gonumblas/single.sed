s/\bD\(dot\|nrm2\|asum\|axpy\|scal\|rot\|ge\|sy\|tr\)/S\1/g
s/float64/float32/g
