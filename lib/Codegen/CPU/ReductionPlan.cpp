//===- ReductionPlan.cpp - How a reduction is lowered ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/InterleavedRange.h"
#include <numeric>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reduction_limits;
using linalg::GenericOp;

FailureOr<VectorRegisters> VectorRegisters::get(Operation *op, int64_t bytes,
                                                int64_t count) {
  // The code size is proportional to the product of both.
  constexpr int64_t kMax = 1024;
  for (auto [name, value] :
       {std::pair("vector-bytes", bytes), std::pair("registers", count)})
    if (value < 1 || value > kMax)
      return op->emitError()
             << name << ": expected 1 to " << kMax << ", but got " << value;
  return VectorRegisters{bytes, count};
}

bool quant_float::isVectorizableReduction(GenericOp op) {
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return op.hasPureBufferSemantics() && op.getNumReductionLoops() > 0 &&
         llvm::all_of(op.getDpsInitsMutable(),
                      [&](OpOperand &init) {
                        return op.getMatchingIndexingMap(&init) == output;
                      }) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return isa<MemRefType>(operand.getType()) ||
                  operand.getType().isIntOrIndexOrFloat();
         });
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

static bool isPlainContraction(GenericOp op) {
  std::optional<MultiplyAccumulate> body = MultiplyAccumulate::get(op);
  return body && isa<FloatType>(body->getType()) && body->isPlain();
}

static bool hasElementwiseBody(GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &op) {
    return OpTrait::hasElementwiseMappableTraits(&op) ||
           isa<arith::ConstantOp, linalg::IndexOp>(op);
  });
}

/// Returns the number of elements of the widest of the types that a register
/// holds, or 0 if a type has no width.
static int64_t getRegisterLanes(ValueRange values, int64_t vectorBytes) {
  int64_t widest = 1;
  for (Value value : values) {
    Type element = getElementTypeOrSelf(value);
    if (!element.isIntOrFloat())
      return 0;
    widest = std::max<int64_t>(widest, element.getIntOrFloatBitWidth() / 8);
  }
  return vectorBytes / widest;
}

/// Returns the loop along which the outputs are contiguous, if all ops of the
/// body can be vectorized.
static std::optional<unsigned> findVectorLoop(GenericOp op) {
  if (!hasElementwiseBody(op))
    return std::nullopt;
  std::optional<unsigned> candidate;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (map.getNumResults() == 0)
      return std::nullopt;
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!dim || (candidate && *candidate != dim.getPosition()) ||
        getAccess(op, &init, dim.getPosition()) != Access::Contiguous)
      return std::nullopt;
    candidate = dim.getPosition();
  }
  return candidate;
}

/// Whether the target has masked loads and stores for all vectors, and no op of
/// the body traps on the zeros in masked lanes.
static bool canMaskLanes(const ReductionPlan &plan) {
  GenericOp op = plan.op;
  unsigned narrowest = plan.vectorBytes >= 64 ? 8 : 32;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    Access access =
        type ? getAccess(op, &operand, *plan.vectorLoop) : Access::Invariant;
    if (access == Access::Invariant)
      continue;
    if (access == Access::Strided
            ? plan.isDynamic(*plan.vectorLoop)
            : !type.getElementType().isIntOrFloat() ||
                  type.getElementTypeBitWidth() < narrowest)
      return false;
  }
  return plan.vectorBytes >= 32 && plan.registerLanes > 1 &&
         llvm::all_of(
             op.getBody()->without_terminator(),
             [](Operation &nested) { return isSpeculatable(&nested); });
}

bool ReductionPlan::isTransposed(OpOperand *operand) const {
  return isa<MemRefType>(operand->get().getType()) &&
         getAccess(op, operand, *vectorLoop) == Access::Strided &&
         getAccess(op, operand, reductions.back()) == Access::Contiguous &&
         (!rowLoop || getAccess(op, operand, *rowLoop) == Access::Invariant);
}

static std::optional<unsigned> findBlockLoop(const ReductionPlan &plan) {
  unsigned loop = plan.ranges.size() - 1;
  if (plan.reductions.back() != loop ||
      !llvm::isPowerOf2_64(plan.registerLanes) ||
      (!plan.isDynamic(loop) && plan.ranges[loop] < plan.registerLanes) ||
      llvm::none_of(GenericOp(plan.op).getDpsInputOperands(),
                    [&](OpOperand *input) { return plan.isTransposed(input); }))
    return std::nullopt;
  return loop;
}

