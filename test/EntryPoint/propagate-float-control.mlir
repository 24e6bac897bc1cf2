// RUN: quant-float-opt %s --quant-float-propagate-float-control | FileCheck %s

// The body is outlined to a function, which takes the values it uses other than constants.

// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME:    %[[X:.+]]: !llvm.ptr, %[[A:.+]]: f32)
// CHECK:         %[[CONTROL:.+]] = llvm.call @__qf_reset_float_control() : () -> i64
// CHECK-NEXT:    omp.parallel num_threads(%{{.+}} : i32) {
// CHECK-NEXT:      %[[OWN:.+]] = llvm.call @__qf_set_float_control(%[[CONTROL]]) : (i64) -> i64
// CHECK-NEXT:      llvm.call @kernel.threads(%[[A]], %[[X]]) : (f32, !llvm.ptr) -> ()
// CHECK-NEXT:      llvm.call @__qf_set_float_control(%[[OWN]]) : (i64) -> i64
// CHECK-NEXT:      omp.terminator
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.call @__qf_set_float_control(%[[CONTROL]]) : (i64) -> i64
// CHECK-NEXT:    llvm.return
llvm.func @kernel(%x: !llvm.ptr, %a: f32) {
  %threads = llvm.mlir.constant(4 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %ten = llvm.mlir.constant(10 : i64) : i64
  omp.parallel num_threads(%threads : i32) {
    %b = llvm.fadd %a, %a : f32
    omp.wsloop {
      omp.loop_nest (%i) : i64 = (%zero) to (%ten) step (%one) {
        %address = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %b, %address : f32, !llvm.ptr
        omp.yield
      }
    }
    omp.terminator
  }
  llvm.return
}

// CHECK:       llvm.func internal @kernel.threads(
// CHECK-SAME:    %[[A:.+]]: f32, %[[X:.+]]: !llvm.ptr) attributes {no_inline} {
// CHECK-DAG:     %[[ZERO:.+]] = llvm.mlir.constant(0 : i64)
// CHECK-DAG:     %[[ONE:.+]] = llvm.mlir.constant(1 : i64)
// CHECK-DAG:     %[[TEN:.+]] = llvm.mlir.constant(10 : i64)
// CHECK:         %[[B:.+]] = llvm.fadd %[[A]], %[[A]]
// CHECK-NEXT:    omp.wsloop {
// CHECK-NEXT:      omp.loop_nest (%[[I:.+]]) : i64 = (%[[ZERO]]) to (%[[TEN]]) step (%[[ONE]]) {
// CHECK-NEXT:        %[[ADDRESS:.+]] = llvm.getelementptr %[[X]][%[[I]]]
// CHECK-NEXT:        llvm.store %[[B]], %[[ADDRESS]]
// CHECK:         llvm.return

// Inner regions are outlined first. Several branches may lead to the terminator.

// CHECK-LABEL: llvm.func @nested(
// CHECK:         omp.parallel {
// CHECK-NEXT:      llvm.call @__qf_set_float_control
// CHECK-NEXT:      llvm.call @nested.threads_{{[0-9]+}}(
llvm.func @nested(%x: !llvm.ptr, %holds: i1, %a: f32) {
  omp.parallel {
    omp.parallel {
      llvm.cond_br %holds, ^then, ^else
    ^then:
      llvm.store %a, %x : f32, !llvm.ptr
      omp.terminator
    ^else:
      omp.terminator
    }
    omp.terminator
  }
  llvm.return
}
// CHECK:       llvm.func internal @nested.threads_{{[0-9]+}}(
// CHECK:         llvm.call @__qf_reset_float_control()
// CHECK:         omp.parallel {
// CHECK:           llvm.call @nested.threads(
// CHECK:       llvm.func internal @nested.threads(
// CHECK:         llvm.cond_br %{{.+}}, ^[[THEN:.+]], ^[[ELSE:.+]]
// CHECK:       ^[[THEN]]:
// CHECK-NEXT:    llvm.store
// CHECK-NEXT:    llvm.return
// CHECK:       ^[[ELSE]]:
// CHECK-NEXT:    llvm.return

// The environments of the threads are passed on.

omp.private {type = private} @own : f32

// CHECK-LABEL: llvm.func @private(
// CHECK:         omp.parallel private(@own %{{.+}} -> %[[OWN:.+]] : !llvm.ptr) {
// CHECK:           llvm.call @private.threads(%{{.+}}, %[[OWN]]) : (f32, !llvm.ptr) -> ()
llvm.func @private(%x: !llvm.ptr, %a: f32) {
  omp.parallel private(@own %x -> %p : !llvm.ptr) {
    llvm.store %a, %p : f32, !llvm.ptr
    omp.terminator
  }
  llvm.return
}
// CHECK:       llvm.func internal @private.threads(%[[A:.+]]: f32, %[[P:.+]]: !llvm.ptr)
// CHECK-NEXT:    llvm.store %[[A]], %[[P]]
