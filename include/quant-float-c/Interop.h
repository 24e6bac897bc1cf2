/*===-- quant-float-c/Interop.h - Sessions and MLIR's C API ------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Conversion between sessions and models and the objects of MLIR's C API.
 * MLIR's functions do not take the session's lock: while a thread uses them on
 * a context, no other thread may use the session or its models.
 */
#ifndef QUANT_FLOAT_C_INTEROP_H
#define QUANT_FLOAT_C_INTEROP_H

#include "mlir-c/IR.h"
#include "quant-float-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the session's context, which the caller does not own. It is valid
 * for the lifetime of the session and of its models. A null context for a
 * handle that is not of a session. */
QUANT_FLOAT_EXPORTED MlirContext
quantFloatSessionGetContext(QuantFloatSession session);

/** Returns the model's module, which the caller does not own but may modify. It
 * is valid for the lifetime of the model. Later calls that need a valid model
 * verify it each time. The descriptions of entries change with
 * quantFloatModelVerify. A null module for a handle that is not of a model. */
QUANT_FLOAT_EXPORTED MlirModule quantFloatModelGetModule(QuantFloatModel model);

/** Creates a model from a copy of `module`, which must be in the session's
 * context and remains owned by the caller. The copy is verified. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelCreateFromModule(QuantFloatSession session, MlirModule module,
                                QuantFloatModel *model, QuantFloatError *error);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_INTEROP_H */
