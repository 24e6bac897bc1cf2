// Compiles a model from its file, saves the code and loads it again, with
// weights that stay in the file, and compares the results.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/compiled
// Sanitizers allocate memory of their own.
// RUN: %t/compiled %t %obj_root/lib/libQuantFloatC.so | FileCheck %s --check-prefixes=CHECK,%if sanitizers %{ANY%} %else %{ONCE%}
#include "Inputs/harness.h"
#include <errno.h>
#include <math.h>
#include <sys/resource.h>

enum { kWeights = 1 << 23 };

static const char entries[] =
    "func.func @one(%x: tensor<?xf32> {quant_float.name = \"x\"})\n"
    "    -> tensor<?xf8E4M3FN> attributes {quant_float.graph_name = \"g\"} {\n"
    "  %0 = quant_float.cast %x opset 19\n"
    "      : tensor<?xf32> to tensor<?xf8E4M3FN>\n"
    "  return %0 : tensor<?xf8E4M3FN>\n"
    "}\n"
    "func.func @two(%x: tensor<?xf32>) -> tensor<?xf8E5M2> {\n"
    "  %0 = quant_float.cast %x opset 19\n"
    "      : tensor<?xf32> to tensor<?xf8E5M2>\n"
    "  return %0 : tensor<?xf8E5M2>\n"
    "}\n";

/* Descriptions of a model's entries outlive the model. */
static void holdEntries(QuantFloatSession session) {
  QuantFloatModel model = parse(session, entries);
  const QuantFloatEntry *held = quantFloatModelGetEntry(model, 1);
  MUST(quantFloatModelVerify(model, &lastError));
  REQUIRE(held == quantFloatModelGetEntry(model, 1));
  size_t entry = 9;
  MUST(quantFloatModelFindEntry(model, "two", &entry, &lastError));
  REQUIRE(entry == 1);
  REQUIRE(quantFloatModelFindEntry(model, "three", &entry, &lastError) ==
          QUANT_FLOAT_ERROR_ARGUMENT);
  quantFloatErrorDestroy(lastError);
  MUST(quantFloatModelRunPasses(
      model, "builtin.module(quant-float-lower-to-cpu)", &lastError));
  REQUIRE(quantFloatModelGetEntry(model, 1) != held);
  printf("held: %s, %zu input\n", held->name, held->numInputs);
  MUST(quantFloatModelDestroy(model));
  // CHECK: held: two, 1 input
}

static void printEncodings(QuantFloatKernel kernel, size_t entry) {
  float x[3] = {1, 2, 1000};
  uint8_t y[3] = {0};
  int64_t sizes[1] = {3};
  qf_tensor input = {x, sizes, 1, QF_FLOAT32};
  qf_tensor output = {
      y, sizes, 1, quantFloatKernelGetEntry(kernel, entry)->outputs[0].dtype};
  MUST(quantFloatKernelRunOnHost(kernel, entry, &input, 1, &output, 1,
                                 &lastError));
  printf("%s: %02x %02x %02x\n", quantFloatKernelGetEntry(kernel, entry)->name,
         y[0], y[1], y[2]);
}

