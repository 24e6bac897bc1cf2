/*===-- quant-float-c/Support.h - What the C API is made of ------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * What holds for the whole C API of libQuantFloatC.
 *
 * Headers. Support.h, Compiler.h, Runtime.h and Opsets.h need nothing but the C
 * library's headers. Dialect.h, Passes.h and Interop.h are for programs that
 * use MLIR's own C API, which the library exports as well.
 *
 * Handles. Objects are known by handles: small structs with a number that is
 * never used again. Zero is the null handle. A function that is given a null
 * handle, one whose object has been destroyed, or a number that never was a
 * handle of that kind returns QUANT_FLOAT_ERROR_HANDLE, or, where it returns no
 * status, the neutral value that it documents. Nothing else happens.
 *
 * Ownership. Every handle that a function writes behind a pointer, the `error`
 * argument included, is of a new object, which the caller owns and destroys
 * with the Destroy function of its kind. Destroying a null handle does nothing
 * and is no error. An object may be destroyed in any order with those that it
 * was made from: a model keeps what it needs of its session, a kernel needs
 * neither. An object that is destroyed while other threads are inside calls on
 * it is freed by the last of them.
 *
 * Strings and arrays that functions return belong to the object they came from
 * and live as long as it, unless the function says otherwise. Strings that are
 * passed in end with a zero byte and are copied where they are kept.
 *
 * Errors. Functions that can fail return a QuantFloatStatus and take the
 * address of an error handle as their last argument. If that address is not
 * null, it gets the null handle on success and on failure a new error that the
 * caller owns; what was there before is overwritten, not destroyed. Outputs
 * behind other pointers are set on success alone; output handles are null on
 * failure.
 *
 * Threads. All functions may be called from any thread. Calls on one session
 * and its models wait for each other; sessions do not know of each other. Runs
 * of kernels wait for nobody. Callbacks are called on the thread that called
 * the function, and must not call functions of the same session or its models,
 * which then return QUANT_FLOAT_ERROR_BUSY.
 *
 * Versions. Everything in these headers is there since version 0.1, unless it
 * says another one.
 *
 * Stability. Within one major ABI version functions, enumerators and fields are
 * only added. Option structs begin with their size, so that programs compiled
 * against older headers go on working; fields that a library does not know are
 * an error unless they are zero.
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

/** The ABI these headers describe: the major version in the upper 16 bits, the
 * minor one in the lower 16. */
#define QUANT_FLOAT_ABI_VERSION ((UINT32_C(1) << 16) | 0)

/** The ABI of the library. A program works with it if the major version is that
 * of QUANT_FLOAT_ABI_VERSION and the minor one is not below it. */
QUANT_FLOAT_EXPORTED uint32_t quantFloatGetAbiVersion(void);

/** The project's version, e.g. "0.1.0". Lives as long as the library. */
QUANT_FLOAT_EXPORTED const char *quantFloatGetVersion(void);

/** The version of LLVM that the library was built with, e.g. "22.1.8". Lives as
 * long as the library. */
QUANT_FLOAT_EXPORTED const char *quantFloatGetLLVMVersion(void);

/* Status ------------------------------------------------------------------- */

/** What functions that can fail return. The numbers up to 11 are those of
 * qf_status (EntryPoint.h). */
typedef enum QuantFloatStatus {
  QUANT_FLOAT_OK = 0,
  /** A pointer that is needed is null. */
  QUANT_FLOAT_ERROR_NULL = 1,
  /** The element type of a tensor is not the one that is taken. */
  QUANT_FLOAT_ERROR_ELEMENT_TYPE = 2,
  /** The rank of a tensor is not the one that is taken. */
  QUANT_FLOAT_ERROR_RANK = 3,
  /** A size is negative, too large or another one. */
  QUANT_FLOAT_ERROR_SIZE = 4,
  /** An output shares bytes with another tensor. */
  QUANT_FLOAT_ERROR_OVERLAP = 5,
  /** The CPU lacks instructions that the code uses. */
  QUANT_FLOAT_ERROR_CPU = 6,
  /** No memory. */
  QUANT_FLOAT_ERROR_MEMORY = 7,
  /** An element's value is not a possible one. */
  QUANT_FLOAT_ERROR_VALUE = 8,
  /** A device's driver refused or is not there. */
  QUANT_FLOAT_ERROR_DEVICE = 9,
  /** An address that a device cannot read from. */
  QUANT_FLOAT_ERROR_ALIGNMENT = 10,
  /** The texts of an output need more room than there is. */
  QUANT_FLOAT_ERROR_CAPACITY = 11,
  /** A handle is null, destroyed, or of another kind. */
  QUANT_FLOAT_ERROR_HANDLE = 16,
  /** An argument is not a possible one: an index, a number, a name. */
  QUANT_FLOAT_ERROR_ARGUMENT = 17,
  /** The number of inputs or outputs is not that of the function. */
  QUANT_FLOAT_ERROR_COUNT = 18,
  /** A file cannot be read or written. */
  QUANT_FLOAT_ERROR_FILE = 19,
  /** The model is wrong or cannot be compiled; the diagnostics say where. */
  QUANT_FLOAT_ERROR_MODEL = 20,
  /** What is asked for does not exist in this version or on this machine. */
  QUANT_FLOAT_ERROR_UNSUPPORTED = 21,
  /** A progress callback asked for an end. */
  QUANT_FLOAT_ERROR_CANCELLED = 22,
  /** A callback called a function of the session it was called by. */
  QUANT_FLOAT_ERROR_BUSY = 23,
  /** A tensor's memory cannot be read or written (QuantFloatCompileOptions'
   * checkMemory). */
  QUANT_FLOAT_ERROR_ADDRESS = 24
} QuantFloatStatus;

