// Runs the quantizations that `quant-float-compiled-quantize --emit-assembly`
// wrote into the current folder, and compares the results with the expected
// ones.

#include "quant-float-c/EntryPoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int entry(const qf_tensor *, qf_tensor *, char *, size_t);

#define UNPACK(...) __VA_ARGS__
#define FUNCTION(name) entry name;
#define CALL(name, x, scale, zeroPoint, result, freedom)
#include "quantizations.inc"
#undef FUNCTION
#undef CALL

struct tensor {
  int type, slot, rank;
  int64_t sizes[4];
  size_t bytes, at;
};

struct call {
  const char *name;
  entry *function;
  struct tensor tensors[4];
  size_t freedom;
};

#define TENSOR(...) TENSOR_(__VA_ARGS__)
#define TENSOR_(type, slot, rank, sizes, bytes, at) \
  {type, slot, rank, {UNPACK sizes}, bytes, at}

static const struct call calls[] = {
#define FUNCTION(name)
#define CALL(name, x, scale, zeroPoint, result, freedom)             \
  {#name, name,                                                       \
   {TENSOR x, TENSOR scale, TENSOR zeroPoint, TENSOR result}, freedom},
#include "quantizations.inc"
};

enum { guard = 64, untouched = 0xee };

static unsigned char *data;

static void *allocate(size_t size) {
  void *memory = malloc(size + 1);
  if (!memory) {
    printf("no memory\n");
    exit(1);
  }
  return memory;
}

static void readAll(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) {
    printf("cannot read %s\n", path);
    exit(1);
  }
  size_t size = (size_t)ftell(file);
  data = allocate(size);
  rewind(file);
  if (fread(data, 1, size, file) != size) {
    printf("cannot read all of %s\n", path);
    exit(1);
  }
  fclose(file);
}

/* Returns whether an encoding of an ONNX element type is NaN. */
static int isNaN(int type, uint32_t encoding) {
  switch (type) {
  case 1:
    return (encoding & 0x7fffffff) > 0x7f800000;
  case 10:
    return (encoding & 0x7fff) > 0x7c00;
  case 16:
    return (encoding & 0x7fff) > 0x7f80;
  case 17:
    return (encoding & 0x7f) == 0x7f;
  case 19:
    return (encoding & 0x7f) > 0x7c;
  case 18:
  case 20:
    return encoding == 0x80;
  default:
    return 0;
  }
}

/* Returns whether an encoding of a float type with a negative zero is a
   zero: all bits except the sign are zero. */
static int isZero(const struct tensor *result, uint32_t encoding) {
  int bits = result->type == 23 ? 4 : result->type > 26 ? 6 : 8 * result->slot;
  return (encoding & (((uint32_t)1 << (bits - 1)) - 1)) == 0;
}

static int isRight(const struct call *call) {
  const struct tensor *result = &call->tensors[3];
  qf_tensor inputs[3];
  unsigned char *copies[3];
  for (int i = 0; i < 3; ++i) {
    const struct tensor *one = &call->tensors[i];
    copies[i] = allocate(1 + one->bytes);
    memcpy(copies[i] + 1, data + one->at, one->bytes);
    inputs[i] = (qf_tensor){copies[i] + 1, one->sizes, one->rank, one->type};
  }
  unsigned char *made = allocate(1 + result->bytes + guard);
  memset(made, untouched, 1 + result->bytes + guard);
  qf_tensor output = {made + 1, result->sizes, result->rank, result->type};
  char error[256];
  int right = 1;
  if (call->function(inputs, &output, error, sizeof error)) {
    printf("%s: %s\n", call->name, error);
    right = 0;
  }
  size_t slot = (size_t)result->slot;
  for (size_t i = 0; right && i < result->bytes / slot; ++i) {
    uint32_t got = 0, want = 0;
    memcpy(&got, made + 1 + i * slot, slot);
    memcpy(&want, data + result->at + i * slot, slot);
    int freedom = data[call->freedom + i];
    if (got == want || (freedom == 1 && isNaN(result->type, got)) ||
        (freedom == 2 && isZero(result, got) && isZero(result, want)))
      continue;
    printf("%s: element %zu is %x, not %x\n", call->name, i, got, want);
    right = 0;
  }
  for (size_t i = 0; right && i < guard; ++i)
    if (made[1 + result->bytes + i] != untouched) {
      printf("%s: writes behind the end\n", call->name);
      right = 0;
    }
  for (int i = 0; i < 3; ++i)
    free(copies[i]);
  free(made);
  return right;
}

int main(void) {
  readAll("quantizations.bin");
  int failures = 0;
  size_t number = sizeof calls / sizeof *calls;
  for (size_t i = 0; i < number; ++i)
    failures += !isRight(&calls[i]);
  printf("%zu calls: %d failures\n", number, failures);
  return failures != 0;
}
