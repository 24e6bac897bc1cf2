// Takes the first n elements. The size of the result is data-dependent: it is
// the value of n.
func.func @take(%n: tensor<i64> {quant_float.name = "n"},
                %x: tensor<?xf32> {quant_float.name = "x"})
    -> (tensor<?xf32> {quant_float.name = "y"}, tensor<?xf32> {quant_float.name = "copy"}) {
  %c0 = arith.constant 0 : index
  %read = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %read : i64 to index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %fits = arith.cmpi sle, %count, %size : index
  cf.assert %fits, "more than there are"
  %y = tensor.extract_slice %x[0] [%count] [1] : tensor<?xf32> to tensor<?xf32>
  return %y, %x : tensor<?xf32>, tensor<?xf32>
}
