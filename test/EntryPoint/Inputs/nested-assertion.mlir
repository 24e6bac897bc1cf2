func.func @f.kernel(%holds: i1) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "f", inputs = [], outputs = []}} {
  scf.if %holds {
    cf.assert %holds, "too late"
  }
  return
}
