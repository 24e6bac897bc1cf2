//===- Errors.h - What a driver answers -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_ERRORS_H
#define QUANT_FLOAT_TEST_SIMULATOR_ERRORS_H

namespace simulator {

/// The values of CUresult that the simulator returns.
enum {
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kNotFound = 500,
  kIllegalAddress = 700,
  kMisalignedAddress = 716,
  kLaunchFailed = 719,
};

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_ERRORS_H
