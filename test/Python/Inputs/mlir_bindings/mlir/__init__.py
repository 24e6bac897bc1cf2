"""What quant_float.mlir uses of MLIR's Python bindings, on MLIR's C API: Debian has no package of the bindings."""
