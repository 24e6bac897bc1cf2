//===- UseNontemporalStores.cpp - Use non-temporal stores -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A store to memory that is not in a cache first reads the cache line from
// memory. Non-temporal stores of full lines do not, and do not evict other
// data from the caches, but they are slower if the results fit into the caches.
// Therefore the emitted code chooses between both at run time:
//
// scf.for %i = %lb to %ub step 64 { ... transfer_write ..., %y[%i] }
//   ->
// %nontemporal = the buffers read and written are larger than a threshold of
//                this CPU (__qf_get_nontemporal_threshold)
// // If %nontemporal, this loop computes only a full vector at each end, if %y
// // is not aligned. Some elements are written twice, with the same value.
// scf.for %i = %lb to (%nontemporal ? %shift ? %last + 1 : %lb : %ub)
//     step (%nontemporal ? %last - %lb : 64) { ... transfer_write ..., %y[%i] }
// scf.if (%nontemporal) {
//   scf.for %i = %lb + %shift to %last + 1 step 64 {
//     prefetch the inputs 8 KiB ahead
//     ... vector.store ..., %y[%i] {nontemporal, alignment = 64}
//   }
// }
//
//===----------------------------------------------------------------------===//

#include "../Common/BufferAccesses.h"
#include "../Common/LinalgUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/Support/BufferSize.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATUSENONTEMPORALSTORESPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-use-nontemporal-stores"

using namespace mlir;
using namespace mlir::quant_float;

/// Smaller data is below the threshold of every CPU.
static constexpr int64_t kMinBytes = int64_t(1) << 20;
/// Data of a known size below this fits into most caches, so that a second
/// version of the loop is not worth its code size.
static constexpr int64_t kMinStaticBytes = int64_t(1) << 22;
/// The maximum number of loops in a function. In functions with more loops,
/// such as a concatenation of hundreds of tensors, each loop uses only a part
/// of the caches, and compiling the second versions would take seconds.
static constexpr size_t kMaxLoops = 64;
static constexpr int64_t kLineBytes = 64;
/// The prefetch distance. The long bodies of conversions keep too few loads in
/// flight, and hardware prefetchers stop at the end of a page. On Zen 5,
/// encoding is 1.1 to 1.4 times as fast with a distance of two pages as with
/// half a page. With a longer distance, short bodies lose as much as long ones
/// gain.
static constexpr int64_t kPrefetchBytes = 8192;
static constexpr llvm::StringLiteral kGetThreshold =
    "__qf_get_nontemporal_threshold";

/// Returns the width of an element if vectors have the same memory layout as
/// buffers; 0 otherwise.
static int64_t getElementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrFloat())
    return 0;
  int64_t bits = element.getIntOrFloatBitWidth();
  return isPackedElementType(element) || bits == 8 * getStrideBytes(element)
             ? bits
             : 0;
}

namespace {
/// A vector transfer at an offset that advances with the loop.
struct VectorAccess {
  VectorTransferOpInterface transfer;
  memref::SubViewOp view;

  static std::optional<VectorAccess> get(VectorTransferOpInterface transfer,
                                         scf::ForOp loop);
  Value getRoot() { return quant_float::getRoot(view); }
  int64_t getElementBits() { return ::getElementBits(view.getType()); }
  int64_t getBytes() {
    return transfer.getVectorType().getNumElements() * getElementBits() / 8;
  }
  /// The alignment of stores of the vector in bytes.
  int64_t getAlignment() { return std::min(getBytes(), kLineBytes); }
};

/// A loop that is split into two versions.
class NontemporalLoop {
public:
  NontemporalLoop(ModuleOp module, scf::ForOp loop)
      : b(loop.getLoc(), loop.getContext()), module(module), loop(loop) {}

  /// Whether the results may be large, and non-temporal stores are legal.
  bool analyze(DominanceInfo &dominance);
  void split();

private:
  bool isElement(OpOperand &use);
  bool isRewritten(VectorAccess &write);
  int64_t getPrefetchBytes(VectorAccess &read);
  bool readsLargeTiles(DominanceInfo &dominance);
  void prefetch(VectorAccess &read);
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value lhs, Value rhs) {
    return b.createOrFold<arith::AddIOp>(lhs, rhs);
  }
  Value getAddress(VectorAccess &access);
  Value isLarge();
  Value canStream(Value shift);
  Value getShift();
  scf::ForOp cloneLoop(Value from, Value to, Value step);
  void stream(scf::ForOp copy);