/* A file is compiled once. Later calls load the compiled code. */
static void saveAndLoad(QuantFloatSession session, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/saved.so", folder);
  QuantFloatModel model = parse(session, entries);
  QuantFloatKernel kernels[2];
  MUST(
      quantFloatModelCompileToFile(model, NULL, path, &kernels[0], &lastError));
  MUST(quantFloatModelDestroy(model));
  MUST(quantFloatKernelLoad(path, &kernels[1], &lastError));
  for (int i = 0; i < 2; ++i) {
    size_t entry = 9;
    REQUIRE(quantFloatKernelGetTarget(kernels[i]) == QUANT_FLOAT_TARGET_CPU);
    REQUIRE(quantFloatKernelGetNumEntries(kernels[i]) == 2);
    MUST(quantFloatKernelFindEntry(kernels[i], "g", &entry, &lastError));
    REQUIRE(entry == 0);
    REQUIRE(
        !strcmp(quantFloatKernelGetEntry(kernels[i], 0)->inputs[0].name, "x"));
    REQUIRE(quantFloatKernelGetEntry(kernels[i], 1)->inputs[0].sizes[0] == -1);
    printEncodings(kernels[i], 0);
    printEncodings(kernels[i], 1);
    MUST(quantFloatKernelDestroy(kernels[i]));
  }
  // CHECK-NEXT: one: 38 40 7e
  // CHECK-NEXT: two: 3c 40 64
  // CHECK-NEXT: one: 38 40 7e
  // CHECK-NEXT: two: 3c 40 64
  const char *wrong[] = {"nothing.so", "saved.h"};
  for (int i = 0; i < 2; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, wrong[i]);
    REQUIRE(quantFloatKernelLoad(path, &kernels[0], &lastError) ==
            QUANT_FLOAT_ERROR_FILE);
    printf("%s\n", strrchr(quantFloatErrorGetMessage(lastError), '/'));
    REQUIRE(!strcmp(quantFloatErrorGetFile(lastError), path));
    REQUIRE(quantFloatErrorGetErrno(lastError) == (i ? 0 : ENOENT));
    quantFloatErrorDestroy(lastError);
  }
  // CHECK-NEXT: /nothing.so: {{.+}}
  // CHECK-NEXT: /saved.h: expected a shared library, but {{.+}}

  /* One of several entries. */
  QuantFloatCompileOptions options;
  quantFloatCompileOptionsInit(&options, sizeof options);
  options.entry = "two";
  model = parse(session, entries);
  MUST(quantFloatModelCompile(model, &options, &kernels[0], &lastError));
  MUST(quantFloatModelDestroy(model));
  REQUIRE(quantFloatKernelGetNumEntries(kernels[0]) == 1);
  printEncodings(kernels[0], 0);
  MUST(quantFloatKernelDestroy(kernels[0]));
  // CHECK-NEXT: two: 3c 40 64
}

static int exists(const char *path) {
  FILE *file = fopen(path, "rb");
  return file && !fclose(file);
}

/* Code for another CPU can be written, but not loaded. */
static void saveForOthers(QuantFloatSession session, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/foreign.so", folder);
  QuantFloatModel model = parse(session, entries);
  QuantFloatKernel kernel = {7};
  QuantFloatCompileOptions options;
  quantFloatCompileOptionsInit(&options, sizeof options);
#ifdef __x86_64__
  options.triple = "aarch64-linux-gnu";
#else
  options.triple = "x86_64-linux-gnu";
#endif
  REQUIRE(quantFloatModelCompileToFile(model, &options, path, &kernel,
                                       &lastError) ==
          QUANT_FLOAT_ERROR_UNSUPPORTED);
  REQUIRE(!kernel.id && !exists(path));
  printf("%s\n", quantFloatErrorGetMessage(lastError));
  MUST(quantFloatErrorDestroy(lastError));
  MUST(quantFloatModelCompileToFile(model, &options, path, NULL, &lastError));
  REQUIRE(exists(path));
  MUST(quantFloatModelDestroy(model));
  // CHECK-NEXT: code for '{{.+}}' cannot run in this process
}

static long peakKilobytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* Writes an ONNX model with weights in an external file, y = x + w. The
   protobuf encoding is written by hand, as no protobuf library is available. */