/// Returns the number of lanes (N) to process together, limited by the extent
/// of the loop. Several registers share each broadcast scalar of the other
/// operand. Few rows have more lanes, so that each step reads adjacent cache
/// lines.
static int64_t getLanes(const ReductionPlan &plan, int64_t rows = kMinRows) {
  int64_t registers =
      rows < kMinRows
          ? llvm::bit_floor<uint64_t>(plan.numAccumulators * 3 / 2 / rows)
          : plan.numAccumulators / kMinRows;
  int64_t lanes = plan.blockLoop
                      ? plan.registerLanes
                      : std::max<int64_t>(registers, 1) * plan.registerLanes;
  return plan.isDynamic(*plan.vectorLoop)
             ? lanes
             : std::min(lanes,
                        plan.getNextElements(plan.ranges[*plan.vectorLoop]));
}

/// Returns a loop along which the loaded vectors do not change.
static std::optional<unsigned> findRowLoop(const ReductionPlan &plan) {
  GenericOp op = plan.op;
  std::optional<unsigned> rowLoop;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator != utils::IteratorType::parallel || loop == plan.vectorLoop ||
        plan.ranges[loop] == 1)
      continue;
    for (OpOperand *input : op.getDpsInputOperands())
      if (getAccess(op, input, *plan.vectorLoop) != Access::Invariant &&
          getAccess(op, input, loop) == Access::Invariant)
        rowLoop = loop;
  }
  return rowLoop;
}

/// Returns the number of rows of a tile that has `lanes` lanes (0: scalars).
static int64_t chooseRows(const ReductionPlan &plan, int64_t lanes) {
  int64_t available = plan.numAccumulators;
  if (!lanes)
    return kMinRows;
  // Contractions with separate additions need only one register for a result,
  // and the more rows share a vector, the fewer loads there are.
  if (plan.isPlainContraction ||
      (plan.panel && plan.dotProduct && plan.dotProduct->hasSeparateAdd()))
    available = available * 3 / 2;
  return std::clamp(available /
                        int64_t(llvm::divideCeil(lanes, plan.registerLanes)),
                    kMinRows, kMaxRows);
}

/// Whether the steps of square blocks may be accumulated in any order, and all
/// operands that vary are contiguous along the reduction.
static bool canFoldBlocks(const ReductionPlan &plan) {
  GenericOp op = plan.op;
  return plan.blockLoop && !plan.dotProduct && !op.hasIndexSemantics() &&
         !getCombiners(op).empty() &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return !isa<MemRefType>(input->get().getType()) ||
                  plan.isTransposed(input) ||
                  (getAccess(op, input, *plan.vectorLoop) ==
                       Access::Invariant &&
                   getAccess(op, input, *plan.blockLoop) == Access::Invariant);
         });
}

/// Returns the plan with vectors along the outputs, with or without square
/// blocks of operands. Returns nullopt if the plan is not applicable.
static std::optional<ReductionPlan> planVectors(const ReductionPlan &scalar,
                                                bool hasBlocks) {
  ReductionPlan plan = scalar;
  plan.registerLanes =
      getRegisterLanes(plan.op.getDpsInits(), plan.vectorBytes);
  if (!plan.registerLanes || !(plan.vectorLoop = findVectorLoop(plan.op)))
    return std::nullopt;
  plan.canMask = canMaskLanes(plan);
  if (hasBlocks && !(plan.blockLoop = findBlockLoop(plan)))
    return std::nullopt;
  plan.vectorLanes = getLanes(plan);
  if (plan.vectorLanes < 2)
    return std::nullopt;
  plan.rowLoop = findRowLoop(plan);
  int64_t rows = plan.rowLoop ? plan.ranges[*plan.rowLoop] : 1;
  if (plan.isPlainContraction && rows > 0 && rows < kMinRows)
    plan.vectorLanes = getLanes(plan, rows);
  plan.foldsBlocks = canFoldBlocks(plan);
  plan.tileRows = plan.rowLoop ? chooseRows(plan, plan.vectorLanes) : 1;
  return plan;
}

