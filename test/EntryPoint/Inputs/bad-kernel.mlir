func.func @f.kernel(%x: memref<4xf32>) attributes {quant_float.entry_point = 1 : i64} {
  return
}
