//===- PortableBytecode.cpp - Bytecode for all LLVM versions --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/PortableBytecode.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "quant-float/Support/LlvmCompat.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::quant_float;

/// A group of types and attributes that is no dialect, so that the writer uses
/// their textual form.
constexpr llvm::StringLiteral kTextGroup = "text";

/// Whether the oldest supported LLVM, 22, has no encoding of the type.
static bool isText(Type type) {
  if (isa<FloatTF32Type>(type))
    return true;
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8;
}

/// Whether the oldest supported LLVM, 22, has no encoding of the attribute.
static bool isText(Attribute attribute) {
  return isa<AffineMapAttr, IntegerSetAttr, StridedLayoutAttr>(attribute);
}

namespace {
/// Makes the writer use the textual form. The writer calls it twice for each
/// type or attribute. First it assigns a number to it, and success moves it to
/// the group. Then it encodes it, and after failure it calls the group's
/// dialect, which does not exist.
template <typename T> struct TextWriter final : AttrTypeBytecodeWriter<T> {
  LogicalResult write(T entry, std::optional<StringRef> &group,
                      DialectBytecodeWriter &) override {
    if (!isText(entry))
      return failure();
    group = kTextGroup;
    return success(numbered.insert(entry).second);
  }

  DenseSet<T> numbered;
};
} // namespace

LogicalResult quant_float::writePortableBytecode(Operation *op,
                                                 raw_ostream &os) {
  BytecodeWriterConfig config;
  config.setDesiredBytecodeVersion(kPortableBytecodeVersion);
  config.attachTypeCallback(std::make_unique<TextWriter<Type>>());
  config.attachAttributeCallback(std::make_unique<TextWriter<Attribute>>());
  return writeBytecodeToFile(op, os, config);
}
