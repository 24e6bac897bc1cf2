//===- Layouts.h - Tensors that are a weight together -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_SAFETENSORS_LAYOUTS_H
#define QUANT_FLOAT_LIB_TARGET_SAFETENSORS_LAYOUTS_H

#include "../Common/WeightsModule.h"
#include "Checkpoint.h"

namespace mlir::quant_float::safetensors_import {

/// What f8E8M0FNU has as NaN, and programs that add exponents do not.
inline constexpr uint8_t kNanScale = 255;

/// By the place in a word of AWQ: the column whose code of 4 bits is there, and
/// the other way.
inline constexpr unsigned kAwqColumns[8] = {0, 2, 4, 6, 1, 3, 5, 7};
inline constexpr unsigned kAwqPlaces[8] = {0, 4, 1, 5, 2, 6, 3, 7};

/// The type of the tensor of that name, if there is one.
using FindDType = llvm::function_ref<std::optional<DType>(StringRef)>;

/// Whether a tensor is read as codes of a weight, or as what is left of one,
/// among those that are found.
bool isPartOfWeight(StringRef name, DType dtype, FindDType find);

/// The module of all tensors. Null after an error diagnostic.
OwningOpRef<ModuleOp> importWeights(const Checkpoint &checkpoint, Location loc);

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_TARGET_SAFETENSORS_LAYOUTS_H
