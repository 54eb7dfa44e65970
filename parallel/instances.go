package parallel

// The instances that programs have without asking: functions that need no operator, and operators of
// this package.

//gpu:instance T=int,int32,int64,uint32,uint64,float32,float64 Sum[T] Min[T] Max[T] InclusiveSum[T]
//gpu:instance T=int,int32,int64,uint32,uint64,float32,float64 Sort[T] Iota[T]
//gpu:instance T=int,int32,int64,uint32,uint64,float32,float64 Unique[T,Equals[T]]
//gpu:instance T=int,int32,int64,uint32,uint64,float32,float64 LowerBound[T,Ascending[T]] Merge[T,Ascending[T]]
