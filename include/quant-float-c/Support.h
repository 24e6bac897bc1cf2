/*===-- quant-float-c/Support.h - What the C API is made of ------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Conventions of the C API of libQuantFloatC.
 *
 * Headers. Support.h, Compiler.h, Runtime.h and Opsets.h only require the C
 * library's headers. Dialect.h, Passes.h and Interop.h are for programs that
 * use MLIR's C API, which the library also exports.
 *
 * Handles. Objects are referred to by handles: small structs with an id that is
 * never reused. The id zero is the null handle. A function that is called with
 * a null handle, a handle whose object has been destroyed, or an id that never
 * was a handle of that kind returns QUANT_FLOAT_ERROR_HANDLE, or, if it returns
 * no status, the neutral value that it documents. It has no other effect.
 *
 * Ownership. Every handle that a function returns through a pointer, including
 * the `error` argument, refers to a new object that the caller owns and
 * destroys with the Destroy function of its kind. Destroying a null handle does
 * nothing and is not an error. Objects may be destroyed in any order,
 * regardless of the objects that they were created from: a model keeps alive
 * the parts of its session that it needs, and a kernel needs neither. An object
 * that is destroyed while other threads are inside calls on it is freed by the
 * last of them.
 *
 * Strings and arrays that functions return are owned by the object they came
 * from and are valid for its lifetime, unless documented otherwise. Strings
 * that are passed in are null-terminated; the library copies those that it
 * keeps.
 *
 * Errors. Functions that can fail return a QuantFloatStatus and take the
 * address of an error handle as their last argument. If that address is not
 * null, the null handle is stored there on success, and a new error that the
 * caller owns on failure; the previous handle is overwritten, not destroyed.
 * Outputs through other pointers are only set on success; output handles are
 * null on failure.
 *
 * Threads. All functions may be called from any thread. Calls on one session
 * and its models are serialized; sessions are independent of each other. Runs
 * of kernels take no lock. Callbacks are invoked on the thread that called the
 * function, and must not call functions of the same session or its models,
 * which then return QUANT_FLOAT_ERROR_BUSY.
 *
 * Versions. Everything in these headers exists since version 0.1, unless
 * documented otherwise.
 *
 * Stability. Within one major ABI version, functions, enumerators and fields
 * are only added. Option structs begin with their size, so that programs
 * compiled against older headers keep working; fields that a library does not
 * define are an error unless they are zero.
 */
#ifndef QUANT_FLOAT_C_SUPPORT_H
#define QUANT_FLOAT_C_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) || defined(__CYGWIN__)
#define QUANT_FLOAT_EXPORTED
#else
#define QUANT_FLOAT_EXPORTED __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Versions ----------------------------------------------------------------- */

/** The ABI version of these headers: the major version in the upper 16 bits,
 * the minor version in the lower 16. */
#define QUANT_FLOAT_ABI_VERSION ((UINT32_C(1) << 16) | 0)

/** Returns the ABI version of the library. A program is compatible if the major
 * version equals that of QUANT_FLOAT_ABI_VERSION and the minor version is not
 * lower. */
QUANT_FLOAT_EXPORTED uint32_t quantFloatGetAbiVersion(void);

/** Returns the version of the project, e.g. "0.1.0". The string is valid for
 * the lifetime of the library. */
QUANT_FLOAT_EXPORTED const char *quantFloatGetVersion(void);

/** Returns the version of LLVM that the library was built with, e.g. "22.1.8".
 * The string is valid for the lifetime of the library. */
QUANT_FLOAT_EXPORTED const char *quantFloatGetLLVMVersion(void);

/* Status ------------------------------------------------------------------- */

/** The result of functions that can fail. Values up to 11 equal those of
 * qf_status (EntryPoint.h). */
typedef enum QuantFloatStatus {
  QUANT_FLOAT_OK = 0,
  /** A required pointer is null. */
  QUANT_FLOAT_ERROR_NULL = 1,
  /** A tensor does not have the expected element type. */
  QUANT_FLOAT_ERROR_ELEMENT_TYPE = 2,
  /** A tensor does not have the expected rank. */
  QUANT_FLOAT_ERROR_RANK = 3,
  /** A size is negative, too large or not the expected one. */
  QUANT_FLOAT_ERROR_SIZE = 4,
  /** An output overlaps another tensor. */
  QUANT_FLOAT_ERROR_OVERLAP = 5,
  /** The CPU lacks instructions that the code uses. */
  QUANT_FLOAT_ERROR_CPU = 6,
  /** Memory allocation failed. */
  QUANT_FLOAT_ERROR_MEMORY = 7,
  /** An element has an invalid value. */
  QUANT_FLOAT_ERROR_VALUE = 8,
  /** The driver of a device reported an error or is not available. */
  QUANT_FLOAT_ERROR_DEVICE = 9,
  /** An address is not aligned as the device requires. */
  QUANT_FLOAT_ERROR_ALIGNMENT = 10,
  /** The strings of an output exceed its capacity. */
  QUANT_FLOAT_ERROR_CAPACITY = 11,
  /** A handle is null, destroyed or of another kind. */
  QUANT_FLOAT_ERROR_HANDLE = 16,
  /** An argument, such as an index, a number or a name, is invalid. */
  QUANT_FLOAT_ERROR_ARGUMENT = 17,
  /** The number of inputs or outputs does not match the function. */
  QUANT_FLOAT_ERROR_COUNT = 18,
  /** A file cannot be read or written. */
  QUANT_FLOAT_ERROR_FILE = 19,
  /** The model is invalid or cannot be compiled; the diagnostics have the
   * locations. */
  QUANT_FLOAT_ERROR_MODEL = 20,
  /** The request is not supported by this version or on this machine. */
  QUANT_FLOAT_ERROR_UNSUPPORTED = 21,
  /** A progress callback requested cancellation. */
  QUANT_FLOAT_ERROR_CANCELLED = 22,
  /** A callback called a function of the session that invoked it. */
  QUANT_FLOAT_ERROR_BUSY = 23,
  /** The memory of a tensor is not readable or writable
   * (QuantFloatCompileOptions::checkMemory). */
  QUANT_FLOAT_ERROR_ADDRESS = 24
} QuantFloatStatus;

