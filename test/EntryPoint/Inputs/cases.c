// Calls the functions of cases.inc on the bytes of argv[1] and compares the
// outputs with the expected bytes. Each tensor ends at the end of a page, and
// the next page is inaccessible.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef int Function(const qf_tensor *, qf_tensor *, char *, size_t);
static const struct Case {
  const char *name;
  Function *function;
  int inputs, outputs;
  struct { int dtype, rank; int64_t sizes[4]; long offset, bytes; } tensors[8];
} cases[] = {
#include "cases.inc"
};

int main(int argc, char **argv) {
  const long page = 4096, room = 1 << 21;
  static char data[1 << 26];
  FILE *file = fopen(argv[1], "rb");
  if (!file || !fread(data, 1, sizeof data, file) || !feof(file))
    return 2;
  char *memory[8];
  for (int i = 0; i < 8; ++i) {
    memory[i] = mmap(0, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory[i] == MAP_FAILED || mprotect(memory[i] + room, page, PROT_NONE))
      return 2;
  }
  int failed = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const struct Case *one = &cases[i];
    qf_tensor tensors[8];
    for (int j = 0; j < one->inputs + one->outputs; ++j) {
      char *place = memory[j] + room - one->tensors[j].bytes;
      if (j < one->inputs)
        memcpy(place, data + one->tensors[j].offset, one->tensors[j].bytes);
      else
        memset(place - 64, 0xAA, one->tensors[j].bytes + 64);
      tensors[j] = (qf_tensor){place, one->tensors[j].sizes, one->tensors[j].rank, one->tensors[j].dtype};
    }
    char error[500];
    if (one->function(tensors, tensors + one->inputs, error, sizeof error)) {
      printf("%s: %s\n", one->name, error);
      ++failed;
      continue;
    }
    for (int j = one->inputs; j < one->inputs + one->outputs; ++j) {
      const unsigned char *given = tensors[j].data, *wanted = (unsigned char *)data + one->tensors[j].offset;
      long wrong = 0, first = -1;
      for (long k = 0; k < one->tensors[j].bytes; ++k)
        if (given[k] != wanted[k] && !wrong++)
          first = k;
      for (long k = 1; k <= 64; ++k)
        wrong += given[-k] != 0xAA;
      if (wrong) {
        printf("%s: output %d: %ld bytes of %ld differ, the first %ld: %#x instead of %#x\n", one->name,
               j - one->inputs, wrong, one->tensors[j].bytes, first, first < 0 ? 0 : given[first], first < 0 ? 0 : wanted[first]);
        ++failed;
      }
    }
  }
  printf("%zu cases, %d failed\n", sizeof cases / sizeof *cases, failed);
  return failed != 0;
}