  ImplicitLocOpBuilder b;
  ModuleOp module;
  scf::ForOp loop;
  /// The outermost loop or branch around the loop, or the loop itself.
  Operation *outermost = nullptr;
  SmallVector<VectorAccess> reads, writes;
  llvm::SetVector<Value> roots;
  int64_t step = 0;
  /// Whether the iterations may start at any element.
  bool canShift = true;
  /// Whether the results are a tile that stays in the caches, so that the loop
  /// has no second version.
  bool onlyPrefetches = false;
  Value last;
};
} // namespace

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

std::optional<VectorAccess>
VectorAccess::get(VectorTransferOpInterface transfer, scf::ForOp loop) {
  auto view = transfer.getBase().getDefiningOp<memref::SubViewOp>();
  if (!view || view->getBlock() != loop.getBody() ||
      transfer->getBlock() != loop.getBody() || transfer.getMask() ||
      transfer.hasOutOfBoundsDim() || transfer.getVectorType().getRank() != 1 ||
      view.getType().getRank() != 1 || !view.getType().isLastDimUnitStride() ||
      !view.getSourceType().isLastDimUnitStride() ||
      !transfer.getPermutationMap().isMinorIdentity() ||
      !llvm::all_of(transfer.getIndices(),
                    [](Value at) { return isConstantIntValue(at, 0); }))
    return std::nullopt;
  return VectorAccess{transfer, view};
}

/// Whether the use is the offset of a view along the last dimension. If all
/// uses are, the iterations may start at any element.
bool NontemporalLoop::isElement(OpOperand &use) {
  auto view = dyn_cast<memref::SubViewOp>(use.getOwner());
  if (!view)
    return false;
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  return llvm::count(view->getOperands(), use.get()) == 1 &&
         llvm::dyn_cast_if_present<Value>(offsets.back()) == use.get();
}

/// Whether the surrounding loops write the same memory in each iteration. It is
/// read before it is written again, so it should remain in the caches.
bool NontemporalLoop::isRewritten(VectorAccess &write) {
  if (!loop->getParentOfType<LoopLikeOpInterface>())
    return false;
  llvm::SetVector<Value> values;
  values.insert(write.view);
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = values[i];
    if (Operation *op = value.getDefiningOp()) {
      values.insert_range(op->getOperands());
      continue;
    }
    Operation *parent = value.getParentBlock()->getParentOp();
    if (parent == loop)
      values.insert(loop.getLowerBound());
    else if (isa<LoopLikeOpInterface>(parent))
      return false;
  }
  return true;
}

/// Returns the distance at which the elements of the next tile are, if the
/// surrounding loop reads a larger tile several times.
int64_t NontemporalLoop::getPrefetchBytes(VectorAccess &read) {
  int64_t bytes = kPrefetchBytes;
  for (auto view = read.view; view;
       view = view.getSource().getDefiningOp<memref::SubViewOp>())
    if (loop->getBlock() != view->getBlock() && view != read.view &&
        view.getType().hasStaticShape() && outermost->isAncestor(view))
      bytes = std::max<int64_t>(bytes, getStaticBytes(view.getType()));
  return bytes;
}

/// Whether the inputs may be larger than the caches, and which of them are
/// prefetched.
bool NontemporalLoop::readsLargeTiles(DominanceInfo &dominance) {
  llvm::erase_if(reads, [&](VectorAccess &read) {
    Value root = read.getRoot();
    auto type = dyn_cast<MemRefType>(root.getType());
    return !type || !dominance.properlyDominates(root, outermost) ||
           isRewritten(read) ||
           (type.hasStaticShape() && getStaticBytes(type) < kMinStaticBytes);
  });
  return !reads.empty();
}

