// RUN: quant-float-opt %s --quant-float-broadcast-from-memory | FileCheck %s

// A float that is loaded once and broadcast to 64-byte vectors with several uses becomes an integer
// broadcast from memory.

// CHECK-LABEL: llvm.func @broadcast(
// CHECK-SAME:    %[[P:.+]]: !llvm.ptr,
// CHECK-NOT:     llvm.load
// CHECK:         %[[LANES:.+]] = llvm.inline_asm asm_dialect = att operand_attrs = [{elementtype = f32}] "vpbroadcastd $1, $0", "=v,*m" %[[P]]
// CHECK-NEXT:    llvm.fmul %[[LANES]], %{{.+}}
// CHECK-NEXT:    llvm.fmul %[[LANES]], %{{.+}}
llvm.func @broadcast(%p: !llvm.ptr, %x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %poison = llvm.mlir.poison : vector<16xf32>
  %0 = "llvm.load"(%p) <{alignment = 4 : i64, ordering = 0 : i64}> : (!llvm.ptr) -> f32
  %1 = llvm.insertelement %0, %poison[%c0 : i64] : vector<16xf32>
  %2 = llvm.shufflevector %1, %poison [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<16xf32>
  %3 = llvm.fmul %2, %x : vector<16xf32>
  %4 = llvm.fmul %2, %y : vector<16xf32>
  %5 = llvm.fadd %3, %4 : vector<16xf32>
  llvm.return %5 : vector<16xf32>
}

// A broadcast with a single use is folded into its user. Loads with scalar uses, partial
// broadcasts, other vector sizes and volatile loads do not match.
// CHECK-LABEL: llvm.func @others(
// CHECK-NOT:     inline_asm
// CHECK:         llvm.return
llvm.func @others(%p: !llvm.ptr, %x: vector<16xf32>, %y: vector<8xf32>) -> f32 {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %poison = llvm.mlir.poison : vector<16xf32>
  %short = llvm.mlir.poison : vector<8xf32>
  %once = llvm.load %p : !llvm.ptr -> f32
  %0 = llvm.insertelement %once, %poison[%c0 : i64] : vector<16xf32>
  %1 = llvm.shufflevector %0, %poison [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<16xf32>
  %2 = llvm.fmul %1, %x : vector<16xf32>
  %scalar = llvm.load %p : !llvm.ptr -> f32
  %3 = llvm.insertelement %scalar, %poison[%c0 : i64] : vector<16xf32>
  %4 = llvm.shufflevector %3, %poison [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<16xf32>
  %5 = llvm.fmul %4, %4 : vector<16xf32>
  %half = llvm.load %p : !llvm.ptr -> f32
  %6 = llvm.insertelement %half, %short[%c0 : i64] : vector<8xf32>
  %7 = llvm.shufflevector %6, %short [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
  %8 = llvm.fmul %7, %7 : vector<8xf32>
  %other = llvm.load %p : !llvm.ptr -> f32
  %9 = llvm.insertelement %other, %x[%c0 : i64] : vector<16xf32>
  %10 = llvm.shufflevector %9, %poison [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<16xf32>
  %11 = llvm.fmul %10, %10 : vector<16xf32>
  %volatile = llvm.load volatile %p : !llvm.ptr -> f32
  %12 = llvm.insertelement %volatile, %poison[%c0 : i64] : vector<16xf32>
  %13 = llvm.shufflevector %12, %poison [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<16xf32>
  %14 = llvm.fmul %13, %13 : vector<16xf32>
  llvm.return %scalar : f32
}
