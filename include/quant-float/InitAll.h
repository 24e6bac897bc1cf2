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

/// The dialect, those its lowerings use, and the interfaces they need.
void registerAllDialects(DialectRegistry &registry);

/// The project's passes and pipelines, for textual pipelines.
void registerAllPasses();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_INITALL_H