static size_t writeField(uint8_t *at, int number, const void *data,
                         size_t size) {
  size_t n = 0;
  at[n++] = (uint8_t)(number << 3 | 2);
  size_t rest = size;
  do {
    at[n++] = (uint8_t)((rest & 127) | (rest > 127 ? 128 : 0));
    rest >>= 7;
  } while (rest);
  memcpy(at + n, data, size);
  return n + size;
}
static size_t writeNumber(uint8_t *at, int number, uint64_t value) {
  size_t n = 0;
  at[n++] = (uint8_t)(number << 3);
  do {
    at[n++] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
    value >>= 7;
  } while (value);
  return n;
}
static size_t writeText(uint8_t *at, int number, const char *text) {
  return writeField(at, number, text, strlen(text));
}
static size_t writeValue(uint8_t *at, int number, const char *name) {
  uint8_t dim[16], shape[32], tensor[64], type[64], value[128];
  size_t n = writeNumber(dim, 1, kWeights);
  n = writeField(shape, 1, dim, n);
  size_t t = writeNumber(tensor, 1, QF_FLOAT32);
  t += writeField(tensor + t, 2, shape, n);
  t = writeField(type, 1, tensor, t);
  n = writeText(value, 1, name);
  n += writeField(value + n, 2, type, t);
  return writeField(at, number, value, n);
}
static size_t writeModel(uint8_t *model) {
  uint8_t graph[1024], part[256], entry[64];
  size_t g = 0, p = 0;
  p += writeText(part + p, 1, "x");
  p += writeText(part + p, 1, "w");
  p += writeText(part + p, 2, "y");
  p += writeText(part + p, 4, "Add");
  g += writeField(graph + g, 1, part, p);
  g += writeText(graph + g, 2, "graph");
  p = writeNumber(part, 1, kWeights);
  p += writeNumber(part + p, 2, QF_FLOAT32);
  p += writeText(part + p, 8, "w");
  size_t e = writeText(entry, 1, "location");
  e += writeText(entry + e, 2, "weights.bin");
  p += writeField(part + p, 13, entry, e);
  p += writeNumber(part + p, 14, 1);
  g += writeField(graph + g, 5, part, p);
  g += writeValue(graph + g, 11, "x");
  g += writeValue(graph + g, 12, "y");
  p = writeNumber(part, 2, 19);
  size_t m = writeNumber(model, 1, 10);
  m += writeField(model + m, 7, graph, g);
  return m + writeField(model + m, 8, part, p);
}

static void writeWeights(const char *folder, float *weights) {
  char path[4096];
  snprintf(path, sizeof path, "%s/weights.bin", folder);
  for (int i = 0; i < kWeights; ++i)
    weights[i] = (float)i;
  FILE *file = fopen(path, "wb");
  REQUIRE(file && fwrite(weights, 4, kWeights, file) == kWeights);
  fclose(file);
}

/* 32 MiB of weights are neither copied nor compiled. Both ways to call the
   kernel find them without the model and the session. */
static void keepWeights(const char *folder) {
  uint8_t bytes[2048];
  size_t size = writeModel(bytes);
  QuantFloatSession session;
  QuantFloatModel model;
  QuantFloatKernel kernel;
  QuantFloatLoadOptions load;
  quantFloatLoadOptionsInit(&load, sizeof load);
  load.externalDataFolder = folder;
  float *x = malloc(4 * kWeights), *y = malloc(4 * kWeights);
  writeWeights(folder, x);
  memset(x, 0, 4 * kWeights);
  memset(y, 0, 4 * kWeights);
  long before = peakKilobytes();
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  MUST(quantFloatModelParse(session, QUANT_FLOAT_FORMAT_ONNX, bytes, size,
                            &load, &model, &lastError));
  MUST(quantFloatModelCompile(model, NULL, &kernel, &lastError));
  MUST(quantFloatModelDestroy(model));
  MUST(quantFloatSessionDestroy(session));
  REQUIRE(quantFloatKernelGetEntry(kernel, 0)->numInputs == 1);
  int64_t sizes[1] = {kWeights};
  qf_tensor input = {x, sizes, 1, QF_FLOAT32};
  qf_tensor output = {y, sizes, 1, QF_FLOAT32};
  MUST(quantFloatKernelRun(kernel, 0, &input, 1, &output, 1, &lastError));
  REQUIRE(y[0] == 0 && y[12345] == 12345 && y[kWeights - 1] == kWeights - 1);
  long more = peakKilobytes() - before;
  printf("weights: %s\n", more < 64 * 1024 ? "once" : "copied");
  if (more >= 64 * 1024)
    printf("%ld KiB\n", more);

  int (*run)(const qf_tensor *, qf_tensor *, char *, size_t);
  int (*outputSizes)(const qf_tensor *, int64_t *const *, char *, size_t);
  MUST(quantFloatKernelGetFunctions(kernel, 0, &run, &outputSizes, &lastError));
  char text[256];
  int64_t found = 0, *places[1] = {&found};
  REQUIRE(!outputSizes(&input, places, text, sizeof text) && found == kWeights);
  x[7] = 0.5f;
  REQUIRE(!run(&input, &output, text, sizeof text) && y[7] == 7.5f);
  REQUIRE(run(NULL, &output, text, sizeof text) == QF_ERROR_NULL);
  printf("%s\n", text);
  MUST(quantFloatKernelDestroy(kernel));
  free(x);
  free(y);
  // ONCE-NEXT: weights: once
  // ANY-NEXT: weights:
  // CHECK: {{^.*}}null
}