bool NontemporalLoop::analyze(DominanceInfo &dominance) {
  std::optional<int64_t> constantStep = getConstantIntValue(loop.getStep());
  if (!constantStep || loop.getNumResults() != 0)
    return false;
  step = *constantStep;
  outermost = loop;
  while (isa<scf::ForOp, scf::ForallOp, scf::IfOp>(outermost->getParentOp()))
    outermost = outermost->getParentOp();

  // Offsets are the induction variable plus a constant.
  llvm::SmallDenseMap<Value, int64_t> offsets = {{loop.getInductionVar(), 0}};
  for (Operation &op : *loop.getBody()) {
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      AffineExpr start = getAffineDimExpr(0, op.getContext());
      auto sum =
          dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0));
      if (apply.getMapOperands().size() == 1 &&
          apply.getMapOperands()[0] == loop.getInductionVar() && sum &&
          sum.getKind() == AffineExprKind::Add && sum.getLHS() == start &&
          isa<AffineConstantExpr>(sum.getRHS()))
        offsets[apply] = cast<AffineConstantExpr>(sum.getRHS()).getValue();
    }
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
      std::optional<VectorAccess> access = VectorAccess::get(transfer, loop);
      if (access)
        (isa<vector::TransferWriteOp>(op) ? writes : reads).push_back(*access);
      else if (isa<vector::TransferWriteOp>(op))
        return false;
    } else if (!isMemoryEffectFree(&op) && !isa<memref::LoadOp>(op)) {
      return false;
    }
  }
  if (writes.empty())
    return false;
  if (llvm::any_of(writes,
                   [&](VectorAccess &write) { return isRewritten(write); })) {
    onlyPrefetches = true;
    return readsLargeTiles(dominance);
  }
  for (Value value : llvm::make_first_range(offsets))
    for (OpOperand &use : value.getUses()) {
      auto apply = dyn_cast<affine::AffineApplyOp>(use.getOwner());
      canShift &= (apply && offsets.contains(apply)) || isElement(use);
    }
  for (VectorAccess &write : writes) {
    Value offset =
        llvm::dyn_cast_if_present<Value>(write.view.getMixedOffsets().back());
    int64_t bits = write.getElementBits(), alignment = write.getAlignment();
    if (!bits || alignment < 16 || !llvm::isPowerOf2_64(alignment) || !offset ||
        !offsets.contains(offset) ||
        offsets[offset] * bits % (8 * alignment) != 0 ||
        step * bits % (8 * alignment) != 0)
      return false;
    // The address is also computed before the loop.
    if (llvm::any_of(write.view->getOperands(), [&](Value operand) {
          return operand.getParentBlock() == loop.getBody() &&
                 !offsets.contains(operand);
        }))
      return false;
    roots.insert(write.getRoot());
  }
  SmallVector<Value> written(roots.begin(), roots.end());
  // The loop must not read what it writes, because some elements are written
  // twice.
  WalkResult others = loop.walk([&](Operation *op) {
    if (isa<VectorTransferOpInterface, memref::LoadOp>(op) &&
        !isa<vector::TransferWriteOp>(op)) {
      if (llvm::is_contained(written, getRoot(op->getOperand(0))))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (others.wasInterrupted()) {
    LDBG() << "the loop at " << loop.getLoc() << " reads what it writes";
    return false;
  }
  for (VectorAccess &read : reads)
    roots.insert(read.getRoot());
  // Dynamic sizes may be large.
  int64_t bytes = 0;
  for (Value root : roots) {
    auto type = dyn_cast<MemRefType>(root.getType());
    if (!type || !dominance.properlyDominates(root, outermost))
      return false;
    bytes += type.hasStaticShape() ? getStaticBytes(type) : kMinStaticBytes;
  }
  LDBG() << "the buffers of the loop at " << loop.getLoc() << " have " << bytes
         << " bytes, as far as is known";
  return bytes >= kMinStaticBytes;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Emits the comparison of the total size of all buffers with the threshold,
/// once before the outermost loop.
Value NontemporalLoop::isLarge() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(outermost);
  Value bytes;
  for (Value root : roots) {
    auto type = cast<MemRefType>(root.getType());
    Type element = type.getElementType();
    bool isPacked = isPackedElementType(element);
    Value size = index(isPacked ? element.getIntOrFloatBitWidth()
                                : getStrideBytes(element));
    for (int64_t i = 0; i < type.getRank(); ++i)
      size = b.createOrFold<arith::MulIOp>(
          size, b.createOrFold<memref::DimOp>(root, index(i)));
    if (isPacked)
      size = b.createOrFold<arith::ShRUIOp>(size, index(3));
    bytes = bytes ? add(bytes, size) : size;
  }
  // The inputs of a narrowing loop occupy most of the cache and evict its
  // results at half of the threshold.
  auto countBytes = [](ArrayRef<VectorAccess> accesses) {
    return llvm::sum_of(llvm::map_range(
        accesses, [](VectorAccess access) { return access.getBytes(); }));
  };
  if (countBytes(reads) > countBytes(writes))
    bytes = add(bytes, bytes);
  Value mayBeLarge = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, bytes,
                                           index(kMinBytes));
  auto branch = scf::IfOp::create(b, TypeRange(b.getI1Type()), mayBeLarge,
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  auto get = module.lookupSymbol<func::FuncOp>(kGetThreshold);
  if (!get) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    get = func::FuncOp::create(b, kGetThreshold,
                               b.getFunctionType({}, b.getI64Type()));
    get.setPrivate();
  }
  Value threshold = func::CallOp::create(b, get, ValueRange()).getResult(0);
  threshold = arith::IndexCastOp::create(b, b.getIndexType(), threshold);
  Value larger =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, bytes, threshold);
  scf::YieldOp::create(b, larger);
  b.setInsertionPointToStart(branch.elseBlock());
  Value never = arith::ConstantIntOp::create(b, 0, 1);
  scf::YieldOp::create(b, never);
  return branch.getResult(0);
}

