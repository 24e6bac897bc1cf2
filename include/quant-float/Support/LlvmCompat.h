//===- LlvmCompat.h - Differences of LLVM versions --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the newest names of APIs whose names differ between LLVM 22, 23 and
// 24. The comment of each condition states the last version that needs it.
// Remove a condition when that version is no longer supported. LlvmCompat.cmake
// has the differences of the build, and docs/llvm-versions.md lists all.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_LLVMCOMPAT_H
#define QUANT_FLOAT_SUPPORT_LLVMCOMPAT_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Config/llvm-config.h"
#if LLVM_VERSION_MAJOR >= 24 // 23.
#include "mlir/Dialect/Bufferization/Transforms/BufferizableOpInterfaceImpl.h"
#else
namespace mlir::bufferization {
/// The ops of the dialect implement the interface themselves.
inline void registerBufferizableOpInterfaceExternalModels(DialectRegistry &) {}
} // namespace mlir::bufferization
#endif
#include <optional>

namespace mlir {
#if LLVM_VERSION_MAJOR < 23 // 22.
using PropertyRef = OpaqueProperties;
using DenseTypedElementsAttr = DenseIntOrFPElementsAttr;
#endif

namespace quant_float {
/// Returns the properties of an op that has none.
inline PropertyRef getNoProperties() {
#if LLVM_VERSION_MAJOR < 23 // 22.
  return OpaqueProperties(nullptr);
#else
  return PropertyRef();
#endif
}

/// The names of attributes that become attributes of LLVM functions when
/// functions are converted.
#if LLVM_VERSION_MAJOR < 23 // 22.
constexpr llvm::StringLiteral kAlwaysInlineAttrName = "always_inline";
constexpr llvm::StringLiteral kPassthroughAttrName = "passthrough";
#else
constexpr llvm::StringLiteral kAlwaysInlineAttrName = "llvm.always_inline";
constexpr llvm::StringLiteral kPassthroughAttrName = "llvm.passthrough";
#endif

/// Whether the buffer has as many bytes as a dense attribute of the type.
inline bool isValidRawBuffer(ShapedType type, ArrayRef<char> buffer) {
#if LLVM_VERSION_MAJOR < 23 // 22.
  bool isSplat;
  return DenseElementsAttr::isValidRawBuffer(type, buffer, isSplat);
#else
  return DenseElementsAttr::isValidRawBuffer(type, buffer);
#endif
}

/// The version of the bytecode format that all supported versions of LLVM read.
/// Since version 5, properties are written in the order of the op's definition,
/// which differs between versions of LLVM. In older versions of the format they
/// are a dictionary. Version 0 also omits the versions of dialects. LLVM 24
/// would write those of func and gpu, which older readers reject.
#if LLVM_VERSION_MAJOR < 24 // 23.
constexpr int64_t kPortableBytecodeVersion = 4;
#else
constexpr int64_t kPortableBytecodeVersion = 0;
#endif

/// Marks a function to run in an unknown denormal mode.
inline void setDynamicDenormalMode(LLVM::LLVMFuncOp function) {
#if LLVM_VERSION_MAJOR < 23 // 22.
  function.setDenormalFpMath("dynamic,dynamic");
#else
  constexpr auto kMode = LLVM::DenormalModeKind::Dynamic;
  function.setDenormalFpenvAttr(LLVM::DenormalFPEnvAttr::get(
      function.getContext(), kMode, kMode, kMode, kMode));
#endif
}

/// Whether each thread has its own copy of a global.
inline bool isThreadLocal(LLVM::GlobalOp global) {
#if LLVM_VERSION_MAJOR < 24 // 23.
  return global.getThreadLocal_();
#else
  return global.getTlsMode() != LLVM::ThreadLocalMode::NotThreadLocal;
#endif
}

/// Creates an NVVM op that converts a pair of bf16. The builder is a
/// VectorBuilder, so that only files that use NVVM include its dialect.
template <typename OpTy, typename BuilderT, typename RoundingT,
          typename SaturationT>
Value makeFromBFloatPair(BuilderT &builder, Type result, Value pair,
                         RoundingT rounding, SaturationT saturation, Type to) {
  return builder.template make<OpTy>(result, pair, rounding, saturation,
#if LLVM_VERSION_MAJOR >= 23 // 22.
                                     /*relu=*/false,
#endif
                                     to);
}

/// Creates an NVVM op that converts a pair of narrow floats.
template <typename OpTy, typename BuilderT>
Value makeFromNarrowPair(BuilderT &builder, Type result, Value encodings,
                         Type from) {
#if LLVM_VERSION_MAJOR < 23 // 22.
  return builder.template make<OpTy>(result, encodings, /*relu=*/false, from);
#else
  return builder.template make<OpTy>(result, encodings, from);
#endif
}

/// Creates an NVVM op that converts a pair of f8E8M0FNU.
template <typename OpTy, typename BuilderT>
Value makeFromScalePair(BuilderT &builder, Type result, Value encodings,
                        Type from) {
  return builder.template make<OpTy>(result, encodings,
#if LLVM_VERSION_MAJOR >= 23 // 22.
                                     /*scaleFactor=*/Value(),
#endif
                                     from);
}

/// Returns the name of an element of `getEnabledProcessorFeatures`.
template <typename FeatureT> StringRef getFeatureName(const FeatureT &feature) {
#if LLVM_VERSION_MAJOR < 23 // 22.
  return feature.Key;
#else
  return feature->key();
#endif
}

/// Returns the subtarget of a `TargetMachine`.
template <typename MachineT>
const auto &getMCSubtargetInfo(const MachineT &machine) {
#if LLVM_VERSION_MAJOR < 23 // 22.
  return *machine.getMCSubtargetInfo();
#else
  return machine.getMCSubtargetInfo();
#endif
}

/// Returns an `llvm::PassBuilder`, whose header few files include.
template <typename PassBuilderT, typename... ArgTs>
PassBuilderT createPassBuilder(llvm::LLVMContext &context, ArgTs &&...args) {
  return PassBuilderT(
#if LLVM_VERSION_MAJOR >= 24 // 23.
      context,
#endif
      std::forward<ArgTs>(args)...);
}

/// Returns the values of a `!quant.uniform` of quantiles. Returns none for all
/// other types, and for types of a dialect that is not loaded.
inline std::optional<ArrayRef<double>> getQuantiles(Type type) {
#if LLVM_VERSION_MAJOR >= 23 // 22.
  if (auto quantized = dyn_cast<quant::QuantizedType>(type))
    if (auto quantiles =
            dyn_cast<quant::QuantileType>(quantized.getStorageType()))
      return quantiles.getQuantiles();
#endif
  return std::nullopt;
}

/// Returns the builtin type with the format of `!quant_float.f8UE5M3`, or null.
inline FloatType getFloat8E5M3FNUType(MLIRContext *context) {
#if LLVM_VERSION_MAJOR < 24 // 23.
  return {};
#else
  return Float8E5M3FNUType::get(context);
#endif
}
} // namespace quant_float
} // namespace mlir

#endif // QUANT_FLOAT_SUPPORT_LLVMCOMPAT_H
