//===- Sorting.h - Nodes in the order of their dependences ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_SORTING_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_SORTING_H

#include "Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include <onnx/onnx_pb.h>

namespace mlir::quant_float::onnx_import {

using NodeList = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

/// The nodes in an order in which every value is made before it is used, also
/// by a body of a node; the file's order wherever that is one already. Names
/// that no node of the list makes are left to the caller. A cycle is an error.
FailureOr<SmallVector<::onnx::NodeProto *>> sortNodes(NodeList &nodes,
                                                      const Subject &subject);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_SORTING_H