/** Returns a name for the status, e.g. "handle" for QUANT_FLOAT_ERROR_HANDLE;
 * "unknown" for other numbers. The string is valid for the lifetime of the
 * library. */
QUANT_FLOAT_EXPORTED const char *quantFloatStatusGetName(int32_t status);

/* Diagnostics -------------------------------------------------------------- */

/** The severity of a diagnostic. */
typedef enum QuantFloatSeverity {
  QUANT_FLOAT_SEVERITY_ERROR = 0,
  QUANT_FLOAT_SEVERITY_WARNING = 1,
  QUANT_FLOAT_SEVERITY_REMARK = 2,
  QUANT_FLOAT_SEVERITY_NOTE = 3
} QuantFloatSeverity;

/** A message of the compiler about a location in a model. The struct and
 * everything it points to are owned by the error, or are valid for one call of
 * a callback. */
typedef struct QuantFloatDiagnostic {
  /** A QuantFloatSeverity. */
  int32_t severity;
  /** Starts at 1; 0 if the location has no line, as in binary files. */
  int32_t line;
  int32_t column;
  /** The number of elements of `notes`. */
  size_t numNotes;
  /** The message without location and severity. Never null. */
  const char *message;
  /** Null if the file is unknown. */
  const char *file;
  /** The name of the node in the source model; null if it has none. */
  const char *node;
  /** Attached notes, which have no notes themselves. */
  const struct QuantFloatDiagnostic *notes;
} QuantFloatDiagnostic;

/* Handles ------------------------------------------------------------------ */

#define QUANT_FLOAT_DEFINE_HANDLE(Name)                                        \
  typedef struct Name {                                                        \
    uint64_t id;                                                               \
  } Name

/** An error: a status, a message and diagnostics. */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatError);
/** Bytes that the library produced: text, bytecode or an object file. */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatBuffer);
/** A context for loading and compiling models (Compiler.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatSession);
/** A model in a session (Compiler.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatModel);
/** The result of checking a model's nodes against opsets (Compiler.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatReport);
/** A model compiled into this process (Runtime.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatKernel);
/** Tensors that the library allocated (Runtime.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatTensors);
/** The differences between the modes of fakeconvert (Compiler.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatModeReport);

/* Errors ------------------------------------------------------------------- */

/** Destroys the error with all of its strings and diagnostics. Fails for
 * handles of destroyed errors. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatErrorDestroy(QuantFloatError error);

/** Returns the status that the failing function returned; QUANT_FLOAT_OK for
 * the null handle, QUANT_FLOAT_ERROR_HANDLE for other handles that are not of
 * an error. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatErrorGetStatus(QuantFloatError error);

/** Returns the error message, including the location in the model if there is
 * one: "model.onnx: node 'q1': scale must ...". Empty for a handle that is not
 * of an error. The string is valid for the lifetime of the error. */
QUANT_FLOAT_EXPORTED const char *
quantFloatErrorGetMessage(QuantFloatError error);

/** Returns the file that QUANT_FLOAT_ERROR_FILE refers to, as the caller named
 * it; null for other errors and for handles that are not of an error. The
 * string is valid for the lifetime of the error. */
QUANT_FLOAT_EXPORTED const char *quantFloatErrorGetFile(QuantFloatError error);

/** Returns the system's error number (errno) of QUANT_FLOAT_ERROR_FILE, e.g.
 * ENOENT; 0 if the system did not reject the file, and for other errors and
 * handles. */
QUANT_FLOAT_EXPORTED int32_t quantFloatErrorGetErrno(QuantFloatError error);

/** Returns the number of diagnostics. They are in the order of emission and
 * include the warnings and remarks before the error. 0 for a handle that is not
 * of an error. */
QUANT_FLOAT_EXPORTED size_t
quantFloatErrorGetNumDiagnostics(QuantFloatError error);

/** Returns a diagnostic, which is valid for the lifetime of the error; null if
 * the index is out of range. */
QUANT_FLOAT_EXPORTED const QuantFloatDiagnostic *
quantFloatErrorGetDiagnostic(QuantFloatError error, size_t index);

/* Buffers ------------------------------------------------------------------ */

/** Returns the bytes, which are valid for the lifetime of the buffer and are
 * followed by a null terminator that the size does not include. Null for a
 * handle that is not of a buffer. */
QUANT_FLOAT_EXPORTED const char *
quantFloatBufferGetData(QuantFloatBuffer buffer);

/** Returns the number of bytes; 0 for a handle that is not of a buffer. */
QUANT_FLOAT_EXPORTED size_t quantFloatBufferGetSize(QuantFloatBuffer buffer);

/** Destroys the buffer and its bytes. Fails for handles of destroyed buffers.
 */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatBufferDestroy(QuantFloatBuffer buffer);

/** Returns the number of live objects, including errors, for leak tests. */
QUANT_FLOAT_EXPORTED size_t quantFloatGetNumLiveObjects(void);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_SUPPORT_H */