bool ReductionPlan::isWindow(OpOperand *operand) const {
  if (!isa<MemRefType>(operand->get().getType()) ||
      getAccess(op, operand, *vectorLoop) != Access::Contiguous)
    return false;
  AffineMap map = GenericOp(op).getMatchingIndexingMap(operand);
  std::optional<SmallVector<int64_t>> steps = getSteps(map, *rowLoop);
  return map.isFunctionOfDim(*rowLoop) && steps &&
         steps == getSteps(map, *windowLoop);
}

/// Returns the plan for a window that slides over an image, such as a depthwise
/// convolution or a pooling. Returns nullopt for other reductions.
static std::optional<ReductionPlan> planWindow(const ReductionPlan &scalar) {
  std::optional<ReductionPlan> plan = planVectors(scalar, /*hasBlocks=*/false);
  if (!plan || plan->rowLoop || plan->dotProduct ||
      plan->op.hasIndexSemantics())
    return std::nullopt;
  SmallVector<unsigned> rows = plan->getOuterLoops();
  int64_t steps = 1;
  for (size_t first = plan->reductions.size(); first-- > 0;) {
    unsigned loop = plan->reductions[first];
    if (plan->isDynamic(loop) || plan->ranges[loop] > kMaxWindowSteps ||
        (steps *= plan->ranges[loop]) > kMaxWindowSteps)
      break;
    for (unsigned row : rows) {
      if (plan->isDynamic(row) || plan->ranges[row] < kWindowRows ||
          plan->ranges[loop] < 2)
        continue;
      plan->windowLoop = loop;
      plan->rowLoop = row;
      if (llvm::none_of(
              GenericOp(plan->op).getDpsInputOperands(),
              [&](OpOperand *input) { return plan->isWindow(input); }))
        continue;
      plan->firstUnrolled = first;
      plan->tileRows = kWindowRows;
      plan->vectorLanes = std::min(
          plan->vectorLanes,
          std::max<int64_t>(plan->numAccumulators / (2 * kWindowRows), 1) *
              plan->registerLanes);
      return plan;
    }
  }
  return std::nullopt;
}

/// Returns the plan with vectors along the innermost reduction loop. Returns
/// nullopt if the result depends on the accumulation order.
static std::optional<ReductionPlan> planFolded(const ReductionPlan &scalar) {
  ReductionPlan plan = scalar;
  GenericOp op = plan.op;
  unsigned loop = plan.ranges.size() - 1;
  plan.registerLanes = getRegisterLanes(op->getOperands(), plan.vectorBytes);
  if (op.hasIndexSemantics() || !hasElementwiseBody(op) ||
      getCombiners(op).empty() || plan.reductions.back() != loop ||
      llvm::any_of(op->getOpOperands(),
                   [&](OpOperand &operand) {
                     return isa<MemRefType>(operand.get().getType()) &&
                            getAccess(op, &operand, loop) == Access::Strided;
                   }) ||
      plan.registerLanes < 2 || !llvm::isPowerOf2_64(plan.registerLanes) ||
      (!plan.isDynamic(loop) && plan.ranges[loop] < plan.registerLanes))
    return std::nullopt;
  plan.foldLoop = loop;
  plan.vectorLanes = kFoldedRegisters * plan.registerLanes;
  return plan;
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

/// Returns the type of the operand with its innermost dimensions, which must be
/// the reduction loops in order, collapsed to one dimension. Returns null if
/// they are other dimensions, or are not contiguous in memory.
static MemRefType collapseReductions(const ReductionPlan &plan,
                                     OpOperand *operand) {
  AffineMap map = GenericOp(plan.op).getMatchingIndexingMap(operand);
  auto type = cast<MemRefType>(operand->get().getType());
  if (map.getNumResults() < plan.reductions.size())
    return {};
  unsigned first = map.getNumResults() - plan.reductions.size();
  for (auto [index, loop] : llvm::enumerate(plan.reductions))
    if (map.getResult(first + index) !=
            getAffineDimExpr(loop, map.getContext()) ||
        type.getDimSize(first + index) != plan.ranges[loop])
      return {};
  for (AffineExpr index : map.getResults().take_front(first))
    for (unsigned loop : plan.reductions)
      if (index.isFunctionOfDim(loop))
        return {};
  SmallVector<ReassociationIndices> groups = getCollapsedDims(plan, type);
  if (groups.size() == size_t(type.getRank()))
    return type;
  return memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups)
             ? memref::CollapseShapeOp::computeCollapsedType(type, groups)
             : MemRefType();
}

