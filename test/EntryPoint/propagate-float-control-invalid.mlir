// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-propagate-float-control

// expected-error @+1 {{redefinition of function '__qf_reset_float_control' of different type}}
llvm.func @__qf_reset_float_control() -> f32
llvm.func @f() {
  omp.parallel {
    omp.terminator
  }
  llvm.return
}

// -----

// expected-error @+1 {{redefinition of function '__qf_set_float_control' of different type}}
llvm.func @__qf_set_float_control(i64)
llvm.func @f() {
  omp.parallel {
    omp.terminator
  }
  llvm.return
}

// -----

// expected-error @+1 {{expected a function named '__qf_set_float_control'}}
llvm.mlir.global internal @__qf_set_float_control(1 : i64) : i64
llvm.func @f() {
  omp.parallel {
    omp.terminator
  }
  llvm.return
}

// -----

func.func @f() {
  // expected-error @+1 {{'omp.parallel' op expected to be in an 'llvm.func'}}
  omp.parallel {
    omp.terminator
  }
  return
}

// -----

llvm.func @f(%i: i64) {
  %x = builtin.unrealized_conversion_cast %i : i64 to index
  // expected-error @+1 {{'omp.parallel' op expected values of LLVM dialect types}}
  omp.parallel {
    %y = arith.addi %x, %x : index
    omp.terminator
  }
  llvm.return
}

// -----

llvm.func @f(%x: !llvm.ptr) {
  omp.parallel {
    // expected-error @+1 {{'omp.cancel' op expected no cancellation of threads}}
    omp.cancel cancellation_construct_type(parallel)
    omp.terminator
  }
  llvm.return
}
