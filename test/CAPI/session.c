// From a model to its results, with all queries on the way.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/session
// RUN: %t/session %t | FileCheck %s
#include "Inputs/harness.h"
#include "quant-float-c/Opsets.h"

static int numProgress, numDiagnostics;

static bool onProgress(const QuantFloatProgress *progress, void *userData) {
  REQUIRE(userData == &numProgress && progress->stage && progress->detail);
  ++numProgress;
  return true;
}

static void onDiagnostic(const QuantFloatDiagnostic *diagnostic,
                         void *userData) {
  REQUIRE(userData == &numDiagnostics && diagnostic->message);
  ++numDiagnostics;
}

static void printArguments(const char *kind, const QuantFloatArgument *list,
                           size_t count) {
  for (size_t i = 0; i < count; ++i) {
    printf("  %s '%s' %s", kind, list[i].name,
           list[i].dtype ? quantFloatDtypeGetMlirName(list[i].dtype) : "none");
    for (int32_t d = 0; d < list[i].rank; ++d)
      printf(" %lld", (long long)list[i].sizes[d]);
    printf(" rank %d\n", list[i].rank);
  }
}

static void printEntry(const QuantFloatEntry *entry) {
  printf("entry '%s' graph '%s'\n", entry->name, entry->graphName);
  printArguments("input", entry->inputs, entry->numInputs);
  printArguments("output", entry->outputs, entry->numOutputs);
}

static const char text[] =
    "func.func @quantize(%x: tensor<?x4xf32> {quant_float.name = \"x in\"},\n"
    "                    %s: tensor<f32>) -> tensor<?x4xi8>\n"
    "    attributes {quant_float.graph_name = \"main graph\"} {\n"
    "  %z = arith.constant dense<1> : tensor<i8>\n"
    "  %0 = quant_float.quantize %x, %s, %z opset 13\n"
    "      : tensor<?x4xf32>, tensor<f32>, tensor<i8> to tensor<?x4xi8>\n"
    "  return %0 : tensor<?x4xi8>\n"
    "}\n"
    "func.func @other(%x: tensor<*xf32>, %y: !quant_float.unknown) {\n"
    "  return\n"
    "}\n"
    "func.func private @hidden(tensor<4xf32>)\n";

static void run(QuantFloatModel model) {
  QuantFloatKernel kernel;
  MUST(quantFloatModelRunPasses(
      model, "builtin.module(func.func(canonicalize),cse)", &lastError));
  MUST(quantFloatModelCompile(model, NULL, &kernel, &lastError));
  printf("kernel: %zu entries\n", quantFloatKernelGetNumEntries(kernel));
  printEntry(quantFloatKernelGetEntry(kernel, 0));
  size_t entry = 99;
  MUST(quantFloatKernelFindEntry(kernel, "main graph", &entry, &lastError));
  REQUIRE(entry == 0);
  MUST(quantFloatKernelFindEntry(kernel, "quantize", &entry, &lastError));

  float x[2][4] = {{0, 1, -1, 2.5f}, {1e9f, -1e9f, 0.75f, -0.0f}}, scale = 0.5f;
  signed char y[2][4];
  int64_t sizes[2] = {2, 4}, given[2] = {0, 0};
  qf_tensor inputs[2] = {{x, sizes, 2, QF_FLOAT32},
                         {&scale, NULL, 0, QF_FLOAT32}};
  int64_t *outputSizes[1] = {given};
  MUST(quantFloatKernelGetOutputSizes(kernel, entry, inputs, 2, outputSizes, 1,
                                      &lastError));
  printf("output sizes %lld %lld\n", (long long)given[0], (long long)given[1]);
  qf_tensor outputs[1] = {{y, given, 2, QF_INT8}};
  MUST(quantFloatKernelRun(kernel, entry, inputs, 2, outputs, 1, &lastError));
  for (int i = 0; i < 8; ++i)
    printf(" %d", y[i / 4][i % 4]);
  printf("\n");

  /* The same through the entry point itself, and in the Reference. */
  int (*function)(const qf_tensor *, qf_tensor *, char *, size_t);
  signed char again[2][4];
  outputs[0].data = again;
  MUST(quantFloatKernelGetFunctions(kernel, entry, &function, NULL,
                                    &lastError));
  REQUIRE(function(inputs, outputs, NULL, 0) == QF_OK);
  REQUIRE(!memcmp(y, again, sizeof y));
  QuantFloatTensors results;
  MUST(quantFloatModelEvaluate(model, 0, inputs, 2, &results, &lastError));
  REQUIRE(quantFloatTensorsGetCount(results) == 1);
  const qf_tensor *result = quantFloatTensorsGet(results, 0);
  REQUIRE(result->dtype == QF_INT8 && result->rank == 2 &&
          result->sizes[0] == 2 && result->sizes[1] == 4);
  REQUIRE(!memcmp(y, result->data, sizeof y));
  MUST(quantFloatTensorsDestroy(results));
  MUST(quantFloatKernelDestroy(kernel));
}

