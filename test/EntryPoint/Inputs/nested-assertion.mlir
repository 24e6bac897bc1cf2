func.func @f.kernel(%holds: i1, %n: index) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "f", inputs = [], outputs = []}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    cf.assert %holds, "too late"
  }
  return
}
