//===- BufferizeStrings.cpp - Bufferize ops on strings --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::quant_float;

namespace {
/// Bufferizes an op on strings:
///
/// %r = op %a to %init : tensor<A>, tensor<B> -> tensor<B>
/// ->
/// op %a_buffer to %init_buffer : memref<A>, memref<B>
template <typename OpTy>
struct StringOpModel final
    : DstBufferizableOpInterfaceExternalModel<StringOpModel<OpTy>, OpTy> {
  /// The op overwrites all of `init`.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &state) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    mlir::clone(rewriter, op, TypeRange(), buffers);
    replaceOpWithBufferizedValues(rewriter, op, buffers.back());
    return success();
  }
};
} // namespace

void quant_float::registerStringBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, QuantFloatDialect *) {
    CastStringsOp::attachInterface<StringOpModel<CastStringsOp>>(*context);
    LoadStringsOp::attachInterface<StringOpModel<LoadStringsOp>>(*context);
  });
}
