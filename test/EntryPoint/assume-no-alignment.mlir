// Since LLVM 24, the alignment attribute of masked accesses has another type, and other accesses
// print it in angle brackets.
// RUN: sed 's/MASKED_TYPE/%if llvm-at-least-24 %{i64%} %else %{i32%}/' %s | quant-float-opt --quant-float-assume-no-alignment | FileCheck %s

llvm.mlir.global internal constant @table(dense<[1.0, 2.0]> : tensor<2xf32>) : !llvm.array<2 x f32>

// CHECK-LABEL: llvm.func @caller_memory(
llvm.func @caller_memory(%p: !llvm.ptr, %i: i64, %mask: vector<4xi1>) {
  // CHECK: llvm.load %{{.*}}alignment = 1{{[ >].*}} : !llvm.ptr -> f32
  %0 = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %1 = llvm.load %0 : !llvm.ptr -> f32
  // CHECK: llvm.store %{{.*}}alignment = 1{{[ >].*}} : f32
  "llvm.store"(%1, %0) <{alignment = 4 : i64, ordering = 0 : i64}> : (f32, !llvm.ptr) -> ()
  // CHECK: llvm.load %{{.*}}alignment = 1{{[ >].*}} : !llvm.ptr -> vector<4xf32>
  %2 = "llvm.load"(%0) <{alignment = 4 : i64, ordering = 0 : i64}> : (!llvm.ptr) -> vector<4xf32>
  // CHECK: llvm.intr.masked.load{{.*}}alignment{{( = |\()}}1{{[ )]}}
  %3 = "llvm.intr.masked.load"(%0, %mask, %2) <{alignment = 4 : MASKED_TYPE}> : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  // CHECK: llvm.intr.masked.store{{.*}}alignment{{( = |\()}}1{{[ )]}}
  "llvm.intr.masked.store"(%3, %0, %mask) <{alignment = 4 : MASKED_TYPE}> : (vector<4xf32>, !llvm.ptr, vector<4xi1>) -> ()
  llvm.return
}

// The alignment of the module's own globals and allocations is known.

// CHECK-LABEL: llvm.func @own_memory(
llvm.func @own_memory(%i: i64) -> f32 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %stack = llvm.alloca %one x !llvm.array<4 x f32> : (i64) -> !llvm.ptr
  %global = llvm.mlir.addressof @table : !llvm.ptr
  %0 = llvm.getelementptr %global[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: llvm.load %{{.*}}alignment = 4{{[ >].*}} : !llvm.ptr -> f32
  %1 = "llvm.load"(%0) <{alignment = 4 : i64, ordering = 0 : i64}> : (!llvm.ptr) -> f32
  // CHECK: llvm.store %{{.*}} : f32, !llvm.ptr
  llvm.store %1, %stack : f32, !llvm.ptr
  llvm.return %1 : f32
}
