//===- MatrixInstruction.cpp - Matrix instructions ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TargetInfo/MatrixInstruction.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct ElementRow {
  StringLiteral name, ptxType;
  int64_t bits;
};
} // namespace

static constexpr ElementRow kElements[] = {
#define QUANT_FLOAT_MATRIX_ELEMENT(Name, MlirName, PtxName, Bits)              \
  {MlirName, PtxName, Bits},
#include "quant-float/TargetInfo/MatrixInstructions.def"
};

static constexpr MatrixInstruction kInstructions[] = {
#define QUANT_FLOAT_MATRIX_INSTRUCTION(Name, Arch, Needs, Feature, Unit, A, B, \
                                       Acc, M, N, K)                           \
  {Name,                                                                       \
   llvm::Triple::Arch,                                                         \
   Needs,                                                                      \
   Feature,                                                                    \
   MatrixUnit::Unit,                                                           \
   MatrixElement::A,                                                           \
   MatrixElement::B,                                                           \
   MatrixElement::Acc,                                                         \
   M,                                                                          \
   N,                                                                          \
   K},
#include "quant-float/TargetInfo/MatrixInstructions.def"
};

StringRef quant_float::getName(MatrixElement element) {
  return kElements[size_t(element)].name;
}

StringRef quant_float::getPtxType(MatrixElement element) {
  return kElements[size_t(element)].ptxType;
}

int64_t MatrixInstruction::getBytes() const {
  return kElements[size_t(a)].bits / 8;
}

ArrayRef<MatrixInstruction> quant_float::getMatrixInstructions() {
  return kInstructions;
}

MatrixInstructionChoice quant_float::chooseMatrixInstruction(
    MatrixTarget target,
    llvm::function_ref<bool(const MatrixInstruction &)> isCandidate,
    llvm::function_ref<std::string(const MatrixInstruction &)> getNeed) {
  MatrixInstructionChoice choice;
  if (target.isNull())
    return choice;
  const auto *cpu = dyn_cast<const TargetCpu *>(target);
  llvm::Triple::ArchType arch =
      cpu ? llvm::Triple(cpu->triple).getArch() : llvm::Triple::nvptx64;
  for (const MatrixInstruction &row : kInstructions) {
    if (row.arch != arch || !isCandidate(row))
      continue;
    std::string need =
        cpu ? cpu->getMissing(row.cpuFeatures)
            : cast<const NvidiaChip *>(target)->getMissing(*row.chipFeature);
    if (need.empty() && getNeed)
      need = getNeed(row);
    if (need.empty()) {
      choice.instruction = &row;
      break;
    }
    choice.lacks.push_back((row.name + " " + need).str());
  }
  return choice;
}
