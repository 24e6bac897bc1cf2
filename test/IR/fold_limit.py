# Constants of up to 4096 elements are folded. Larger ones are computed at run time.
# RUN: %python %s 4096 > %t.small.mlir
# RUN: quant-float-opt %t.small.mlir --canonicalize | FileCheck %s --check-prefix=SMALL
# RUN: %python %s 4097 > %t.large.mlir
# RUN: quant-float-opt %t.large.mlir --canonicalize | FileCheck %s --check-prefix=LARGE
import sys

size = int(sys.argv[1])
# SMALL-NOT: quant_float.cast
# LARGE: quant_float.cast
print(f"""func.func @constant() -> tensor<{size}xbf16> {{
  %0 = arith.constant dense<"0x{"".join(f"{i % 0x7C00:04X}" for i in range(size))}"> : tensor<{size}xf16>
  %1 = quant_float.cast %0 opset 13 : tensor<{size}xf16> to tensor<{size}xbf16>
  return %1 : tensor<{size}xbf16>
}}""")
