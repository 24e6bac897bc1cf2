// Runs the casts that `quant-float-compiled-cast --emit-assembly` wrote into
// the current folder, and compares the results with the expected ones.

#include "quant-float-c/EntryPoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int entry(const qf_tensor *, qf_tensor *, char *, size_t);

#define UNPACK(...) __VA_ARGS__
#define CAST(name, from, fromBytes, to, toBytes, rank, sizes, inputs, results)  \
  entry name;
#include "casts.inc"
#undef CAST

struct cast {
  const char *name;
  entry *function;
  int from, fromBytes, to, toBytes, rank;
  int64_t sizes[4];
  size_t inputs, results;
};

static const struct cast casts[] = {
#define CAST(name, from, fromBytes, to, toBytes, rank, sizes, inputs, results)  \
  {#name, name, from, fromBytes, to, toBytes, rank, {UNPACK sizes}, inputs, results},
#include "casts.inc"
};

enum { guard = 64, untouched = 0xee };

static void *allocate(size_t size) {
  void *memory = malloc(size);
  if (!memory) {
    printf("no memory\n");
    exit(1);
  }
  return memory;
}

static unsigned char *readAll(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) {
    printf("cannot read %s\n", path);
    exit(1);
  }
  size_t size = (size_t)ftell(file);
  unsigned char *bytes = allocate(size);
  rewind(file);
  if (fread(bytes, 1, size, file) != size) {
    printf("cannot read all of %s\n", path);
    exit(1);
  }
  fclose(file);
  return bytes;
}

/* Tests the elements from index `start` on, at addresses that are misaligned
   by `off` bytes. */
static int isRight(const struct cast *cast, const unsigned char *data,
                   size_t start, const int64_t *sizes, size_t off) {
  size_t count = 1;
  for (int i = 0; i < cast->rank; ++i)
    count *= (size_t)sizes[i];
  size_t inputBytes = count * (size_t)cast->fromBytes;
  size_t outputBytes = count * (size_t)cast->toBytes;
  unsigned char *input = allocate(off + inputBytes + 1);
  unsigned char *output = allocate(off + outputBytes + guard);
  memcpy(input + off, data + cast->inputs + start * (size_t)cast->fromBytes,
         inputBytes);
  memset(output, untouched, off + outputBytes + guard);
  qf_tensor from = {input + off, sizes, cast->rank, cast->from};
  qf_tensor to = {output + off, sizes, cast->rank, cast->to};
  char error[256];
  int right = 1;
  if (cast->function(&from, &to, error, sizeof error)) {
    printf("%s: %s\n", cast->name, error);
    right = 0;
  }
  const unsigned char *results =
      data + cast->results + start * (size_t)cast->toBytes;
  for (size_t i = 0; right && i < outputBytes; ++i)
    if (output[off + i] != results[i]) {
      size_t element = i / (size_t)cast->toBytes;
      printf("%s: element %zu of %zu differs\n", cast->name, start + element,
             count);
      right = 0;
    }
  for (size_t i = 0; right && i < guard; ++i)
    if (output[off + outputBytes + i] != untouched) {
      printf("%s: writes behind the end of %zu elements\n", cast->name, count);
      right = 0;
    }
  free(input);
  free(output);
  return right;
}

int main(void) {
  const unsigned char *data = readAll("casts.bin");
  int failures = 0;
  size_t number = sizeof casts / sizeof *casts;
  for (size_t c = 0; c < number; ++c) {
    const struct cast *cast = &casts[c];
    int right = isRight(cast, data, 0, cast->sizes, 0);
    static const int64_t lengths[] = {0, 1, 7, 15, 17, 33, 63, 65};
    /* If the size is dynamic and large enough, also test shorter lengths. */
    if (cast->rank == 1 && cast->sizes[0] > 200)
      for (size_t i = 0; right && i < sizeof lengths / sizeof *lengths; ++i)
        right = isRight(cast, data, 10 * i, &lengths[i], 1 + i % 3);
    failures += !right;
  }
  printf("%zu casts: %d failures\n", number, failures);
  return failures != 0;
}
