// RUN: quant-float-opt %s --quant-float-lower-tensor-maps -split-input-file -verify-diagnostics | FileCheck %s

!map = !nvgpu.tensormap.descriptor<tensor = memref<128x64xi16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>

module attributes {gpu.container_module} {
  // CHECK: llvm.func @quantFloatGpuEncodeTensorMap(!llvm.ptr, !llvm.ptr, i64, i64, i64, i32, i32, i32)
  gpu.module @kernels {
    // A dynamic allocation of the launch's size, and a fixed-size one.
    // CHECK: llvm.mlir.global external @dynamic()
    // CHECK: llvm.mlir.global private @barriers()
    llvm.mlir.global internal @dynamic() {addr_space = 3 : i32} : !llvm.array<0 x i8>
    llvm.mlir.global private @barriers() {addr_space = 3 : i32} : !llvm.array<4 x i64>
    // CHECK: llvm.func @kernel(%[[MAP:.+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %{{.+}}: i64)
    llvm.func @kernel(%map: !llvm.array<16 x i64>, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = builtin.unrealized_conversion_cast %map : !llvm.array<16 x i64> to !llvm.ptr
      // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "prefetch.tensormap [$0];", "l" %[[MAP]]
      llvm.inline_asm has_side_effects asm_dialect = att "prefetch.tensormap [$0];", "l" %0 : (!llvm.ptr) -> ()
      llvm.return
    }
  }
  // CHECK-LABEL: func.func @host
  func.func @host(%x: memref<?x?xf16, strided<[?, 1], offset: ?>>, %n: i64) {
    // CHECK: %[[MEMORY:.+]] = llvm.alloca %{{.+}} x !llvm.array<16 x i64> {alignment = 64 : i64}
    // CHECK: %{{.+}}, %[[OFFSET:.+]], %[[SIZES:.+]]:2, %[[STRIDES:.+]]:2 = memref.extract_strided_metadata
    // CHECK: %[[BASE:.+]] = memref.extract_aligned_pointer_as_index
    // CHECK: %[[BYTES:.+]] = arith.muli %[[OFFSET]], %[[TWO:.+]] : index
    // CHECK: %[[ADDRESS:.+]] = arith.addi %[[BASE]], %[[BYTES]]
    // CHECK: %[[STRIDE:.+]] = arith.muli %[[STRIDES]]#0, %[[TWO]]
    // CHECK: %[[ADDRESS64:.+]] = arith.index_cast %[[ADDRESS]] : index to i64
    // CHECK: %[[POINTER:.+]] = llvm.inttoptr %[[ADDRESS64]]
    // CHECK-DAG: %[[ROWS:.+]] = arith.index_cast %[[SIZES]]#0 : index to i64
    // CHECK-DAG: %[[COLUMNS:.+]] = arith.index_cast %[[SIZES]]#1 : index to i64
    // CHECK-DAG: %[[ROW_BYTES:.+]] = arith.index_cast %[[STRIDE]] : index to i64
    // CHECK: llvm.call @quantFloatGpuEncodeTensorMap(%[[MEMORY]], %[[POINTER]], %[[ROWS]], %[[COLUMNS]], %[[ROW_BYTES]],
    // CHECK: %[[ARRAY:.+]] = llvm.load %[[MEMORY]] {{.*}}alignment = 64{{.*}} : !llvm.ptr -> !llvm.array<16 x i64>
    // CHECK: gpu.launch_func @kernels::@kernel {{.+}} args(%[[ARRAY]] : !llvm.array<16 x i64>,
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %tensor = memref.cast %x : memref<?x?xf16, strided<[?, 1], offset: ?>> to memref<*xf16>
    %map = nvgpu.tma.create.descriptor %tensor box[%c128, %c64] : memref<*xf16> -> !map
    %array = builtin.unrealized_conversion_cast %map : !map to !llvm.array<16 x i64>
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%array : !llvm.array<16 x i64>, %n : i64)
    return
  }
}

// -----

!map = !nvgpu.tensormap.descriptor<tensor = memref<128x64xi16, 3>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>
func.func @no_matrix(%x: memref<*xf16>, %rows: index) {
  // expected-error @+1 {{expected a cast of a matrix with contiguous rows, a box of two dimensions, swizzle_128b, zeros out of bounds and no interleaving}}
  %map = nvgpu.tma.create.descriptor %x box[%rows, %rows] : memref<*xf16> -> !map
  return
}

// -----

!map = !nvgpu.tensormap.descriptor<tensor = memref<128x32xf32, 3>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>
func.func @wide(%x: memref<8x8xf32>, %rows: index) {
  %tensor = memref.cast %x : memref<8x8xf32> to memref<*xf32>
  // expected-error @+1 {{expected elements of 8 or 16 bits, but got 'f32'}}
  %map = nvgpu.tma.create.descriptor %tensor box[%rows, %rows] : memref<*xf32> -> !map
  return
}

// -----

!map = !nvgpu.tensormap.descriptor<tensor = memref<128x64xi16, 3>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>
func.func @unused(%x: memref<8x8xf16>, %rows: index) {
  %tensor = memref.cast %x : memref<8x8xf16> to memref<*xf16>
  // expected-error @+1 {{expected one cast to an LLVM array as the only use}}
  %map = nvgpu.tma.create.descriptor %tensor box[%rows, %rows] : memref<*xf16> -> !map
  return
}

// -----

gpu.module @kernels {
  llvm.func @kernel(%map: !llvm.array<16 x i64>, %to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @+1 {{expected a cast to an LLVM pointer}}
    llvm.store %map, %to : !llvm.array<16 x i64>, !llvm.ptr
    llvm.return
  }
}