SmallVector<ReassociationIndices>
quant_float::getCollapsedDims(const ReductionPlan &plan, MemRefType type) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim + int64_t(plan.reductions.size()) <= type.getRank())
      groups.push_back({dim});
    else
      groups.back().push_back(dim);
  return groups;
}

/// Returns the extent of the innermost reduction loop if each iteration moves
/// the vectors of `packed` by one element, or 1. The steps of a window are
/// unrolled.
static int64_t getWindow(const ReductionPlan &plan, OpOperand *packed,
                         bool hasMatrix) {
  // Blocks of dot products and matrix instructions have several steps.
  int64_t range = plan.ranges[plan.reductions.back()];
  if (plan.dotProduct || hasMatrix || plan.reductions.size() < 2 ||
      range > kMaxWindow ||
      getAccess(plan.op, packed, *plan.vectorLoop) != Access::Contiguous)
    return 1;
  std::optional<SmallVector<int64_t>> steps =
      getSteps(GenericOp(plan.op).getMatchingIndexingMap(packed),
               plan.reductions.back());
  bool isWindow = steps && steps->back() == 1 &&
                  llvm::all_of(ArrayRef(*steps).drop_back(),
                               [](int64_t step) { return step == 0; });
  return isWindow ? range : 1;
}

static bool fitsPanel(const ReductionPlan &plan) {
  int64_t lanes = llvm::alignTo(plan.vectorLanes, plan.registerLanes);
  int64_t bits =
      getElementTypeOrSelf(plan.panel->packed->get()).getIntOrFloatBitWidth();
  return plan.getPanelRows(lanes) * plan.getPanelPitch(lanes) * bits / 8 <=
         kPanelBytes;
}

/// Adds the matrix instruction to the plan, if it is applicable to the panel
/// and its rows, `unpacked`. All extents must be static: a dynamic K extent may
/// be less than a block, and tile registers are configured to static sizes.
static ReductionPlan addMatrix(const ReductionPlan &plan,
                               MemRefType unpackedType,
                               const MatrixInstruction *matrix) {
  if (!matrix || plan.isDynamic(plan.panel->partLoop) ||
      plan.isDynamic(*plan.vectorLoop) || plan.isDynamic(*plan.rowLoop))
    return plan;
  ReductionPlan result = plan;
  PanelPlan &panel = *result.panel;
  panel.matrix = matrix;
  panel.swapsOperands = isSwapped(
      *matrix, getDotTypes(plan.op)[panel.unpacked->getOperandNumber()]);
  // The accumulators are two by two tiles, or four by eight vectors. Each step
  // is an i32 of four bytes along K.
  bool hasTiles = matrix->unit == MatrixUnit::Tiles;
  panel.maxRows = result.tileRows = matrix->m * (hasTiles ? 2 : 4);
  panel.maxLanes = matrix->n * (hasTiles ? 2 : 8);
  int64_t range = plan.ranges[panel.partLoop];
  // Clamp, because the product of a model's sizes may overflow.
  int64_t steps = std::min(range, kPanelBytes) * panel.innerSteps;
  panel.blockSteps =
      hasTiles ? std::min(matrix->k / 4, steps) : 2 * matrix->k / 4;
  auto hasRowSteps = [&](OpOperand *operand) {
    AffineMap map = GenericOp(plan.op).getMatchingIndexingMap(operand);
    return getSteps(map, *plan.rowLoop).has_value();
  };
  // The pairs of rows that I8MM multiplies are formed from vectors of four
  // lanes.
  if (!unpackedType.isLastDimUnitStride() || steps < panel.blockSteps ||
      (hasTiles ? !hasRowSteps(panel.unpacked) ||
                      !hasRowSteps(result.op.getDpsInitOperand(0))
                : plan.registerLanes != 4))
    return plan;
  // Choose the parts of K again for the lanes of a tile. If possible, all parts
  // but the last consist of full blocks.
  result.vectorLanes = std::min(plan.vectorLanes, panel.maxLanes);
  int64_t lanes = llvm::alignTo(result.vectorLanes, plan.registerLanes);
  int64_t maxSteps = kPanelBytes / (lanes * 4 * panel.innerSteps);
  panel.partSteps = llvm::divideCeil(range, llvm::divideCeil(range, maxSteps));
  int64_t aligned = llvm::alignTo(
      panel.partSteps,
      panel.blockSteps / std::gcd(panel.blockSteps, panel.innerSteps));
  if (panel.partSteps < range && aligned <= maxSteps)
    panel.partSteps = aligned;
  // The panel must have room for the zeros in the last block.
  return fitsPanel(result) ? result : plan;
}