static void compareModes(QuantFloatSession session) {
  static const char text[] =
      "func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {\n"
      "  %s = arith.constant dense<3.0> : tensor<f16>\n"
      "  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13\n"
      "      : tensor<4xf16>, tensor<f16> to tensor<4xf16>\n"
      "  return %0 : tensor<4xf16>\n"
      "}\n";
  QuantFloatModel model = parse(session, text);
  uint16_t x[4] = {0x3c00, 0x1801, 0x7e00, 0x0001};
  int64_t sizes[1] = {4};
  qf_tensor input = {x, sizes, 1, QF_FLOAT16};
  QuantFloatModeReport report;
  MUST(quantFloatModelCompareModes(model, 0, &input, 1, NULL, &report,
                                   &lastError));
  REQUIRE(quantFloatModeReportGetCount(report) == 1);
  const QuantFloatFakeConvertReport *node = quantFloatModeReportGet(report, 0);
  REQUIRE(!quantFloatModeReportGet(report, 1));
  int64_t sum = 0;
  for (int i = 0; i < 6; ++i)
    sum += node->comparisons[0].causes[i];
  REQUIRE(sum == node->comparisons[0].numDiffering);
  printf("%s of %lld, modes %d and %d\n%s", node->destination,
         (long long)node->numElements, node->comparisons[2].first,
         node->comparisons[2].second, quantFloatModeReportGetText(report));
  MUST(quantFloatModeReportDestroy(report));
  input.rank = 0;
  REQUIRE(quantFloatModelCompareModes(model, 0, &input, 1, NULL, &report,
                                      &lastError) == QUANT_FLOAT_ERROR_RANK);
  quantFloatErrorDestroy(lastError);
  MUST(quantFloatModelDestroy(model));
  // CHECK-NEXT: f8E4M3FN of 4, modes 1 and 2
  // CHECK-NEXT: fakeconvert 0, float16[4] to f8E4M3FN
  // CHECK-NEXT:   exact and openvino:
  // CHECK-NEXT:   exact and openvino_reference:
  // CHECK-NEXT:   openvino and openvino_reference:
}

static void handleTensors(void) {
  float x[3] = {1, NAN, 3}, y[3] = {1, -NAN, 3.5f};
  int64_t sizes[1] = {3};
  qf_tensor one = {x, sizes, 1, QF_FLOAT32}, two = {y, sizes, 1, QF_FLOAT32};
  QuantFloatTensorDifference difference;
  MUST(quantFloatCompareTensors(&one, &two, &difference, &lastError));
  printf("%lld of %lld differ, from %lld, by %g\n",
         (long long)difference.numDiffering, (long long)difference.numElements,
         (long long)difference.first, difference.largest);
  // CHECK-NEXT: 1 of 3 differ, from 2, by 0.5
  QuantFloatTensors tensors;
  MUST(quantFloatTensorsCreate(QUANT_FLOAT_TARGET_CPU, &one, 1, &tensors,
                               &lastError));
  REQUIRE(quantFloatTensorsGetTarget(tensors) == QUANT_FLOAT_TARGET_CPU);
  REQUIRE(quantFloatTensorsGet(tensors, 0)->data != x);
  MUST(quantFloatTensorsRead(tensors, 0, y, sizeof y, &lastError));
  REQUIRE(!memcmp(x, y, sizeof x));
  REQUIRE(quantFloatTensorsRead(tensors, 0, y, 4, &lastError) ==
          QUANT_FLOAT_ERROR_SIZE);
  quantFloatErrorDestroy(lastError);
  QuantFloatKernel kernel = compileText(castText, NULL);
  QuantFloatTensors outputs;
  MUST(quantFloatKernelAllocateOutputs(
      kernel, 0, quantFloatTensorsGet(tensors, 0), 1, &outputs, &lastError));
  qf_tensor output = *quantFloatTensorsGet(outputs, 0);
  REQUIRE(output.rank == 1 && output.sizes[0] == 3);
  MUST(quantFloatKernelRun(kernel, 0, quantFloatTensorsGet(tensors, 0), 1,
                           &output, 1, &lastError));
  REQUIRE(((uint8_t *)output.data)[0] == 0x38);
  MUST(quantFloatKernelDestroy(kernel));
  MUST(quantFloatTensorsDestroy(tensors));
  MUST(quantFloatTensorsDestroy(outputs));
}

