//===- TensorCoreInstructions.cpp - Tensor-core instructions --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorCoreInstructions.h"

#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the source of a conversion that preserves the value, or null.
static Value getConverted(Value value) {
  if (auto cast = value.getDefiningOp<CastOp>())
    return cast.hasOnnxRules() ? cast.getInput() : Value();
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp>(op))
    return op->getOperand(0);
  return nullptr;
}

/// Returns the 8-bit type that represents all values of the type of `source`,
/// or nullopt if it has more than 8 bits. `converted` is the i32 that it was
/// extended to.
static std::optional<MatrixElement> getByte(Value converted, Value source) {
  auto type = dyn_cast<IntegerType>(source.getType());
  if (!type || type.getWidth() > 8)
    return std::nullopt;
  Operation *op = converted.getDefiningOp();
  bool isSigned =
      isa<arith::ExtSIOp>(op) ||
      (isa<CastOp>(op) && !type.isUnsigned() && type.getWidth() > 1);
  return isSigned ? MatrixElement::Int8 : MatrixElement::UInt8;
}

static std::optional<MatrixElement> getFloat(Type type) {
  if (type.isF16())
    return MatrixElement::Float16;
  if (type.isBF16())
    return MatrixElement::BFloat16;
  if (isa<Float8E4M3FNType>(type))
    return MatrixElement::Float8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return MatrixElement::Float8E5M2;
  return std::nullopt;
}

/// Returns nullopt if no instruction takes the operand.
static std::optional<TensorCoreOperand> getOperand(const GpuMatmul &matmul,
                                                   const GpuOperand &operand) {
  const Contraction &contraction = matmul.contraction;
  auto [value, zeroPoint, scale] = contraction.getScaledValue(operand);
  if ((zeroPoint && contraction.variesAlongK(zeroPoint)) ||
      (scale && contraction.variesAlongK(scale)))
    return std::nullopt;
  Value source = getConverted(value);
  std::optional<MatrixElement> element;
  if (source && value.getType().isInteger(32))
    element = getByte(value, source);
  else if (source && value.getType().isF32())
    element = getFloat(source.getType());
  // Unscaled accumulators of float8 products are far from the limits of f32.
  // Those of f16 and bf16 could overflow or underflow where scaled ones do not,
  // so that the scale cannot be factored out.
  bool isWide =
      element == MatrixElement::Float16 || element == MatrixElement::BFloat16;
  if (!element || (scale && isWide))
    return std::nullopt;
  bool isInteger = value.getType().isInteger(32);
  return TensorCoreOperand{*element, isInteger ? value : source, zeroPoint,
                           scale};
}

BlockArgument TensorCoreOperand::getArgument(linalg::GenericOp op) const {
  Value source = quantized;
  // Integers are extensions of the loaded byte.
  if (source.getType().isInteger(32))
    source = source.getDefiningOp()->getOperand(0);
  while (auto cast = source.getDefiningOp<StorageCastOp>())
    source = cast.getInput();
  auto argument = dyn_cast<BlockArgument>(source);
  return argument && argument.getOwner() == op.getBody() ? argument
                                                         : BlockArgument();
}

/// Returns the requirements of a warpgroup instruction for an operand; empty if
/// it takes it. TMA loads the operand as a matrix whose rows are contiguous
/// along K.
static StringRef getNeed(const MatrixInstruction &instruction,
                         const GpuMatmul &matmul, const GpuOperand &gpuOperand,
                         const TensorCoreOperand &operand) {
  linalg::GenericOp op = matmul.op;
  if (operand.subtracted)
    return "needs no zero points";
  constexpr int64_t kMinRows = 64;
  ArrayRef<int64_t> ranges = matmul.contraction.ranges;
  int64_t rows = 1;
  for (unsigned loop : gpuOperand.rows)
    rows = ShapedType::isDynamic(ranges[loop]) || ranges[loop] >= kMinRows
               ? kMinRows
               : std::min(rows * ranges[loop], kMinRows);
  if (rows < kMinRows)
    return "needs at least 64 rows and columns";
  BlockArgument argument = operand.getArgument(op);
  StringRef layout = "needs K-contiguous operands";
  if (!argument)
    return layout;
  OpOperand &input = op->getOpOperand(argument.getArgNumber());
  auto type = dyn_cast<MemRefType>(input.get().getType());
  if (!type || !type.getLayout().isIdentity() ||
      type.getElementTypeBitWidth() != 8 * instruction.getBytes())
    return layout;
  // The axes are those of other loops, then the rows, then K.
  SmallVector<unsigned> loops(gpuOperand.rows);
  llvm::append_range(loops, matmul.contraction.k);
  ArrayRef<AffineExpr> axes = op.getMatchingIndexingMap(&input).getResults();
  if (axes.size() < loops.size())
    return layout;
  for (auto [axis, loop] :
       llvm::zip_equal(axes.take_back(loops.size()), loops)) {
    auto dim = dyn_cast<AffineDimExpr>(axis);
    if (!dim || dim.getPosition() != loop)
      return layout;
  }
  for (AffineExpr axis : axes.drop_back(loops.size())) {
    auto dim = dyn_cast<AffineDimExpr>(axis);
    if (dim ? llvm::is_contained(loops, dim.getPosition())
            : !isa<AffineConstantExpr>(axis))
      return layout;
  }
  return {};
}

