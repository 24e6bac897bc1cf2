//===- QuantFloatDialect.cpp - The quant_float dialect --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/QuantFloatDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/DialectVersion.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace mlir::quant_float;

#include "quant-float/IR/QuantFloatDialect.cpp.inc"

#include "quant-float/IR/QuantFloatEnums.cpp.inc"

/// Parses the keyword of an enum value. Passes the valid keywords to the
/// parser, which suggests them when it completes code.
template <typename Enum>
static FailureOr<Enum>
parseEnumKeyword(AsmParser &parser, std::optional<Enum> (*symbolize)(StringRef),
                 ArrayRef<StringRef> keywords) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&keyword, keywords)))
    return *symbolize(keyword);
  // Also accept a quoted string.
  std::string spelling;
  if (failed(parser.parseKeywordOrString(&spelling)))
    return failure();
  if (std::optional<Enum> value = symbolize(spelling))
    return *value;
  return parser.emitError(loc)
         << "expected one of " << llvm::join(keywords, ", ") << ", but got '"
         << spelling << "'";
}

/// Parses lists of integers, such as `[[64, 64], [32, 32]]`.
static ParseResult parseTiles(AsmParser &parser,
                              SmallVector<DenseI64ArrayAttr> &tiles) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    SmallVector<int64_t> sizes;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(sizes.emplace_back());
        }))
      return failure();
    tiles.push_back(DenseI64ArrayAttr::get(parser.getContext(), sizes));
    return success();
  });
}

static void printTiles(AsmPrinter &printer, ArrayRef<DenseI64ArrayAttr> tiles) {
  llvm::raw_ostream &os = printer.getStream();
  os << "[";
  llvm::interleaveComma(tiles, os, [&](DenseI64ArrayAttr tile) {
    os << llvm::interleaved_array(tile.asArrayRef());
  });
  os << "]";
}

#define GET_ATTRDEF_CLASSES
#include "quant-float/IR/QuantFloatAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "quant-float/IR/QuantFloatTypes.cpp.inc"

namespace {
/// Allows all inlining, because no op of the dialect depends on the enclosing
/// function.
struct QuantFloatInlinerInterface final : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

Type QuantFloatDialect::parseType(DialectAsmParser &parser) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Type type;
  OptionalParseResult parsed = generatedTypeParser(parser, &mnemonic, type);
  if (parsed.has_value())
    return type;
  auto emitError = [&] { return parser.emitError(loc); };
  if (std::optional<BinaryParameters> parameters = parseBinaryName(mnemonic))
    return getBinaryType(emitError, getContext(), *parameters);
  // The name of a format starts with "binary".
  if (mnemonic.starts_with_insensitive("binary"))
    emitError() << "expected a format of IEEE P3109, such as binary8p4se, but "
                   "got '"
                << mnemonic << "'";
  else
    emitError() << "expected a type of quant_float, such as f8UE5M3, but got '"
                << mnemonic << "'";
  return {};
}

void QuantFloatDialect::printType(Type type, DialectAsmPrinter &printer) const {
  if (auto binary = dyn_cast<BinaryType>(type))
    printer << binary.getParameters().getName();
  else
    (void)generatedTypePrinter(type, printer);
}

void QuantFloatDialect::initialize() {
  addInterfaces<QuantFloatInlinerInterface>();
  addBytecodeInterface(*this);
  addAttributes<
#define GET_ATTRDEF_LIST
#include "quant-float/IR/QuantFloatAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "quant-float/IR/QuantFloatTypes.cpp.inc"
      >();
  addTypes<BinaryType>();
  addOperations<
#define GET_OP_LIST
#include "quant-float/IR/QuantFloatOps.cpp.inc"
      >();
}

Operation *QuantFloatDialect::materializeConstant(OpBuilder &builder,
                                                  Attribute value, Type type,
                                                  Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || typed.getType() != type)
    return nullptr;
  return createConstant(builder, loc, typed);
}