/** A word for the status, e.g. "handle" for QUANT_FLOAT_ERROR_HANDLE; "unknown"
 * for other numbers. Lives as long as the library. */
QUANT_FLOAT_EXPORTED const char *quantFloatStatusGetName(int32_t status);

/* Diagnostics -------------------------------------------------------------- */

/** How grave a diagnostic is. */
typedef enum QuantFloatSeverity {
  QUANT_FLOAT_SEVERITY_ERROR = 0,
  QUANT_FLOAT_SEVERITY_WARNING = 1,
  QUANT_FLOAT_SEVERITY_REMARK = 2,
  QUANT_FLOAT_SEVERITY_NOTE = 3
} QuantFloatSeverity;

/** What the compiler says about a place in a model. The struct and what it
 * points to belong to the error, or last for one call of a callback. */
typedef struct QuantFloatDiagnostic {
  /** A QuantFloatSeverity. */
  int32_t severity;
  /** From 1; 0 where the place is in no line, as of binary files. */
  int32_t line;
  int32_t column;
  /** The number of `notes`. */
  size_t numNotes;
  /** Without place and severity. Never null. */
  const char *message;
  /** Null where no file is known. */
  const char *file;
  /** The source model's name of the node; null where it has none. */
  const char *node;
  /** What else is to be said, each without notes of its own. */
  const struct QuantFloatDiagnostic *notes;
} QuantFloatDiagnostic;

/* Handles ------------------------------------------------------------------ */

#define QUANT_FLOAT_DEFINE_HANDLE(Name)                                        \
  typedef struct Name {                                                        \
    uint64_t id;                                                               \
  } Name

/** What went wrong: a status, a message and diagnostics. */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatError);
/** Bytes that the library wrote: text, bytecode, an object file. */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatBuffer);
/** A context to read and compile models in (Compiler.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatSession);
/** A model in a session (Compiler.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatModel);
/** What the opsets say about a model's nodes (Compiler.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatReport);
/** A model compiled into this process (Runtime.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatKernel);
/** Tensors that the library made (Runtime.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatTensors);
/** How the modes of fakeconvert differ (Compiler.h). */
QUANT_FLOAT_DEFINE_HANDLE(QuantFloatModeReport);

/* Errors ------------------------------------------------------------------- */

/** Destroys the error, with all strings and diagnostics it gave. Fails for
 * handles of destroyed errors. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatErrorDestroy(QuantFloatError error);

/** The status that the failing function returned; QUANT_FLOAT_OK for the null
 * handle, QUANT_FLOAT_ERROR_HANDLE for other handles that are no error's. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatErrorGetStatus(QuantFloatError error);

/** What went wrong, with the place in the model where there is one:
 * "model.onnx: node 'q1': scale must ...". Empty for a handle that is no
 * error's. Lives as long as the error. */
QUANT_FLOAT_EXPORTED const char *
quantFloatErrorGetMessage(QuantFloatError error);

/** The file that QUANT_FLOAT_ERROR_FILE is about, as the caller named it; null
 * for other errors and handles that are no error's. Lives as long as the error.
 */
QUANT_FLOAT_EXPORTED const char *quantFloatErrorGetFile(QuantFloatError error);

/** The system's error number (errno) of QUANT_FLOAT_ERROR_FILE, e.g. ENOENT; 0
 * where the system has not refused the file, or for other errors and handles.
 */
QUANT_FLOAT_EXPORTED int32_t quantFloatErrorGetErrno(QuantFloatError error);

/** The number of diagnostics, in the order they were emitted; warnings and
 * remarks that came before the error included. 0 for a handle that is no
 * error's. */
QUANT_FLOAT_EXPORTED size_t
quantFloatErrorGetNumDiagnostics(QuantFloatError error);

/** One of them, as long as the error lives; null if there is no such one. */
QUANT_FLOAT_EXPORTED const QuantFloatDiagnostic *
quantFloatErrorGetDiagnostic(QuantFloatError error, size_t index);

/* Buffers ------------------------------------------------------------------ */

/** The bytes, as long as the buffer lives; a zero byte that does not count
 * follows them. Null for a handle that is no buffer's. */
QUANT_FLOAT_EXPORTED const char *
quantFloatBufferGetData(QuantFloatBuffer buffer);

/** The number of bytes; 0 for a handle that is no buffer's. */
QUANT_FLOAT_EXPORTED size_t quantFloatBufferGetSize(QuantFloatBuffer buffer);

/** Destroys the buffer and its bytes. Fails for handles of destroyed buffers.
 */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatBufferDestroy(QuantFloatBuffer buffer);

/** The number of objects that handles stand for now, errors included: what a
 * test for leaks compares. */
QUANT_FLOAT_EXPORTED size_t quantFloatGetNumLiveObjects(void);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_SUPPORT_H */
