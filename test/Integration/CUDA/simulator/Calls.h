//===- Calls.h - Who calls the driver ---------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_CALLS_H
#define QUANT_FLOAT_TEST_SIMULATOR_CALLS_H

namespace simulator {

/// Writes the log, and returns the error that the environment requests for this
/// call, or 0.
int noteCall(const char *name);

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_CALLS_H
