/*===-- quant-float-c/EntryPoint.h - Calling compiled functions --*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Objects and shared libraries that quant-float-compile writes define two C
 * functions for each entry point of the model:
 *
 *   int <name>(const qf_tensor *inputs, qf_tensor *outputs,
 *              char *error, size_t error_size);
 *   int <name>_output_sizes(const qf_tensor *inputs,
 *                           int64_t *const *output_sizes,
 *                           char *error, size_t error_size);
 *
 * The header beside the object declares them and says how many inputs and
 * outputs there are, their shapes and element types.
 *
 * Names. <name> is that of the function in the model, a C identifier, unless it
 * is a keyword of C or C++, a name that C libraries, libm or OpenMP's runtime
 * define (exit, write, sin), or begins with qf_, mgpu, quantFloat, two
 * underscores or one before a letter: then it is graph_ and that name. Shared
 * libraries call their own functions, whatever else in the program has the same
 * names, and export nothing else.
 *
 * Memory. Every tensor is the caller's: the function reads `inputs[i].data`,
 * writes `outputs[i].data` and keeps no pointer. Elements are contiguous in
 * row-major order, at any alignment. An output may overlap neither an input
 * nor another output (QF_ERROR_OVERLAP); inputs may overlap each other. A
 * tensor without elements may have a null `data`, a scalar a null `sizes`.
 *
 * Elements. One per slot of 1, 2, 4 or 8 bytes, in the machine's byte order:
 *   float32, float64, float16, bfloat16, intN, uintN of 8 bits and more: as is;
 *   float8 and float8e8m0: the code, one byte;
 *   float6, float4, uint4, uint2: the code in the low bits of a byte. The
 *   other bits are zero in outputs and ignored in inputs;
 *   int4, int2: a byte holding the value, sign-extended in outputs; in inputs
 *   only the low bits count;
 *   bool: a byte, 0 or 1 in outputs; in inputs only the lowest bit counts;
 *   string: `data` points to a qf_strings.
 * The types of 2, 4 and 6 bits have a packed form, too, with QF_PACKED in
 * `dtype`: `data` is ceil(n * bits / 8) bytes for the n elements of the whole
 * tensor, one element behind the other, from the lowest bits of a byte to its
 * highest and on to the next byte. So 4 bits are two to a byte, the first in
 * the low half, 2 bits four to a byte, and 6 bits four to three bytes; rows
 * begin wherever the row before ends. Bits behind the last element are zero in
 * outputs and ignored in inputs. `sizes` are those of the elements in either
 * form. Which form an argument has is decided when the model is compiled.
 * So it is wherever outputs come from: elements that the graph only moves, or
 * returns as they are, keep all of their bits (also those of a NaN), and the
 * bits beside them in a byte are as above.
 *
 * Strings. Element i of a string tensor is the bytes from offsets[i] up to
 * offsets[i + 1] of its qf_strings, without a zero byte at the end. They are
 * UTF-8, but nobody looks: texts that the graph only moves keep all of their
 * bytes, zeros and others that are no UTF-8, too. How long the texts of an
 * output become only shows when they are computed. Where one has too little
 * room, the function returns QF_ERROR_CAPACITY and has written to `needed` of
 * all string outputs how many bytes they take: the caller makes room and calls
 * again. Numbers become the shortest text that reads back to the same value,
 * without an exponent. A text that is no number is QF_ERROR_VALUE, with a
 * message that names the element and the text.
 *
 * Sizes. `outputs[i].sizes` must be what the inputs imply. When the model
 * leaves sizes open, <name>_output_sizes tells them: it writes rank(i) numbers
 * to `output_sizes[i]` for every output i. It looks at `rank`, `dtype` and
 * `sizes` of the inputs and, only where sizes depend on what tensors hold, at
 * `data`: it computes the part of the model then that the sizes come from.
 * <name> compares them when it has computed everything, before it writes
 * anything.
 *
 * Errors. Both functions return QF_OK or another qf_status, and then nothing
 * has been written to any output; only QF_ERROR_MEMORY, QF_ERROR_VALUE,
 * QF_ERROR_CAPACITY and QF_ERROR_DEVICE may show when a part has been. If
 * `error` is not null, up to `error_size` bytes of a message that names the
 * function, the argument, what was expected and what was given are written
 * there, always ended by a zero byte. On success `error` gets the empty string.
 *
 * Devices. In a model that was compiled for a GPU `data` points to the device's
 * memory, of the current context or else of the first device's, and is a
 * multiple of the element's size. Inputs must be complete, and nothing else may
 * use outputs: what the caller has in a stream is not waited for. The function
 * returns when the kernels are done. Such objects need the functions of
 * QuantFloatCudaRuntime, and a driver when they run.
 *
 * Environment. Rounding mode, flush-to-zero and denormals-are-zero as set by
 * the caller do not change any result bit; they and the exception flags are
 * the same after the call. Functions may be called from any number of threads
 * at once. They keep no state but the answer to whether this machine's CPU has
 * the instructions that the code was compiled for (one byte); where it has not,
 * QF_ERROR_CPU is returned before any of them is executed.
 *
 * Needs. Elementwise models of numbers allocate nothing. What networks compute
 * on the way is in memory from malloc, given back before the function returns.
 * Objects may call memcpy, memmove and memset, those of networks malloc, free
 * and the C library's mathematical functions (-lm) as well, those with strings
 * malloc and free. No locale changes how a number is written or read.
 */