MatrixInstructionChoice
ReductionPlan::chooseMatrix(GenericOp op, OpOperand &rows,
                            const LoweringTarget &target) {
  SmallVector<IntegerType> types = getDotTypes(op);
  if (rows.getOperandNumber() == 1)
    std::reverse(types.begin(), types.end());
  return chooseMatrixInstruction(
      target, types, [](const MatrixInstruction &row) {
        return row.unit == MatrixUnit::Vectors || row.unit == MatrixUnit::Tiles;
      });
}

/// Adds a panel, and the matrix instruction of the target unless it is null, to
/// a plan with vectors. Returns nullopt unless the op is a contraction of
/// floats, or of packed i32 operands that have a dot-product instruction.
static std::optional<ReductionPlan> planPanels(const ReductionPlan &plan,
                                               const LoweringTarget *target) {
  GenericOp op = plan.op;
  if (!plan.rowLoop || !(plan.isPlainContraction || plan.dotProduct) ||
      op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  OpOperand *packed = nullptr, *unpacked = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<MemRefType>(input->get().getType()))
      return std::nullopt;
    bool variesAlongLanes =
        getAccess(op, input, *plan.vectorLoop) != Access::Invariant;
    bool variesAlongRows =
        getAccess(op, input, *plan.rowLoop) != Access::Invariant;
    if (variesAlongLanes != variesAlongRows)
      (variesAlongLanes ? packed : unpacked) = input;
  }
  if (!packed || !unpacked || plan.ranges[plan.reductions.front()] == 0)
    return std::nullopt;
  const MatrixInstruction *matrix =
      target ? ReductionPlan::chooseMatrix(op, *unpacked, *target).instruction
             : nullptr;
  ReductionPlan result = plan;
  result.blockLoop = std::nullopt;
  result.foldsBlocks = false;
  result.vectorLanes = getLanes(result);
  PanelPlan &panel = result.panel.emplace();
  panel.packed = packed;
  panel.unpacked = unpacked;
  panel.partLoop = plan.reductions.front();
  panel.squareLoop = plan.blockLoop;
  // Only the outermost reduction is split into parts, so the others must be
  // static.
  for (unsigned loop : ArrayRef(plan.reductions).drop_front()) {
    if (plan.isDynamic(loop) || plan.ranges[loop] == 0)
      return std::nullopt;
    // Clamp, because the product of a model's sizes may overflow.
    panel.innerSteps *= std::min(plan.ranges[loop], kPanelBytes);
    if (panel.innerSteps >= kPanelBytes)
      return std::nullopt;
  }
  panel.windowSteps = getWindow(plan, packed, matrix);
  int64_t lanes = llvm::alignTo(result.vectorLanes, plan.registerLanes);
  int64_t bits = getElementTypeOrSelf(packed->get()).getIntOrFloatBitWidth();
  bool isFloatMatmul = plan.isPlainContraction && plan.reductions.size() == 1;
  int64_t maxSteps = (isFloatMatmul ? kMatmulPanelBytes : kPanelBytes) /
                     (result.getPanelPitch(lanes) * bits / 8 *
                      (panel.innerSteps / panel.windowSteps));
  MemRefType unpackedType = collapseReductions(plan, unpacked);
  if (maxSteps == 0 || !unpackedType)
    return std::nullopt;
  panel.partSteps = maxSteps;
  int64_t range = plan.ranges[panel.partLoop];
  if (!plan.isDynamic(panel.partLoop))
    panel.partSteps =
        llvm::divideCeil(range, llvm::divideCeil(range, maxSteps));
  // Round to full square blocks.
  if (panel.squareLoop)
    panel.partSteps = std::min(
        maxSteps, int64_t(llvm::alignTo(panel.partSteps, plan.registerLanes)));
  panel.prefetches = !plan.isDynamic(*plan.rowLoop) &&
                     (!unpackedType.hasStaticShape() ||
                      unpackedType.getNumElements() *
                              (unpackedType.getElementTypeBitWidth() / 8) >=
                          kMinPrefetchedBytes);
  auto packedType = cast<MemRefType>(packed->get().getType());
  panel.prefetchesPanel =
      plan.reductions.size() == 1 && panel.windowSteps == 1 && !matrix &&
      !plan.isDynamic(panel.partLoop) &&
      getAccess(op, packed, *plan.vectorLoop) == Access::Contiguous &&
      packedType.getDimSize(packedType.getRank() - 1) * bits / 8 >=
          kMinPrefetchedPitch;
  result.tileRows = chooseRows(result, result.vectorLanes);
  return addMatrix(result, unpackedType, matrix);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Returns the index in `reductions` of the first loop that is unrolled.
