// Every form of every op, in pretty and generic form, and through bytecode.
// RUN: quant-float-opt %s | FileCheck %s
// RUN: quant-float-opt %s --mlir-print-op-generic | quant-float-opt | FileCheck %s
// RUN: quant-float-opt %s --emit-bytecode | quant-float-opt | FileCheck %s
// RUN: quant-float-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @cast_attributes
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
func.func @cast_attributes(%x: tensor<4xf32>) {
  // CHECK-NEXT: quant_float.cast %[[X]] opset 1 : tensor<4xf32> to tensor<4xf16>
  %0 = quant_float.cast %x opset 1 : tensor<4xf32> to tensor<4xf16>
  // CHECK-NEXT: quant_float.cast %[[X]] like opset 15 : tensor<4xf32> to tensor<4xf16>
  %1 = quant_float.cast %x like opset 15 : tensor<4xf32> to tensor<4xf16>
  // An explicit default is printed (V3).
  // CHECK-NEXT: quant_float.cast %[[X]] opset 19 saturate true : tensor<4xf32> to tensor<4xf8E4M3FN>
  %2 = quant_float.cast %x opset 19 saturate true : tensor<4xf32> to tensor<4xf8E4M3FN>
  // CHECK-NEXT: quant_float.cast %[[X]] like opset 19 saturate false : tensor<4xf32> to tensor<4xf8E4M3FN>
  %3 = quant_float.cast %x like opset 19 saturate false : tensor<4xf32> to tensor<4xf8E4M3FN>
  // CHECK-NEXT: quant_float.cast %[[X]] opset 24 round_mode up : tensor<4xf32> to tensor<4xf8E8M0FNU>
  %4 = quant_float.cast %x opset 24 round_mode up : tensor<4xf32> to tensor<4xf8E8M0FNU>
  // CHECK-NEXT: quant_float.cast %[[X]] opset 25 saturate false round_mode down : tensor<4xf32> to tensor<4xf8E8M0FNU>
  %5 = quant_float.cast %x opset 25 saturate false round_mode down : tensor<4xf32> to tensor<4xf8E8M0FNU>
  // CHECK-NEXT: quant_float.cast %[[X]] like opset 28 saturate true round_mode nearest {note = "kept"} : tensor<4xf32> to tensor<4xf8E8M0FNU>
  %6 = quant_float.cast %x like opset 28 saturate true round_mode nearest {note = "kept"} : tensor<4xf32> to tensor<4xf8E8M0FNU>
  // V6: without effect on a destination that they do not concern, and legal.
  // CHECK-NEXT: quant_float.cast %[[X]] opset 24 saturate false round_mode down : tensor<4xf32> to tensor<4xi32>
  %7 = quant_float.cast %x opset 24 saturate false round_mode down : tensor<4xf32> to tensor<4xi32>
  return
}

// GENERIC-LABEL: "func.func"() <{{.*}}sym_name = "cast_attributes"
// GENERIC: "quant_float.cast"(%{{.+}}) <{opset = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf16>
// GENERIC: "quant_float.cast"(%{{.+}}) <{like, opset = 15 : i64}> : (tensor<4xf32>) -> tensor<4xf16>
// GENERIC: "quant_float.cast"(%{{.+}}) <{opset = 24 : i64, round_mode = #quant_float<round_mode up>}> : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
// GENERIC: "quant_float.cast"(%{{.+}}) <{like, opset = 28 : i64, round_mode = #quant_float<round_mode nearest>, saturate = true}> {note = "kept"}

// V8: scalars, vectors and tensors; dynamic and unranked fit anything.
// CHECK-LABEL: func.func @cast_v8_shapes
func.func @cast_v8_shapes(%scalar: f32, %vector: vector<4x[8]xf32>, %vector0: vector<f32>,
                          %tensor0: tensor<f32>, %empty: tensor<0x3xf32>,
                          %dynamic: tensor<?x3xf32>, %unranked: tensor<*xf32>) {
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : f32 to ui4
  %0 = quant_float.cast %scalar opset 21 : f32 to ui4
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : vector<4x[8]xf32> to vector<4x[8]xui4>
  %1 = quant_float.cast %vector opset 21 : vector<4x[8]xf32> to vector<4x[8]xui4>
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : vector<f32> to vector<i1>
  %2 = quant_float.cast %vector0 opset 21 : vector<f32> to vector<i1>
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : tensor<f32> to tensor<!quant_float.string>
  %3 = quant_float.cast %tensor0 opset 21 : tensor<f32> to tensor<!quant_float.string>
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : tensor<0x3xf32> to tensor<0x3xf64>
  %4 = quant_float.cast %empty opset 21 : tensor<0x3xf32> to tensor<0x3xf64>
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : tensor<?x3xf32> to tensor<?x3xbf16>
  %5 = quant_float.cast %dynamic opset 21 : tensor<?x3xf32> to tensor<?x3xbf16>
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : tensor<?x3xf32> to tensor<2x?xbf16>
  %6 = quant_float.cast %dynamic opset 21 : tensor<?x3xf32> to tensor<2x?xbf16>
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : tensor<*xf32> to tensor<*xi64>
  %7 = quant_float.cast %unranked opset 21 : tensor<*xf32> to tensor<*xi64>
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : tensor<*xf32> to tensor<2x?xi64>
  %8 = quant_float.cast %unranked opset 21 : tensor<*xf32> to tensor<2x?xi64>
  return
}

