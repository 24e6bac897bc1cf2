// The opset rules as C tables. IR/opset_rules.py compares the rules with
// ONNX's.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/opsets
// RUN: %t/opsets > %t/out
// RUN: FileCheck %s < %t/out
#include "Inputs/harness.h"
#include "quant-float-c/Opsets.h"

static const char *const attributes[] = {"saturate",   "round_mode",   "axis",
                                         "block_size", "output_dtype", "precision"};

/* Checks that all queries about an op are consistent. */
static void check(const char *op) {
  size_t numVersions = quantFloatOpGetNumVersions(op);
  REQUIRE(numVersions > 0);
  REQUIRE(quantFloatOpGetVersion(op, numVersions) == 0);
  REQUIRE(quantFloatOpResolveVersion(op, 0) == 0);
  REQUIRE(quantFloatOpResolveVersion(op, quantFloatGetNewestOpset() + 1) == 0);
  for (size_t i = 0; i < numVersions; ++i) {
    int64_t opset = quantFloatOpGetVersion(op, i);
    REQUIRE(quantFloatOpResolveVersion(op, opset) == opset);
    REQUIRE(i == 0 || quantFloatOpResolveVersion(op, opset - 1) ==
                          quantFloatOpGetVersion(op, i - 1));
    for (int32_t role = -1; role < 4; ++role)
      for (int32_t dtype = -1; dtype < 80; ++dtype) {
        bool accepts = quantFloatOpAcceptsType(op, opset, role, dtype);
        int64_t first = quantFloatOpGetFirstOpsetOfType(op, role, dtype);
        REQUIRE(!accepts || (first > 0 && first <= opset));
        REQUIRE(first != opset || accepts);
      }
    for (size_t a = 0; a < sizeof attributes / sizeof *attributes; ++a) {
      int64_t first = quantFloatOpGetFirstOpsetOfAttribute(op, attributes[a]);
      REQUIRE(quantFloatOpHasAttribute(op, opset, attributes[a]) ==
              (first > 0 && first <= opset));
    }
  }
}

int main(void) {
  printf("newest %lld\n", (long long)quantFloatGetNewestOpset());
  for (size_t i = 0; i < quantFloatGetNumOps(); ++i) {
    const char *op = quantFloatGetOpName(i);
    printf("%s:", op);
    for (size_t v = 0; v < quantFloatOpGetNumVersions(op); ++v)
      printf(" %lld", (long long)quantFloatOpGetVersion(op, v));
    printf("\n");
    check(op);
  }
  REQUIRE(!quantFloatGetOpName(quantFloatGetNumOps()));
  REQUIRE(!quantFloatOpGetNumVersions("Conv"));
  printf("quant_float.Cast to float8ue5m3 from %lld, Cast from %lld\n",
         (long long)quantFloatOpGetFirstOpsetOfType(
             "quant_float.Cast", QUANT_FLOAT_ROLE_RESULT, 67),
         (long long)quantFloatOpGetFirstOpsetOfType(
             "Cast", QUANT_FLOAT_ROLE_RESULT, 67));
  printf("Cast to float4e2m1 from %lld\n",
         (long long)quantFloatOpGetFirstOpsetOfType(
             "Cast", QUANT_FLOAT_ROLE_RESULT, 23));
  printf("DequantizeLinear with a float8e8m0 scale from %lld\n",
         (long long)quantFloatOpGetFirstOpsetOfType(
             "DequantizeLinear", QUANT_FLOAT_ROLE_SCALE, 24));
  printf("round_mode from %lld\n",
         (long long)quantFloatOpGetFirstOpsetOfAttribute("Cast", "round_mode"));
  REQUIRE(!quantFloatOpHasAttribute("Cast", 28, "no_attribute"));
  REQUIRE(!quantFloatOpScaleHasInputType("QuantizeLinear", 13) &&
          quantFloatOpScaleHasInputType("QuantizeLinear", 21) &&
          !quantFloatOpScaleHasInputType("QuantizeLinear", 23));
  return 0;
}

// CHECK: newest 28
// CHECK-NEXT: Cast: 1 6 9 13 19 21 23 24 25 28
// CHECK-NEXT: CastLike: 15 19 21 23 24 25
// CHECK-NEXT: QuantizeLinear: 10 13 19 21 23 24 25 28
// CHECK-NEXT: DequantizeLinear: 10 13 19 21 23 24 25 28
// CHECK-NEXT: DynamicQuantizeLinear: 11
// CHECK-NEXT: BitCast: 26
// CHECK-NEXT: ConvInteger: 10
// CHECK-NEXT: MatMulInteger: 10
// CHECK-NEXT: QLinearConv: 10
// CHECK-NEXT: QLinearMatMul: 10 21
// CHECK-NEXT: com.microsoft.QuantizeLinear: 1
// CHECK-NEXT: com.microsoft.DequantizeLinear: 1
// CHECK-NEXT: com.microsoft.QGemm: 1
// CHECK-NEXT: quant_float.Cast: 1
// CHECK-NEXT: quant_float.QuantizeLinear: 1
// CHECK-NEXT: quant_float.DequantizeLinear: 1
// CHECK-NEXT: quant_float.Cast to float8ue5m3 from 1, Cast from 0
// CHECK-NEXT: Cast to float4e2m1 from 23
// CHECK-NEXT: DequantizeLinear with a float8e8m0 scale from 24
// CHECK-NEXT: round_mode from 24
