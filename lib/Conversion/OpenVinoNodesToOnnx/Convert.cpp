//===- Convert.cpp - OpenVINO Convert and ConvertLike ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

namespace {
/// How OpenVINO converts one element type to another.
enum class Path {
  /// As ONNX Cast does.
  Direct,
  /// Rounds to f16 first, then to float8.
  ThroughHalf,
  /// As no ONNX op does.
  Own,
  None
};
} // namespace

static bool isE4M3OrE5M2(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

static bool isHalfOrSingle(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type>(type);
}

/// Types that OpenVINO converts from and to a few others only.
static bool isScaleOrFloat4(Type type) {
  return isa<Float8E8M0FNUType, Float4E2M1FNType>(type);
}

/// Whether OpenVINO has the type.
static bool isKnown(Type type) {
  if (isa<IntegerType>(type))
    return getElementKind(type) && !type.isSignlessInteger(2);
  return isE4M3OrE5M2(type) || isHalfOrSingle(type) || isScaleOrFloat4(type) ||
         isa<Float64Type>(type);
}

static Path getPath(Type from, Type to) {
  bool isInteger = isa<IntegerType>(to);
  if (!isKnown(from) || !isKnown(to))
    return Path::None;
  if (isScaleOrFloat4(from)) {
    bool isSmall =
        isInteger && isa<Float4E2M1FNType>(from) &&
        (to.getIntOrFloatBitWidth() == 4 || to.getIntOrFloatBitWidth() == 8);
    if (isSmall)
      return Path::Own;
    return isHalfOrSingle(to) || isa<Float64Type>(to) ? Path::Direct
                                                      : Path::None;
  }
  if (isScaleOrFloat4(to))
    return isHalfOrSingle(from) ? Path::Own : Path::None;
  if (isE4M3OrE5M2(to))
    return isa<Float16Type>(from) ? Path::Direct : Path::ThroughHalf;
  if (isInteger)
    return isa<IntegerType>(from) ? Path::Direct : Path::Own;
  // What needs no rounding is the same everywhere.
  bool isWide = isa<Float64Type>(from) ||
                (isa<IntegerType>(from) && from.getIntOrFloatBitWidth() > 8);
  return isa<BFloat16Type>(to) && isWide ? Path::Own : Path::Direct;
}

static FailureOr<Value> convertTo(LayerContext &context, Type to) {
  Value input = context.inputs[0];
  Type from = context.elementType(0);
  if (from == to)
    return input;
  Path path = getPath(from, to);
  if (path == Path::None)
    return context.unsupported("no conversion of elements of type " +
                               show(from) + " to " + show(to));
  if (path == Path::Own)
    return context.buildOwnNode("OpenVinoConvert", input, to,
                                context.intAttr("to", *getOnnxDataType(to)));
  // What OpenVINO has of f64 it takes through f32.
  if (isa<Float64Type>(from) && !isa<Float32Type>(to))
    input = context.cast(input, context.b.getF32Type());
  if (path == Path::ThroughHalf)
    input = context.cast(input, context.b.getF16Type());
  return context.cast(input, to);
}

FailureOr<Value> openvino_layers::convertConvert(LayerContext &context) {
  // A type that MLIR lacks is a name.
  Attribute given = context.node.getNodeAttributes().get("destination_type");
  if (auto name = dyn_cast_or_null<StringAttr>(given))
    return context.unsupported("no conversion of elements of type " +
                               show(context.elementType(0)) + " to '" +
                               name.getValue() + "'");
  Type to = context.getType("destination_type");
  if (!to)
    return context.unsupported("attribute 'destination_type' is missing");
  return convertTo(context, to);
}

FailureOr<Value> openvino_layers::convertConvertLike(LayerContext &context) {
  return convertTo(context, context.elementType(1));
}
