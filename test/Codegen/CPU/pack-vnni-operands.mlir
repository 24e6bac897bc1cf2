// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=x86_64-linux-gnu cpu=cascadelake},func.func(quant-float-pack-vnni-operands,canonicalize))" | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},func.func(quant-float-pack-vnni-operands,canonicalize))" | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=aarch64-linux-gnu cpu=neoverse-n1},func.func(quant-float-pack-vnni-operands,canonicalize))" | FileCheck %s --check-prefixes=CHECK,ARM
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=aarch64-linux-gnu cpu=neoverse-v1},func.func(quant-float-pack-vnni-operands,canonicalize))" | FileCheck %s --check-prefixes=CHECK,MIXED
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=riscv64-linux-gnu cpu=rv64gcv},func.func(quant-float-pack-vnni-operands))" | FileCheck %s --check-prefix=NONE
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-pack-vnni-operands))" | FileCheck %s --check-prefix=NONE
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{cpu=none},func.func(quant-float-pack-vnni-operands))" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=x86_64-linux-gnu cpu=cascadelake},func.func(quant-float-pack-vnni-operands),one-shot-bufferize{bufferize-function-boundaries=1},func.func(quant-float-vectorize-reductions{vector-bytes=64 registers=32}))" | FileCheck %s --check-prefix=LOOPS
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},func.func(quant-float-pack-vnni-operands),one-shot-bufferize{bufferize-function-boundaries=1},func.func(quant-float-vectorize-reductions{vector-bytes=32 registers=16}))" | FileCheck %s --check-prefix=PAIRS

// CPU: error: {{.*}}none
// NONE-NOT: quant_float.packed_operands

// An 8-bit zero point is subtracted by the initialization of the accumulators, which is the zero
// point times the sums of the columns. It is subtracted from 16-bit elements directly. Arm requires
// equal signedness of both operands unless it has I8MM.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:.+]]: tensor<8x10xi8>, %[[B:.+]]: tensor<10x32xi8>
// VNNI:          linalg.generic {{.*}} ins(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<8x10xi8>, tensor<8x10xi8>, tensor<8x10xi8>, tensor<8x10xi8>) outs(%{{.+}} : tensor<8x2xi32>)
// VNNI:            arith.shli
// VNNI-NOT:        arith.xori
// VNNI:          linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<8x10xi8>, tensor<8x10xi8>) outs(%{{.+}} : tensor<8x1xi32>)
// VNNI:          linalg.generic {{.*}}"reduction"]} ins(%[[B]] : tensor<10x32xi8>) outs(%{{.+}} : tensor<32xi32>)
// VNNI:            arith.extsi
// VNNI:          %[[START:.+]] = linalg.generic
// VNNI:            arith.subi
// VNNI:          linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<8x3xi32>, tensor<3x32xi32>) outs(%[[START]] : tensor<8x32xi32>)
// VNNI-SAME:       attrs = {quant_float.packed_operands = [ui8, si8]}
// AVX2:          linalg.generic {{.*}} outs(%{{.+}} : tensor<8x5xi32>)
// AVX2:            arith.subi
// AVX2:          linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<8x5xi32>, tensor<5x32xi32>)
// AVX2-SAME:       attrs = {quant_float.packed_operands = [si16, si16]}
// ARM:           attrs = {quant_float.packed_operands = [si8, si8]}
// MIXED-NOT:     arith.xori
// MIXED:         attrs = {quant_float.packed_operands = [ui8, si8]}

// Additions keep the accumulation order.

// PAIRS-LABEL: func.func @matmul(
// PAIRS:         %[[PAIRS:.+]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// PAIRS-NEXT:    %[[SUM:.+]] = arith.addi %{{.+}}, %[[PAIRS]] : vector<8xi32>
// PAIRS-NEXT:    llvm.inline_asm asm_dialect = att "", "=v,0" %[[SUM]] : (vector<8xi32>) -> vector<8xi32>

