// IR other than casts that the verifiers and parsers reject.
// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --verify-roundtrip=false

// Storage casts require an element type and its own storage type.

func.func @storage_cast_float_is_not_integer(%x: f32) {
  // expected-error @+1 {{'quant_float.storage_cast' op expected an element type and its storage type, but got 'f32' and 'i32'}}
  %0 = quant_float.storage_cast %x : f32 to i32
  return
}

// -----

func.func @storage_cast_wider(%x: ui8) {
  // expected-error @+1 {{'quant_float.storage_cast' op expected an element type and its storage type, but got 'ui8' and 'i16'}}
  %0 = quant_float.storage_cast %x : ui8 to i16
  return
}

// -----

func.func @storage_cast_unsigned_storage(%x: f4E2M1FN) {
  // expected-error @+1 {{'quant_float.storage_cast' op expected an element type and its storage type, but got 'f4E2M1FN' and 'ui8'}}
  %0 = quant_float.storage_cast %x : f4E2M1FN to ui8
  return
}

// -----

func.func @storage_cast_value(%x: i8) {
  // expected-error @+1 {{'quant_float.storage_cast' op expected an element type and its storage type, but got 'i8' and 'i16'}}
  %0 = quant_float.storage_cast %x : i8 to i16
  return
}

// -----

func.func @storage_cast_signed_to_unsigned_byte(%x: i4) {
  // expected-error @+1 {{'quant_float.storage_cast' op expected an element type and its storage type, but got 'i4' and 'ui8'}}
  %0 = quant_float.storage_cast %x : i4 to ui8
  return
}

// -----

func.func @storage_cast_two_narrow_types(%x: f6E2M3FN) {
  // expected-error @+1 {{'quant_float.storage_cast' op expected an element type and its storage type, but got 'f6E2M3FN' and 'f6E3M2FN'}}
  %0 = quant_float.storage_cast %x : f6E2M3FN to f6E3M2FN
  return
}

// -----

func.func @storage_cast_f8_has_no_storage(%x: vector<4xf8E4M3FN>) {
  // expected-error @+1 {{'quant_float.storage_cast' op expected an element type and its storage type, but got 'f8E4M3FN' and 'i8'}}
  %0 = quant_float.storage_cast %x : vector<4xf8E4M3FN> to vector<4xi8>
  return
}

// -----

func.func @storage_cast_string(%x: tensor<2x!quant_float.string>) {
  // expected-error @+1 {{'quant_float.storage_cast' op expected an element type and its storage type, but got '!quant_float.string' and 'i32'}}
  %0 = quant_float.storage_cast %x : tensor<2x!quant_float.string> to tensor<2xi32>
  return
}

// -----

func.func @storage_cast_v8_sizes(%x: vector<4xui8>) {
  // expected-error @+1 {{'quant_float.storage_cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.storage_cast %x : vector<4xui8> to vector<8xi8>
  return
}

// -----

func.func @storage_cast_v8_tensor_to_vector(%x: tensor<4xui8>) {
  // expected-error @+1 {{'quant_float.storage_cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.storage_cast %x : tensor<4xui8> to vector<4xi8>
  return
}

// -----

func.func @storage_cast_t_index(%x: index) {
  // expected-error @+1 {{'quant_float.storage_cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'index'}}
  %0 = quant_float.storage_cast %x : index to i64
  return
}

// -----

// Constants.

func.func @constant_types() {
  // expected-error @+1 {{'quant_float.constant' op failed to verify that all of {value, result} have same type}}
  %0 = "quant_float.constant"() {value = 3 : ui8} : () -> ui16
  return
}

// -----

func.func @constant_t_index() {
  // expected-error @+1 {{'quant_float.constant' op result #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'index'}}
  %0 = quant_float.constant 3 : index
  return
}

// -----

func.func @constant_t_unknown_float() {
  // expected-error @+1 {{'quant_float.constant' op result #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'f80'}}
  %0 = quant_float.constant 3.0 : f80
  return
}

// -----

func.func @constant_untyped() {
  // expected-error @+1 {{'quant_float.constant' op attribute 'value' failed to satisfy constraint: TypedAttr instance}}
  %0 = "quant_float.constant"() {value = unit} : () -> ui8
  return
}

// -----

func.func @constant_missing() {
  // expected-error @+1 {{'quant_float.constant' op requires attribute 'value'}}
  %0 = "quant_float.constant"() : () -> ui8
  return
}

// -----

func.func @constant_negative() {
  // expected-error @+1 {{negative integer literal not valid for unsigned integer type}}
  %0 = quant_float.constant -1 : ui8
  return
}

// -----

// N1: a node has an op type, and a name for each of its bodies.

