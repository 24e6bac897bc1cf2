// RUN: quant-float-opt %s --quant-float-free-on-failure | FileCheck %s

// CHECK: llvm.func @__qf_keep_buffer(!llvm.ptr, i64, i64, !llvm.ptr {llvm.readnone})

// Each buffer has its own slot. If a buffer may be one of several, the search for its slot starts
// at the first slot. The path without a failure frees nothing. The status is stored before the
// check, in a variable that LLVM does not promote to a phi.

// CHECK-LABEL: llvm.func @f.kernel(
// CHECK-NEXT:    %[[COUNT:.+]] = llvm.mlir.constant(1 : i64)
// CHECK-NEXT:    %[[VARIABLE:.+]] = llvm.alloca %[[COUNT]] x i64
// CHECK-NEXT:    %[[SIZE:.+]] = llvm.mlir.constant(4 : i64)
// CHECK-NEXT:    %[[TABLE:.+]] = llvm.alloca %[[SIZE]] x !llvm.ptr
// CHECK-NEXT:    %[[BYTE:.+]] = llvm.mlir.constant(0 : i8)
// CHECK-NEXT:    %[[BYTES:.+]] = llvm.mlir.constant(32 : i64)
// CHECK-NEXT:    "llvm.intr.memset"(%[[TABLE]], %[[BYTE]], %[[BYTES]])
// CHECK:         %[[A:.+]] = llvm.call @malloc
// CHECK-NEXT:    %[[SLOT:.+]] = llvm.mlir.constant(0 : i64)
// CHECK-NEXT:    llvm.call @__qf_keep_buffer(%[[TABLE]], %[[SIZE]], %[[SLOT]], %[[A]])
// CHECK:         %[[B:.+]] = llvm.call @malloc
// CHECK-NEXT:    %[[SLOT:.+]] = llvm.mlir.constant(1 : i64)
// CHECK-NEXT:    llvm.call @__qf_keep_buffer(%[[TABLE]], %[[SIZE]], %[[SLOT]], %[[B]])
// CHECK-NEXT:    llvm.store volatile %{{.+}}, %[[VARIABLE]]
// CHECK-NEXT:    llvm.cond_br %{{.+}}, ^{{.+}}, ^[[EXIT:bb[0-9]+]]
// CHECK:         %[[SLOT:.+]] = llvm.mlir.constant(1 : i64)
// CHECK-NEXT:    llvm.call @__qf_drop_buffer(%[[TABLE]], %[[SIZE]], %[[SLOT]], %[[B:.+]]) :
// CHECK-NEXT:    llvm.call @free(%[[B]])
// CHECK:         %[[SLOT:.+]] = llvm.mlir.constant(0 : i64)
// CHECK-NEXT:    llvm.call @__qf_drop_buffer(%[[TABLE]], %[[SIZE]], %[[SLOT]], %[[ANY:.+]]) :
// CHECK-NEXT:    llvm.call @free(%[[ANY]])
// CHECK-NEXT:    llvm.return
// CHECK:       ^[[EXIT]]:
// CHECK-NEXT:    %[[STATUS:.+]] = llvm.load volatile %[[VARIABLE]]
// CHECK-NEXT:    llvm.br ^[[NEXT:.+]]
// CHECK:       ^[[NEXT]]:
// CHECK-NEXT:    %[[LEFT:.+]] = llvm.call @__qf_take_buffer(%[[TABLE]], %[[SIZE]])
// CHECK-NEXT:    %[[NULL:.+]] = llvm.mlir.zero
// CHECK-NEXT:    %[[THERE:.+]] = llvm.icmp "ne" %[[LEFT]], %[[NULL]]
// CHECK-NEXT:    llvm.cond_br %[[THERE]], ^[[ONE:.+]], ^[[END:.+]]
// CHECK:       ^[[ONE]]:
// CHECK-NEXT:    llvm.call @free(%[[LEFT]])
// CHECK-NEXT:    llvm.br ^[[NEXT]]
// CHECK:       ^[[END]]:
// CHECK-NEXT:    llvm.return %[[STATUS]]
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func @f.kernel(%n: i64, %holds: i1) -> i64 attributes {quant_float.entry_point = {}} {
  %done = llvm.mlir.constant(0 : i64) : i64
  %failed = llvm.mlir.constant(1 : i64) : i64
  %a = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  %b = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.cond_br %holds, ^next, ^exit(%failed : i64)
^next:
  %undef = llvm.mlir.poison : !llvm.struct<(ptr, i64)>
  %0 = llvm.insertvalue %b, %undef[0] : !llvm.struct<(ptr, i64)>
  %1 = llvm.insertvalue %n, %0[1] : !llvm.struct<(ptr, i64)>
  %2 = llvm.extractvalue %1[0] : !llvm.struct<(ptr, i64)>
  llvm.call @free(%2) : (!llvm.ptr) -> ()
  %any = llvm.select %holds, %a, %b : i1, !llvm.ptr
  llvm.call @free(%any) : (!llvm.ptr) -> ()
  llvm.return %done : i64
^exit(%status: i64):
  llvm.return %status : i64
}