static void refuse(QuantFloatStatus status) {
  REQUIRE(status == quantFloatErrorGetStatus(lastError) && status);
  printf("%s: %s\n", quantFloatStatusGetName(status),
         quantFloatErrorGetMessage(lastError));
  quantFloatErrorDestroy(lastError);
}

static void misuse(QuantFloatSession session, const char *library) {
  float x[2] = {0};
  int64_t sizes[1] = {2}, other[1] = {1};
  qf_tensor right = {x, sizes, 1, QF_FLOAT32};
  qf_tensor unknown = {x, sizes, 1, 99}, negative = {x, sizes, -1, QF_FLOAT32};
  qf_tensor shorter = {x, other, 1, QF_FLOAT32};
  QuantFloatTensors tensors;
  refuse(quantFloatTensorsCreate(QUANT_FLOAT_TARGET_CPU, &unknown, 1, &tensors,
                                 &lastError));
  refuse(quantFloatTensorsCreate(QUANT_FLOAT_TARGET_CPU, &negative, 1, &tensors,
                                 &lastError));
  refuse(quantFloatTensorsCreate(7, &right, 1, &tensors, &lastError));
  MUST(quantFloatTensorsCreate(QUANT_FLOAT_TARGET_CPU, &right, 1, &tensors,
                               &lastError));
  refuse(quantFloatTensorsRead(tensors, 3, x, sizeof x, &lastError));
  MUST(quantFloatTensorsDestroy(tensors));
  QuantFloatTensorDifference difference;
  refuse(quantFloatCompareTensors(&right, &shorter, &difference, &lastError));
  refuse(quantFloatCompareTensors(&right, NULL, &difference, &lastError));
  QuantFloatKernel kernel;
  refuse(quantFloatKernelLoad(library, &kernel, &lastError));
  QuantFloatModel model = parse(
      session, "func.func @a() attributes {quant_float.graph_name = \"b\"} {\n"
               "  return\n}\n"
               "func.func @b() { return }\n");
  size_t entry;
  refuse(quantFloatModelFindEntry(model, "b", &entry, &lastError));
  refuse(quantFloatModelFindEntry(model, "", &entry, &lastError));
  MUST(quantFloatModelDestroy(model));
}

// CHECK-NEXT: element type: expected an element type number of EntryPoint.h, but got 99
// CHECK-NEXT: rank: expected a rank of 0 or more, but got -1
// CHECK-NEXT: argument: target must be 0 or 1, but got 7
// CHECK-NEXT: argument: tensor must be less than 1, but got 3
// CHECK-NEXT: size: expected tensors of the same type and shape, but got float[2] and float[1]
// CHECK-NEXT: null: other must not be null
// CHECK-NEXT: file: {{.*}}libQuantFloatC.so: expected a shared library of quant-float-compile, but it has no symbol qf_get_library
// CHECK-NEXT: argument: more than one function is named 'b'
// CHECK-NEXT: argument: expected a name to choose one of the functions 'a', 'b'

int main(int argc, char **argv) {
  REQUIRE(argc == 3);
  size_t before = quantFloatGetNumLiveObjects();
  QuantFloatSession session;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  holdEntries(session);
  saveAndLoad(session, argv[1]);
  saveForOthers(session, argv[1]);
  keepWeights(argv[1]);
  compareModes(session);
  handleTensors();
  misuse(session, argv[2]);
  MUST(quantFloatSessionDestroy(session));
  REQUIRE(quantFloatGetNumLiveObjects() == before);
  puts("done");
  // CHECK: done
}
