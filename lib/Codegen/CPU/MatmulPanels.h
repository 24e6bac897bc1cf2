//===- MatmulPanels.h - Matmuls with packed panels --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_MATMULPANELS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_MATMULPANELS_H

#include "ReductionLoops.h"

namespace mlir::quant_float {

/// The size of the AMX tile configuration, which is stored after the panel.
constexpr int64_t kTileConfigBytes = 64;

/// Contractions whose vectors are packed to a panel.
class PanelLoops : public ReductionLoops {
public:
  PanelLoops(const ReductionPlan &plan, const ReductionContext &context);

protected:
  void emitInnerLoops() override;
  void emitColumn(int64_t lanes) override;
  /// Multiplies all rows by the packed panel.
  virtual void multiplyPanel(int64_t lanes);
  /// Accumulates `rows` times `lanes` elements over a part of K.
  virtual void accumulateSteps(int64_t rows, int64_t lanes);

  SmallVector<Value> initAccumulators(int64_t rows, int64_t lanes);
  void storeAccumulators(int64_t rows, int64_t lanes, ValueRange accumulators);
  /// Whether the current part of K is the first one, or null if there is only
  /// one.
  Value isFirstPart();
  /// Returns the first row of the panel in the current part of K, and the end
  /// of the part.
  std::pair<Value, Value> getPartRows();
  SmallVector<Value> getUnpackedIndices(int64_t row, Value step);
  Value loadPanel(VectorType type, Value row, Value lane) {
    return vector::LoadOp::create(builder, type, panel, ValueRange{row, lane});
  }
  void storePanel(Value vector, Value row, Value lane) {
    vector::StoreOp::create(builder, vector, panel, ValueRange{row, lane});
  }

private:
  void emitCopies(ArrayRef<unsigned> loops, Value step, int64_t lanes);
  void emitWindowEnd(Value panelRow, int64_t lanes);
  void keepOrder();
  Value emitSquares(unsigned loop, Value from, Value to,
                    llvm::function_ref<Value(Value)> getStep, int64_t lanes);
  void prefetch(int64_t rows, int64_t lanes, Value step, Value partStep);
  void prefetchRows(int64_t rows, Value step);
  void prefetchPanel(int64_t lanes, Value partStep, int64_t lineSteps);
  SmallVector<Value> accumulateStep(int64_t rows, int64_t lanes, Value step,
                                    Value panelRow, int64_t shift,
                                    ValueRange accumulators);

protected:
  const PanelPlan &panelPlan;
  OpOperand *packed, *unpacked;
  /// The entire buffer, the panel in it, indexed by step and lane, and
  /// `unpacked` with its reduction dimensions collapsed to one.
  Value buffer, panel, unpackedSteps;
  /// The bounds of the current part of K.
  Value partStart, partEnd;
};

/// Panels that matrix instructions without tile registers multiply.
class MatrixInstructionLoops : public PanelLoops {
public:
  MatrixInstructionLoops(const ReductionPlan &plan,
                         const ReductionContext &context)
      : PanelLoops(plan, context), matrix(*plan.panel->matrix),
        blockSteps(plan.panel->blockSteps) {}

protected:
  void multiplyPanel(int64_t lanes) override;
  void accumulateSteps(int64_t rows, int64_t lanes) override;

  void emitGap(int64_t lanes);
  /// Returns the number of blocks in the current part of K.
  Value countBlocks();
  /// Returns the first step of a block in the rows' operand.
  Value getBlockStep(Value block);

  const MatrixInstruction &matrix;
  int64_t blockSteps;

private:
  void emitPairs(int64_t lanes);
  SmallVector<Value> emitMatrixInstructions(int64_t rows, int64_t lanes,
                                            int64_t lane, int64_t width);
};

std::unique_ptr<ReductionLoops>
createAmxTileLoops(const ReductionPlan &plan, const ReductionContext &context);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_MATMULPANELS_H
