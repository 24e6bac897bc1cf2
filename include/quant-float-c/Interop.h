/*===-- quant-float-c/Interop.h - Sessions and MLIR's C API ------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * From sessions and models to MLIR's C API and back. MLIR's functions know
 * nothing of the session's lock: while one thread uses them on a context, no
 * other may use the session or its models.
 */
#ifndef QUANT_FLOAT_C_INTEROP_H
#define QUANT_FLOAT_C_INTEROP_H

#include "mlir-c/IR.h"
#include "quant-float-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The session's context, not owned; it lives as long as the session or one of
 * its models. A null context for a handle that is no session's. */
QUANT_FLOAT_EXPORTED MlirContext
quantFloatSessionGetContext(QuantFloatSession session);

/** The model's module, not owned; it lives as long as the model and may be
 * changed. A null module for a handle that is no model's. */
QUANT_FLOAT_EXPORTED MlirModule quantFloatModelGetModule(QuantFloatModel model);

/** Makes a model of a copy of `module`, which must be of the session's context
 * and stays the caller's. The copy is verified. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelCreateFromModule(QuantFloatSession session, MlirModule module,
                                QuantFloatModel *model, QuantFloatError *error);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_INTEROP_H */