// V7: the identity is legal in every version.
// CHECK-LABEL: func.func @cast_v7_identity
func.func @cast_v7_identity(%x: tensor<4xf32>, %y: tensor<4xf6E2M3FN>) {
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 1 : tensor<4xf32> to tensor<4xf32>
  %0 = quant_float.cast %x opset 1 : tensor<4xf32> to tensor<4xf32>
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 28 : tensor<4xf6E2M3FN> to tensor<4xf6E2M3FN>
  %1 = quant_float.cast %y opset 28 : tensor<4xf6E2M3FN> to tensor<4xf6E2M3FN>
  return
}

// CHECK-LABEL: func.func @cast_every_type
func.func @cast_every_type(%x: tensor<f32>) {
  // CHECK-COUNT-26: quant_float.cast
  %0 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f32>
  %1 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f16>
  %2 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f64>
  %3 = quant_float.cast %x opset 28 : tensor<f32> to tensor<bf16>
  %4 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f8E4M3FN>
  %5 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f8E4M3FNUZ>
  %6 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f8E5M2>
  %7 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f8E5M2FNUZ>
  %8 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f8E8M0FNU>
  %9 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f4E2M1FN>
  %10 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f6E2M3FN>
  %11 = quant_float.cast %x opset 28 : tensor<f32> to tensor<f6E3M2FN>
  %12 = quant_float.cast %x opset 28 : tensor<f32> to tensor<i8>
  %13 = quant_float.cast %x opset 28 : tensor<f32> to tensor<i16>
  %14 = quant_float.cast %x opset 28 : tensor<f32> to tensor<i32>
  %15 = quant_float.cast %x opset 28 : tensor<f32> to tensor<i64>
  %16 = quant_float.cast %x opset 28 : tensor<f32> to tensor<ui8>
  %17 = quant_float.cast %x opset 28 : tensor<f32> to tensor<ui16>
  %18 = quant_float.cast %x opset 28 : tensor<f32> to tensor<ui32>
  %19 = quant_float.cast %x opset 28 : tensor<f32> to tensor<ui64>
  %20 = quant_float.cast %x opset 28 : tensor<f32> to tensor<i4>
  %21 = quant_float.cast %x opset 28 : tensor<f32> to tensor<ui4>
  %22 = quant_float.cast %x opset 28 : tensor<f32> to tensor<i2>
  %23 = quant_float.cast %x opset 28 : tensor<f32> to tensor<ui2>
  %24 = quant_float.cast %x opset 28 : tensor<f32> to tensor<i1>
  %25 = quant_float.cast %x opset 28 : tensor<f32> to tensor<!quant_float.string>
  // CHECK-NEXT: return
  return
}

// CHECK-LABEL: func.func @storage_cast
func.func @storage_cast(%a: f4E2M1FN, %b: vector<16xi8>, %c: tensor<?xui32>, %d: f32) {
  // CHECK-NEXT: quant_float.storage_cast %{{.+}} : f4E2M1FN to i8
  %0 = quant_float.storage_cast %a : f4E2M1FN to i8
  // CHECK-NEXT: quant_float.storage_cast %{{.+}} : vector<16xi8> to vector<16xf6E3M2FN>
  %1 = quant_float.storage_cast %b : vector<16xi8> to vector<16xf6E3M2FN>
  // CHECK-NEXT: quant_float.storage_cast %{{.+}} {note = "kept"} : tensor<?xui32> to tensor<?xi32>
  %2 = quant_float.storage_cast %c {note = "kept"} : tensor<?xui32> to tensor<?xi32>
  // A type that is its own storage type.
  // CHECK-NEXT: quant_float.storage_cast %{{.+}} : f32 to f32
  %3 = quant_float.storage_cast %d : f32 to f32
  return
}