/// Returns the address in bits that the first iteration writes to.
Value NontemporalLoop::getAddress(VectorAccess &access) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), loop.getLowerBound());
  for (Value operand : access.view->getOperands())
    if (operand.getParentBlock() == loop.getBody())
      if (Operation *apply = operand.getDefiningOp())
        b.clone(*apply, mapping);
  Value view = b.clone(*access.view, mapping)->getResult(0);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, view);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      b, metadata.getBaseBuffer());
  return add(b.createOrFold<arith::MulIOp>(base, index(8)),
             b.createOrFold<arith::MulIOp>(metadata.getOffset(),
                                           index(access.getElementBits())));
}

/// Returns the number of elements to the first aligned one.
Value NontemporalLoop::getShift() {
  VectorAccess &first = writes.front();
  Value missing = arith::SubIOp::create(b, index(0), getAddress(first));
  missing =
      arith::AndIOp::create(b, missing, index(8 * first.getAlignment() - 1));
  return arith::DivUIOp::create(b, missing, index(first.getElementBits()));
}

/// Whether all stores are aligned after the shift, and there are enough
/// iterations between both ends.
Value NontemporalLoop::canStream(Value shift) {
  Value rest;
  for (VectorAccess &write : writes) {
    Value moved =
        b.createOrFold<arith::MulIOp>(shift, index(write.getElementBits()));
    Value one = arith::AndIOp::create(b, add(getAddress(write), moved),
                                      index(8 * write.getAlignment() - 1));
    rest = rest ? arith::OrIOp::create(b, rest, one).getResult() : one;
  }
  if (!canShift)
    rest = arith::OrIOp::create(b, rest, shift);
  Value isAligned =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, index(0));
  Value enough = arith::CmpIOp::create(
      b, arith::CmpIPredicate::sge,
      arith::SubIOp::create(b, loop.getUpperBound(), loop.getLowerBound()),
      index(4 * step));
  return arith::AndIOp::create(b, isAligned, enough);
}

scf::ForOp NontemporalLoop::cloneLoop(Value from, Value to, Value step) {
  auto copy = scf::ForOp::create(b, from, to, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(copy.getBody());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, mapping);
  return copy;
}

