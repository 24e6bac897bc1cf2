//===- DialectVersion.cpp - Versions of the dialect's bytecode ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/DialectVersion.h"

#include "mlir/IR/Operation.h"
#include "quant-float/IR/QuantFloatOps.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;

/// Upgrades from 0.1, which represented OpenVINO's Convert as a node if it is
/// not equivalent to ONNX casts.
static LogicalResult castOpenVinoConverts(Operation *topLevel) {
  topLevel->walk([](NodeOp node) {
    if (getNodeKind(node) != NodeKind::OwnOpenVinoConvert ||
        node->getNumOperands() != 1 || node->getNumResults() != 1)
      return;
    OpBuilder b(node);
    auto cast = CastOp::create(
        b, node.getLoc(), node->getResult(0).getType(), node->getOperand(0),
        /*random=*/Value(), b.getI64IntegerAttr(1), UnitAttr(), BoolAttr(),
        RoundModeAttr(), CastModeAttr::get(b.getContext(), CastMode::OpenVINO),
        ProjectionAttr());
    node->replaceAllUsesWith(cast);
    node->erase();
  });
  return success();
}

/// Returns the upgrade steps. test/IR/Inputs/bytecode contains files of every
/// version; the result of reading them must not change.
static ArrayRef<DialectUpgrade> getUpgrades() {
  static const DialectUpgrade upgrades[] = {{{0, 1}, castOpenVinoConverts}};
  return upgrades;
}

LogicalResult quant_float::applyUpgrades(Operation *topLevel,
                                         const QuantFloatDialectVersion &from,
                                         ArrayRef<DialectUpgrade> upgrades) {
  for (const DialectUpgrade &upgrade : upgrades)
    if (!(upgrade.last < from) && failed(upgrade.apply(topLevel)))
      return failure();
  return success();
}

namespace {
/// Attributes and types use the default encoding, which is their assembly
/// format.
struct QuantFloatBytecodeInterface final : BytecodeDialectInterface {
  explicit QuantFloatBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const final {
    QuantFloatDialectVersion version = QuantFloatDialectVersion::getCurrent();
    writer.writeVarInt(version.major);
    writer.writeVarInt(version.minor);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const final {
    uint64_t major, minor;
    if (failed(reader.readVarInt(major)) || failed(reader.readVarInt(minor)))
      return nullptr;
    QuantFloatDialectVersion current = QuantFloatDialectVersion::getCurrent();
    constexpr uint64_t max = std::numeric_limits<unsigned>::max();
    auto version = std::make_unique<QuantFloatDialectVersion>(
        std::min(major, max), std::min(minor, max));
    if (!(current < *version))
      return version;
    reader.emitError() << "quant_float of version " << major << "." << minor
                       << " is newer than " << current.str()
                       << ", the newest supported version";
    return nullptr;
  }

  LogicalResult upgradeFromVersion(Operation *topLevel,
                                   const DialectVersion &version) const final {
    return applyUpgrades(topLevel,
                         static_cast<const QuantFloatDialectVersion &>(version),
                         getUpgrades());
  }
};
} // namespace

void quant_float::addBytecodeInterface(Dialect &dialect) {
  dialect.addInterface(std::make_unique<QuantFloatBytecodeInterface>(&dialect));
}
