/* A library whose metadata is wrong at the position that DAMAGE selects. */
#include "quant-float-c/EntryPoint.h"

static int call(const qf_tensor *inputs, qf_tensor *outputs, char *error,
                size_t size) {
  (void)inputs, (void)outputs, (void)error, (void)size;
  return 0;
}

static int callSizes(const qf_tensor *inputs, int64_t *const *sizes,
                     char *error, size_t size) {
  (void)inputs, (void)sizes, (void)error, (void)size;
  return 0;
}

static void start(void) {}
static double stop(void) { return 0; }

const qf_library *qf_get_library(void) {
  static int64_t sizes[] = {2, -1};
  static qf_argument argument = {"x", sizes, 2, QF_FLOAT32};
  static qf_entry entry = {"f", "", &argument, &argument,
                           1,   1,  call,      callSizes};
  static qf_library library = {QF_LIBRARY_VERSION,
                               sizeof library,
                               "a",
                               "nvvm",
                               "b",
                               "c",
                               "d",
                               &entry,
                               1,
                               0,
                               start,
                               stop};
  DAMAGE;
  return &library;
}
