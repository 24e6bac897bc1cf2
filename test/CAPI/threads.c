// Threads with nothing in common, with a shared kernel or a shared session, and
// handles that other threads destroy.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/threads
// RUN: %t/threads
#include "Inputs/harness.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kNumThreads = 4, kCount = 1000 };

static float x[kCount];
static uint8_t expected[kCount];

static QuantFloatStatus run(QuantFloatKernel kernel, uint8_t *y,
                            QuantFloatError *error) {
  int64_t sizes[1] = {kCount};
  qf_tensor input = {x, sizes, 1, QF_FLOAT32};
  qf_tensor output = {y, sizes, 1, QF_FLOAT8E4M3FN};
  return quantFloatKernelRun(kernel, 0, &input, 1, &output, 1, error);
}

static void requireRight(QuantFloatKernel kernel) {
  uint8_t y[kCount];
  QuantFloatError error;
  memset(y, 0xaa, sizeof y);
  QuantFloatStatus status = run(kernel, y, &error);
  require(!status, quantFloatErrorGetMessage(error), __LINE__);
  REQUIRE(!memcmp(y, expected, sizeof y));
}

static void inThreads(void *(*work)(void *), void *argument) {
  pthread_t threads[kNumThreads];
  for (int i = 0; i < kNumThreads; ++i)
    REQUIRE(!pthread_create(&threads[i], NULL, work, argument));
  for (int i = 0; i < kNumThreads; ++i)
    pthread_join(threads[i], NULL);
}

/* Each thread uses its own session and kernel. */
static void *workAlone(void *unused) {
  (void)unused;
  for (int i = 0; i < 3; ++i) {
    QuantFloatKernel kernel = compileText(castText, NULL);
    requireRight(kernel);
    MUST(quantFloatKernelDestroy(kernel));
  }
  return NULL;
}

static void *workOnKernel(void *kernel) {
  for (int i = 0; i < 500; ++i)
    requireRight(*(QuantFloatKernel *)kernel);
  return NULL;
}

/* One run is suspended by a write to a protected page, until another run of the
   same kernel is complete. */
enum { kPage = 4096 };
static uint8_t *page;
static atomic_int isInside, isOtherThrough;

static void onFault(int number, siginfo_t *info, void *context) {
  (void)context;
  if ((uint8_t *)info->si_addr < page ||
      (uint8_t *)info->si_addr >= page + kPage)
    _exit(128 + number);
  atomic_store(&isInside, 1);
  while (!atomic_load(&isOtherThrough))
    ;
  mprotect(page, kPage, PROT_READ | PROT_WRITE);
}

static void *workOnPage(void *kernel) {
  QuantFloatError error;
  REQUIRE(!run(*(QuantFloatKernel *)kernel, page, &error));
  return NULL;
}