static size_t findUnrolled(const ReductionPlan &plan) {
  for (size_t first = 0; first < plan.reductions.size(); ++first) {
    // Saturate the number of steps, because the product of a model's sizes may
    // overflow.
    int64_t steps = 1;
    for (unsigned loop : ArrayRef(plan.reductions).drop_front(first)) {
      bool isLong = plan.isDynamic(loop) || plan.ranges[loop] > kMaxUnrolled;
      steps = isLong || steps > kMaxUnrolled ? kMaxUnrolled + 1
                                             : steps * plan.ranges[loop];
    }
    if (steps <= kMaxUnrolled)
      return first;
  }
  return plan.reductions.size();
}

static ReductionPlan planScalar(GenericOp op, const LoweringTarget &target,
                                VectorRegisters registers) {
  ReductionPlan plan;
  plan.op = op;
  plan.machine = target.machine;
  plan.vectorBytes = registers.bytes;
  plan.dotProduct = PackedDotProduct::get(target, getDotTypes(op));
  plan.isPlainContraction = isPlainContraction(op);
  plan.numAccumulators = std::max<int64_t>(registers.count / 2, 1);
  plan.ranges = op.getStaticLoopRanges();
  op.getReductionDims(plan.reductions);
  plan.firstUnrolled = findUnrolled(plan);
  return plan;
}

/// Returns the plan with vectors and, if they are applicable, square blocks.
static std::optional<ReductionPlan>
planBestVectors(const ReductionPlan &scalar) {
  std::optional<ReductionPlan> plan = planVectors(scalar, /*hasBlocks=*/true);
  return plan ? plan : planVectors(scalar, /*hasBlocks=*/false);
}

ReductionPlan ReductionPlan::choose(GenericOp op, const LoweringTarget &target,
                                    VectorRegisters registers) {
  ReductionPlan scalar = planScalar(op, target, registers);
  if (std::optional<ReductionPlan> window = planWindow(scalar))
    return *window;
  std::optional<ReductionPlan> vectors = planBestVectors(scalar);
  if (!vectors)
    return planFolded(scalar).value_or(scalar);
  // Packing is not profitable for few rows or for square blocks.
  bool isDynamic = vectors->rowLoop && scalar.isDynamic(*vectors->rowLoop);
  if (!vectors->rowLoop ||
      (!isDynamic && (vectors->blockLoop ||
                      scalar.ranges[*vectors->rowLoop] < kMinPanelReuse)))
    return *vectors;
  std::optional<ReductionPlan> panels = planPanels(*vectors, &target);
  if (panels && isDynamic)
    panels->otherwise = std::make_shared<const ReductionPlan>(*vectors);
  return panels ? *panels : *vectors;
}

//===----------------------------------------------------------------------===//
// Lowering configs
//===----------------------------------------------------------------------===//

LoweringStrategy ReductionPlan::getStrategy() const {
  if (panel)
    return panel->matrix && panel->matrix->unit == MatrixUnit::Tiles
               ? LoweringStrategy::MatrixTiles
               : LoweringStrategy::Panels;
  if (windowLoop)
    return LoweringStrategy::WindowRows;
  if (vectorLoop)
    return blockLoop ? LoweringStrategy::SquareBlocks
                     : LoweringStrategy::Vectors;
  return foldLoop ? LoweringStrategy::Folded : LoweringStrategy::Scalar;
}

StringRef ReductionPlan::getInstruction() const {
  if (panel && panel->matrix)
    return panel->matrix->name;
  return dotProduct && vectorLoop ? dotProduct->getName() : "";
}

