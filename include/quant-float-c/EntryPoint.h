/*===-- quant-float-c/EntryPoint.h - Calling compiled functions --*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * The objects and shared libraries that quant-float-compile writes define two C
 * functions for each entry point of the model:
 *
 *   int <name>(const qf_tensor *inputs, qf_tensor *outputs,
 *              char *error, size_t error_size);
 *   int <name>_output_sizes(const qf_tensor *inputs,
 *                           int64_t *const *output_sizes,
 *                           char *error, size_t error_size);
 *
 * The generated header, next to the object, declares them and documents the
 * number of inputs and outputs, their shapes and element types.
 *
 * Names. <name> is the name of the function in the model, a C identifier. It is
 * prefixed by graph_ if it is a keyword of C or C++, if the C library, libm or
 * OpenMP's runtime defines it (exit, write, sin), or if it begins with qf_,
 * mgpu, quantFloat, two underscores or an underscore and a letter. Shared
 * libraries call their own functions, even if the program has others of the
 * same names, and export no other symbols.
 *
 * Memory. Every tensor is owned by the caller: the function reads
 * `inputs[i].data`, writes `outputs[i].data` and keeps no pointer. Elements are
 * contiguous, in row-major order, at any alignment. An output must not overlap
 * an input or another output (QF_ERROR_OVERLAP); inputs may overlap each other.
 * `data` may be null for a tensor without elements, and `sizes` may be null for
 * a scalar.
 *
 * Elements. Each element takes 1, 2, 4 or 8 bytes, in the machine's byte order:
 *   float32, float64, float16, bfloat16, intN, uintN of 8 bits and more: the
 *   native representation;
 *   float8 and float8e8m0: the encoding, one byte;
 *   float6, float4, uint4, uint2: the encoding in the low bits of a byte. The
 *   other bits are zero in outputs and ignored in inputs;
 *   int4, int2: one byte, sign-extended in outputs; in inputs only the low bits
 *   are significant;
 *   bool: one byte, 0 or 1 in outputs; in inputs only the lowest bit is
 *   significant;
 *   string: `data` points to a qf_strings.
 * 2-, 4- and 6-bit types also have a packed layout, with QF_PACKED in `dtype`:
 * `data` has ceil(n * bits / 8) bytes for the n elements of the whole tensor.
 * Elements are consecutive, from the least significant bits of a byte to its
 * most significant bits and on to the next byte. A byte holds two 4-bit
 * elements, the first in the low half, or four 2-bit elements, and three bytes
 * hold four 6-bit elements; a row begins where the previous row ends. The bits
 * after the last element are zero in outputs and ignored in inputs. `sizes` are
 * counted in elements in both layouts. The layout of an argument is determined
 * when the model is compiled.
 * These rules apply regardless of how outputs are computed: elements that the
 * graph only moves, or returns unchanged, keep all of their bits (also those of
 * a NaN), and the other bits of their bytes are as above.
 *
 * Strings. Element i of a string tensor consists of the bytes from offsets[i]
 * (inclusive) to offsets[i + 1] (exclusive) of its qf_strings, without a null
 * terminator. Strings are UTF-8, but this is not checked: strings that the
 * graph only moves keep all of their bytes, including zeros and invalid UTF-8.
 * The length of the strings of an output is only known when they are computed.
 * If the capacity of an output is too small, the function returns
 * QF_ERROR_CAPACITY and writes the required number of bytes to `needed` of all
 * string outputs; the caller provides the capacity and calls again. A number is
 * converted to the shortest string that parses to the same value, without an
 * exponent. A string that is not a number gives QF_ERROR_VALUE, with a message
 * that names the element and the string.
 *
 * Sizes. `outputs[i].sizes` must be the sizes that follow from the inputs. If
 * the model has dynamic sizes, <name>_output_sizes computes them: it writes
 * rank(i) numbers to `output_sizes[i]` for every output i. It reads `rank`,
 * `dtype` and `sizes` of the inputs. It only reads `data` if sizes depend on
 * the contents of tensors; then it executes the part of the model that computes
 * the sizes. In this case, <name> checks such sizes after it has computed
 * everything and before it writes anything.
 *
 * Errors. Both functions return QF_OK or an error status. In case of an error,
 * no output has been written, except that QF_ERROR_MEMORY, QF_ERROR_VALUE,
 * QF_ERROR_CAPACITY and QF_ERROR_DEVICE may occur when outputs have been
 * partially written. If `error` is not null, up to `error_size` bytes of a
 * null-terminated message are written there, which names the function, the
 * argument, the expected value and the given value. On success, `error` is set
 * to the empty string.
 *
 * Devices. In a model that is compiled for a GPU, `data` points to device
 * memory of the current context, or else of the first device's context, and is
 * aligned to the element size. Inputs must be complete, and outputs must not be
 * in use: the function does not wait for work in the caller's streams. The
 * function returns when the kernels have finished. Such objects require the
 * functions of QuantFloatCudaRuntime, and a driver at run time.
 *
 * Environment. The caller's rounding mode, flush-to-zero and denormals-are-zero
 * flags do not affect any result bit; they and the exception flags are
 * preserved by the call. Functions may be called from any number of threads at
 * once. Their only state is one byte that caches whether the CPU has the
 * instructions that the code was compiled for; if it does not, QF_ERROR_CPU is
 * returned before any of these instructions is executed.
 *
 * Requirements. Elementwise models of numbers do not allocate memory. Networks
 * allocate memory for intermediate values by malloc, and free it before the
 * function returns. Objects may call memcpy, memmove and memset; those of
 * networks may also call malloc, free and the C library's math functions (-lm),
 * and those with strings may call malloc and free. Conversions between numbers
 * and strings do not depend on the locale.
 */
