"""The part of MLIR's Python bindings that quant_float.mlir uses, implemented with MLIR's C API:
Debian has no package of the bindings."""