static void writeAndReadBack(QuantFloatSession session, QuantFloatModel model,
                             const char *folder) {
  QuantFloatBuffer bytecode, ir;
  QuantFloatModel again;
  MUST(quantFloatModelWrite(model, true, &bytecode, &lastError));
  MUST(quantFloatModelParse(session, QUANT_FLOAT_FORMAT_MLIR,
                            quantFloatBufferGetData(bytecode),
                            quantFloatBufferGetSize(bytecode), NULL, &again,
                            &lastError));
  MUST(quantFloatModelWrite(again, false, &ir, &lastError));
  printf("%s", quantFloatBufferGetData(ir));
  char path[4096];
  snprintf(path, sizeof path, "%s/model.mlir", folder);
  MUST(quantFloatModelEmitToFile(again, QUANT_FLOAT_EMIT_MLIR, NULL, path,
                                 &lastError));
  MUST(quantFloatModelDestroy(again));
  MUST(quantFloatModelLoad(session, path, NULL, &again, &lastError));
  printf("loaded: %zu entries\n", quantFloatModelGetNumEntries(again));
  MUST(quantFloatModelDestroy(again));
  MUST(quantFloatBufferDestroy(bytecode));
  MUST(quantFloatBufferDestroy(ir));
}

/* A model that cannot be read leaves an error with all its details. */
static void fail(QuantFloatSession session) {
  static const char wrong[] =
      "func.func @f(%x: tensor<4xf32>) -> tensor<4xf8E4M3FN> {\n"
      "  %0 = quant_float.cast %x opset 13\n"
      "      : tensor<4xf32> to tensor<4xf8E4M3FN>\n"
      "  return %0 : tensor<4xf8E4M3FN>\n"
      "}\n";
  QuantFloatLoadOptions options;
  quantFloatLoadOptionsInit(&options, sizeof options);
  options.name = "wrong.mlir";
  QuantFloatModel model;
  QuantFloatError error;
  QuantFloatStatus status =
      quantFloatModelParse(session, QUANT_FLOAT_FORMAT_MLIR, wrong,
                           strlen(wrong), &options, &model, &error);
  REQUIRE(model.id == 0 && quantFloatErrorGetStatus(error) == status);
  printf("error '%s': %s\n", quantFloatStatusGetName(status),
         quantFloatErrorGetMessage(error));
  for (size_t i = 0; i < quantFloatErrorGetNumDiagnostics(error); ++i) {
    const QuantFloatDiagnostic *diagnostic =
        quantFloatErrorGetDiagnostic(error, i);
    printf("diagnostic %d at %s:%d:%d: %s\n", diagnostic->severity,
           diagnostic->file, diagnostic->line, diagnostic->column,
           diagnostic->message);
    for (size_t n = 0; n < diagnostic->numNotes; ++n)
      printf("note %d: %s\n", diagnostic->notes[n].severity,
             diagnostic->notes[n].message);
  }
  MUST(quantFloatErrorDestroy(error));

  /* An unverified model can be checked against every opset. */
  options.verify = false;
  MUST(quantFloatModelParse(session, QUANT_FLOAT_FORMAT_MLIR, wrong,
                            strlen(wrong), &options, &model, &lastError));
  QuantFloatReport report;
  MUST(quantFloatModelCheck(model, QUANT_FLOAT_OPSET_ALL, &report, &lastError));
  REQUIRE(quantFloatReportGetNumNodes(report) == 1);
  REQUIRE(quantFloatReportGetNumInvalid(report) == 1);
  const QuantFloatNodeReport *node = quantFloatReportGetNode(report, 0);
  printf("%s at %s:%d opset %lld status %d: %s\n", node->opName, node->file,
         node->line, (long long)node->opset, node->status, node->reason);
  for (size_t i = 0; i < node->numOpsets; ++i)
    printf("opsets %lld to %lld: %s\n", (long long)node->opsets[i].first,
           (long long)node->opsets[i].last,
           node->opsets[i].accepted ? "accepted" : node->opsets[i].reason);
  printf("%s\n%s\n", quantFloatReportGetText(report),
         quantFloatReportGetJson(report));
  MUST(quantFloatReportDestroy(report));
  MUST(quantFloatModelCheck(model, 19, &report, &lastError));
  printf("at opset 19: %zu invalid\n", quantFloatReportGetNumInvalid(report));
  MUST(quantFloatReportDestroy(report));
  status = quantFloatModelVerify(model, &error);
  printf("verify: %s\n", quantFloatStatusGetName(status));
  MUST(quantFloatErrorDestroy(error));
  MUST(quantFloatModelDestroy(model));
}