/// Returns what an instruction for the operands' types needs; empty if it can
/// be used.
static std::string getNeed(const MatrixInstruction &instruction,
                           const GpuMatmul &matmul,
                           const TensorCoreOperand &lhs,
                           const TensorCoreOperand &rhs) {
  if (instruction.unit != MatrixUnit::Warpgroup)
    return {};
  StringRef need = getNeed(instruction, matmul, matmul.lhs, lhs);
  if (need.empty())
    need = getNeed(instruction, matmul, matmul.rhs, rhs);
  return need.str();
}

FailureOr<TensorCorePlan>
TensorCorePlan::get(const GpuMatmul &matmul, LoweringConfigAttr config,
                    const std::optional<NvidiaChip> &chip,
                    llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (!chip)
    return emitError() << "expected a module with a GPU as " << kTargetAttrName;
  MatrixUnit unit = config.getStrategy() == LoweringStrategy::Warpgroup
                        ? MatrixUnit::Warpgroup
                        : MatrixUnit::Warp;
  const MatrixInstruction *row = llvm::find_if(
      getMatrixInstructions(), [&](const MatrixInstruction &each) {
        return each.unit == unit && each.name == config.getInstruction();
      });
  if (row == getMatrixInstructions().end())
    return emitError() << "expected an instruction of the strategy, but got '"
                       << config.getInstruction() << "'";
  std::optional<TensorCoreOperand> lhs = getOperand(matmul, matmul.lhs);
  std::optional<TensorCoreOperand> rhs = getOperand(matmul, matmul.rhs);
  if (!lhs || !rhs || !row->takes(lhs->element, rhs->element))
    return emitError() << "expected operands of types " << getName(row->a)
                       << " and " << getName(row->b) << " for '" << row->name
                       << "'";
  std::string need = chip->getMissing(*row->chipFeature);
  if (need.empty())
    need = getNeed(*row, matmul, *lhs, *rhs);
  if (!need.empty())
    return emitError() << row->name << " " << need;
  return TensorCorePlan{row, *lhs, *rhs, chip->has(NvidiaFeature::AsyncCopies)};
}

TensorCoreChoice
quant_float::chooseTensorCoreInstructions(const GpuMatmul &matmul,
                                          const std::optional<NvidiaChip> &chip,
                                          bool reassociate) {
  TensorCoreChoice choice;
  Type accumulator = matmul.contraction.body.getType();
  bool isOrdered = isa<FloatType>(accumulator) && !reassociate;
  std::optional<TensorCoreOperand> lhs = getOperand(matmul, matmul.lhs);
  std::optional<TensorCoreOperand> rhs = getOperand(matmul, matmul.rhs);
  std::vector<std::string> lacks;
  llvm::raw_string_ostream os(choice.remark);
  if (lhs && rhs) {
    os << "matmul of " << getName(lhs->element) << " and "
       << getName(rhs->element);
    auto choose = [&](MatrixUnit unit) {
      MatrixInstructionChoice found = chooseMatrixInstruction(
          chip ? &*chip : nullptr,
          [&](const MatrixInstruction &row) {
            return row.unit == unit && row.takes(lhs->element, rhs->element);
          },
          [&](const MatrixInstruction &row) {
            return isOrdered ? "needs --accumulation reassociate"
                             : getNeed(row, matmul, *lhs, *rhs);
          });
      llvm::append_range(lacks, found.lacks);
      return found.instruction;
    };
    // Most chips do not have instructions of warpgroups.
    if (chip && chip->has(NvidiaFeature::Wgmma))
      choice.warpgroup = choose(MatrixUnit::Warpgroup);
    choice.warp = choose(MatrixUnit::Warp);
  } else {
    os << "matmul in " << accumulator;
  }
  if (choice.warpgroup)
    os << " by " << choice.warpgroup->name
       << " if TMA can load the operands, else";
  if (choice.warp)
    os << " by " << choice.warp->name;
  else
    os << " by tiles, multiplied and accumulated in " << accumulator
       << (isOrdered ? " in the order of the reduction dimension" : "");
  if (!lhs || !rhs || (chip && !choice.warp && lacks.empty()))
    lacks = {"no instruction supports the operands"};
  if (!lacks.empty())
    os << ": " << llvm::join(lacks, ", ");
  return choice;
}