#ifndef QUANT_FLOAT_C_ENTRYPOINT_H
#define QUANT_FLOAT_C_ENTRYPOINT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of an entry point. */
typedef enum qf_status {
  QF_OK = 0,
  QF_ERROR_NULL = 1,         /* a required pointer is null */
  QF_ERROR_ELEMENT_TYPE = 2, /* dtype is not the expected one */
  QF_ERROR_RANK = 3,         /* rank is not the expected one */
  QF_ERROR_SIZE = 4,         /* a size is negative, too large or wrong */
  QF_ERROR_OVERLAP = 5,      /* an output overlaps another tensor */
  QF_ERROR_CPU = 6,          /* the CPU lacks instructions of the code */
  QF_ERROR_MEMORY = 7,       /* memory allocation failed */
  QF_ERROR_VALUE = 8,        /* an element has an invalid value */
  QF_ERROR_DEVICE = 9,       /* the driver failed or is not available */
  QF_ERROR_ALIGNMENT = 10,   /* an address is not aligned for the device */
  QF_ERROR_CAPACITY = 11     /* the strings of an output need more bytes */
} qf_status;

/* Element types: the values of ONNX's TensorProto.DataType. Values from 64 on
 * are types that ONNX lacks. */
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

/* The qf_dtype of a format of IEEE P3109, Binary{width, precision, signed or
 * unsigned, extended or finite}, of 3 to 8 bits. An element takes one byte.
 * Binary8p4sf and Binary8p3sf are QF_FLOAT8E4M3FNUZ and QF_FLOAT8E5M2FNUZ. */
#define QF_P3109(width, precision, is_signed, is_extended)                     \
  (0x1000 | ((width) - 1) << 9 | (precision) << 2 | !!(is_extended) << 1 |     \
   !!(is_signed))

/* Flag of a qf_dtype of a 2-, 4- or 6-bit type: the elements are packed. */
enum { QF_PACKED = 0x100 };

/* One argument: a row-major contiguous tensor in the caller's memory. */
typedef struct qf_tensor {
  void *data;           /* read-only if the tensor is an input */
  const int64_t *sizes; /* `rank` numbers, each >= 0 */
  int32_t rank;
  int32_t dtype; /* a qf_dtype, optionally with QF_PACKED */
} qf_tensor;

/* The contents of a string tensor of n elements, which `data` points to. */
typedef struct qf_strings {
  int64_t *offsets; /* n + 1 non-decreasing numbers */
  char *bytes;      /* may be null if there are none */
  int64_t capacity; /* size of `bytes`; bounds the offsets of an input */
  int64_t needed;   /* set for outputs: the number of bytes required */
} qf_strings;

/* The version of the structures that qf_get_library returns. */
enum { QF_LIBRARY_VERSION = 1 };

/* An input or output of an entry point. */
typedef struct qf_argument {
  const char *name;     /* in the model; may be empty, never null */
  const int64_t *sizes; /* `rank` numbers, -1 if dynamic; null for a scalar */
  int32_t rank;
  int32_t dtype; /* a qf_dtype, optionally with QF_PACKED */
} qf_argument;

/* An entry point: both of its functions and their arguments. */
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
  uint32_t size;        /* of this structure, in bytes */
  const char *producer; /* "quant-float 1.0" */
  const char *target;   /* memory of `data` of tensors: "cpu" or "nvvm" */
  const char *triple;   /* of the host code */
  const char *cpu;      /* LLVM's CPU names; the host must support one */
  const char *chip;     /* of kernels, e.g. "sm_90"; empty for "cpu" */
  const qf_entry *entries;
  int32_t num_entries;
  int32_t reserved;
  /* Null for "cpu". Between these two calls, each launch of the calling thread
   * is synchronous; the second call returns the total device time of the
   * launches in seconds. */
  void (*start_timing)(void);
  double (*stop_timing)(void);
} qf_library;

/*
 * Returns the description of a shared library, for programs that load it
 * without knowledge of the model. The result is valid as long as the library is
 * loaded; the function may be called from any thread, on any CPU. Check
 * `version` first: if it is larger than QF_LIBRARY_VERSION, the structures have
 * changed, and only `version` and `size` are as above.
 *
 * Only shared libraries that quant-float-compile writes define this function.
 * Objects do not, so that any number of them can be linked into one program.
 */
const qf_library *qf_get_library(void);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_ENTRYPOINT_H */