LoweringConfigAttr ReductionPlan::getConfig() const {
  SmallVector<int64_t> sizes;
  if (vectorLoop)
    sizes = {tileRows, vectorLanes};
  else if (foldLoop)
    sizes = {vectorLanes};
  if (panel)
    sizes.push_back(panel->partSteps * panel->innerSteps);
  MLIRContext *context = op->getContext();
  SmallVector<DenseI64ArrayAttr> tiles;
  if (!sizes.empty())
    tiles.push_back(DenseI64ArrayAttr::get(context, sizes));
  return LoweringConfigAttr::get(context, getStrategy(), getInstruction(),
                                 tiles,
                                 otherwise ? otherwise->getConfig() : nullptr);
}

/// Returns the plan of a strategy and an instruction with the tile sizes that
/// choose() takes. Returns nullopt if the strategy is not applicable.
static std::optional<ReductionPlan> planStrategy(const ReductionPlan &scalar,
                                                 LoweringStrategy strategy,
                                                 StringRef instruction,
                                                 const LoweringTarget &target) {
  std::optional<ReductionPlan> plan = scalar;
  if (strategy == LoweringStrategy::Folded)
    plan = planFolded(scalar);
  else if (strategy == LoweringStrategy::WindowRows)
    plan = planWindow(scalar);
  else if (strategy == LoweringStrategy::Vectors ||
           strategy == LoweringStrategy::SquareBlocks)
    plan = planVectors(scalar, strategy == LoweringStrategy::SquareBlocks);
  else if (strategy != LoweringStrategy::Scalar)
    plan = planBestVectors(scalar);
  if (plan && (strategy == LoweringStrategy::Panels ||
               strategy == LoweringStrategy::MatrixTiles)) {
    bool isDot =
        scalar.dotProduct && instruction == scalar.dotProduct->getName();
    plan = planPanels(*plan, isDot ? nullptr : &target);
  }
  return plan && plan->getStrategy() == strategy ? plan : std::nullopt;
}

/// Changes the tile sizes of the plan. Returns false if they are not valid.
static bool setSizes(ReductionPlan &plan, ArrayRef<int64_t> sizes) {
  int64_t maxLanes = plan.numAccumulators * plan.registerLanes;
  if (plan.foldLoop) {
    int64_t lanes = plan.vectorLanes = sizes[0];
    return lanes >= plan.registerLanes && llvm::isPowerOf2_64(lanes) &&
           lanes <= std::max(kFoldedRegisters * plan.registerLanes, maxLanes);
  }
  if (!plan.vectorLoop)
    return true;
  bool hasMatrix = plan.panel && plan.panel->matrix;
  int64_t maxRows = !plan.rowLoop ? 1
                    : hasMatrix   ? plan.panel->maxRows
                                  : kMaxConfiguredRows;
  int64_t minLanes = plan.blockLoop ? plan.vectorLanes : 2;
  if (plan.blockLoop)
    maxLanes = plan.vectorLanes;
  else if (hasMatrix)
    maxLanes = plan.panel->maxLanes;
  int64_t range = plan.ranges[*plan.vectorLoop];
  plan.tileRows = sizes[0];
  int64_t lanes = plan.vectorLanes = sizes[1];
  if (plan.tileRows > maxRows || lanes < minLanes || lanes > maxLanes ||
      plan.getNextElements(lanes) != lanes ||
      (plan.isDynamic(*plan.vectorLoop) ? lanes % plan.registerLanes != 0
                                        : lanes > range))
    return false;
  if (!plan.panel)
    return true;
  plan.panel->partSteps = sizes[2] / plan.panel->innerSteps;
  return sizes[2] % plan.panel->innerSteps == 0 &&
         sizes[2] >= plan.panel->blockSteps && fitsPanel(plan);
}

