//===- BinaryType.h - Formats of IEEE P3109 ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_BINARYTYPE_H
#define QUANT_FLOAT_SUPPORT_BINARYTYPE_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/TypeSupport.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/Hashing.h"
#include <optional>

namespace mlir::quant_float {

/// The parameters of a format of IEEE P3109, Binary{K, P, signedness, domain}.
struct BinaryParameters {
  /// K: the width in bits.
  unsigned width;
  /// P: the number of significant bits, including the implicit one.
  unsigned precision;
  bool isSigned;
  /// Whether the format has infinities.
  bool isExtended;

  bool operator==(const BinaryParameters &other) const {
    return width == other.width && precision == other.precision &&
           isSigned == other.isSigned && isExtended == other.isExtended;
  }
  /// Returns the draft's name in lower case, such as "binary8p4se".
  std::string getName() const;
};

namespace detail {
struct BinaryTypeStorage final : TypeStorage {
  using KeyTy = BinaryParameters;

  explicit BinaryTypeStorage(const KeyTy &key) : parameters(key) {}
  bool operator==(const KeyTy &key) const { return parameters == key; }
  static llvm::hash_code hashKey(const KeyTy &key) {
    return llvm::hash_combine(key.width, key.precision, key.isSigned,
                              key.isExtended);
  }
  static BinaryTypeStorage *construct(TypeStorageAllocator &allocator,
                                      const KeyTy &key) {
    return new (allocator.allocate<BinaryTypeStorage>()) BinaryTypeStorage(key);
  }

  BinaryParameters parameters;
};
} // namespace detail

/// A format of IEEE P3109 with at most 8 bits, `!quant_float.binary8p4se`. The
/// two that are f8E4M3FNUZ and f8E5M2FNUZ are not types of this class; see
/// getBinaryType. The class is in this library, because FloatFormat depends on
/// the parameters; the dialect registers it.
///
/// The type does not implement FloatTypeInterface, because LLVM has no
/// fltSemantics for it.
class BinaryType
    : public Type::TypeBase<BinaryType, Type, detail::BinaryTypeStorage,
                            VectorElementTypeInterface::Trait> {
public:
  using Base::Base;
  static constexpr StringLiteral name = "quant_float.binary";
  static constexpr StringLiteral dialectName = "quant_float";

  /// `parameters` must satisfy verifyInvariants.
  static BinaryType get(MLIRContext *context,
                        const BinaryParameters &parameters) {
    return Base::get(context, parameters);
  }
  static BinaryType getChecked(function_ref<InFlightDiagnostic()> emitError,
                               MLIRContext *context,
                               const BinaryParameters &parameters) {
    return Base::getChecked(emitError, context, parameters);
  }
  static LogicalResult
  verifyInvariants(function_ref<InFlightDiagnostic()> emitError,
                   const BinaryParameters &parameters);

  const BinaryParameters &getParameters() const {
    return getImpl()->parameters;
  }
};

/// Returns the type of the format: f8E4M3FNUZ for Binary8p4sf, f8E5M2FNUZ for
/// Binary8p3sf, otherwise a BinaryType. Emits an error and returns null for
/// parameters that the draft does not permit and for more than 8 bits.
Type getBinaryType(function_ref<InFlightDiagnostic()> emitError,
                   MLIRContext *context, const BinaryParameters &parameters);

/// Returns the parameters of the type, which may be f8E4M3FNUZ or f8E5M2FNUZ.
std::optional<BinaryParameters> getBinaryParameters(Type type);

/// Parses a name such as "binary8p4se" or "Binary8p4se". Only checks the
/// syntax.
std::optional<BinaryParameters> parseBinaryName(StringRef name);

} // namespace mlir::quant_float

MLIR_DECLARE_EXPLICIT_TYPE_ID(mlir::quant_float::BinaryType)

#endif // QUANT_FLOAT_SUPPORT_BINARYTYPE_H