// A branch that passes two statuses keeps them.

// CHECK-LABEL: llvm.func @both.kernel(
// CHECK-NOT:     volatile
// CHECK:         llvm.cond_br %{{.+}}, ^[[EXIT:.+]](%{{.+}} : i64), ^[[EXIT]](%{{.+}} : i64)
llvm.func @both.kernel(%n: i64, %holds: i1) -> i64 attributes {quant_float.entry_point = {}} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %a = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.cond_br %holds, ^exit(%one : i64), ^exit(%two : i64)
^exit(%status: i64):
  llvm.return %status : i64
}

// Thread-private buffers are not kept in the kernel's table.

// CHECK-LABEL: llvm.func @threads.kernel(
// CHECK:         llvm.call @__qf_keep_buffer
// CHECK:         omp.parallel {
// CHECK-NEXT:      %[[OWN:.+]] = llvm.call @malloc
// CHECK-NEXT:      llvm.call @free(%[[OWN]])
llvm.func @threads.kernel(%n: i64) -> i64 attributes {quant_float.entry_point = {}} {
  %done = llvm.mlir.constant(0 : i64) : i64
  %a = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  omp.parallel {
    %own = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
    llvm.call @free(%own) : (!llvm.ptr) -> ()
    omp.terminator
  }
  llvm.call @free(%a) : (!llvm.ptr) -> ()
  llvm.return %done : i64
}

// Device memory is freed on the device.

// CHECK-LABEL: llvm.func @device.kernel(
// CHECK:         %[[A:.+]] = llvm.call @mgpuMemAlloc
// CHECK:         llvm.call @__qf_keep_buffer(%{{.+}}, %{{.+}}, %{{.+}}, %[[A]])
// CHECK:         %[[LEFT:.+]] = llvm.call @__qf_take_buffer
// CHECK:         llvm.call @mgpuMemFree(%[[LEFT]], %{{.+}}) : (!llvm.ptr, !llvm.ptr) -> ()
llvm.func @mgpuMemAlloc(i64, !llvm.ptr, i8) -> !llvm.ptr
llvm.func @device.kernel(%n: i64, %status: i64, %stream: !llvm.ptr, %shared: i8) -> i64
    attributes {quant_float.entry_point = {}} {
  %a = llvm.call @mgpuMemAlloc(%n, %stream, %shared) : (i64, !llvm.ptr, i8) -> !llvm.ptr
  llvm.return %status : i64
}

// CHECK-LABEL: llvm.func @other(
// CHECK-NOT:     __qf
// CHECK:         llvm.return
llvm.func @other(%n: i64) -> i64 {
  %a = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.return %n : i64
}