static void runTwoAtOnce(QuantFloatKernel kernel) {
  page = mmap(NULL, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(page != MAP_FAILED);
  struct sigaction action = {.sa_sigaction = onFault, .sa_flags = SA_SIGINFO},
                   before;
  REQUIRE(!sigaction(SIGSEGV, &action, &before));
  pthread_t thread;
  REQUIRE(!pthread_create(&thread, NULL, workOnPage, &kernel));
  while (!atomic_load(&isInside))
    ;
  requireRight(kernel);
  atomic_store(&isOtherThrough, 1);
  pthread_join(thread, NULL);
  REQUIRE(!memcmp(page, expected, kCount));
  REQUIRE(!sigaction(SIGSEGV, &before, NULL));
  munmap(page, kPage);
}

/* All threads share one session: they wait for each other. */
static void *workInSession(void *session) {
  for (int i = 0; i < 5; ++i) {
    QuantFloatError error;
    QuantFloatModel model;
    QuantFloatBuffer buffer;
    QuantFloatReport report;
    REQUIRE(!quantFloatModelParse(*(QuantFloatSession *)session,
                                  QUANT_FLOAT_FORMAT_MLIR, castText,
                                  strlen(castText), NULL, &model, &error));
    REQUIRE(!quantFloatModelRunPasses(model, "any(cse)", &error));
    REQUIRE(!quantFloatModelCheck(model, 28, &report, &error));
    REQUIRE(!quantFloatModelWrite(model, false, &buffer, &error));
    REQUIRE(!quantFloatReportDestroy(report));
    REQUIRE(!quantFloatBufferDestroy(buffer));
    REQUIRE(!quantFloatModelDestroy(model));
    /* Each thread has its own error. */
    REQUIRE(quantFloatModelLoad(*(QuantFloatSession *)session, "none.mlir",
                                NULL, &model, &error) ==
            QUANT_FLOAT_ERROR_FILE);
    REQUIRE(strstr(quantFloatErrorGetMessage(error), "none.mlir"));
    REQUIRE(!quantFloatErrorDestroy(error));
  }
  return NULL;
}

/* Runs until another thread destroys the kernel. */
static atomic_int numRuns;

static void *workUntilDestroyed(void *kernel) {
  QuantFloatStatus status;
  do {
    uint8_t y[kCount];
    QuantFloatError error;
    status = run(*(QuantFloatKernel *)kernel, y, &error);
    REQUIRE(status || !memcmp(y, expected, sizeof y));
    quantFloatErrorDestroy(error);
    atomic_fetch_add(&numRuns, 1);
  } while (!status);
  REQUIRE(status == QUANT_FLOAT_ERROR_HANDLE);
  return NULL;
}

static void destroyWhileRunning(void) {
  for (int i = 0; i < 5; ++i) {
    QuantFloatKernel kernel = compileText(castText, NULL);
    atomic_store(&numRuns, 0);
    pthread_t threads[kNumThreads];
    for (int t = 0; t < kNumThreads; ++t)
      REQUIRE(!pthread_create(&threads[t], NULL, workUntilDestroyed, &kernel));
    while (atomic_load(&numRuns) < 50)
      ;
    MUST(quantFloatKernelDestroy(kernel));
    for (int t = 0; t < kNumThreads; ++t)
      pthread_join(threads[t], NULL);
  }
}

/* Callbacks may call const functions of their session only. */
static QuantFloatSession called;
static int numRefused, askedFor;

static bool touch(const QuantFloatProgress *progress, void *unused) {
  (void)progress;
  (void)unused;
  QuantFloatModel model = {0};
  QuantFloatError error;
  REQUIRE(quantFloatModelParse(called, QUANT_FLOAT_FORMAT_MLIR, "", 0, NULL,
                               &model, &error) == QUANT_FLOAT_ERROR_BUSY);
  REQUIRE(!strcmp(quantFloatErrorGetMessage(error),
                  "a callback must not call functions of the session that calls it"));
  REQUIRE(!quantFloatErrorDestroy(error));
  REQUIRE(quantFloatSessionDestroy(called) == QUANT_FLOAT_ERROR_BUSY);
  return ++numRefused != askedFor;
}

static void callBack(void) {
  QuantFloatSessionOptions options;
  quantFloatSessionOptionsInit(&options, sizeof options);
  options.onProgress = touch;
  MUST(quantFloatSessionCreate(&options, &called, &lastError));
  QuantFloatModel model = parse(called, castText);
  QuantFloatKernel kernel;
  MUST(quantFloatModelCompile(model, NULL, &kernel, &lastError));
  MUST(quantFloatKernelDestroy(kernel));
  int numSteps = numRefused;
  REQUIRE(numSteps > 50);
  /* The compilation can be cancelled at every progress callback. */
  for (int step = 1; step < numSteps; step += 6) {
    numRefused = 0;
    askedFor = step;
    QuantFloatError error;
    REQUIRE(quantFloatModelCompile(model, NULL, &kernel, &error) ==
            QUANT_FLOAT_ERROR_CANCELLED);
    REQUIRE(!strcmp(quantFloatErrorGetMessage(error),
                    "cancelled by the progress callback"));
    REQUIRE(!quantFloatErrorDestroy(error));
  }
  numRefused = askedFor = 0;
  MUST(quantFloatModelDestroy(model));
  MUST(quantFloatSessionDestroy(called));
}

int main(void) {
  for (int i = 0; i < kCount; ++i)
    x[i] = (i - kCount / 2) * 0.37f;
  QuantFloatKernel kernel = compileText(castText, NULL);
  MUST(run(kernel, expected, &lastError));
  inThreads(workAlone, NULL);
  inThreads(workOnKernel, &kernel);
  runTwoAtOnce(kernel);
  QuantFloatSession session;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  inThreads(workInSession, &session);
  MUST(quantFloatSessionDestroy(session));
  destroyWhileRunning();
  callBack();
  MUST(quantFloatKernelDestroy(kernel));
  REQUIRE(quantFloatGetNumLiveObjects() == 0);
  return 0;
}
