// Arguments that are packed, and constants that become packed.
// RUN: quant-float-opt %s --quant-float-pack-arguments | FileCheck %s --check-prefix=PACK
// RUN: quant-float-opt %s --quant-float-pack-arguments --quant-float-pack-arguments=unpack=true | FileCheck %s --check-prefix=UNPACK

// PACK-LABEL: func.func @types(
// PACK-SAME: tensor<3xi4> {quant_float.name = "x", quant_float.packed}, %{{.+}}: tensor<?xf6E3M2FN> {quant_float.packed}, %{{.+}}: tensor<3xi1>, %{{.+}}: tensor<3xi8>, %{{.+}}: tensor<*xi4>, %{{.+}}: i4) -> (tensor<3xi4> {quant_float.packed}, tensor<3xi8>)
// UNPACK-LABEL: func.func @types(
// UNPACK-NOT: quant_float.packed
func.func @types(%0: tensor<3xi4> {quant_float.name = "x"}, %1: tensor<?xf6E3M2FN>, %2: tensor<3xi1>, %3: tensor<3xi8>, %4: tensor<*xi4>, %5: i4) -> (tensor<3xi4>, tensor<3xi8>) {
  return %0, %3 : tensor<3xi4>, tensor<3xi8>
}

// PACK: func.func private @inside(%{{.+}}: tensor<3xi4>)
func.func private @inside(%0: tensor<3xi4>) {
  return
}

func.func @constants() -> (tensor<3x5xi4>, tensor<5xf6E3M2FN>, tensor<4xi4>) {
  %0 = arith.constant dense_resource<i4> : tensor<3x5xi4>
  %1 = arith.constant dense_resource<f6> : tensor<5xf6E3M2FN>
  %2 = arith.constant dense_resource<bytes> : tensor<4xi4>
  return %0, %1, %2 : tensor<3x5xi4>, tensor<5xf6E3M2FN>, tensor<4xi4>
}

// 4-bit integers are sign-extended, 6-bit floats are not. Types with one byte for each element are
// left unchanged.
// PACK-DAG: i4: "0x010000001032547698BADCFE"
// UNPACK-DAG: "0x010000000001020304050607F8F9FAFBFCFDFE"
// UNPACK-DAG: "0x010000003F00013E20"
// UNPACK-DAG: bytes: "0x0100000000010203"
{-#
  dialect_resources: { builtin: {
    i4: "0x010000001032547698badcfe",
    f6: "0x010000003f10f820",
    bytes: "0x0100000000010203"
  } }
#-}