int main(int argc, char **argv) {
  /* Output is unbuffered: a process that reads damaged bytecode under
     ThreadSanitizer would print the inherited buffer again. */
  setvbuf(stdout, NULL, _IOLBF, 0);
  REQUIRE(argc == 2);
  REQUIRE(quantFloatGetAbiVersion() == QUANT_FLOAT_ABI_VERSION);
  printf("version %s, LLVM %s\n", quantFloatGetVersion(),
         quantFloatGetLLVMVersion());
  QuantFloatSessionOptions options;
  quantFloatSessionOptionsInit(&options, sizeof options);
  options.onProgress = onProgress;
  options.progressUserData = &numProgress;
  options.onDiagnostic = onDiagnostic;
  options.diagnosticUserData = &numDiagnostics;
  QuantFloatSession session;
  MUST(quantFloatSessionCreate(&options, &session, &lastError));
  QuantFloatModel model = parse(session, text);
  printf("model: %zu entries\n", quantFloatModelGetNumEntries(model));
  printEntry(quantFloatModelGetEntry(model, 0));
  printEntry(quantFloatModelGetEntry(model, 1));
  REQUIRE(quantFloatModelGetEntry(model, 2) == NULL);
  MUST(quantFloatModelVerify(model, &lastError));
  MUST(quantFloatModelRunPasses(
      model, "builtin.module(func.func(canonicalize),symbol-dce)", &lastError));
  QuantFloatModel one = parse(session, castText);
  writeAndReadBack(session, one, argv[1]);
  MUST(quantFloatModelDestroy(model));
  static char first[sizeof text];
  *strstr(strcpy(first, text), "func.func @other") = 0;
  model = parse(session, first);
  run(model);
  fail(session);
  REQUIRE(numProgress > 50 && numDiagnostics > 0);
  /* Handles can be destroyed in any order. */
  MUST(quantFloatSessionDestroy(session));
  MUST(quantFloatModelVerify(model, &lastError));
  MUST(quantFloatModelDestroy(one));
  MUST(quantFloatModelDestroy(model));
  printf("alive: %zu\n", quantFloatGetNumLiveObjects());
  return 0;
}

// CHECK: version 0.1.0, LLVM {{2[2-9]}}.
// CHECK-NEXT: model: 2 entries
// CHECK-NEXT: entry 'quantize' graph 'main graph'
// CHECK-NEXT:   input 'x in' f32 -1 4 rank 2
// CHECK-NEXT:   input '' f32 rank 0
// CHECK-NEXT:   output '' i8 -1 4 rank 2
// CHECK-NEXT: entry 'other' graph ''
// CHECK-NEXT:   input '' f32 rank -1
// CHECK-NEXT:   input '' none rank -1
// CHECK-NEXT: module {
// CHECK-NEXT:   func.func @cast(
// CHECK: loaded: 1 entries
// CHECK-NEXT: kernel: 1 entries
// CHECK-NEXT: entry 'quantize' graph 'main graph'
// CHECK-NEXT:   input 'x in' f32 -1 4 rank 2
// CHECK-NEXT:   input '' f32 rank 0
// CHECK-NEXT:   output '' i8 -1 4 rank 2
// CHECK-NEXT: output sizes 2 4
// CHECK-NEXT:  1 3 -1 6 127 -128 3 1
// CHECK-NEXT: error 'model': wrong.mlir:2:8: {{.*}}f8E4M3FN
// CHECK-NEXT: diagnostic 0 at wrong.mlir:2:8: {{.*}}f8E4M3FN
// CHECK-NEXT: note 3: Cast accepts this type from opset 19 on
// CHECK-NEXT: Cast at wrong.mlir:2 opset 13 status 1:
// CHECK: opsets 19 to 28: accepted
// CHECK: "op": "Cast"
// CHECK: at opset 19: 0 invalid
// CHECK-NEXT: verify: model
// CHECK-NEXT: alive: 0
