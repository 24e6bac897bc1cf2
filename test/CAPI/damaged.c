// Models that would crash the reader are rejected: damaged bytecode that
// crashes upstream's reader, and text with too deep nesting.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/damaged
// RUN: %t/damaged %src_root/test/IR/Inputs/bytecode/0.1.hex | FileCheck %s
#include "Inputs/harness.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static unsigned char bytes[1 << 16];
static size_t size;

static QuantFloatStatus readModel(QuantFloatSession session, const void *data,
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

/* Limits for this process and the processes that it forks. */
static int *signals;

/* Other threads may hold locks while the trial process is forked. */
static void *tryDamage(void *unused) {
  (void)unused;
  static const struct {
    size_t at;
    unsigned char flip;
  } known[] = {{48, 0x02}, {669, 0x80}, {685, 0x02}, {945, 0x02}, {1195, 0xff}};
  QuantFloatSession session;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  REQUIRE(!readModel(session, bytes, size));
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    unsigned char *damaged = malloc(size);
    memcpy(damaged, bytes, size);
    damaged[known[i].at] ^= known[i].flip;
    readModel(session, damaged, size);
    free(damaged);
  }
  MUST(quantFloatSessionDestroy(session));
  return NULL;
}

static void noteSignal(int number) {
  (void)number;
  ++*signals;
}

/* Kills the trial process as soon as it exists. */
static void *endChild(void *unused) {
  (void)unused;
  char name[64], text[16] = "";
  snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
  while (!*text) {
    FILE *children = fopen(name, "r");
    REQUIRE(children);
    if (fscanf(children, "%15s", text) != 1)
      *text = 0;
    fclose(children);
  }
  REQUIRE(!kill(atoi(text), SIGTERM));
  return NULL;
}

int main(int argc, char **argv) {
  REQUIRE(argc == 2);
  signals = mmap(NULL, sizeof *signals, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(signals != MAP_FAILED);
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
  // CHECK: <memory>: is invalid: MLIR's reader crashes on it

  // Nothing is read if the trial process cannot be started.
  struct rlimit files, none;
  REQUIRE(!getrlimit(RLIMIT_NOFILE, &files));
  none = files;
  none.rlim_cur = 0;
  QuantFloatSession closed;
  MUST(quantFloatSessionCreate(NULL, &closed, &lastError));
  REQUIRE(!setrlimit(RLIMIT_NOFILE, &none));
  REQUIRE(readModel(closed, bytes, size) == QUANT_FLOAT_ERROR_MODEL);
  REQUIRE(!setrlimit(RLIMIT_NOFILE, &files));
  // CHECK: <memory>: cannot be parsed in a separate process: Too many open files

  // If the program's own SIGCHLD handler collects the exit status, the answer
  // is still received.
  signal(SIGCHLD, SIG_IGN);
  REQUIRE(!readModel(closed, bytes, size));
  signal(SIGCHLD, SIG_DFL);

  // The program's signal handlers do not run in the trial process, which would
  // go on for seconds if nothing killed it.
  struct sigaction action = {0};
  action.sa_handler = noteSignal;
  REQUIRE(!sigaction(SIGTERM, &action, NULL));
  pthread_t killer;
  REQUIRE(!pthread_create(&killer, NULL, endChild, NULL));
  bytes[246] ^= 0x02;
  REQUIRE(readModel(closed, bytes, size) == QUANT_FLOAT_ERROR_MODEL);
  pthread_join(killer, NULL);
  REQUIRE(!*signals);
  MUST(quantFloatSessionDestroy(closed));
  // CHECK: <memory>: is invalid: MLIR's reader crashes on it

  enum { kDeep = 100000 };
  char *text = calloc(kDeep, 8);
  for (int i = 0; i < kDeep; ++i)
    strcpy(text + 7 * i, "module{");
  QuantFloatSession session;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  REQUIRE(readModel(session, text, strlen(text)) == QUANT_FLOAT_ERROR_MODEL);
  MUST(quantFloatSessionDestroy(session));
  free(text);
  // CHECK: <memory>:1:1799: is nested too deeply: expected at most 256
  puts("done");
  // CHECK-NEXT: done
}