// LOOPS-LABEL: func.func @matmul(
// LOOPS-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
func.func @matmul(%a: tensor<8x10xi8>, %b: tensor<10x32xi8>, %p: tensor<i8>) -> tensor<8x32xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<8x32xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<8x32xi32>) -> tensor<8x32xi32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b, %p : tensor<8x10xi8>, tensor<10x32xi8>, tensor<i8>) outs(%init : tensor<8x32xi32>) {
  ^bb0(%x: i8, %w: i8, %z: i8, %sum: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extui %z : i8 to i32
    %2 = arith.subi %0, %1 : i32
    %3 = arith.extsi %w : i8 to i32
    %4 = arith.muli %2, %3 : i32
    %5 = arith.addi %sum, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<8x32xi32>
  return %y : tensor<8x32xi32>
}

// Depthwise windows: constant weights are packed at compile time, and packed operands of the image
// overlap. A pair of 16-bit elements is smaller than the window, so that a second pair starts one
// element later.

// CHECK-LABEL: func.func @depthwise(
// VNNI-DAG:      arith.constant dense<{{.*}}> : tensor<2x3x1xi32>
// VNNI:          linalg.generic {{.*}} ins(%{{.+}}, %{{.+}}, %{{.+}} : {{.*}}) outs(%{{.+}} : tensor<2x58xi32>)
// VNNI:          linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<2x58xi32>, tensor<2x3x1xi32>)
// VNNI-SAME:       attrs = {quant_float.packed_operands = [ui8, si8]}
// AVX2-DAG:      arith.constant dense<{{.*}}> : tensor<2x3x2xi32>
// AVX2:          linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<2x59xi32>, tensor<2x3x2xi32>)
func.func @depthwise(%x: tensor<2x60xi8>) -> tensor<2x40xi32> {
  %w = arith.constant dense<[[[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[-1, -2, -3], [-4, -5, -6], [-7, -8, -128]]]> : tensor<2x3x3xi8>
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<2x40xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<2x40xi32>) -> tensor<2x40xi32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(c, p, i, j) -> (c, p + i * 9 + j)>, affine_map<(c, p, i, j) -> (c, i, j)>,
                       affine_map<(c, p, i, j) -> (c, p)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x60xi8>, tensor<2x3x3xi8>) outs(%init : tensor<2x40xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %sum, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<2x40xi32>
  return %y : tensor<2x40xi32>
}

// Two rows are too few for packing the shared operand, unless it is a constant.

// CHECK-LABEL: func.func @rows(
// CHECK-NOT:     quant_float.packed_operands
// CHECK:         return
func.func @rows(%a: tensor<2x8xi8>, %b: tensor<8x32xi8>, %init: tensor<2x32xi32>) -> tensor<2x32xi32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x8xi8>, tensor<8x32xi8>) outs(%init : tensor<2x32xi32>) {
  ^bb0(%x: i8, %w: i8, %sum: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %w : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %sum, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<2x32xi32>
  return %y : tensor<2x32xi32>
}

// The image has one more column than windows start at. The index of the packed operands contains
// the window dimension, so that their number equals that of the results. Otherwise, the extents
// would be unknown for dynamic sizes.

// CHECK-LABEL: func.func @dynamic_batch(
// VNNI:          %[[WORDS:.+]] = tensor.extract_slice %{{.+}}[0, 0, 0] [%{{.+}}, 9, 20] [1, 1, 1] : tensor<?x9x21xi32> to tensor<?x9x20xi32>
// VNNI:          linalg.generic {{.*}} ins(%[[WORDS]], %{{.+}} : {{.+}}) outs(%{{.+}} : tensor<?x2x4x20xi32>)
func.func @dynamic_batch(%x: tensor<?x9x23xi8>, %init: tensor<?x2x4x20xi32>) -> tensor<?x2x4x20xi32> {
  %w = arith.constant dense<3> : tensor<2x3x3xi8>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, c, q, p, i, j) -> (n, q * 2 + i, p + j)>, affine_map<(n, c, q, p, i, j) -> (c, i, j)>,
                       affine_map<(n, c, q, p, i, j) -> (n, c, q, p)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x9x23xi8>, tensor<2x3x3xi8>) outs(%init : tensor<?x2x4x20xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %sum, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<?x2x4x20xi32>
  return %y : tensor<?x2x4x20xi32>
}
