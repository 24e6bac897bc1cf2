// Calls functions with tensors and compares the results with the expected ones,
// like EntryPoint/Inputs/cases.c, but on an emulated CPU without a C library.
// cases.inc contains the functions and tensors; the data is read from standard
// input.

#include "quant-float-c/EntryPoint.h"
#include "heap.h"

typedef int Function(const qf_tensor *, qf_tensor *, char *, size_t);
static const struct Case {
  const char *name;
  Function *function;
  int inputs, outputs;
  struct {
    int dtype, rank;
    int64_t sizes[4];
    long offset, bytes;
  } tensors[8];
} cases[] = {
#include "cases.inc"
};
enum { guard = 64, most = 1 << 20, untouched = 0xAA };

static char data[1 << 24];
static unsigned char result[most + guard];

static void printNumber(unsigned number) {
  char digits[16], *place = digits + sizeof digits;
  *--place = 0;
  do
    *--place = (char)('0' + number % 10);
  while (number /= 10);
  print(place);
}

static unsigned fail(const struct Case *one, const char *text) {
  print(one->name);
  print(": ");
  print(text);
  print("\n");
  return 1;
}

static unsigned check(const struct Case *one) {
  qf_tensor tensors[8];
  if (one->outputs != 1 || one->tensors[one->inputs].bytes > most)
    return fail(one, "expected one small output");
  for (int i = 0; i <= one->inputs; ++i)
    tensors[i] = (qf_tensor){data + one->tensors[i].offset,
                             one->tensors[i].sizes, one->tensors[i].rank,
                             one->tensors[i].dtype};
  const char *wanted = tensors[one->inputs].data;
  size_t bytes = (size_t)one->tensors[one->inputs].bytes;
  tensors[one->inputs].data = result;
  memset(result, untouched, bytes + guard);
  char error[500];
  taken = 0;
  if (one->function(tensors, tensors + one->inputs, error, sizeof error))
    return fail(one, error);
  for (size_t i = 0; i < bytes; ++i)
    if (result[i] != (unsigned char)wanted[i])
      return fail(one, "bytes differ from the expected ones");
  for (size_t i = bytes; i < bytes + guard; ++i)
    if (result[i] != untouched)
      return fail(one, "bytes behind the output were written");
  return 0;
}

int run(void) {
  const unsigned count = sizeof cases / sizeof *cases;
  unsigned failed = 0;
  if (readAll(data, sizeof data) == sizeof data)
    return 2;
  for (unsigned i = 0; i < count; ++i)
    failed += check(&cases[i]);
  printNumber(count);
  print(" cases, ");
  printNumber(failed);
  print(" failed\n");
  return failed != 0;
}