/// Replaces the writes of `copy` by non-temporal stores, and adds prefetches.
void NontemporalLoop::stream(scf::ForOp copy) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<VectorTransferOpInterface> transfers;
  copy.walk([&](VectorTransferOpInterface op) { transfers.push_back(op); });
  for (VectorTransferOpInterface op : transfers) {
    std::optional<VectorAccess> access = VectorAccess::get(op, copy);
    if (!access)
      continue;
    b.setInsertionPoint(op);
    if (auto write = dyn_cast<vector::TransferWriteOp>(op.getOperation())) {
      auto store = vector::StoreOp::create(b, write.getVector(),
                                           write.getBase(), write.getIndices());
      store.setNontemporal(true);
      store.setAlignment(access->getAlignment());
      write.erase();
      continue;
    }
    prefetch(*access);
  }
}

/// Prefetches the elements of a later iteration.
void NontemporalLoop::prefetch(VectorAccess &read) {
  // Packed elements are few bytes, which are not prefetched.
  int64_t bytes = read.getElementBits() / 8;
  if (!bytes || read.getRoot() == read.view)
    return;
  memref::SubViewOp view = read.view;
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  if (!isa<Value>(offsets.back()))
    return;
  // The index may be beyond the end of the row or of the buffer. No comparison
  // is needed, because the next row follows, and prefetching an address that is
  // not mapped has no effect.
  SmallVector<Value> indices =
      getValueOrCreateConstantIndexOp(b, b.getLoc(), offsets);
  Value vector = indices.back();
  for (int64_t line = 0; line < read.getBytes(); line += kLineBytes) {
    indices.back() =
        add(vector, index((getPrefetchBytes(read) + line) / bytes));
    memref::PrefetchOp::create(b, view.getSource(), indices,
                               /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }
}

void NontemporalLoop::split() {
  if (onlyPrefetches) {
    for (VectorAccess &read : reads) {
      b.setInsertionPoint(read.transfer);
      prefetch(read);
    }
    return;
  }
  Value large = isLarge();
  b.setInsertionPoint(loop);
  Value shift = getShift();
  Value streams = arith::AndIOp::create(b, large, canStream(shift));

  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  // The induction variable of the last iteration.
  AffineExpr from = b.getAffineDimExpr(0), to = b.getAffineDimExpr(1);
  last = createAffineApply(b, b.getLoc(),
                           from + (to - from - 1).floorDiv(step) * step,
                           {OpFoldResult(lower), OpFoldResult(upper)});
  // The shifted loop starts within the first vector of the original loop and
  // ends within the last one.
  Value end = add(last, index(1)), start = lower, endOfEnds = lower;
  if (canShift) {
    start = add(lower, shift);
    Value isShifted =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, shift, index(0));
    endOfEnds = arith::SelectOp::create(b, isShifted, end, lower);
    Value distance = arith::SubIOp::create(b, last, lower);
    loop.setStep(arith::SelectOp::create(b, streams, distance, loop.getStep()));
  }
  loop.setUpperBound(arith::SelectOp::create(b, streams, endOfEnds, upper));
  b.setInsertionPointAfter(loop);
  auto versions = scf::IfOp::create(b, streams);
  b.setInsertionPointToStart(versions.thenBlock());
  stream(cloneLoop(start, end, index(step)));

  // The fence makes the results visible to the following code. If threads share
  // the loop, the barrier at its end has locked instructions, which have the
  // same effect.
  b.setInsertionPointAfter(outermost == loop ? versions : outermost);
  auto branch = scf::IfOp::create(b, large);
  b.setInsertionPointToStart(branch.thenBlock());
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::seq_cst);
}

namespace {
struct UseNontemporalStores final
    : quant_float::impl::QuantFloatUseNontemporalStoresPassBase<
          UseNontemporalStores> {
  void runOnOperation() override {
    DominanceInfo &dominance = getAnalysis<DominanceInfo>();
    SmallVector<NontemporalLoop> streaming;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kEntryPointAttrName))
        continue;
      size_t before = streaming.size();
      kernel.walk([&](scf::ForOp loop) {
        NontemporalLoop candidate(getOperation(), loop);
        if (candidate.analyze(dominance))
          streaming.push_back(std::move(candidate));
      });
      if (streaming.size() - before > kMaxLoops) {
        LDBG() << kernel.getName()
               << " has too many loops: " << streaming.size() - before;
        streaming.erase(streaming.begin() + before, streaming.end());
      }
    }
    numSplit += streaming.size();
    for (NontemporalLoop &loop : streaming)
      loop.split();
  }
};
} // namespace