FailureOr<ReductionPlan> ReductionPlan::get(GenericOp op,
                                            LoweringConfigAttr config,
                                            const LoweringTarget &target,
                                            VectorRegisters registers) {
  LoweringStrategy strategy = config.getStrategy();
  StringRef instruction = config.getInstruction();
  auto emitError = [&] { return op.emitOpError("lowering config: "); };
  auto getName = stringifyLoweringStrategy;
  ReductionPlan scalar = planScalar(op, target, registers);
  if (instruction.empty() && strategy != LoweringStrategy::Scalar &&
      strategy != LoweringStrategy::Folded)
    scalar.dotProduct = std::nullopt;
  std::optional<ReductionPlan> plan =
      planStrategy(scalar, strategy, instruction, target);
  if (!plan)
    return emitError() << "expected an applicable strategy, such as '"
                       << getName(choose(op, target, registers).getStrategy())
                       << "', but got '" << getName(strategy) << "'";
  if (plan->getInstruction() != instruction)
    return emitError() << "expected the instruction '" << plan->getInstruction()
                       << "', but got '" << instruction << "'";
  LoweringConfigAttr chosen = plan->getConfig();
  if (!config.getTiles().empty() && !setSizes(*plan, config.getTile(0)))
    return emitError() << "expected valid tile sizes, such as "
                       << llvm::interleaved_array(chosen.getTile(0))
                       << ", but got "
                       << llvm::interleaved_array(config.getTile(0));
  LoweringConfigAttr fallback = config.getOtherwise();
  if (!fallback)
    return *plan;
  if (!plan->isDynamic(*plan->rowLoop))
    return emitError() << "expected no 'otherwise' for a static number of rows";
  FailureOr<ReductionPlan> otherwise = get(op, fallback, target, registers);
  if (failed(otherwise))
    return failure();
  plan->otherwise = std::make_shared<const ReductionPlan>(*otherwise);
  return *plan;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

SmallVector<unsigned> ReductionPlan::getOuterLoops() const {
  SmallVector<unsigned> loops;
  GenericOp(op).getParallelDims(loops);
  llvm::erase_if(loops, [&](unsigned loop) {
    return loop == vectorLoop || loop == rowLoop;
  });
  return loops;
}

int64_t ReductionPlan::getNextElements(int64_t elements) const {
  if (elements <= registerLanes)
    return elements;
  if (!canMask)
    return llvm::bit_floor<uint64_t>(elements);
  uint64_t registers = llvm::divideCeil(elements, registerLanes);
  return std::min<int64_t>(elements,
                           llvm::bit_floor(registers) * registerLanes);
}

int64_t ReductionPlan::getRows(int64_t lanes) const {
  bool isFull = lanes && llvm::divideCeil(lanes, registerLanes) ==
                             llvm::divideCeil(vectorLanes, registerLanes);
  return isFull || windowLoop || hasMatrices(lanes) ? tileRows
                                                    : chooseRows(*this, lanes);
}

SmallVector<ReductionPlan::Tiles> ReductionPlan::getTiles(unsigned loop,
                                                          int64_t size) const {
  SmallVector<Tiles> tiles;
  int64_t extent = ranges[loop], full = extent / size * size;
  // A remainder of few rows would have too few independent accumulators. Split
  // it and the last full tile into two tiles of similar size instead.
  if (loop == rowLoop && full && extent - full != 0 &&
      extent - full < kMinRows && isPlainContraction)
    full -= size;
  if (full)
    tiles.push_back({0, full, size});
  while (full != extent) {
    // The next tiles have `count` iterations in total.
    int64_t count = extent - full, tileSize = count;
    if (loop == vectorLoop)
      tileSize = count = getNextElements(count);
    else if (count > size)
      tileSize = llvm::divideCeil(count, 2);
    if (count != 2 * tileSize)
      count = tileSize;
    tiles.push_back({full, full + count, tileSize});
    full += count;
  }
  return tiles;
}

SmallVector<int64_t> ReductionPlan::getColumnTiles() const {
  SmallVector<int64_t> sizes{vectorLanes};
  if (vectorLanes > registerLanes)
    sizes.push_back(registerLanes);
  if (!canMask)
    sizes.push_back(1);
  else if (sizes.size() == 1)
    sizes.push_back(vectorLanes);
  return sizes;
}

int64_t ReductionPlan::getPanelRows(int64_t lanes) const {
  return llvm::alignTo(panel->partSteps * panel->innerSteps /
                           panel->windowSteps,
                       hasMatrices(lanes) ? panel->blockSteps : 1);
}

int64_t ReductionPlan::getMatrixLanes(int64_t rows, int64_t lanes) const {
  int64_t available = 2 * numAccumulators / llvm::divideCeil(rows, 2);
  return std::clamp<int64_t>(llvm::bit_floor<uint64_t>(available),
                             registerLanes, lanes);
}

bool ReductionPlan::hasFullBlocks() const {
  int64_t block = panel->blockSteps;
  return ranges[panel->partLoop] % block * panel->innerSteps % block == 0 &&
         panel->partSteps * panel->innerSteps % block == 0;
}