func.func @node_n1_no_op_type(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.node' op op_type must not be empty}}
  %0 = quant_float.node ""(%x) opset 21 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @node_n1_one_body_two_names() {
  // expected-error @+1 {{'quant_float.node' op expected a name for each of the 1 bodies, but got 2}}
  quant_float.node "Loop"() opset 21 : () -> () bodies ["body", "other"] {
    quant_float.yield
  }
  return
}

// -----

func.func @node_n1_body_without_name() {
  // expected-error @+1 {{'quant_float.node' op expected a name for each of the 1 bodies, but got 0}}
  "quant_float.node"() ({
    quant_float.yield
  }) {op_type = "Loop", opset = 21} : () -> ()
  return
}

// -----

func.func @node_n1_missing_op_type() {
  // expected-error @+1 {{'quant_float.node' op requires attribute 'op_type'}}
  "quant_float.node"() {opset = 21} : () -> ()
  return
}

// -----

func.func @node_n1_missing_opset() {
  // expected-error @+1 {{'quant_float.node' op requires attribute 'opset'}}
  "quant_float.node"() {op_type = "Relu"} : () -> ()
  return
}

// -----

func.func @node_n1_op_type_is_not_string() {
  // expected-error @+1 {{expected attribute value}}
  quant_float.node Relu() opset 21 : () -> ()
  return
}

// -----

func.func @node_n1_attributes_are_not_dictionary() {
  // expected-error @+1 {{custom op 'quant_float.node' invalid kind of attribute specified}}
  quant_float.node "Relu"() opset 21 attributes [1] : () -> ()
  return
}

// -----

// N2: absent inputs are positions among the source node's inputs.

func.func @node_n2_beyond(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.node' op absent_inputs must be strictly increasing and less than 2, but got 2}}
  quant_float.node "Clip"(%x) opset 13 absent [2] : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @node_n2_negative(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.node' op absent_inputs must be strictly increasing and less than 2, but got -1}}
  quant_float.node "Clip"(%x) opset 13 absent [-1] : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @node_n2_twice(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.node' op absent_inputs must be strictly increasing and less than 3, but got 1}}
  quant_float.node "Clip"(%x) opset 13 absent [1, 1] : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @node_n2_decreasing(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.node' op absent_inputs must be strictly increasing and less than 3, but got 0}}
  quant_float.node "Clip"(%x) opset 13 absent [2, 0] : (tensor<2xf32>) -> ()
  return
}

// -----

// N3: a body is one block that ends with a yield.

func.func @node_n3_empty_body() {
  // expected-error @+1 {{'quant_float.node' op every body must end with 'quant_float.yield'}}
  "quant_float.node"() ({
  ^entry:
  }) {op_type = "Loop", opset = 21, body_names = ["body"]} : () -> ()
  return
}

// -----

func.func @node_n3_other_terminator() {
  // expected-error @+1 {{'quant_float.node' op every body must end with 'quant_float.yield'}}
  quant_float.node "Loop"() opset 21 : () -> () bodies ["body"] {
    func.return
  }
  return
}

// -----

func.func @node_n3_no_terminator(%x: f32) {
  // expected-error @+1 {{'quant_float.node' op every body must end with 'quant_float.yield'}}
  quant_float.node "Loop"() opset 21 : () -> () bodies ["body"] {
    %0 = quant_float.cast %x opset 13 : f32 to f16
  }
  return
}

// -----

func.func @node_n3_no_block() {
  // expected-error @+1 {{'quant_float.node' op region #0 ('bodies') failed to verify constraint: region with 1 blocks}}
  "quant_float.node"() ({}) {op_type = "Loop", opset = 21, body_names = ["body"]} : () -> ()
  return
}

// -----

func.func @node_n3_two_blocks() {
  // expected-error @+1 {{'quant_float.node' op region #0 ('bodies') failed to verify constraint: region with 1 blocks}}
  "quant_float.node"() ({
    quant_float.yield
  ^other:
    quant_float.yield
  }) {op_type = "Loop", opset = 21, body_names = ["body"]} : () -> ()
  return
}

// -----

func.func @yield_n3_early() {
  quant_float.node "Loop"() opset 21 : () -> () bodies ["body"] {
    // expected-error @+1 {{'quant_float.yield' op must be the last operation in the parent block}}
    quant_float.yield
    quant_float.yield
  }
  return
}

// -----

func.func @yield_n3_outside() {
  // expected-error @+1 {{'quant_float.yield' op expects parent op 'quant_float.node'}}
  quant_float.yield
}

// -----

// Types of the dialect.

// expected-error @+1 {{expected a type of quant_float, such as f8UE5M3, but got 'nothing'}}
func.func private @type_unknown() -> !quant_float.nothing

// -----

// expected-error @+1 {{expected '<'}}
func.func private @type_opaque_without_spelling() -> !quant_float.opaque

// -----

// expected-error @+2 {{expected string}}
// expected-error @+1 {{failed to parse QuantFloat_OpaqueType parameter 'spelling' which is to be a `::llvm::StringRef`}}
func.func private @type_opaque_of_number() -> !quant_float.opaque<3>

// -----

// expected-error @+1 {{failed to verify 'elementType': VectorElementTypeInterface instance}}
func.func private @type_vector_of_unknown() -> vector<2x!quant_float.unknown>
