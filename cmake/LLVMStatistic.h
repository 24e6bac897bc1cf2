//===- LLVMStatistic.h - llvm::Statistic as LLVM was built ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler includes this file before all others. llvm::Statistic has
// members only if NDEBUG is not defined. MLIR's library constructs the
// statistics of passes, so a file of this project must see the definition that
// the library was compiled with, whether or not its own assertions are enabled.
// Otherwise, the constructor leaves members uninitialized, or writes behind the
// object.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CMAKE_LLVMSTATISTIC_H
#define QUANT_FLOAT_CMAKE_LLVMSTATISTIC_H

#include "llvm/Support/Compiler.h"

#pragma push_macro("NDEBUG")
#undef NDEBUG
#ifndef QUANT_FLOAT_LLVM_HAS_ASSERTIONS
#define NDEBUG
#endif
#include "llvm/ADT/Statistic.h"
#pragma pop_macro("NDEBUG")

#endif // QUANT_FLOAT_CMAKE_LLVMSTATISTIC_H
