//===- TileWindowChannels.cpp - Tile channels of depthwise windows --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A depthwise convolution or a pooling reads each channel of its image once,
// but its image is padded and, for strides, de-interleaved by copies. Copies of
// the entire image do not fit into a cache. Therefore the chain from the
// padding to the elementwise op that reads the result is tiled by channels:
//
//   for a tile of channels:
//     padded = pad(image[channels])
//     result = windows(padded)
//     output[channels] = activation(result)
//
//===----------------------------------------------------------------------===//

#include "../Common/Contraction.h"
#include "../Common/LinalgUtils.h"
#include "TileCleanup.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/Support/Indices.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATTILEWINDOWCHANNELSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-tile-window-channels"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The size of a tile of the image: half of the smallest L1 data cache.
static constexpr int64_t kTileBytes = 16384;
/// The size of an image whose copies do not fit into the smallest L2 cache.
static constexpr int64_t kMinBytes = 131072;
/// The minimum number of elements for which several threads are faster than
/// one.
static constexpr int64_t kMinParallelSize = 262144;

namespace {
/// An op that slides a window along the last two dimensions of an image, and
/// the ops that are tiled together with it.
class WindowChain {
public:
  explicit WindowChain(GenericOp windows) : windows(windows) {}

  bool match();
  LogicalResult tile(RewriterBase &rewriter, bool threads);

private:
  bool findImage();
  void findRoot();
  bool chooseTiles();

  GenericOp windows;
  OpOperand *image = nullptr;
  /// The op whose loops are tiled: `windows`, or the elementwise op that reads
  /// its result.
  GenericOp root;
  llvm::SmallPtrSet<Operation *, 4> producers;
  /// The tile sizes of the loops of the root; 0 for loops that are not tiled.
  SmallVector<int64_t> tiles;
};
} // namespace

/// Finds the operand whose leading indices are those of the result, and whose
/// last two indices add loops of the result and of the window.
bool WindowChain::findImage() {
  AffineMap output = windows.getIndexingMapsArray().back();
  unsigned rank = output.getNumResults();
  if (rank < 3 || !output.isProjectedPermutation())
    return false;
  for (OpOperand *input : windows.getDpsInputOperands()) {
    AffineMap map = windows.getMatchingIndexingMap(input);
    if (map.getNumResults() != rank ||
        map.getResults().drop_back(2) != output.getResults().drop_back(2))
      continue;
    auto isWindow = [&](unsigned dim) {
      AffineExpr index = map.getResult(dim);
      return !isa<AffineDimExpr>(index) &&
             index.isFunctionOfDim(*getLoop(output.getResult(dim)));
    };
    if (isWindow(rank - 2) || isWindow(rank - 1))
      image = input;
  }
  return image != nullptr;
}

/// Finds the elementwise op that alone reads the result in place, if any.
void WindowChain::findRoot() {
  root = windows;
  if (GenericOp reader = getElementwiseUser(windows)) {
    producers.insert(windows);
    root = reader;
  }
}

bool WindowChain::chooseTiles() {
  auto type = cast<RankedTensorType>(image->get().getType());
  AffineMap output = root.getIndexingMapsArray().back();
  unsigned numLeading = output.getNumResults() - 2;
  int64_t bytes = 1;
  auto multiply = [&](int64_t size) {
    bytes = std::min(bytes, kMinBytes) * std::min(size, kMinBytes);
  };
  multiply(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  multiply(type.getDimSize(numLeading));
  multiply(type.getDimSize(numLeading + 1));
  int64_t channelBytes = bytes;
  for (int64_t size : type.getShape().take_front(numLeading))
    multiply(size);
  if (bytes < kMinBytes)
    return false;
  tiles.assign(root.getNumLoops(), 0);
  int64_t remaining = kTileBytes / channelBytes;
  for (unsigned dim = numLeading; dim-- > 0;) {
    int64_t size = type.getDimSize(dim);
    // The largest number of channels that divides all of them, so that every
    // tile has the same size.
    int64_t tile = std::max<int64_t>(std::min(remaining, size), 1);
    while (size % tile != 0)
      --tile;
    if (tile < size)
      tiles[*getLoop(output.getResult(dim))] = tile;
    remaining /= size;
  }
  return llvm::any_of(tiles, [](int64_t tile) { return tile != 0; });
}

bool WindowChain::match() {
  if (!isReductionOnTensors(windows) || windows.hasIndexSemantics() ||
      !findImage())
    return false;
  auto type = cast<RankedTensorType>(image->get().getType());
  if (!type.hasStaticShape() || type.getNumElements() == 0 ||
      !type.getElementType().isIntOrFloat() ||
      !llvm::none_of(windows.getStaticLoopRanges(), ShapedType::isDynamic) ||
      llvm::is_contained(windows.getStaticLoopRanges(), 0))
    return false;
  findRoot();
  auto pad = image->get().getDefiningOp<tensor::PadOp>();
  if (pad && pad->hasOneUse())
    producers.insert(pad);
  // The initialization of the accumulators.
  auto start = windows.getDpsInits().front().getDefiningOp<GenericOp>();
  if (start && start->hasOneUse() && isElementwise(start))
    producers.insert(start);
  return chooseTiles();
}

LogicalResult WindowChain::tile(RewriterBase &rewriter, bool threads) {
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), tiles));
  int64_t elements = 1;
  for (int64_t size : windows.getStaticLoopRanges())
    elements =
        std::min(elements, kMinParallelSize) * std::min(size, kMinParallelSize);
  if (threads && elements >= kMinParallelSize)
    options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  return tileAndFuse(rewriter, root, options,
                     [&](tensor::ExtractSliceOp, OpResult result, bool) {
                       return producers.contains(result.getOwner());
                     });
}

namespace {
struct TileWindowChannels final
    : quant_float::impl::QuantFloatTileWindowChannelsPassBase<
          TileWindowChannels> {
  using QuantFloatTileWindowChannelsPassBase::
      QuantFloatTileWindowChannelsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    bool isChanged = false;
    for (GenericOp op : collectGenericOps(getOperation())) {
      WindowChain chain(op);
      if (!chain.match())
        continue;
      LDBG() << "tiling the channels of " << op.getLoc();
      if (failed(chain.tile(rewriter, parallel)))
        return signalPassFailure();
      ++numTiled;
      isChanged = true;
    }
    if (isChanged && failed(cleanUpTiles(getOperation())))
      signalPassFailure();
  }
};
} // namespace
