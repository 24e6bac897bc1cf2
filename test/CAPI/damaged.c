// Models that were made or damaged to end the program are refused: bytecode
// that upstream's reader does not stand, and text that is nested too deep.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/damaged
// RUN: %t/damaged %src_root/test/IR/Inputs/bytecode/0.1.hex | FileCheck %s
#include "Inputs/harness.h"
#include <pthread.h>

static unsigned char bytes[1 << 16];
static size_t size;

static QuantFloatStatus read(QuantFloatSession session, const void *data,
                             size_t count) {
  QuantFloatModel model;
  QuantFloatError error;
  QuantFloatStatus status = quantFloatModelParse(
      session, QUANT_FLOAT_FORMAT_MLIR, data, count, NULL, &model, &error);
  if (status)
    printf("%s\n", quantFloatErrorGetMessage(error));
  quantFloatErrorDestroy(error);
  quantFloatModelDestroy(model);
  return status;
}

/* Other threads may be anywhere while bytecode is tried. */
static void *tryDamage(void *unused) {
  (void)unused;
  static const struct {
    size_t at;
    unsigned char flip;
  } known[] = {{48, 0x02}, {669, 0x80}, {685, 0x02}, {945, 0x02}, {1195, 0xff}};
  QuantFloatSession session;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  REQUIRE(!read(session, bytes, size));
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    unsigned char *damaged = malloc(size);
    memcpy(damaged, bytes, size);
    damaged[known[i].at] ^= known[i].flip;
    read(session, damaged, size);
    free(damaged);
  }
  MUST(quantFloatSessionDestroy(session));
  return NULL;
}

int main(int argc, char **argv) {
  REQUIRE(argc == 2);
  FILE *file = fopen(argv[1], "r");
  REQUIRE(file);
  while (size < sizeof bytes && fscanf(file, "%2hhx", &bytes[size]) == 1)
    ++size;
  fclose(file);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    REQUIRE(!pthread_create(&threads[i], NULL, tryDamage, NULL));
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  // CHECK: <memory>: is damaged: MLIR that cannot be read

  enum { kDeep = 100000 };
  char *text = calloc(kDeep, 8);
  for (int i = 0; i < kDeep; ++i)
    strcpy(text + 7 * i, "module{");
  QuantFloatSession session;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  REQUIRE(read(session, text, strlen(text)) == QUANT_FLOAT_ERROR_MODEL);
  MUST(quantFloatSessionDestroy(session));
  free(text);
  // CHECK: <memory>:1:1799: is nested too deep: expected at most 256
  puts("done");
  // CHECK-NEXT: done
}