#ifndef QUANT_FLOAT_C_ENTRYPOINT_H
#define QUANT_FLOAT_C_ENTRYPOINT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an entry point returns. */
typedef enum qf_status {
  QF_OK = 0,
  QF_ERROR_NULL = 1,         /* a pointer that is needed is null */
  QF_ERROR_ELEMENT_TYPE = 2, /* dtype is not the one the function takes */
  QF_ERROR_RANK = 3,         /* rank is not the one the function takes */
  QF_ERROR_SIZE = 4,         /* a size is negative, too large or another one */
  QF_ERROR_OVERLAP = 5,      /* an output shares bytes with another tensor */
  QF_ERROR_CPU = 6,          /* the CPU lacks instructions the code uses */
  QF_ERROR_MEMORY = 7,       /* no memory for what is computed on the way */
  QF_ERROR_VALUE = 8,        /* an element's value is not a possible one */
  QF_ERROR_DEVICE = 9,       /* the device's driver refused or is not there */
  QF_ERROR_ALIGNMENT = 10,   /* an address that a device cannot read from */
  QF_ERROR_CAPACITY = 11     /* the texts of an output need more bytes */
} qf_status;

/* Element types: the numbers of ONNX's TensorProto.DataType; from 64 on those
 * of types that ONNX does not have. */
typedef enum qf_dtype {
  QF_FLOAT32 = 1,
  QF_UINT8 = 2,
  QF_INT8 = 3,
  QF_UINT16 = 4,
  QF_INT16 = 5,
  QF_INT32 = 6,
  QF_INT64 = 7,
  QF_STRING = 8,
  QF_BOOL = 9,
  QF_FLOAT16 = 10,
  QF_FLOAT64 = 11,
  QF_UINT32 = 12,
  QF_UINT64 = 13,
  QF_BFLOAT16 = 16,
  QF_FLOAT8E4M3FN = 17,
  QF_FLOAT8E4M3FNUZ = 18,
  QF_FLOAT8E5M2 = 19,
  QF_FLOAT8E5M2FNUZ = 20,
  QF_UINT4 = 21,
  QF_INT4 = 22,
  QF_FLOAT4E2M1 = 23,
  QF_FLOAT8E8M0 = 24,
  QF_UINT2 = 25,
  QF_INT2 = 26,
  QF_FLOAT6E2M3 = 27,
  QF_FLOAT6E3M2 = 28,
  QF_FLOAT8E3M4 = 64,
  QF_FLOAT8E4M3 = 65,
  QF_FLOAT8E4M3B11FNUZ = 66,
  QF_FLOAT8UE5M3 = 67
} qf_dtype;

/* With the number of a type of 2, 4 or 6 bits: its elements are packed. */
enum { QF_PACKED = 0x100 };

/* One argument: a row-major contiguous tensor in the caller's memory. */
typedef struct qf_tensor {
  void *data;           /* only read where the tensor is an input */
  const int64_t *sizes; /* `rank` numbers, each >= 0 */
  int32_t rank;
  int32_t dtype; /* a qf_dtype, perhaps with QF_PACKED */
} qf_tensor;

/* What `data` of a string tensor of n elements points to. */
typedef struct qf_strings {
  int64_t *offsets; /* n + 1 numbers, which do not decrease */
  char *bytes;      /* may be null where there are none */
  int64_t capacity; /* of `bytes`: no offset of an input is larger */
  int64_t needed;   /* written for outputs: the bytes that the texts take */
} qf_strings;

/* What qf_get_library describes. */
enum { QF_LIBRARY_VERSION = 1 };

/* An input or output of an entry point. */
typedef struct qf_argument {
  const char *name;     /* in the model; may be empty, never null */
  const int64_t *sizes; /* `rank` numbers, -1: any; null for a scalar */
  int32_t rank;
  int32_t dtype; /* a qf_dtype, perhaps with QF_PACKED */
} qf_argument;

/* An entry point: both of its functions, and what they take. */
typedef struct qf_entry {
  const char *symbol;     /* of `run` */
  const char *graph_name; /* in the model; may be empty, never null */
  const qf_argument *inputs;
  const qf_argument *outputs;
  int32_t num_inputs;
  int32_t num_outputs;
  int (*run)(const qf_tensor *inputs, qf_tensor *outputs, char *error,
             size_t error_size);
  int (*output_sizes)(const qf_tensor *inputs, int64_t *const *output_sizes,
                      char *error, size_t error_size);
} qf_entry;

typedef struct qf_library {
  uint32_t version;     /* of these structures: QF_LIBRARY_VERSION */
  uint32_t size;        /* of this one, in bytes */
  const char *producer; /* "quant-float 1.0" */
  const char *target;   /* where `data` of tensors is: "cpu" or "nvvm" */
  const char *triple;   /* of the host's code */
  const char *cpu;      /* LLVM's names of CPUs: one has all it may use */
  const char *chip;     /* of kernels, "sm_90"; empty for "cpu" */
  const qf_entry *entries;
  int32_t num_entries;
  int32_t reserved;
  /* Null for "cpu": between the two each launch of the calling thread is waited
   * for, and the seconds that the device took are what the second returns. */
  void (*start_timing)(void);
  double (*stop_timing)(void);
} qf_library;

/*
 * What a shared library holds, for programs that load it without knowing the
 * model. Valid as long as the library is loaded; any thread may call it, on any
 * CPU. Look at `version` first: a larger one than is known here is of other
 * structures, of which only `version` and `size` are as above.
 *
 * Only shared libraries that quant-float-compile writes have this function:
 * objects leave it out, so that any number of them goes into one program.
 */
const qf_library *qf_get_library(void);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_ENTRYPOINT_H */