// CHECK-LABEL: func.func @constant
func.func @constant() {
  // CHECK-NEXT: quant_float.constant 255 : ui8
  %0 = quant_float.constant 255 : ui8
  // CHECK-NEXT: quant_float.constant 18446744073709551615 : ui64
  %1 = quant_float.constant 18446744073709551615 : ui64
  // CHECK-NEXT: quant_float.constant 1.500000e+00 : f4E2M1FN
  %2 = quant_float.constant 1.5 : f4E2M1FN
  // CHECK-NEXT: quant_float.constant dense<[1, 2]> : tensor<2xui4> {note = "kept"}
  %3 = quant_float.constant dense<[1, 2]> : tensor<2xui4> {note = "kept"}
  return
}

// CHECK-LABEL: func.func @node
// CHECK-SAME: (%[[X:.+]]: tensor<?x64xf32>, %[[MAX:.+]]: tensor<f32>)
func.func @node(%x: tensor<?x64xf32>, %max: tensor<f32>) {
  // CHECK-NEXT: quant_float.node "Relu"(%[[X]]) opset 21 name "act/relu" : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = quant_float.node "Relu"(%x) opset 21 name "act/relu" : (tensor<?x64xf32>) -> tensor<?x64xf32>
  // CHECK-NEXT: quant_float.node "FusedMatMul"(%[[X]], %[[X]]) opset 1 domain "com.microsoft" attributes {alpha = 5.000000e-01 : f32}
  %1 = quant_float.node "FusedMatMul"(%x, %x) opset 1 domain "com.microsoft" attributes {alpha = 0.5 : f32} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<*xf32>
  // N2: Clip without its minimum.
  // CHECK-NEXT: quant_float.node "Clip"(%[[X]], %[[MAX]]) opset 13 absent [1] :
  %2 = quant_float.node "Clip"(%x, %max) opset 13 absent [1] : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  // Any opset of any domain, no inputs, several results, results of unknown type.
  // CHECK-NEXT: quant_float.node "Odd.op \22name\22"() opset 1000 : () -> (!quant_float.unknown, !quant_float.opaque<"seq(tensor(float))">)
  %3:2 = quant_float.node "Odd.op \22name\22"() opset 1000 : () -> (!quant_float.unknown, !quant_float.opaque<"seq(tensor(float))">)
  // CHECK-NEXT: quant_float.node "Print"(%{{.+}}#0) opset 1 : (!quant_float.unknown) -> ()
  quant_float.node "Print"(%3#0) opset 1 : (!quant_float.unknown) -> ()
  return
}

// CHECK-LABEL: func.func @node_n3_bodies
// CHECK-SAME: (%[[CONDITION:.+]]: tensor<i1>, %[[X:.+]]: tensor<4xf32>)
func.func @node_n3_bodies(%condition: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf16> {
  // CHECK-NEXT: %[[R:.+]] = quant_float.node "If"(%[[CONDITION]]) opset 21 : (tensor<i1>) -> tensor<4xf16> bodies ["then_branch", "else_branch"] {
  // CHECK-NEXT: %[[Y:.+]] = quant_float.cast %[[X]] opset 21 : tensor<4xf32> to tensor<4xf16>
  // CHECK-NEXT: quant_float.yield %[[Y]] : tensor<4xf16>
  // CHECK-NEXT: }, {
  // CHECK: quant_float.yield %{{.+}} : tensor<4xf16>
  %0 = quant_float.node "If"(%condition) opset 21 : (tensor<i1>) -> tensor<4xf16> bodies ["then_branch", "else_branch"] {
    %1 = quant_float.cast %x opset 21 : tensor<4xf32> to tensor<4xf16>
    quant_float.yield %1 : tensor<4xf16>
  }, {
    %1 = arith.constant dense<0.0> : tensor<4xf16>
    quant_float.yield %1 : tensor<4xf16>
  }
  // CHECK: quant_float.node "Loop"() opset 21 : () -> () bodies ["body"] {
  // CHECK-NEXT: ^bb0(%{{.+}}: tensor<i64>, %{{.+}}: tensor<i1>):
  // CHECK-NEXT: quant_float.yield
  quant_float.node "Loop"() opset 21 : () -> () bodies ["body"] {
  ^bb0(%iteration: tensor<i64>, %go: tensor<i1>):
    quant_float.yield
  }
  // CHECK: return %[[R]]
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func private @types(!quant_float.string, !quant_float.unknown, !quant_float.opaque<"a\22b">, vector<2x!quant_float.string>)
func.func private @types(!quant_float.string, !quant_float.unknown, !quant_float.opaque<"a\22b">, vector<2x!quant_float.string>)
