//===- InitAll.h - Registration of dialects and passes ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_INITALL_H
#define QUANT_FLOAT_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::quant_float {

/// Registers the dialect, the dialects that its lowerings use, and the required
/// interfaces.
void registerAllDialects(DialectRegistry &registry);

/// Registers the passes and pipelines of this project for textual pipelines.
void registerAllPasses();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_INITALL_H
